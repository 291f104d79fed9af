import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from 'redis';
import pg from 'pg';
import type { Cluster } from '../../harness/nodes/Cluster.ts';
import { cpuTimeOf } from '../cpuTime.ts';
import { ofValue, type Figure } from '../report/Figure.ts';
import { report } from './report.ts';

const capacitySeconds = 3;
/** An event as large as that of a message, encrypted. */
const event = 'x'.repeat(900);
/** Nodes that wait for events, and the events a second that they get. */
const [readers, readEvents] = [20, 100];
/** The largest number of events that a node reads at once: the default of Socket.IO's adapter. */
const readAtOnce = 100;
const reportsAtOnce = 200;
const trim = { TRIM: { strategy: 'MAXLEN', strategyModifier: '~', threshold: 10_000 } } as const;

/** What this machine's PostgreSQL and Redis carry, each alone. */
export async function capacity({ postgres, redis }: Cluster): Promise<Figure[]> {
  const pool = new pg.Pool({ connectionString: postgres.url, max: 16 });
  await pool.query('CREATE TABLE written (id bigserial PRIMARY KEY, body text)');
  const inserts = await rateOf(16, () =>
    pool.query(`INSERT INTO written (body) VALUES ('${event.slice(0, 200)}')`),
  );
  const reads = await rateOf(16, (index) =>
    pool.query('SELECT body FROM written WHERE id = $1', [1 + (index % 100)]),
  );
  await pool.query('DROP TABLE written');
  await pool.end();
  return [
    ofValue('PostgreSQL: committed inserts over 16 connections', '/s', inserts),
    ofValue('PostgreSQL: indexed reads over 16 connections', '/s', reads),
    ...(await heartbeats(postgres.url)),
    ...(await reports(postgres.url)),
    ...(await events(redis.url)),
  ];
}

/** What the heartbeat of one node costs: it reads the rows of all nodes. */
async function heartbeats(url: string): Promise<Figure[]> {
  const figures: Figure[] = [];
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const backend = rows.map(({ pid }) => pid);
  for (const count of [10, 100, 1_000]) {
    await client.query('DELETE FROM nodes');
    await client.query(
      `INSERT INTO nodes (id, roles, address) SELECT 'node_' || n, ARRAY['media'], 'host:' || n FROM generate_series(1, $1) n`,
      [count],
    );
    await client.query('ANALYZE nodes');
    const before = cpuTimeOf(backend);
    const perSecond = await rateOf(1, (index) =>
      client.query(
        `WITH beat AS (UPDATE nodes SET seen_at = now() WHERE id = $1 RETURNING id)
         SELECT id, roles, address, load, cpu, draining, turn, extract(epoch FROM now() - seen_at) * 1000 AS silent
         FROM nodes WHERE died_at IS NULL`,
        [`node_${1 + (index % count)}`],
      ),
    );
    const cpu = (cpuTimeOf(backend) - before) / (perSecond * capacitySeconds);
    figures.push(
      ofValue(`PostgreSQL: a heartbeat with ${count} nodes`, 'ms', 1_000 / perSecond),
      ofValue(`PostgreSQL: CPU time of a heartbeat with ${count} nodes`, 'ms', cpu),
    );
  }
  await client.end();
  return figures;
}

