import { join } from 'node:path';
import autocannon from 'autocannon';
import { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { api, newCustomer, newKey, queryDatabase } from '../integration/money/accountSupport.ts';
import { startBareServer, type ChildServer } from './bareServer.ts';
import { cpuTimeOf, cpuTimesOf } from './cpuTime.ts';
import { percentile } from './figures.ts';

const rounds = 8;
const roundSeconds = 4;
const connections = 20;
/** The minimum ratio of Parley's requests per second to the baseline's. */
const goal = 0.8;

interface Sample {
  perSecond: number;
  p99: number;
  /** CPU time in microseconds per request. */
  nodeCpu: number;
  postgresCpu: number;
}

/** A URL to measure, with the processes that serve it. */
interface Served {
  url: string;
  headers: Record<string, string>;
  /** The pid of the Node.js process. */
  node: number;
  /** Returns the pids of the PostgreSQL processes that currently serve it. */
  postgres: () => Promise<number[]>;
}

/**
 * Compares GET /account/credits, with an API key, with a bare Express route that does one indexed read in the same database. The two take
 * turns, so that other load on the machine affects both.
 */
export async function benchHttp(): Promise<boolean> {
  const server = await ServerProcess.start({
    LOG_LEVEL: 'info',
    NODE_ENV: 'development',
    RATE_LIMIT_READS: '100000000',
  });
  let bare: ChildServer | null = null;
  try {
    const customer = await newCustomer(server.url);
    const { secret } = await newKey(server.url, customer);
    const { id } = (await api(server.url, 'GET', '/account', customer.dashboard)).body;
    bare = await startBareServer('http', join(server.dataDir, 'postgres'), String(id));
    const ours: Served = {
      url: `${server.url}/api/v1/account/credits`,
      headers: { Authorization: `Bearer ${secret}` },
      node: server.pid,
      postgres: () => backendsOf(server, 'parley'),
    };
    const theirs: Served = {
      url: `${bare.url}/credits`,
      headers: {},
      node: bare.pid,
      postgres: () => backendsOf(server, 'bare'),
    };
    const samples: { ours: Sample; bare: Sample }[] = [];
    for (let round = 0; round < rounds; round++) {
      const sample = { ours: await measure(ours), bare: await measure(theirs) };
      // The first round only warms up both servers and opens their connections.
      if (round > 0) samples.push(sample);
    }
    return report(
      samples.map((sample) => sample.ours),
      samples.map((sample) => sample.bare),
    );
  } finally {
    bare?.stop();
    await server.dispose();
  }
}

async function measure({ url, headers, node, postgres }: Served): Promise<Sample> {
  const before = { node: cpuTimeOf([node]), postgres: cpuTimesOf(await postgres()) };
  const result = await autocannon({ url, headers, connections, duration: roundSeconds });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} refused requests, ${result.errors} errors`);
  const after = { node: cpuTimeOf([node]), postgres: cpuTimesOf(await postgres()) };
  const microseconds = (ms: number) => (ms * 1_000) / result.requests.total;
  let postgresMs = 0;
  for (const [pid, ms] of after.postgres) postgresMs += ms - (before.postgres.get(pid) ?? 0);
  return {
    perSecond: result.requests.average,
    p99: result.latency.p99,
    nodeCpu: microseconds(after.node - before.node),
    postgresCpu: microseconds(postgresMs),
  };
}

/**
 * The pids of the PostgreSQL processes that work for Parley or for the baseline. The baseline's connections are recognised by their name.
 * All other processes, such as the one that writes the log, count as Parley's.
 */
async function backendsOf(server: ServerProcess, whose: 'bare' | 'parley'): Promise<number[]> {
  const rows = await queryDatabase(
    server,
    'SELECT pid, application_name FROM pg_stat_activity WHERE pid <> pg_backend_pid()',
  );
  return rows
    .filter(({ application_name: name }) => (name === 'bare') === (whose === 'bare'))
    .map(({ pid }) => Number(pid));
}

function report(ours: Sample[], bare: Sample[]): boolean {
  const line = (samples: Sample[]) => {
    const median = (name: keyof Sample, digits: number, width: number) =>
      percentile(
        samples.map((sample) => sample[name]),
        0.5,
      )
        .toFixed(digits)
        .padStart(width);
    return (
      `${median('perSecond', 0, 7)} requests/s   p99 ${median('p99', 1, 6)} ms   ` +
      `CPU per request: node ${median('nodeCpu', 0, 4)} µs, PostgreSQL ${median('postgresCpu', 0, 4)} µs`
    );
  };
  const ratios = ours.map(({ perSecond }, index) => perSecond / (bare[index]?.perSecond ?? NaN));
  const ratio = percentile(ratios, 0.5);
  const met = ratio >= goal;
  console.log(
    `\nGET /account/credits with a key, ${connections} connections (medians of ${ours.length} rounds of ${roundSeconds} s)`,
  );
  console.log(`  parley     ${line(ours)}`);
  console.log(`  bare       ${line(bare)}`);
  console.log(
    `  ratio      ${ratio.toFixed(2)}, ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)} (goal: at least ${goal}) ${met ? 'met' : 'NOT MET'}`,
  );
  const cpu = (samples: Sample[], ...names: ('nodeCpu' | 'postgresCpu')[]) =>
    samples.reduce((sum, sample) => sum + names.reduce((part, name) => part + sample[name], 0), 0);
  console.log(
    `  CPU ratio  node ${(cpu(bare, 'nodeCpu') / cpu(ours, 'nodeCpu')).toFixed(2)}, with PostgreSQL ` +
      `${(cpu(bare, 'nodeCpu', 'postgresCpu') / cpu(ours, 'nodeCpu', 'postgresCpu')).toFixed(2)} ` +
      `(bare's CPU time divided by Parley's, which a busy machine does not change)`,
  );
  return met;
}
