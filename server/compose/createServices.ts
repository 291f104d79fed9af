import type { Logger } from 'pino';
import type { Pool } from 'pg';
import { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import type { Chains } from '../chains/chains.ts';
import type { Closer } from '../../platform/Closer.ts';
import type { Config } from '../config/config.ts';
import { createAccounts } from './createAccounts.ts';
import { createBilling } from './createBilling.ts';
import { createPaidRequests } from './createPaidRequests.ts';
import { createTelephony } from './createTelephony.ts';
import { freeRequestsOfDeadNodes } from '../money/idempotency/freeRequestsOfDeadNodes.ts';
import { createProviders } from './createProviders.ts';
import { createWebhooks } from './createWebhooks.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Secrets } from '../../platform/secrets.ts';

interface ServicesDeps {
  config: Config;
  db: Database;
  pool: Pool;
  secrets: Secrets;
  /** Not started yet: handlers are registered here. */
  jobs: ScheduledJobs;
  chains: Chains;
  /** Returns the id of this node, which changes when the node rejoins the cluster. */
  nodeId: () => string;
  publicUrl: string;
  closers: Closer[];
  log: Logger;
}

/** Creates all services of the HTTP API except identity: those for accounts and money, for telephony, and those that need a provider. */
export async function createServices({ closers, ...deps }: ServicesDeps) {
  const { config, db, secrets, publicUrl, log } = deps;
  const isApi = config.ROLES.includes('api');
  // Only nodes with the role api run these jobs, because only they are connected to the carrier.
  const jobs = isApi ? deps.jobs : new ScheduledJobs(db, log);
  const shared = { ...deps, jobs };
  const accounts = await createAccounts(shared);
  closers.push(['accounts', () => accounts.close()]);
  const { audit, ledger } = accounts;
  const webhooks = await createWebhooks({ ...shared, audit });
  closers.push(['webhooks', () => webhooks.close()]);
  const telephony = await createTelephony({ config, db, jobs, ledger, events: webhooks.events, log });
  closers.push(['telephony', () => telephony.close()]);
  const provided = createProviders({
    config,
    db,
    jobs,
    log,
    secrets,
    accounts,
    publicUrl,
    texts: telephony.texts,
    numbers: telephony.numbers,
  });
  const paid = createPaidRequests(shared);
  freeRequestsOfDeadNodes(jobs, db, accounts.executor, paid.x402Payments);
  return {
    accounts,
    webhooks,
    telephony,
    provided,
    ...paid,
    billing: await createBilling({ ...shared, ...accounts }),
    /** Connects to the carrier. Must run before the scheduled jobs start. */
    start: () => (isApi ? telephony.start() : Promise.resolve()),
  };
}
