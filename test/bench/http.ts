import { join } from 'node:path';
import autocannon from 'autocannon';
import { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { api, newCustomer, newKey, queryDatabase } from '../integration/money/accountSupport.ts';
import { startBareServer, type ChildServer } from './bareServer.ts';
import { cpuTimeOf, cpuTimesOf } from './cpuTime.ts';
import { ofRounds, type Goal, type Unit } from './report/Figure.ts';
import type { Bench } from './report/Report.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 8);
const roundSeconds = 4;
const connections = 20;

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

/** Authenticated reads over HTTP. The two servers take turns, so that other load on the machine affects both. */
export const http: Bench = {
  title: 'Authenticated HTTP reads',
  about: `GET /account/credits with an API key over ${connections} connections, in rounds of ${roundSeconds} s. The key and its account are read from the database for every request, so a revoked key is refused at once. The baseline is a bare Express route that does one indexed read in the same database, without authentication, limits, audit log and metrics. The load generator runs on the same machine.`,
  async run() {
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
      for (let round = 0; round <= rounds; round++) {
        process.stdout.write(`\r  round ${round} of ${rounds}`);
        const sample = { ours: await measure(ours), bare: await measure(theirs) };
        // The first round only warms up both servers and opens their connections.
        if (round > 0) samples.push(sample);
      }
      const figure = (what: string, unit: Unit, name: keyof Sample, goal?: Goal) =>
        ofRounds({
          what,
          unit,
          ours: samples.map((sample) => sample.ours[name]),
          baseline: { name: 'bare Express', values: samples.map((sample) => sample.bare[name]) },
          ...(goal && { goal }),
        });
      return [
        figure('requests', '/s', 'perSecond', { of: 'value', atLeast: 5_000 }),
        figure('answer, p99 of a round', 'ms', 'p99'),
        figure('CPU time of Node.js per request', 'µs', 'nodeCpu'),
        figure('CPU time of PostgreSQL per request', 'µs', 'postgresCpu'),
      ];
    } finally {
      bare?.stop();
      await server.dispose();
    }
  },
};

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
