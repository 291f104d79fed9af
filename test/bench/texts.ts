import autocannon from 'autocannon';
import pg from 'pg';
import { keyScopes } from '../../sdk/protocol/http.ts';
import { newId } from '../../sdk/protocol/ids.ts';
import { Smsc, smscUser } from '../harness/services/Smsc.ts';
import { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { until } from '../harness/until.ts';
import { newCustomer, newKey, queryDatabase } from '../integration/money/accountSupport.ts';
import { cpuTimeOf, cpuTimesOf } from './cpuTime.ts';
import { ofRounds, type Goal, type Unit } from './report/Figure.ts';
import { percentile } from './report/percentile.ts';
import type { Bench } from './report/Report.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const roundSeconds = 4;
const connections = Number(process.env.BENCH_CONNECTIONS ?? 200);
const accounts = 8;
const inserters = 20;
const smppWindow = 100;
const poolNumber = '+12025550141';

interface Sample {
  perSecond: number;
  p99: number;
  /** CPU time per text, in microseconds, until the carrier has accepted the text. */
  nodeCpu: number;
  postgresCpu: number;
}

interface Subject {
  measure: () => Promise<Sample>;
  close: () => Promise<unknown>;
}

/** Paid texts. The subjects take turns, so that other load on the machine affects all of them. */
export const texts: Bench = {
  title: 'Paid texts',
  about: `POST /sms/send with an API key and a new Idempotency-Key for each text, over ${connections} connections and for ${accounts} accounts, in rounds of ${roundSeconds} s. Each text is charged, stored with its answer, and submitted to an SMSC; the rate is that of the texts that the SMSC has accepted, until it has accepted all of the round. The baseline is single inserts into the same database over 20 connections. Up to ${smppWindow} submits wait for the answer of the SMSC (SMPP_WINDOW), which sends no receipts. The load generator and the SMSC run on the same machine.`,
  profile:
    'Node.js and PostgreSQL share the CPU time of a text about equally. At the highest rate they take 1.4 of the two cores (CPU time per text times the rate), and the senders and the SMSC the rest. A CPU profile of Node.js shows no single cause: writing to sockets takes about 15 % of its time, the server’s own code and Drizzle 12 % each, and the garbage collector 9 %. By the statistics of its statements, PostgreSQL spends most on the statement that reserves the credits and books them (170 µs per text, with the wait for other batches), then on the inserts of the text and its conversation (70 µs each); about 60 texts share each statement, and 128 instead of 64 at most changed nothing that could be measured. The rate varies by a tenth between rounds, and much more between runs, because the CPU time of the same program rises and falls on this virtual machine: 14 other runs on the same day had medians from 919 to 1,445, two of the same commit 1,413 and, three minutes later, 1,169. So this goal is met where a text costs at most 930 µs of CPU time, and not where it costs more. More texts a second need less CPU time per text, or more cores.',
  async run() {
    const subjects: Subject[] = [];
    const smsc = await Smsc.start({ users: [smscUser([poolNumber])] });
    // It would deliver all receipts at once, and repeat those that the server refuses for now.
    smsc.holdsReceipts = true;
    try {
      const server = await startServer(smsc);
      const ours = await paidTexts(server, smsc);
      subjects.push(ours);
      const bare = await inserts(server);
      subjects.push(bare);
      const samples: { ours: Sample; bare: Sample }[] = [];
      for (let round = 0; round <= rounds; round++) {
        process.stdout.write(`\r  round ${round} of ${rounds}`);
        const sample = { ours: await ours.measure(), bare: await bare.measure() };
        // The first round only warms up the server and opens its connections.
        if (round > 0) samples.push(sample);
      }
      const figure = (what: string, unit: Unit, name: keyof Sample, goal?: Goal) => {
        const baseline = { name: 'single inserts', values: samples.map((sample) => sample.bare[name]) };
        const values = samples.map((sample) => sample.ours[name]);
        // The CPU time of the inserting process includes the benchmark itself.
        return ofRounds({
          what,
          unit,
          ours: values,
          ...(name !== 'nodeCpu' && { baseline }),
          ...(goal && { goal }),
        });
      };
      return [
        figure('texts', '/s', 'perSecond', { of: 'value', atLeast: 1_500 }),
        figure('answer, p99 of a round', 'ms', 'p99'),
        figure('CPU time of Node.js per text', 'µs', 'nodeCpu'),
        figure('CPU time of PostgreSQL per text', 'µs', 'postgresCpu'),
      ];
    } finally {
      for (const { close } of subjects.reverse()) await close();
      await smsc.stop();
    }
  },
};

function startServer(smsc: Smsc): Promise<ServerProcess> {
  return ServerProcess.start({
    LOG_LEVEL: 'info',
    NODE_ENV: 'development',
    RATE_LIMIT_WRITES: '100000000',
    SIGNUP_CREDITS: '100000000',
    CARRIER: 'smpp',
    SMPP_URL: smsc.url(),
    SMPP_NUMBERS: poolNumber,
    SMPP_WINDOW: String(smppWindow),
    SMS_POOL_NUMBERS: poolNumber,
  });
}

async function paidTexts(server: ServerProcess, smsc: Smsc): Promise<Subject> {
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
    const submitted = smsc.submits.length;
    let acceptedAt = performance.now();
    smsc.onSubmit = () => {
      acceptedAt = performance.now();
      return undefined;
    };
    const before = await cpuOf(server);
    const startedAt = performance.now();
    const result = await autocannon({
      url: `${server.url}/api/v1/sms/send`,
      method: 'POST',
      connections,
      duration: roundSeconds,
      requests: [{ setupRequest: next }],
    });
    if (result.non2xx > 0 || result.errors > 0)
      throw new Error(`${result.non2xx} refused requests, ${result.errors} errors`);
    const isQueueEmpty = async () => {
      const busy = `SELECT 1 FROM messages WHERE status IN ('queued', 'submitting') LIMIT 1`;
      return (await queryDatabase(server, busy)).length === 0;
    };
    await until(isQueueEmpty, 'all texts are submitted', 300_000);
    const seconds = (acceptedAt - startedAt) / 1_000;
    const after = await cpuOf(server);
    // The answers to the last texts arrive after autocannon has closed its connections, so it does not count them.
    const count = smsc.submits.length - submitted;
    return {
      perSecond: count / seconds,
      p99: result.latency.p99,
      nodeCpu: ((after.node - before.node) * 1_000) / count,
      postgresCpu: ((after.postgres - before.postgres) * 1_000) / count,
    };
  };
  return { measure, close: () => server.dispose() };
}

