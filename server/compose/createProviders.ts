import type { RequestHandler } from 'express';
import type { Config } from '../config/config.ts';
import { givesTrialCredits } from '../config/configWarnings.ts';
import type { Accounts } from './createAccounts.ts';
import { activationCodeOf } from '../esim/activation.ts';
import { AiraloEsims } from '../esim/AiraloEsims.ts';
import { Catalogue } from '../esim/Catalogue.ts';
import { EsimOrders } from '../esim/EsimOrders.ts';
import type { EsimProvider } from '../esim/EsimProvider.ts';
import { EsimService } from '../esim/EsimService.ts';
import { LoopbackEsims } from '../esim/LoopbackEsims.ts';
import { QrCodes, qrPath } from '../esim/QrCodes.ts';
import type { ProvidedServices } from '../api/routes.ts';
import { HibpLeaks } from '../leaksearch/HibpLeaks.ts';
import { LeakQuota } from '../leaksearch/LeakQuota.ts';
import { LeakSearchService } from '../leaksearch/LeakSearchService.ts';
import type { LeakSource } from '../leaksearch/LeakSource.ts';
import { LocalLeaks } from '../leaksearch/LocalLeaks.ts';
import { EmbeddedDirectory } from '../telephony/lookup/EmbeddedDirectory.ts';
import { LookupService } from '../telephony/lookup/LookupService.ts';
import { TwilioLookup } from '../telephony/lookup/TwilioLookup.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { TextService } from '../telephony/sms/TextService.ts';
import type { Parts } from './Parts.ts';
import { VerificationService } from '../telephony/verifications/VerificationService.ts';
import { Ejabberd } from '../xmpp/Ejabberd.ts';
import { XmppService } from '../xmpp/XmppService.ts';

export interface ProviderDeps extends Pick<
  Parts,
  'config' | 'db' | 'secrets' | 'jobs' | 'publicUrl' | 'log'
> {
  accounts: Pick<Accounts, 'ledger' | 'plans'>;
  /** Sends the texts of verification codes; null if the server sends no texts. */
  texts?: TextService | null;
  /** Tells whether an account owns a phone number; null if the server has no numbers. */
  numbers?: { owns(accountId: string, numberId: string): Promise<boolean> } | null;
}

export interface Providers {
  services: ProvidedServices;
  /** Handlers of files that are served outside the API, by path. */
  files: Record<string, RequestHandler>;
}

/** Creates the services that each need a provider, with the configured drivers. */
export function createProviders(deps: ProviderDeps): Providers {
  const { config, db, accounts, secrets, texts = null } = deps;
  const esim = createEsim(deps);
  return {
    files: esim.files,
    services: {
      lookup: new LookupService(createDirectory(config)),
      leaksearch: new LeakSearchService({
        source: createLeakSource(deps),
        quota: new LeakQuota({
          db,
          plans: accounts.plans,
          freeSearches: config.LEAKSEARCH_FREE_SEARCHES ?? (givesTrialCredits(config) ? 10 : 0),
        }),
      }),
      esim: esim.service,
      verifications:
        texts && new VerificationService({ db, texts, keys: secrets.keys('verification codes') }),
      xmpp: createXmpp(deps),
    },
  };
}

function createDirectory(config: Config) {
  if (config.LOOKUP_DRIVER === 'embedded') return new EmbeddedDirectory();
  return new TwilioLookup({
    url: config.TWILIO_LOOKUP_URL,
    accountSid: config.TWILIO_ACCOUNT_SID ?? '',
    authToken: config.TWILIO_AUTH_TOKEN ?? '',
  });
}

function createLeakSource({ config, db, secrets }: ProviderDeps): LeakSource {
  if (config.LEAKSEARCH_DRIVER === 'local') return new LocalLeaks({ db, key: secrets.lasting('leak index') });
  return new HibpLeaks({
    url: config.HIBP_URL,
    passwordsUrl: config.HIBP_PASSWORDS_URL,
    apiKey: config.HIBP_API_KEY ?? '',
  });
}

function createEsim({ config, db, jobs, log, secrets, accounts, publicUrl }: ProviderDeps) {
  const { ledger } = accounts;
  const provider = createEsimProvider(config, secrets);
  const catalogue = new Catalogue(provider, log);
  // Loads the prices before the first order. If the provider is unavailable now, the first order tries again.
  catalogue.all().catch((err: unknown) => log.warn({ err }, 'loading the eSIM catalogue failed'));
  const settleMs = config.ESIM_SETTLE_SECONDS * 1_000;
  const keys = secrets.keys('esim profiles');
  const orders = new EsimOrders({ db, ledger, jobs, keys, settleMs, log });
  const qrCodes = new QrCodes({ keys: secrets.keys('esim qr codes'), publicUrl });
  const readCode = async (id: string) => {
    const profile = await orders.profile(id);
    return profile && activationCodeOf(profile);
  };
  return {
    service: new EsimService({ provider, catalogue, orders, qrCodes, ledger, jobs, log }),
    files: { [qrPath]: qrCodes.handler(readCode) },
  };
}

function createEsimProvider(config: Config, secrets: Secrets): EsimProvider {
  if (config.ESIM_DRIVER === 'loopback') return new LoopbackEsims(secrets.lasting('loopback esims'));
  return new AiraloEsims({
    url: config.AIRALO_URL,
    clientId: config.AIRALO_CLIENT_ID ?? '',
    clientSecret: config.AIRALO_CLIENT_SECRET ?? '',
    markupPercent: config.ESIM_MARKUP_PERCENT,
  });
}

function createXmpp(deps: ProviderDeps): XmppService | null {
  const { config, db, jobs, secrets, accounts, numbers = null } = deps;
  const { XMPP_API_URL: url, XMPP_DOMAIN: domain } = config;
  if (url === undefined || domain === undefined) return null;
  const { XMPP_API_USER: user, XMPP_API_PASSWORD: password } = config;
  return new XmppService({
    db,
    jobs,
    numbers,
    ledger: accounts.ledger,
    keys: secrets.keys('xmpp passwords'),
    server: new Ejabberd({ url, domain, user, password }),
    addresses: {
      domain,
      host: config.XMPP_HOST ?? domain,
      websocketUrl: config.XMPP_WEBSOCKET_URL ?? null,
      smsGateway: config.XMPP_SMS_GATEWAY ?? null,
    },
  });
}
