import { ErrorLog } from '../../../server/operator/ErrorLog.ts';
import { OperatorService } from '../../../server/operator/OperatorService.ts';
import { RealtimeRules } from '../../../server/realtime/RealtimeRules.ts';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino, type Logger } from 'pino';
import { z } from 'zod';
import { charged } from '../../../sdk/protocol/http.ts';
import { createAccounts, type Accounts } from '../../../server/compose/createAccounts.ts';
import { createPaidRequests } from '../../../server/compose/createPaidRequests.ts';
import { createPrivacy } from '../../../server/compose/createPrivacy.ts';
import { createTelephony } from '../../../server/compose/createTelephony.ts';
import { type Telephony } from '../../../server/telephony/Telephony.ts';
import type { TelephonyEvents } from '../../../server/telephony/sms/TelephonyEvents.ts';
import type { Carrier } from '../../../server/telephony/sms/Carrier.ts';
import { createBilling } from '../../../server/compose/createBilling.ts';
import { isErased } from '../../../server/privacy/erasure/isErased.ts';
import { createIdentity } from '../../../server/compose/createIdentity.ts';
import { createWebhooks } from '../../../server/compose/createWebhooks.ts';
import { createChains } from '../../../server/chains/chains.ts';
import { readConfig, type Config } from '../../../server/config/config.ts';
import { openDatabase, type Database, type OpenDatabase } from '../../../platform/database/database.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import { createApi } from '../../../server/api/createApi.ts';
import { RateLimits } from '../../../server/http/RateLimits.ts';
import { route, type Charge } from '../../../server/http/Route.ts';
import { routeTable, type ProvidedServices } from '../../../server/api/routes.ts';
import { SessionService } from '../../../server/identity/SessionService.ts';
import { NodeRegistry } from '../../../platform/node/NodeRegistry.ts';
import { freeRequestsOfDeadNodes } from '../../../server/money/idempotency/freeRequestsOfDeadNodes.ts';
import { createHosts } from '../../../server/config/hosts.ts';
import { createOrigins } from '../../../server/config/origins.ts';
import { loadSecrets, type Secrets } from '../../../platform/secrets.ts';
import { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import { memoryLimiters } from '../../../platform/limits/limiters.ts';
import { LimitFactory } from '../../../platform/limits/Limits.ts';
import { copyDatabaseTemplate } from '../../harness/nodes/databaseTemplate.ts';
import { freePorts } from '../../harness/nodes/ports.ts';

/** No services other than the ones under test. */
const noServices: ProvidedServices = {
  lookup: null,
  leaksearch: null,
  esim: null,
  verifications: null,
  xmpp: null,
};

/** The parts of the server that services are built from. */
export interface Parts {
  config: Config;
  db: Database;
  jobs: ScheduledJobs;
  secrets: Secrets;
  accounts: Accounts;
  log: Logger;
}

const spend = z.strictObject({ units: z.int().min(1), item: z.string().default('thing') });
export type Spend = z.output<typeof spend>;

export interface SpendingServer {
  url: string;
  database: OpenDatabase;
  accounts: Accounts;
  telephony: Telephony;
  /** The number of times the handler has run. */
  runs: () => number;
  close: () => Promise<void>;
}

interface Options {
  dataDir: string;
  settings?: Record<string, string>;
  /**
   * The work of the route. Its result is the field `done` of the answer. If it is a function, that runs in the transaction that stores the
   * answer.
   */
  handle?: (body: Spend, charge: Charge | null) => Promise<unknown>;
  /** Replaces the loopback carrier. */
  carrier?: Carrier;
  /** Silent by default. */
  log?: Logger;
  events?: TelephonyEvents;
  /** Whether the events of texts and numbers go to webhooks, instead of nowhere. */
  hasWebhooks?: boolean;
  /** Whether no other process shares its database, so that it takes over from its predecessor immediately. */
  isSingleNode?: boolean;
  /** Further services of the server, built by the test. */
  provide?: (parts: Parts, telephony: Telephony) => Partial<ProvidedServices>;
}

/**
 * The real server without media but with an additional route `POST /spend`, which costs 10 credits per unit. Telephony tests use
 * it too.
 */
export async function startSpendingServer({
  dataDir,
  settings = {},
  handle = () => Promise.resolve(null),
  carrier,
  log = pino({ level: 'silent' }),
  events,
  hasWebhooks = false,
  isSingleNode = false,
  provide = () => ({}),
}: Options): Promise<SpendingServer> {
  const port = await freePorts();
  const config = readConfig({
    NODE_ENV: 'test',
    PORT: String(port),
    DATA_DIR: dataDir,
    RATE_LIMIT_WRITES: '100000',
    RATE_LIMIT_READS: '100000',
    RATE_LIMIT_AUTH: '100000',
    LOG_PRETTY: 'false',
    ...settings,
  });
  if (!config.DATABASE_URL) await copyDatabaseTemplate(dataDir);
  const database = await openDatabase({ url: config.DATABASE_URL, dataDir, logger: log });
  const { db, pool } = database;
  const secrets = await loadSecrets(config);
  const origins = createOrigins(config, null);
  const jobs = new ScheduledJobs(db, log);
  const node = isSingleNode
    ? await NodeRegistry.join({
        db,
        jobs,
        log,
        roles: ['api'],
        address: null,
        usage: () => ({ load: 0, cpu: 0 }),
        release: 'test',
      })
    : null;
  const nodeId = () => node?.id ?? '';
  const accounts = await createAccounts({ config, db, pool, secrets, jobs, nodeId, log });
  const chains = createChains(config);
  const { publicUrl } = origins;
  const paid = createPaidRequests({ config, db, secrets, jobs, chains, nodeId, publicUrl, log });
  freeRequestsOfDeadNodes(jobs, accounts.executor, paid.x402Payments);
  const sessions = new SessionService({
    db,
    secrets,
    origins,
    chains,
    hooks: accounts.sessionHooks,
    log,
    onEnded: () => {},
  });
  let runs = 0;
  const spending = route({
    method: 'post',
    path: '/spend',
    summary: 'Spends credits.',
    x402: true,
    price: { service: 'test', credits: 10, unit: 'unit', units: ({ units }) => units },
    body: spend,
    response: z.object({ done: z.unknown(), ...charged }),
    status: 201,
    handle: async ({ body, charge }) => {
      runs++;
      const done = await handle(body, charge);
      const answer = (result: unknown) => ({
        done: result,
        credits: charge?.credits ?? 0,
        balance: charge?.balance ?? null,
      });
      if (typeof done !== 'function') return answer(done);
      return async (tx: Executor) => answer(await (done as (tx: Executor) => Promise<unknown>)(tx));
    },
  });
  const webhooks = await createWebhooks({
    delivers: true,
    config,
    db,
    secrets,
    audit: accounts.audit,
    jobs,
    publicUrl,
    log,
  });
  const telephony = await createTelephony({
    config,
    db,
    jobs,
    log,
    ledger: accounts.ledger,
    ...(carrier ? { carrier } : {}),
    ...(events || hasWebhooks ? { events: events ?? webhooks.events } : {}),
  });
  const identity = createIdentity({ config, db, sessions, ...accounts, hooks: accounts.sessionHooks, log });
  const billing = await createBilling({
    config,
    db,
    jobs,
    ...accounts,
    isErased: (accountId) => isErased(db, accountId),
    publicUrl,
    log,
  });
  const provided = { ...noServices, ...provide({ config, db, jobs, secrets, accounts, log }, telephony) };
  const rules = new RealtimeRules();
  const services = {
    db,
    sessions,
    identity,
    billing,
    ...accounts,
    ...paid,
    telephony,
    webhooks,
    files: null,
    ...provided,
    checks: {},
    errors: new ErrorLog(),
    operator: new OperatorService({ db, sessions, ...accounts }),
    rules,
    accountData: await createPrivacy({
      ...{ config, db, pool: database.pool, jobs, log, audit: accounts.audit },
      ...{ sessions, identity, files: null, billing, telephony, rules, xmpp: null },
    }),
    publicUrl,
    network: 'mainnet' as const,
  };
  const api = createApi({
    config,
    origins,
    refuseHost: createHosts(config),
    api: {
      ...accounts.executor,
      routes: [spending, ...routeTable(services)],
      limits: new RateLimits(
        {
          auth: config.RATE_LIMIT_AUTH,
          reads: config.RATE_LIMIT_READS,
          writes: config.RATE_LIMIT_WRITES,
          uploads: 1_000,
          leaksearch: 10,
        },
        new LimitFactory(memoryLimiters),
      ),
      audit: accounts.audit,
      operators: new Set(config.OPERATOR_WALLETS),
      paidRequests: paid.paidRequests,
      keys: accounts.keys,
      verifyToken: identity.verifyToken,
    },
    checks: {},
    log,
  });
  const http = await listening(createServer(api), port);
  await telephony.start();
  jobs.start();
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    database,
    accounts,
    telephony,
    runs: () => runs,
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
      await jobs.close();
      await telephony.close();
      await accounts.close();
      await node?.close();
      await database.close();
    },
  };
}

async function listening(server: Server, port: number): Promise<Server> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
  return server;
}