/** The CPU time that the server and its PostgreSQL have used, in milliseconds. */
async function cpuOf(server: ServerProcess): Promise<{ node: number; postgres: number }> {
  const rows = await queryDatabase(server, 'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()');
  const times = cpuTimesOf(rows.map(({ pid }) => Number(pid)));
  return { node: cpuTimeOf([server.pid]), postgres: [...times.values()].reduce((sum, ms) => sum + ms, 0) };
}

async function inserts(server: ServerProcess): Promise<Subject> {
  const pool = new pg.Pool({
    ...server.database,
    max: inserters,
  });
  await pool.query('CREATE TABLE bench_inserts (id text PRIMARY KEY, body text NOT NULL)');
  const text = 'INSERT INTO bench_inserts VALUES ($1, $2)';
  const measure = async () => {
    const before = await cpuOf(server);
    const latencies: number[] = [];
    const endsAt = performance.now() + roundSeconds * 1_000;
    const insert = async () => {
      while (performance.now() < endsAt) {
        const startedAt = performance.now();
        await pool.query({ name: 'insert', text, values: [newId('pay'), 'Your table for two is ready.'] });
        latencies.push(performance.now() - startedAt);
      }
    };
    await Promise.all(Array.from({ length: inserters }, insert));
    const { postgres } = await cpuOf(server);
    return {
      perSecond: latencies.length / roundSeconds,
      p99: percentile(latencies, 0.99),
      nodeCpu: NaN,
      postgresCpu: ((postgres - before.postgres) * 1_000) / latencies.length,
    };
  };
  return { measure, close: () => pool.end() };
}
