import { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import { createAccounts } from './createAccounts.ts';
import { createBilling } from './createBilling.ts';
import { createPaidRequests } from './createPaidRequests.ts';
import { createTelephony } from './createTelephony.ts';
import { isErased } from '../privacy/erasure/isErased.ts';
import { freeRequestsOfDeadNodes } from '../money/idempotency/freeRequestsOfDeadNodes.ts';
import { createProviders } from './createProviders.ts';
import { createWebhooks } from './createWebhooks.ts';
import type { Parts } from './Parts.ts';

/** Creates all services of the HTTP API except identity: those for accounts and money, for telephony, and those that need a provider. */
export async function createServices(given: Parts) {
  const { config, db, closers, log } = given;
  const isApi = config.ROLES.includes('api');
  // Only nodes with the role api run these jobs, because only they are connected to the carrier.
  const jobs = isApi ? given.jobs : new ScheduledJobs(db, log);
  const parts = { ...given, jobs };
  const accounts = await createAccounts(parts);
  closers.push(['accounts', () => accounts.close()]);
  const { audit, ledger } = accounts;
  const webhooks = await createWebhooks({ ...parts, audit, delivers: isApi });
  closers.push(['webhooks', () => webhooks.close()]);
  const telephony = await createTelephony({ ...parts, ledger, events: webhooks.events });
  closers.push(['telephony', () => telephony.close()]);
  const provided = createProviders({ ...parts, accounts, ...telephony });
  const paid = createPaidRequests(parts);
  freeRequestsOfDeadNodes(jobs, accounts.executor, paid.x402Payments);
  return {
    accounts,
    webhooks,
    accountEvents: webhooks.accountEvents,
    telephony,
    provided,
    ...paid,
    billing: await createBilling({ ...parts, ...accounts, isErased: (id) => isErased(db, id) }),
    /** Connects to the carrier. Must run before the scheduled jobs start. */
    start: () => (isApi ? telephony.start() : Promise.resolve()),
  };
}
