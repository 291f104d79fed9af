import type { Ledger } from '../money/account/Ledger.ts';
import { MessageReader } from '../telephony/messaging/MessageReader.ts';
import { NumberCatalogue } from '../telephony/numbers/NumberCatalogue.ts';
import { NumberOrders } from '../telephony/numbers/NumberOrders.ts';
import { NumberService } from '../telephony/numbers/NumberService.ts';
import { NumberTerms } from '../telephony/numbers/NumberTerms.ts';
import type { Carrier } from '../telephony/sms/Carrier.ts';
import { createCarrier } from './createCarrier.ts';
import { Inbound } from '../telephony/sms/Inbound.ts';
import { Outcomes } from '../telephony/sms/Outcomes.ts';
import { noTelephonyEvents, type TelephonyEvents } from '../telephony/sms/TelephonyEvents.ts';
import { Pool } from '../telephony/sms/Pool.ts';
import { TextQueue } from '../telephony/sms/TextQueue.ts';
import { TextService } from '../telephony/sms/TextService.ts';
import type { Parts } from './Parts.ts';
import type { Telephony } from '../telephony/Telephony.ts';

interface TelephonyDeps extends Pick<Parts, 'config' | 'db' | 'jobs' | 'log'> {
  ledger: Ledger;
  /** Receives the events of texts and numbers. */
  events?: TelephonyEvents;
  /** Used instead of the configured carrier, in tests. */
  carrier?: Carrier;
}

/** Creates the parts for texts and numbers: carrier, queue, inbox and orders. */
export async function createTelephony(deps: TelephonyDeps): Promise<Telephony> {
  const { config, db, ledger, jobs, events = noTelephonyEvents, log } = deps;
  const carrier = deps.carrier ?? (await createCarrier({ config, db, jobs, log }));
  const { name, market } = carrier;
  const waitMs = config.SMS_SUBMIT_SECONDS * 1_000;
  const pool = new Pool(carrier.pool, config.SMS_POOL_SILENT_DAYS * 24 * 60 * 60_000);
  const outcomes = new Outcomes({ db, ledger, events, carrier: name });
  const queue = new TextQueue({ db, jobs, carrier, outcomes, submitMs: waitMs, log });
  const { SMS_COUNTRIES: countries, SMS_PRICES: prices } = config;
  const inbound = new Inbound({ db, pool, queue, events, carrier: name, countries, log });
  const graceMs = config.NUMBER_GRACE_DAYS * 24 * 60 * 60_000;
  const terms = new NumberTerms({ db, jobs, ledger, events, carrier, graceMs, log });
  const catalogue = new NumberCatalogue(market);
  return {
    texts: new TextService({ pool, queue, carrier, countries, prices }),
    messages: new MessageReader(db),
    numbers: new NumberService({ db, terms, events }),
    orders: new NumberOrders({
      db,
      jobs,
      ledger,
      catalogue,
      terms,
      events,
      log,
      carrier: name,
      buyMs: waitMs,
    }),
    catalogue,
    events,
    db,
    callbacks: carrier.callbacks ? { [name]: carrier.callbacks } : {},
    check: () => carrier.check(),
    start: () =>
      carrier.start({
        inbound: (text) => inbound.receive(text),
        receipt: (receipt) => outcomes.receipt(receipt),
      }),
    async close() {
      await queue.close();
      await carrier.close();
    },
  };
}
