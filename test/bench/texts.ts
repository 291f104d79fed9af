import autocannon from 'autocannon';
import pg from 'pg';
import { keyScopes } from '../../sdk/protocol/http.ts';
import { newId } from '../../sdk/protocol/ids.ts';
import { Smsc, smscUser } from '../harness/services/Smsc.ts';
import { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { until } from '../harness/until.ts';
import { newCustomer, newKey, queryDatabase } from '../integration/money/accountSupport.ts';
import { cpuTimeOf } from './cpuTime.ts';
import { percentile } from './figures.ts';

const rounds = 6;
const roundSeconds = 4;
const connections = 20;
const accounts = 8;
const poolNumber = '+12025550141';
/** The minimum ratio of paid texts per second to single inserts per second. A text takes about 16 statements, and its submission others. */
const goal = 0.005;

interface Sample {
  perSecond: number;
  p99: number;
  /** CPU time of the Node.js process per text, in milliseconds. */
  cpu: number;
}

interface Subject {
  name: string;
  measure: () => Promise<Sample>;
  close: () => Promise<unknown>;
}

/**
 * Measures POST /sms/send, with an API key and a new Idempotency-Key for each text, submitted to an SMSC of the test. Compares it with single
 * inserts into the same database over as many connections, and with the release in PREVIOUS_RELEASE, if there is one. They take turns, so
 * that other load on the machine affects all of them.
 */
export async function benchTexts(): Promise<boolean> {
  const subjects: Subject[] = [];
  const smsc = await Smsc.start({ users: [smscUser([poolNumber])] });
  try {
    const server = await startServer(smsc);
    subjects.push(await texts('parley', server), await inserts(server));
    const previous = process.env.PREVIOUS_RELEASE;
    if (previous) subjects.push(await texts('previous', await startServer(smsc, previous)));
    const samples = new Map(subjects.map(({ name }) => [name, [] as Sample[]]));
    for (let round = 0; round < rounds; round++)
      for (const { name, measure } of subjects) {
        const sample = await measure();
        // The first round only warms up the servers and opens their connections.
        if (round > 0) samples.get(name)?.push(sample);
      }
    return report(samples);
  } finally {
    for (const { close } of subjects.reverse()) await close();
    await smsc.stop();
  }
}

async function startServer(smsc: Smsc, folder?: string): Promise<ServerProcess> {
  const settings = {
    LOG_LEVEL: 'info',
    NODE_ENV: 'development',
    RATE_LIMIT_WRITES: '100000000',
    SIGNUP_CREDITS: '100000000',
    CARRIER: 'smpp',
    SMPP_URL: smsc.url(),
    SMPP_NUMBERS: poolNumber,
    SMS_POOL_NUMBERS: poolNumber,
  };
  const server = await ServerProcess.reserve(settings, [], folder);
  await server.start();
  return server;
}

async function texts(name: string, server: ServerProcess): Promise<Subject> {
  const secrets: string[] = [];
  for (let account = 0; account < accounts; account++) {
    const { secret } = await newKey(server.url, await newCustomer(server.url), { scopes: keyScopes });
    secrets.push(secret);
  }
  let sent = 0;
  const next = (request: autocannon.Request): autocannon.Request => {
    const account = ++sent % accounts;
    // Each account has recipients of its own, because the pool has few numbers for each recipient.
    const to = `+1415555${account}${String(Math.floor(sent / accounts) % 1_000).padStart(3, '0')}`;
    return {
      ...request,
      headers: {
        Authorization: `Bearer ${secrets[account]}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': newId('pay'),
      },
      body: JSON.stringify({ to, message: 'Your table for two is ready.' }),
    };
  };
  const measure = async () => {
    const cpuBefore = cpuTimeOf([server.pid]);
    const result = await autocannon({
      url: `${server.url}/api/v1/sms/send`,
      method: 'POST',
      connections,
      duration: roundSeconds,
      requests: [{ setupRequest: next }],
    });
    if (result.non2xx > 0 || result.errors > 0)
      throw new Error(`${name}: ${result.non2xx} refused requests, ${result.errors} errors`);
    const isQueueEmpty = async () => {
      const busy = `SELECT 1 FROM messages WHERE status IN ('queued', 'submitting') LIMIT 1`;
      return (await queryDatabase(server, busy)).length === 0;
    };
    await until(isQueueEmpty, 'all texts are submitted', 300_000);
    return {
      perSecond: result.requests.average,
      p99: result.latency.p99,
      cpu: (cpuTimeOf([server.pid]) - cpuBefore) / result.requests.total,
    };
  };
  return { name, measure, close: () => server.dispose() };
}

async function inserts({ dataDir }: ServerProcess): Promise<Subject> {
  const pool = new pg.Pool({
    host: `${dataDir}/postgres`,
    user: 'postgres',
    database: 'postgres',
    max: connections,
  });
  await pool.query('CREATE TABLE bench_inserts (id text PRIMARY KEY, body text NOT NULL)');
  const text = 'INSERT INTO bench_inserts VALUES ($1, $2)';
  const measure = async () => {
    const latencies: number[] = [];
    const endsAt = performance.now() + roundSeconds * 1_000;
    const insert = async () => {
      while (performance.now() < endsAt) {
        const startedAt = performance.now();
        await pool.query({ name: 'insert', text, values: [newId('pay'), 'Your table for two is ready.'] });
        latencies.push(performance.now() - startedAt);
      }
    };
    await Promise.all(Array.from({ length: connections }, insert));
    return { perSecond: latencies.length / roundSeconds, p99: percentile(latencies, 0.99), cpu: 0 };
  };
  return { name: 'single inserts', measure, close: () => pool.end() };
}

function report(samples: Map<string, Sample[]>): boolean {
  const ours = samples.get('parley') ?? [];
  console.log(
    `\nPOST /sms/send, ${connections} connections, ${accounts} accounts (medians of ${ours.length} rounds of ${roundSeconds} s)`,
  );
  const median = (of: Sample[], name: keyof Sample) =>
    percentile(
      of.map((sample) => sample[name]),
      0.5,
    );
  const ratioTo = (others: Sample[]) =>
    percentile(
      ours.map(({ perSecond }, index) => perSecond / (others[index]?.perSecond ?? NaN)),
      0.5,
    );
  for (const [name, of] of samples)
    console.log(
      `  ${name.padEnd(15)} ${median(of, 'perSecond').toFixed(0).padStart(6)}/s   p99 ${median(of, 'p99').toFixed(1).padStart(6)} ms   ` +
        `CPU of node ${median(of, 'cpu').toFixed(2)} ms   ratio ${ratioTo(of).toPrecision(2)}`,
    );
  return ratioTo(samples.get('single inserts') ?? []) >= goal;
}
