import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from 'redis';
import pg from 'pg';
import { keyScopes } from '../../../sdk/protocol/http.ts';
import { newId } from '../../../sdk/protocol/ids.ts';
import { RawRoomClient, connectRoomClients } from '../../harness/clients/RawRoomClient.ts';
import { startCluster, type Cluster } from '../../harness/nodes/Cluster.ts';
import { api, newCustomer, newKey } from '../../integration/money/accountSupport.ts';
import { closeSockets, newWallet, signIn } from '../../integration/support.ts';
import { ofValue, type Figure } from '../report/Figure.ts';
import type { Bench } from '../report/Report.ts';
import { difference, Meter, meterLibrary, type Work } from './Meter.ts';

const idleSeconds = Number(process.env.BENCH_SECONDS ?? 10);
const times = Number(process.env.BENCH_TIMES ?? 20);
/** Connected devices of the idle measurement. */
const devices = 40;
const capacitySeconds = 3;
/** An event as large as that of a message, encrypted. */
const event = 'x'.repeat(900);

/** An operation: it is done `times` times, one after another. */
type Operation = (index: number) => Promise<unknown>;

export const footprint: Bench = {
  title: 'What PostgreSQL and Redis see',
  about: `The statements (with BEGIN and COMMIT), the time in which PostgreSQL executes them, its write-ahead log, the Redis commands and bytes that each operation costs on two nodes: the difference of \`pg_stat_statements\` and \`INFO commandstats\` over ${times} operations, one after another, minus what the idle nodes do in the same time. At the end, what one PostgreSQL and one Redis carry on this machine.`,
  async run() {
    const settings = {
      LOG_LEVEL: 'info',
      NODE_ENV: 'development',
      RATE_LIMIT_REALTIME: '1000000',
      RATE_LIMIT_MESSAGES: '1000000',
      RATE_LIMIT_CALLS: '1000000',
      RATE_LIMIT_CALLED: '1000000',
      RATE_LIMIT_READS: '1000000',
      RATE_LIMIT_WRITES: '1000000',
    };
    const roles = ['api', 'signaling', 'media'];
    const cluster = await startCluster({ 'node 1': roles, 'node 2': roles }, settings, meterLibrary);
    const meter = await Meter.connect(cluster);
    try {
      return [...(await measure(cluster, meter)), ...(await capacity(cluster))];
    } finally {
      closeSockets();
      await meter.close();
      await cluster.close();
    }
  },
};

async function measure(cluster: Cluster, meter: Meter): Promise<Figure[]> {
  const [one, two] = cluster.nodes.map(({ server }) => server.url) as [string, string];
  await delay(3_000);
  const empty = await idle(meter);
  const figures = figuresOf('two idle nodes, a second', empty);
  const people = await connectRoomClients(one, devices);
  await delay(3_000);
  const withDevices = await idle(meter);
  figures.push(
    ...figuresOf('an idle device, a minute', difference(scaled(empty), scaled(withDevices), devices)),
  );
  const measured = async (what: string, operation: Operation) => {
    const before = await meter.read();
    const startedAt = performance.now();
    for (let index = 0; index < times; index++) await operation(index);
    // What follows in the background, such as deliveries, belongs to the operation.
    await delay(1_500);
    const seconds = (performance.now() - startedAt) / 1_000;
    const work = difference(before, await meter.read(), times, { perSecond: withDevices, seconds });
    process.stdout.write(`  ${what}: ${JSON.stringify(work)}\n`);
    figures.push(...figuresOf(what, work));
  };
  const [alice, bob] = [people[0], await RawRoomClient.connect(two)] as [RawRoomClient, RawRoomClient];
  await measured('sign-in over HTTP', () => signIn(one, newWallet()));
  await measured('sign-in and connection', () => RawRoomClient.connect(one));
  await measured('message to a device on the other node', (index) =>
    alice.ask('messages.send', {
      id: newId('msg'),
      to: bob.address,
      content: `Message ${index}`,
      type: 'text',
    }),
  );
  await measured('call: start, answer, end', async () => {
    const call = (await alice.ask('calls.start', { to: bob.address, type: 'video' })) as { id: string };
    await bob.ask('calls.answer', { callId: call.id });
    await alice.ask('calls.end', { callId: call.id });
  });
  const { id: room } = (await alice.ask('conference.create', {
    name: 'Footprint',
    maxParticipants: 100,
  })) as {
    id: string;
  };
  await alice.join(room);
  await measured('room: join and leave on the other node', async () => {
    await bob.join(room);
    await bob.leave(room);
  });
  await measured('conference chat message', (index) =>
    alice.ask('conference.sendChat', { roomId: room, content: `Chat ${index}` }),
  );
  const customer = await newCustomer(one);
  const { secret } = await newKey(one, customer, { scopes: keyScopes });
  const headers = { Authorization: `Bearer ${secret}` };
  await measured('HTTP read with an API key', () => api(one, 'GET', '/account/credits', headers));
  return figures;
}

