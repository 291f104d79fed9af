import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { freePorts } from '../harness/ports.ts';
import { ServerProcess } from '../harness/ServerProcess.ts';
import { api, newCustomer, newKey, queryDatabase } from '../integration/accountSupport.ts';
import { cpuTimeOf } from './cpuTime.ts';
import { percentile } from './figures.ts';

const rounds = 8;
const roundSeconds = 4;
const connections = 20;
/** Ours may take at least this share of the baseline's requests per second. */
const goal = 0.8;

interface Sample {
  perSecond: number;
  p99: number;
  /** Microseconds per request. */
  nodeCpu: number;
  postgresCpu: number;
}

/** What serves an address, to ask what it costs. */
interface Served {
  url: string;
  headers: Record<string, string>;
  /** The process of node, and those of PostgreSQL that work for it. */
  node: number;
  postgres: number[];
}

/**
 * GET /account/credits with a key, beside a bare Express route with one indexed read in the same database. They take turns, so
 * that whatever else the machine does is in both.
 */
export async function benchHttp(): Promise<boolean> {
  const server = await ServerProcess.start({
    LOG_LEVEL: 'info',
    NODE_ENV: 'development',
    RATE_LIMIT_READS: '100000000',
  });
  let bare: { url: string; pid: number; stop: () => void } | null = null;
  try {
    const customer = await newCustomer(server.url);
    const { secret } = await newKey(server.url, customer);
    const { id } = (await api(server.url, 'GET', '/account', customer.dashboard)).body;
    bare = await startBare(server.dataDir, String(id));
    const ours: Served = {
      url: `${server.url}/api/v1/account/credits`,
      headers: { Authorization: `Bearer ${secret}` },
      node: server.pid,
      postgres: [],
    };
    const theirs: Served = { url: `${bare.url}/credits`, headers: {}, node: bare.pid, postgres: [] };
    const samples: { ours: Sample; bare: Sample }[] = [];
    for (let round = 0; round < rounds; round++) {
      const sample = { ours: await measure(ours), bare: await measure(theirs) };
      // The first round warms both up, and opens their connections.
      if (round > 0) samples.push(sample);
      else await findBackends(server, ours, theirs);
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
  const before = [cpuTimeOf([node]), cpuTimeOf(postgres)] as const;
  const result = await autocannon({ url, headers, connections, duration: roundSeconds });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} refusals, ${result.errors} errors`);
  const microseconds = (from: number, to: number) => ((to - from) * 1_000) / result.requests.total;
  return {
    perSecond: result.requests.average,
    p99: result.latency.p99,
    nodeCpu: microseconds(before[0], cpuTimeOf([node])),
    postgresCpu: microseconds(before[1], cpuTimeOf(postgres)),
  };
}

/** The baseline's connections carry its name; all else PostgreSQL does, writing its log and its tables too, it does for ours. */
async function findBackends(server: ServerProcess, ours: Served, bare: Served): Promise<void> {
  const rows = await queryDatabase(
    server,
    'SELECT pid, application_name FROM pg_stat_activity WHERE pid <> pg_backend_pid()',
  );
  for (const { pid, application_name: name } of rows)
    (name === 'bare' ? bare : ours).postgres.push(Number(pid));
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
      `(bare's processor time by ours: what a busy machine does not change)`,
  );
  return met;
}

async function startBare(
  dataDir: string,
  accountId: string,
): Promise<{ url: string; pid: number; stop: () => void }> {
  const port = await freePorts();
  const script = fileURLToPath(new URL('bare/http.ts', import.meta.url));
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', script, String(port), join(dataDir, 'postgres'), accountId],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => Promise.reject(new Error('the baseline did not start'))),
  ]);
  return { url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, stop: () => child.kill('SIGKILL') };
}
