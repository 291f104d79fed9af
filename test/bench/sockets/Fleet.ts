import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { until } from '../../harness/until.ts';
import type { FleetReport, Order } from './deviceProcess.ts';

const processes = 4;
const script = fileURLToPath(new URL('deviceProcess.ts', import.meta.url));

/** Thousands of signed-in devices in several processes, so that the devices do not wait for each other. */
export class Fleet {
  readonly #children: ChildProcess[] = [];
  #size = 0;

  constructor() {
    for (let count = 0; count < processes; count++)
      this.#children.push(fork(script, { execArgv: ['--import', 'tsx'] }));
  }

  /** Connects one more device for each token. Resolves when all of them have caught up. */
  async connect(port: number, tokens: string[]): Promise<void> {
    const share = Math.ceil(tokens.length / processes);
    this.#children.forEach((child, index) => {
      // Each process has an address of its own, because a server limits the connections of one network.
      const connect = { port, localAddress: `127.0.0.${index + 2}` };
      child.send({ connect, tokens: tokens.slice(index * share, (index + 1) * share) } satisfies Order);
    });
    this.#size += tokens.length;
    await until(
      async () => (await this.report()).caughtUp === this.#size,
      'all devices are connected',
      180_000,
    );
  }

  /** Starts the counts of welcomes, catch-ups and attempts again. */
  forget(): void {
    for (const child of this.#children) child.send('forget' satisfies Order);
  }

  /** What all processes say, together. */
  async report(): Promise<FleetReport> {
    const reports = await Promise.all(
      this.#children.map(async (child) => {
        child.send('report' satisfies Order);
        return ((await once(child, 'message')) as [FleetReport])[0];
      }),
    );
    return reports.reduce((one, other) => ({
      connected: one.connected + other.connected,
      welcomed: one.welcomed + other.welcomed,
      caughtUp: one.caughtUp + other.caughtUp,
      refusedForGood: [...one.refusedForGood, ...other.refusedForGood],
      attempts: one.attempts + other.attempts,
      wasted: one.wasted + other.wasted,
      welcomedAt: [...one.welcomedAt, ...other.welcomedAt],
      caughtUpAt: [...one.caughtUpAt, ...other.caughtUpAt],
      delayP99: Math.max(one.delayP99, other.delayP99),
      delayMax: Math.max(one.delayMax, other.delayMax),
      cpuMs: one.cpuMs + other.cpuMs,
    }));
  }

  close(): void {
    for (const child of this.#children) child.kill('SIGKILL');
  }
}
