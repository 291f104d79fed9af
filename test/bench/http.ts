import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { freePorts } from '../harness/ports.ts';
import { ServerProcess } from '../harness/ServerProcess.ts';
import { api, newCustomer, newKey } from '../integration/accountSupport.ts';
import { percentile } from './figures.ts';

const rounds = 8;
const roundSeconds = 4;
const connections = 20;
/** Ours may take at least this share of the baseline's requests per second. */
const goal = 0.8;

interface Sample {
  perSecond: number;
  p99: number;
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
  let bare: { url: string; stop: () => void } | null = null;
  try {
    const customer = await newCustomer(server.url);
    const { secret } = await newKey(server.url, customer);
    const { id } = (await api(server.url, 'GET', '/account', customer.dashboard)).body;
    bare = await startBare(server.dataDir, String(id));
    const headers = { Authorization: `Bearer ${secret}` };
    const ours: Sample[] = [];
    const theirs: Sample[] = [];
    for (let round = 0; round < rounds; round++) {
      const sample = await measure(`${server.url}/api/v1/account/credits`, headers);
      const bareSample = await measure(`${bare.url}/credits`, {});
      // The first round warms both up.
      if (round === 0) continue;
      ours.push(sample);
      theirs.push(bareSample);
    }
    return report(ours, theirs);
  } finally {
    bare?.stop();
    await server.dispose();
  }
}

async function measure(url: string, headers: Record<string, string>): Promise<Sample> {
  const result = await autocannon({ url, headers, connections, duration: roundSeconds });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} refusals, ${result.errors} errors`);
  return { perSecond: result.requests.average, p99: result.latency.p99 };
}

function report(ours: Sample[], bare: Sample[]): boolean {
  const line = (samples: Sample[]) => {
    const perSecond = percentile(
      samples.map((sample) => sample.perSecond),
      0.5,
    );
    const p99 = percentile(
      samples.map((sample) => sample.p99),
      0.5,
    );
    return `${perSecond.toFixed(0).padStart(7)} requests/s   p99 ${p99.toFixed(1).padStart(6)} ms   rounds ${samples.length}`;
  };
  const ratios = ours.map(({ perSecond }, index) => perSecond / (bare[index]?.perSecond ?? NaN));
  const ratio = percentile(ratios, 0.5);
  const met = ratio >= goal;
  console.log(
    `\nGET /account/credits with a key, ${connections} connections (medians of rounds of ${roundSeconds} s)`,
  );
  console.log(`  parley  ${line(ours)}`);
  console.log(`  bare    ${line(bare)}`);
  console.log(
    `  ratio   ${ratio.toFixed(2)}, ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)} (goal: at least ${goal}) ${met ? 'met' : 'NOT MET'}`,
  );
  return met;
}

async function startBare(dataDir: string, accountId: string): Promise<{ url: string; stop: () => void }> {
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
  return { url: `http://127.0.0.1:${port}`, stop: () => child.kill('SIGKILL') };
}
