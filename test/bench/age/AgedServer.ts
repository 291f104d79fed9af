import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Socket } from 'socket.io-client';
import { privateKeyToAccount } from 'viem/accounts';
import { keyScopes } from '../../../sdk/protocol/http.ts';
import { apiSettings } from '../../../server/config/settings/api.ts';
import { realtimeSettings } from '../../../server/config/settings/realtime.ts';
import { retentionSettings } from '../../../server/config/settings/retention.ts';
import { stripeKey, StripeServer, webhookSecret } from '../../harness/services/StripeServer.ts';
import { until } from '../../harness/until.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { ask, bearer, connected, newWallet, next, send, signIn } from '../../integration/support.ts';
import { newKey } from '../../integration/money/accountSupport.ts';
import { fill } from './fill.ts';
import type { Answer, SendHttp, SendRequest, Session } from './Operation.ts';

const unlimited = '100000000';
/** The wallet that owns most rows. */
const heavy = privateKeyToAccount(`0x${'7'.repeat(64)}`);

/** What a statement of the server has cost until now. */
export interface StatementCost {
  text: string;
  calls: number;
  /** Pages of 8 kB that PostgreSQL has read. */
  pages: number;
  /** The time of PostgreSQL. */
  ms: number;
}

/** What the operations run with, and what they cost. */
export interface AgedSession extends Session {
  /** The statements of the server by their ids. @param all whether to count also `deferred`, and those that run while nobody asks for anything */
  statements: (all: boolean) => Promise<Map<string, StatementCost>>;
}

/** How long a server is watched that nobody uses, to know the statements that it runs by itself. */
const idleMs = 15_000;
const benchRole = 'bench';
/** Writes what many requests have left, a second later, so it would count for whichever operation is measured then. */
const deferred = 'INSERT INTO audit_log (%';

/** A server on a database with many rows, and a client of the account that owns most of them. */
export class AgedServer {
  readonly server: ServerProcess;
  readonly rows: number;
  readonly #stripe: StripeServer;
  #db: pg.Client | null = null;
  #sockets: Socket[] = [];

  /** Starts a server, fills its database, and stops it. */
  static async fill(rows: number): Promise<AgedServer> {
    const stripe = await StripeServer.start();
    const server = await ServerProcess.reserve({
      NODE_ENV: 'test',
      LOG_LEVEL: 'info',
      SIGNUP_CREDITS: '1000000',
      OPERATOR_WALLETS: heavy.address,
      // Long enough that the rules of retention run and find nothing.
      ...Object.fromEntries(
        Object.keys(retentionSettings).flatMap((name) => (name.startsWith('KEEP_') ? [[name, '3650']] : [])),
      ),
      ...Object.fromEntries(
        Object.keys({ ...apiSettings, ...realtimeSettings }).flatMap((name) =>
          name.startsWith('RATE_LIMIT_') && name !== 'RATE_LIMIT_NETWORK_FACTOR' ? [[name, unlimited]] : [],
        ),
      ),
      LEAKSEARCH_FREE_SEARCHES: unlimited,
      PLANS: JSON.stringify([
        { id: 'team', name: 'Team', monthlyCredits: 2_000, price: '15.00', leakSearches: 10 },
      ]),
      STRIPE_SECRET_KEY: stripeKey,
      STRIPE_WEBHOOK_SECRET: webhookSecret,
      STRIPE_API_BASE: stripe.url,
    });
    const aged = new AgedServer(server, rows, stripe);
    try {
      await server.start();
      const { token } = await signIn(server.url, heavy);
      const { body } = await ask(server.url, 'GET', '/api/v1/account', { headers: bearer(token) });
      const db = await aged.#connect();
      await db.query('ALTER SYSTEM SET fsync = off; ').catch(() => undefined);
      await db.query(`ALTER SYSTEM SET max_wal_size = '16GB'`);
      await db.query('SELECT pg_reload_conf()');
      await fill(db, rows, { wallet: heavy.address, accountId: String(body.id) });
      await db.query('ALTER SYSTEM RESET ALL');
      await db.query('SELECT pg_reload_conf()');
      await db.end();
      await server.stop();
      return aged;
    } catch (error) {
      await aged.dispose();
      throw error;
    }
  }

  private constructor(server: ServerProcess, rows: number, stripe: StripeServer) {
    this.#stripe = stripe;
    this.server = server;
    this.rows = rows;
  }

