import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Socket } from 'socket.io-client';
import { privateKeyToAccount } from 'viem/accounts';
import { keyScopes } from '../../../sdk/protocol/http.ts';
import { retentionSettings } from '../../../server/config/settings/retention.ts';
import { until } from '../../harness/until.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { ask, bearer, connected, send, signIn } from '../../integration/support.ts';
import { newKey } from '../../integration/money/accountSupport.ts';
import { fill } from './fill.ts';
import type { Session } from './operations.ts';

const unlimited = '100000000';
/** The wallet that owns most rows. */
const heavy = privateKeyToAccount(`0x${'7'.repeat(64)}`);

/** What the operations run with, and what they cost. */
export interface AgedSession extends Session {
  /** The pages that PostgreSQL has read until now. @param all whether to count also the statements that run while nobody asks for anything */
  buffers: (all: boolean) => Promise<number>;
  db: pg.Client;
}

/** How long a server is watched that nobody uses, to know the statements that it runs by itself. */
const idleMs = 15_000;

/** A server on a database with many rows, and a client of the account that owns most of them. */
export class AgedServer {
  readonly server: ServerProcess;
  readonly rows: number;
  #db: pg.Client | null = null;
  #socket: Socket | null = null;

  /** Starts a server, fills its database, and stops it. */
  static async fill(rows: number): Promise<AgedServer> {
    const server = await ServerProcess.reserve({
      NODE_ENV: 'test',
      LOG_LEVEL: 'info',
      SIGNUP_CREDITS: '1000000',
      OPERATOR_WALLETS: heavy.address,
      // Long enough that the rules of retention run and find nothing.
      ...Object.fromEntries(
        Object.keys(retentionSettings).flatMap((name) => (name.startsWith('KEEP_') ? [[name, '3650']] : [])),
      ),
      RATE_LIMIT_READS: unlimited,
      RATE_LIMIT_WRITES: unlimited,
      RATE_LIMIT_REALTIME: unlimited,
    });
    const aged = new AgedServer(server, rows);
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

  private constructor(server: ServerProcess, rows: number) {
    this.server = server;
    this.rows = rows;
  }

  /** Starts the server so that its database counts the buffers that each statement reads. */
  async open(): Promise<AgedSession> {
    const { server, rows } = this;
    const settings = `shared_preload_libraries = 'pg_stat_statements'\npg_stat_statements.max = 10000\n`;
    await appendFile(join(server.dataDir, 'postgres', 'postgresql.conf'), settings);
    await server.start();
    const db = await this.#connect();
    this.#db = db;
    await db.query('CREATE EXTENSION pg_stat_statements');
    const session = await signIn(server.url, heavy);
    const dashboard = bearer((await signIn(server.url, heavy, { audience: 'dashboard' })).token);
    const customer = { wallet: heavy.address, dashboard, app: bearer(session.token) };
    const key = bearer((await newKey(server.url, customer, { scopes: keyScopes })).secret);
    const socket = await connected(server.url, session.token);
    this.#socket = socket;
    const call = (headers: Record<string, string>) => async (method: string, path: string, body?: object) => {
      const reply = await ask(server.url, method, `/api/v1${path}`, { headers, ...(body && { body }) });
      if (reply.status < 300) return reply.body;
      throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    };
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
    await db.query('ANALYZE usage_hours');
    await db.query('SELECT pg_stat_statements_reset()');
    await delay(idleMs);
    const { rows: idle } = await db.query<{ queryid: string }>('SELECT queryid FROM pg_stat_statements');
    return {
      rows,
      db,
      runJob,
      api: call(key),
      dashboard: call(dashboard),
      async ask(name, payload = {}) {
        const answer = await send(socket, name, payload);
        if (answer.ok) return answer.data;
        throw new Error(`${name}: ${JSON.stringify(answer.error)}`);
      },
      async buffers(all) {
        const { rows: found } = await db.query<{ read: number }>(
          `SELECT sum(shared_blks_hit + shared_blks_read)::float8 AS read FROM pg_stat_statements WHERE queryid <> ALL($1::bigint[])`,
          [all ? [] : idle.map(({ queryid }) => queryid)],
        );
        return found[0]?.read ?? 0;
      },
    };
  }

  async dispose(): Promise<void> {
    this.#socket?.disconnect();
    await this.#db?.end().catch(() => undefined);
    await this.server.dispose();
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client(this.server.database);
    client.on('error', () => {});
    await client.connect();
    return client;
  }
}
