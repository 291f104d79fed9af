import { setTimeout as delay } from 'node:timers/promises';
import type { Transport } from './Transport.ts';

/**
 * The number of messages in flight at the highest rate: twice what the server stores at the same time (two statements of up to 256), so that
 * it always has the next ones. With 256, a quarter of two fast cores was idle, while each process waited for the others.
 */
export const inFlight = 1_024;
const seconds = Number(process.env.BENCH_SECONDS ?? 4);
const rounds = Number(process.env.BENCH_ROUNDS ?? 6);

export interface Held {
  perSecond: number;
  /** The CPU time per message of the transport's server and database, in microseconds. */
  cpu: { server: number; database: number };
}

/**
 * Sends as fast as possible, in several rounds, in which the transports take turns, so that other load on the machine affects all of them.
 * @returns the rounds of each transport
 */
export async function heldRates(transports: readonly Transport[]): Promise<Held[][]> {
  const samples: Held[][] = transports.map(() => []);
  for (let round = 0; round < rounds; round++) {
    process.stdout.write(`\r  round ${round + 1} of ${rounds}`);
    for (const [index, transport] of transports.entries())
      samples[index]?.push(await heldRate(transport, seconds));
  }
  process.stdout.write('\n');
  return samples;
}

/** Sends for a second as fast as possible, so that all code is compiled and all plans are made. */
export async function warmUp(transports: readonly Transport[]): Promise<void> {
  for (const transport of transports) await heldRate(transport, 1);
}

async function heldRate(transport: Transport, forSeconds: number): Promise<Held> {
  const before = transport.cpu();
  const startedAt = performance.now();
  const endsAt = startedAt + forSeconds * 1_000;
  let carried = 0;
  await Promise.all(
    Array.from({ length: inFlight }, async (_, pair) => {
      for (let index = pair; performance.now() < endsAt; index += inFlight) {
        await transport.carry(index);
        carried++;
      }
    }),
  );
  const took = (performance.now() - startedAt) / 1_000;
  const after = transport.cpu();
  const perMessage = (of: 'server' | 'database') => ((after[of] - before[of]) * 1_000) / carried;
  return {
    perSecond: carried / took,
    cpu: { server: perMessage('server'), database: perMessage('database') },
  };
}

/** Sends at a fixed rate, without waiting for earlier messages. @returns the latency of each message in milliseconds */
export async function latenciesAt(transport: Transport, rate: number): Promise<number[]> {
  const samples: number[] = [];
  const running: Promise<unknown>[] = [];
  const startedAt = performance.now();
  for (let sent = 0; sent < rate * seconds;) {
    const due = Math.min(((performance.now() - startedAt) / 1_000) * rate, rate * seconds);
    for (; sent < due; sent++) {
      // From when it was due, so that a late generator does not hide how long people would wait.
      const dueAt = startedAt + (sent / rate) * 1_000;
      running.push(transport.carry(sent).then(() => samples.push(performance.now() - dueAt)));
    }
    await delay(1);
  }
  await Promise.all(running);
  return samples;
}