  /**
   * Starts the server so that its database counts the buffers that each statement reads.
   * @param idle gets the statements that the server runs while nobody asks for anything, which are not counted. The servers of a run share
   *   it, because one may run such a statement while it is watched, and another one only later
   */
  async open(idle: Set<string>): Promise<AgedSession> {
    const { server, rows } = this;
    const settings = `shared_preload_libraries = 'pg_stat_statements'\npg_stat_statements.max = 10000\n`;
    await appendFile(join(server.dataDir, 'postgres', 'postgresql.conf'), settings);
    await server.start();
    const db = await this.#connect();
    this.#db = db;
    await db.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
    // The benchmark asks under a name of its own, so that its statements are not counted as the server's.
    await db.query(`CREATE ROLE ${benchRole} SUPERUSER LOGIN; SET SESSION AUTHORIZATION ${benchRole}`);
    const session = await signIn(server.url, heavy);
    const dashboard = bearer((await signIn(server.url, heavy, { audience: 'dashboard' })).token);
    const customer = { wallet: heavy.address, dashboard, app: bearer(session.token) };
    const key = bearer((await newKey(server.url, customer, { scopes: keyScopes })).secret);
    const socket = await connected(server.url, session.token);
    const other = newWallet();
    const peer = await connected(server.url, (await signIn(server.url, other)).token);
    this.#sockets = [socket, peer];
    const runJob = async (kind: string) => {
      await db.query('UPDATE due SET due_at = now() WHERE kind = $1', [kind]);
      const isDone = 'SELECT 1 FROM due WHERE kind = $1 AND due_at > now() AND lease_until IS NULL';
      await until(async () => (await db.query(isDone, [kind])).rows.length > 0, `${kind} has run`);
    };
    // On a server that has run all the time, the usage is summed up. A run sums up what was there four minutes before it.
    for (let run = 0; run < 3; run++) {
      await db.query(`UPDATE usage_progress SET noticed_at = noticed_at - interval '1 hour'`);
      await runJob('usage');
    }
    // Such a server has stored the sums hour by hour. These runs have stored those of all hours at once, in no order.
    await db.query('CLUSTER usage_hours USING usage_hours_hour_idx');
    await db.query('CLUSTER usage_days USING usage_days_day_idx');
    await db.query('ANALYZE usage_hours, usage_days');
    await db.query('SELECT pg_stat_statements_reset()');
    await delay(idleMs);
    const { rows: seen } = await db.query<{ query: string }>('SELECT query FROM pg_stat_statements');
    for (const { query } of seen) idle.add(query);
    return {
      rows,
      runJob,
      url: server.url,
      account: heavy,
      token: session.token,
      api: overHttp(server.url, key),
      dashboard: overHttp(server.url, dashboard),
      anyone: overHttp(server.url, {}),
      ask: over(socket),
      peer: over(peer),
      peerWallet: other.address,
      customerPays: (url) => {
        this.#stripe.state.pay(url.split('/').at(-1) ?? '');
        return this.#stripe.deliver(server.url);
      },
      peerHears: (event) => next(peer, event),
      async statements(all) {
        const { rows: found } = await db.query<StatementCost & { id: string }>(
          `SELECT queryid AS id, query AS text, calls::float8, (shared_blks_hit + shared_blks_read)::float8 AS pages, total_exec_time AS ms
           FROM pg_stat_statements WHERE query <> ALL($1::text[]) AND userid <> $2::regrole AND ($3 OR query NOT LIKE $4)`,
          [all ? [] : [...idle], benchRole, all, deferred],
        );
        return new Map(found.map(({ id, ...cost }) => [id, cost]));
      },
    };
  }

  async dispose(): Promise<void> {
    for (const socket of this.#sockets) socket.disconnect();
    await this.#db?.end().catch(() => undefined);
    await this.server.dispose();
    await this.#stripe.close();
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client(this.server.database);
    client.on('error', () => {});
    await client.connect();
    return client;
  }
}

function overHttp(url: string, credentials: Record<string, string>): SendHttp {
  return async (method, path, body, more = {}) => {
    const content = body instanceof Buffer ? { raw: body } : body && { body };
    const headers = { ...credentials, ...more };
    const reply = await ask(url, method, `/api/v1${path}`, { headers, ...content });
    if (reply.status < 300) return reply.body as Answer;
    throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
  };
}

function over(socket: Socket): SendRequest {
  return async (name, payload = {}) => {
    const answer = await send(socket, name, payload);
    if (answer.ok) return answer.data as Answer;
    throw new Error(`${name}: ${JSON.stringify(answer.error)}`);
  };
}
