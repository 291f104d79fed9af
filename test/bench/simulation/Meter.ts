import pg from 'pg';
import { createClient } from 'redis';
import type { Cluster } from '../../harness/nodes/Cluster.ts';

/** What PostgreSQL and Redis have done so far. */
export interface Work {
  /** Statements, with BEGIN and COMMIT. */
  statements: number;
  rows: number;
  walBytes: number;
  /** Time in which PostgreSQL executed statements, in milliseconds. */
  postgresMs: number;
  /** Redis commands, without those that only wait for events. */
  commands: number;
  /** Events for other nodes. Every node that reads events gets each of them. */
  events: number;
  /** CPU time of Redis, in milliseconds. */
  redisMs: number;
  redisBytesIn: number;
  redisBytesOut: number;
}

type Redis = { info(section: string): Promise<string>; destroy(): void };

const names = [
  'statements',
  'rows',
  'walBytes',
  'postgresMs',
  'commands',
  'events',
  'redisMs',
  'redisBytesIn',
  'redisBytesOut',
] as const;

/** The library of PostgreSQL that this meter needs. */
export const meterLibrary = 'pg_stat_statements';

/** Reads what a cluster's PostgreSQL and Redis have done. */
export class Meter {
  readonly #db: pg.Client;
  readonly #redis: Redis;

  static async connect({ postgres, redis }: Cluster): Promise<Meter> {
    const db = new pg.Client({ connectionString: postgres.url });
    await db.connect();
    await db.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
    const client = createClient({ url: redis.url });
    await client.connect();
    return new Meter(db, client);
  }

  private constructor(db: pg.Client, redis: Redis) {
    this.#db = db;
    this.#redis = redis;
  }

  async read(): Promise<Work> {
    const { rows } = await this.#db.query<Record<string, string>>(`
      SELECT sum(calls) AS statements,
        sum(rows) AS rows, sum(wal_bytes) AS wal, sum(total_exec_time) AS ms
      FROM pg_stat_statements WHERE query !~ 'pg_stat_'`);
    const found = rows[0] ?? {};
    const stats = await this.#redis.info('stats');
    const cpu = await this.#redis.info('cpu');
    const commands = await this.#redis.info('commandstats');
    const counts = new Map(
      [...commands.matchAll(/cmdstat_([^:]+):calls=(\d+)/g)].map(([, name, calls]) => [name, Number(calls)]),
    );
    const waiting = ['info', 'xread'].reduce((sum, name) => sum + (counts.get(name) ?? 0), 0);
    const value = (section: string, name: string) =>
      Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(section)?.[1]);
    return {
      statements: Number(found.statements),
      rows: Number(found.rows),
      walBytes: Number(found.wal),
      postgresMs: Number(found.ms),
      commands: [...counts.values()].reduce((sum, count) => sum + count, 0) - waiting,
      events: counts.get('xadd') ?? 0,
      redisMs: (value(cpu, 'used_cpu_sys') + value(cpu, 'used_cpu_user')) * 1_000,
      redisBytesIn: value(stats, 'total_net_input_bytes'),
      redisBytesOut: value(stats, 'total_net_output_bytes'),
    };
  }

  async close(): Promise<void> {
    await this.#db.end();
    this.#redis.destroy();
  }
}

/** What was done between two readings, divided by the number of operations, without what happens in that time anyway. */
export function difference(
  before: Work,
  after: Work,
  by = 1,
  idle?: { perSecond: Work; seconds: number },
): Work {
  const entries = names.map((name) => {
    const anyway = idle ? idle.perSecond[name] * idle.seconds : 0;
    return [name, (after[name] - before[name] - anyway) / by] as const;
  });
  return Object.fromEntries(entries) as unknown as Work;
}