/** What the quality reports of devices cost, many in a statement, as a node with a thousand people writes them. */
async function reports(url: string): Promise<Figure[]> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const backend = rows.map(({ pid }) => pid);
  await client.query('TRUNCATE quality_log');
  const sample = JSON.stringify({
    ...report,
    scores: { sending: 9, receiving: 9 },
    server: { load: 0.4, cpu: 0.4 },
  });
  const text = `INSERT INTO quality_log (subject, at, party, kind, sample) VALUES ${Array.from(
    { length: reportsAtOnce },
    (_, row) => `(${[1, 2, 3].map((column) => `$${row * 3 + column}`).join(', ')}, 'sample', '${sample}')`,
  ).join(', ')}`;
  const before = cpuTimeOf(backend);
  const perSecond = await rateOf(1, (index) => {
    const rooms = Array.from(
      { length: reportsAtOnce },
      (_, row) => `room ${(index + row) % 1_000} of this benchmark`,
    );
    return client.query(
      text,
      rooms.flatMap((room) => [room, new Date(), '0x70997970C51812dc3A010C7d01b50e0d17dc79C8']),
    );
  });
  const written = perSecond * capacitySeconds * reportsAtOnce;
  const cpu = (cpuTimeOf(backend) - before) / written;
  const { rows: sizes } = await client.query<{ bytes: string }>(
    `SELECT pg_total_relation_size('quality_log') AS bytes`,
  );
  await client.end();
  return [
    ofValue(`PostgreSQL: CPU time of a quality report, ${reportsAtOnce} at once`, 'µs', cpu * 1_000),
    ofValue(
      'PostgreSQL: a quality report, with its indexes',
      'kB',
      Number(sizes[0]?.bytes) / written / 1_000,
    ),
  ];
}

/** What Redis does for the events between nodes: it keeps each once, and gives it to every node that waits. */
async function events(url: string): Promise<Figure[]> {
  const client = createClient({ url });
  await client.connect();
  /** Of Redis, in microseconds. */
  const cpu = async () => {
    const info = await client.info('cpu');
    const of = (name: string) => Number(new RegExp(`^used_cpu_${name}:([\\d.]+)`, 'm').exec(info)?.[1]);
    return (of('sys') + of('user')) * 1e6;
  };
  const add = () => client.xAdd('capacity', '*', { sealed: event }, trim);
  const adds = await rateOf(64, add);
  let before = await cpu();
  const batches = await rateOf(1, () => client.xRead({ key: 'capacity', id: '0' }, { COUNT: readAtOnce }));
  const batched = ((await cpu()) - before) / (batches * capacitySeconds * readAtOnce);
  const paced = async () => {
    before = await cpu();
    for (let count = 0; count < readEvents * capacitySeconds; count++) {
      await add();
      await delay(1_000 / readEvents);
    }
    return ((await cpu()) - before) / (readEvents * capacitySeconds);
  };
  const unread = await paced();
  const waiting = await Promise.all(Array.from({ length: readers }, () => waitForEvents(url)));
  const read = await paced();
  waiting.forEach((stop) => stop());
  await client.del('capacity');
  client.destroy();
  return [
    ofValue('Redis: events of 900 bytes added to the stream', '/s', adds),
    ofValue('Redis: CPU time to give an event to a node that waits', 'µs', (read - unread) / readers),
    ofValue(`Redis: CPU time to give an event to a node that reads ${readAtOnce} at once`, 'µs', batched),
  ];
}

/** Reads events like a node. @returns a function that ends it */
async function waitForEvents(url: string): Promise<() => void> {
  const client = createClient({ url });
  client.on('error', () => undefined);
  await client.connect();
  let isOpen = true;
  const read = async () => {
    let id = '$';
    while (isOpen) {
      const found = (await client.xRead({ key: 'capacity', id }, { COUNT: readAtOnce, BLOCK: 5_000 })) as
        | { messages: { id: string }[] }[]
        | null;
      id = found?.[0]?.messages.at(-1)?.id ?? id;
    }
  };
  // Closing the connection ends the read that waits.
  read().catch(() => undefined);
  return () => {
    isOpen = false;
    client.destroy();
  };
}

/** @returns how many a second are done by so many loops at once */
async function rateOf(loops: number, act: (index: number) => Promise<unknown>): Promise<number> {
  const until = performance.now() + capacitySeconds * 1_000;
  let count = 0;
  await Promise.all(
    Array.from({ length: loops }, async () => {
      while (performance.now() < until) await act(count++);
    }),
  );
  return count / capacitySeconds;
}
