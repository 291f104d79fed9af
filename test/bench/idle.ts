import { setTimeout as delay } from 'node:timers/promises';
import { Gauge, type Memory } from '../fuzz/Gauge.ts';
import { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { startBareServer } from './bareServer.ts';
import { cpuTimeOf } from './cpuTime.ts';
import { ofRounds, type Figure } from './report/Figure.ts';
import type { Bench } from './report/Report.ts';
import { Fleet } from './sockets/Fleet.ts';
import { sessionTokens } from './sockets/sessionTokens.ts';

const sizes = (process.env.BENCH_PEOPLE ?? '1000,10000').split(',').map(Number);
/** Devices that connect before the first measurement, because the code that they run is compiled then. */
const first = 200;
const idleSeconds = 20;
/** Node prints the address of its inspector, by which Gauge measures. */
const inspected = { NODE_OPTIONS: '--inspect=0' };

/** Signed-in devices that only answer pings. */
export const idle: Bench = {
  title: 'Idle connections',
  about: `Signed-in devices that do nothing but answer the server’s pings, one every five seconds. Memory is what the server’s process has more after a garbage collection than with ${first} devices, divided by the number of devices. CPU is that of ${idleSeconds} seconds in which nothing happens. The baseline is Socket.IO with the same transports and pings, without identity, rules and storage.`,
  async run() {
    const figures: Figure[] = [];
    const [ours, bare] = [await measureParley(), await measureBare()];
    for (const [index, size] of sizes.entries()) {
      const [mine, theirs] = [ours[index] as Idle, bare[index] as Idle];
      const figure = (what: string, unit: Figure['unit'], read: (idle: Idle) => number) =>
        ofRounds({
          what: `${size.toLocaleString('en-US')} devices: ${what}`,
          unit,
          ours: [read(mine)],
          baseline: { name: 'bare', values: [read(theirs)] },
        });
      figures.push(
        figure('resident memory per device', 'kB', ({ rssKb }) => rssKb),
        figure('JavaScript heap per device', 'kB', ({ heapKb }) => heapKb),
        figure('CPU per device and second', 'µs', ({ cpuUs }) => cpuUs),
      );
    }
    return figures;
  },
};

/** What one device costs. */
interface Idle {
  rssKb: number;
  heapKb: number;
  cpuUs: number;
}

interface Measured {
  pid: number;
  port: number;
  log: string;
}

async function measureParley(): Promise<Idle[]> {
  const server = await ServerProcess.start({
    LOG_LEVEL: 'info',
    MAX_CONNECTIONS_PER_NETWORK: '20000',
    ...inspected,
  });
  try {
    const tokens = await sessionTokens(server, first + Math.max(...sizes));
    return await measure({ pid: server.pid, port: server.ports.port, log: server.log }, tokens);
  } finally {
    await server.dispose();
  }
}

async function measureBare(): Promise<Idle[]> {
  process.env.NODE_OPTIONS = inspected.NODE_OPTIONS;
  const server = await startBareServer('sockets').finally(() => delete process.env.NODE_OPTIONS);
  try {
    const tokens = Array.from({ length: first + Math.max(...sizes) }, () => 'x'.repeat(300));
    return await measure(
      { pid: server.pid, port: Number(new URL(server.url).port), log: server.log },
      tokens,
    );
  } finally {
    server.stop();
  }
}

/** @param tokens one for each device */
async function measure({ pid, port, log }: Measured, tokens: string[]): Promise<Idle[]> {
  const gauge = await Gauge.open({ pid, log });
  const fleet = new Fleet();
  try {
    await fleet.connect(port, tokens.slice(0, first));
    const [before, cpuBefore] = [await gauge.read(), await cpuPerSecond(pid)];
    const results: Idle[] = [];
    let connected = 0;
    for (const size of sizes) {
      await fleet.connect(port, tokens.slice(first + connected, first + size));
      connected = size;
      const [after, cpu] = [await gauge.read(), await cpuPerSecond(pid)];
      const perDevice = (part: keyof Memory) => ((after[part] - before[part]) * 1_024) / size;
      results.push({
        rssKb: perDevice('rss'),
        heapKb: perDevice('heap'),
        cpuUs: ((cpu - cpuBefore) * 1_000) / size,
      });
    }
    return results;
  } finally {
    fleet.close();
    gauge.close();
  }
}

/** The CPU time of an idle server, in milliseconds per second. */
async function cpuPerSecond(pid: number): Promise<number> {
  const [before, startedAt] = [cpuTimeOf([pid]), performance.now()];
  await delay(idleSeconds * 1_000);
  return (cpuTimeOf([pid]) - before) / ((performance.now() - startedAt) / 1_000);
}
