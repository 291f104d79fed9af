import { setTimeout as delay } from 'node:timers/promises';
import { closeSockets } from '../integration/support.ts';
import { connectRoomClients } from '../harness/clients/RawRoomClient.ts';
import { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { percentile } from './figures.ts';

const people = Number(process.env.BENCH_PEOPLE ?? 500);
const goalMs = { p95: 3_000, max: 5_000 };

/** Many clients join one room at the same time, and later leave it at the same time. Measures how long each answer takes. */
export async function benchRush(): Promise<boolean> {
  const server = await ServerProcess.start({ LOG_LEVEL: 'info', RATE_LIMIT_REALTIME: '100000' });
  try {
    const all = await connectRoomClients(server.url, people);
    const [host, ...others] = all;
    if (!host) throw new Error('BENCH_PEOPLE must be at least 1');
    const room = (await host.ask('conference.create', { name: 'Rush', maxParticipants: people })) as {
      id: string;
    };
    await host.join(room.id);
    await delay(1_000);
    const joins = await Promise.all(others.map((each) => each.join(room.id)));
    const isMet = report(`${others.length} join at the same time`, joins);
    await delay(3_000);
    const areListsCorrect = all.every(({ present }) => present.size === people);
    if (!areListsCorrect) console.log('  Some participant lists are wrong.');
    return (
      report(
        `${others.length} leave at the same time`,
        await Promise.all(others.map((each) => each.leave(room.id))),
      ) &&
      isMet &&
      areListsCorrect
    );
  } finally {
    closeSockets();
    await server.dispose();
  }
}

function report(what: string, times: number[]): boolean {
  const shown = (ms: number) => `${ms.toFixed(0)} ms`;
  const [p95, max] = [percentile(times, 0.95), Math.max(...times)];
  const met = p95 <= goalMs.p95 && max <= goalMs.max;
  console.log(`\n${what}: p50 ${shown(percentile(times, 0.5))}   p95 ${shown(p95)}   max ${shown(max)}`);
  console.log(
    `  goal: p95 at most ${goalMs.p95} ms, all within ${goalMs.max} ms: ${met ? 'met' : 'NOT MET'}`,
  );
  return met;
}
