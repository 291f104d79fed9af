import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { cpuTimeOf } from '../cpuTime.ts';
import { freePorts } from '../../harness/nodes/ports.ts';
import { ofRounds, type Figure } from '../report/Figure.ts';
import type { Bench } from '../report/Report.ts';
import { AgedServer } from './AgedServer.ts';

const sizes = [Number(process.env.BENCH_FEW ?? 10_000), Number(process.env.BENCH_ROWS ?? 1_000_000)];
const rounds = Number(process.env.BENCH_ROUNDS ?? 7);
const goal = { of: 'value', atMost: 1_500 } as const;
const top = fileURLToPath(new URL('../../..', import.meta.url));
const pollMs = 5;

const limitMs = 120_000;

/** How a server is started, and how its last run ended. */
const cases = [
  { name: 'after a stop', command: [process.execPath, 'server/dist/main.js'], signal: 'SIGTERM' },
  { name: 'after kill -9', command: [process.execPath, 'server/dist/main.js'], signal: 'SIGKILL' },
  { name: 'npm start, after a stop', command: ['npm', 'start'], signal: 'SIGTERM' },
] as const;

interface Started {
  child: ChildProcess;
  ms: number;
  /** The CPU time of the process that was started, without its PostgreSQL and media worker. */
  cpu: number;
}

/** The time from the start of the process until it serves requests. */
export const start: Bench = {
  title: 'Start',
  about: `The time from the start of the process until the first 200 of /readyz, asked every ${pollMs} ms, on a database that exists, with the embedded PostgreSQL, one media worker and RTMP, as on a developer’s machine. The files are in the memory of the system already. After kill -9 the next start also waits until the PostgreSQL of the killed server has ended. CPU is that of the Node.js process until then.`,
  async run() {
    const figures: Figure[] = [];
    for (const rows of sizes) {
      const aged = await AgedServer.fill(rows);
      try {
        for (const each of cases) {
          const { ms, cpu } = await measure(aged, each);
          const what = `${each.name}, ${rows.toLocaleString('en')} rows`;
          figures.push(ofRounds({ what, unit: 'ms', ours: ms, goal }));
          // npm is another process than the server.
          if (each.command[0] !== 'npm')
            figures.push(ofRounds({ what: `${what}: CPU`, unit: 'ms', ours: cpu }));
        }
      } finally {
        await aged.dispose();
      }
    }
    return figures;
  },
};

async function measure(
  aged: AgedServer,
  { name, command, signal }: (typeof cases)[number],
): Promise<{ ms: number[]; cpu: number[] }> {
  const samples: Started[] = [];
  // The first start is not counted: the last run may have ended otherwise, or left files that the system has not written yet.
  for (let round = 0; round <= rounds; round++) {
    process.stdout.write(`\r  ${name}, ${aged.rows} rows: round ${round} of ${rounds} `);
    const started = await startOne(aged, command);
    if (round > 0) samples.push(started);
    // `npm start` passes SIGTERM on to the server.
    const ended = once(started.child, 'close');
    started.child.kill(signal);
    await ended;
  }
  return { ms: samples.map(({ ms }) => ms), cpu: samples.map(({ cpu }) => cpu) };
}

async function startOne(
  { server: { url, dataDir, ports } }: AgedServer,
  [program, ...args]: readonly string[],
): Promise<Started> {
  const rtmpPort = await freePorts();
  const startedAt = performance.now();
  const child = spawn(program as string, args, {
    cwd: top,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DATA_DIR: dataDir,
      PORT: String(ports.port),
      MEDIA_PORT: String(ports.mediaPort),
      MEDIA_WORKERS: '1',
      MEDIA_ANNOUNCED_ADDRESS: '127.0.0.1',
      RTMP_PORT: String(rtmpPort),
    },
    stdio: 'ignore',
  });
  for (;;) {
    const isReady = await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    const ms = performance.now() - startedAt;
    if (isReady) return { child, ms, cpu: cpuTimeOf([child.pid ?? 0]) };
    if (child.exitCode !== null || ms > limitMs) {
      child.kill('SIGKILL');
      throw new Error(`the server was not ready after ${Math.round(ms)} ms (exit code ${child.exitCode})`);
    }
    await delay(pollMs);
  }
}
