import type { Logger } from 'pino';
import type { DueRows } from '../signaling/due/DueRows.ts';
import type { Config } from './config.ts';
import type { Accounts } from './createAccounts.ts';
import type { Database } from './database.ts';
import type { ProvidedServices } from './http/routes.ts';
import { HibpLeaks } from './leaksearch/HibpLeaks.ts';
import { LeakQuota } from './leaksearch/LeakQuota.ts';
import { LeakSearchService } from './leaksearch/LeakSearchService.ts';
import type { LeakSource } from './leaksearch/LeakSource.ts';
import { LocalLeaks } from './leaksearch/LocalLeaks.ts';
import { EmbeddedDirectory } from './lookup/EmbeddedDirectory.ts';
import { LookupService } from './lookup/LookupService.ts';
import { TwilioLookup } from './lookup/TwilioLookup.ts';
import type { Secrets } from './secrets.ts';
import type { CodeSender } from './verifications/CodeSender.ts';
import { VerificationService } from './verifications/VerificationService.ts';

export interface ProviderDeps {
  config: Config;
  db: Database;
  secrets: Secrets;
  /** Not started yet: handlers are registered here. */
  due: DueRows;
  accounts: Pick<Accounts, 'ledger' | 'plans'>;
  publicUrl: string;
  log: Logger;
  /** What brings codes to phones; null where nothing sends texts. */
  codeSender?: CodeSender | null;
}

/** The services that stand on a provider of their own, each with the driver the configuration names. */
export function createProviders(deps: ProviderDeps): { services: ProvidedServices } {
  const { config, db, accounts, secrets, codeSender = null } = deps;
  const { ledger } = accounts;
  return {
    services: {
      lookup: new LookupService(createDirectory(config)),
      leaksearch: new LeakSearchService({
        source: createLeakSource(deps),
        quota: new LeakQuota({
          db,
          plans: accounts.plans,
          freeSearches: config.LEAKSEARCH_FREE_SEARCHES ?? (config.isProduction ? 0 : 10),
        }),
      }),
      esim: null,
      verifications:
        codeSender &&
        new VerificationService({
          db,
          ledger,
          sender: codeSender,
          key: secrets.derive('verification codes'),
        }),
      xmpp: null,
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
  if (config.LEAKSEARCH_DRIVER === 'local') return new LocalLeaks({ db, key: secrets.derive('leak index') });
  return new HibpLeaks({
    url: config.HIBP_URL,
    passwordsUrl: config.HIBP_PASSWORDS_URL,
    apiKey: config.HIBP_API_KEY ?? '',
  });
}