async function idle(meter: Meter): Promise<Work> {
  const before = await meter.read();
  const startedAt = performance.now();
  await delay(idleSeconds * 1_000);
  return difference(before, await meter.read(), (performance.now() - startedAt) / 1_000);
}

/** Per minute instead of per second. */
function scaled(work: Work): Work {
  return Object.fromEntries(
    Object.entries(work).map(([name, value]) => [name, Number(value) * 60]),
  ) as unknown as Work;
}

function figuresOf(what: string, work: Work): Figure[] {
  return [
    ofValue(`${what}: statements`, '', work.statements),
    ofValue(`${what}: rows`, '', work.rows),
    ofValue(`${what}: PostgreSQL`, 'ms', work.postgresMs),
    ofValue(`${what}: write-ahead log`, 'kB', work.walBytes / 1_000),
    ofValue(`${what}: Redis commands`, '', work.commands),
    ofValue(`${what}: into Redis`, 'kB', work.redisBytesIn / 1_000),
    ofValue(`${what}: out of Redis`, 'kB', work.redisBytesOut / 1_000),
  ];
}

/** What this machine's PostgreSQL and Redis carry, each alone. */
async function capacity({ postgres, redis }: Cluster): Promise<Figure[]> {
  const pool = new pg.Pool({ connectionString: postgres.url, max: 16 });
  await pool.query('CREATE TABLE written (id bigserial PRIMARY KEY, body text)');
  const inserts = await rateOf(16, () =>
    pool.query(`INSERT INTO written (body) VALUES ('${event.slice(0, 200)}')`),
  );
  const reads = await rateOf(16, (index) =>
    pool.query('SELECT body FROM written WHERE id = $1', [1 + (index % 100)]),
  );
  await pool.query('DROP TABLE written');
  const beats = await heartbeats(pool);
  await pool.end();
  const client = createClient({ url: redis.url });
  await client.connect();
  const adds = await rateOf(64, () =>
    client.xAdd(
      'capacity',
      '*',
      { sealed: event },
      { TRIM: { strategy: 'MAXLEN', strategyModifier: '~', threshold: 10_000 } },
    ),
  );
  await client.del('capacity');
  client.destroy();
  return [
    ofValue('PostgreSQL: committed inserts over 16 connections', '/s', inserts),
    ofValue('PostgreSQL: indexed reads over 16 connections', '/s', reads),
    ...beats,
    ofValue('Redis: events of 900 bytes added to the stream', '/s', adds),
  ];
}

/** What the heartbeat of one node costs: it reads the rows of all nodes. */
async function heartbeats(pool: pg.Pool): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const count of [10, 100, 1_000]) {
    await pool.query('DELETE FROM nodes');
    await pool.query(
      `INSERT INTO nodes (id, roles, address) SELECT 'node_' || n, ARRAY['media'], 'host:' || n FROM generate_series(1, $1) n`,
      [count],
    );
    await pool.query('ANALYZE nodes');
    const perSecond = await rateOf(1, (index) =>
      pool.query(
        `WITH beat AS (UPDATE nodes SET seen_at = now() WHERE id = $1 RETURNING id)
         SELECT id, roles, address, load, cpu, draining, turn, extract(epoch FROM now() - seen_at) * 1000 AS silent
         FROM nodes WHERE died_at IS NULL`,
        [`node_${1 + (index % count)}`],
      ),
    );
    figures.push(ofValue(`PostgreSQL: a heartbeat with ${count} nodes`, 'ms', 1_000 / perSecond));
  }
  return figures;
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
