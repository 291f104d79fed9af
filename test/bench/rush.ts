import { setTimeout as delay } from 'node:timers/promises';
import { closeSockets } from '../integration/support.ts';
import { connectRoomClients, type RawRoomClient } from '../harness/clients/RawRoomClient.ts';
import { EventLoopDelay } from '../harness/EventLoopDelay.ts';
import { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { until } from '../harness/until.ts';
import { cpuByProcess } from './rooms/processes.ts';
import { ofSamples, ofValue, type Figure } from './report/Figure.ts';
import type { Bench } from './report/Report.ts';

const people = Number(process.env.BENCH_PEOPLE ?? 500);
const goals = { max: 3_000 };
const settings = { LOG_LEVEL: 'info', RATE_LIMIT_REALTIME: '100000', RATE_LIMIT_JOINS: '10000' };
/** Over how many milliseconds the devices spread their requests. */
const spreads = { 'at once': 0, 'within a second': 1_000 };

/** Many clients join one room at the same time, and later leave it at the same time. */
export const rush: Bench = {
  title: 'A full room at once',
  about: `${people} devices join one room, all at the same moment or spread over a second, and leave it in the same way. The time of a device runs from its request until its answer, which for a join contains the participants and its transports. All devices are in when the last one has its answer and all have the events about all others. A join has been answered before ICE and DTLS, which the devices leave out: they send and receive no media. All devices run in one process.`,
  async run() {
    const server = await ServerProcess.start(settings);
    try {
      const all = await connectRoomClients(server.url, people);
      const figures: Figure[] = [];
      for (const [how, spreadMs] of Object.entries(spreads))
        figures.push(...(await fill(server, all, how, spreadMs)));
      return figures;
    } finally {
      closeSockets();
      await server.dispose();
    }
  },
};

async function fill(server: ServerProcess, all: RawRoomClient[], how: string, spreadMs: number) {
  const [host, ...others] = all;
  if (!host) throw new Error('BENCH_PEOPLE must be at least 1');
  const room = (await host.ask('conference.create', { name: 'Rush', maxParticipants: people })) as {
    id: string;
  };
  for (const each of all) each.forget();
  await host.join(room.id, true);
  await delay(1_000);
  const loop = new EventLoopDelay();
  const cpuBefore = cpuOf(server);
  const spread = <T>(run: (each: RawRoomClient) => Promise<T>) =>
    Promise.all(
      others.map(async (each, index) => {
        if (spreadMs > 0) await delay((index / others.length) * spreadMs);
        return run(each);
      }),
    );
  let startedAt = performance.now();
  const joins = await spread((each) => each.join(room.id, true));
  const answeredAt = performance.now();
  const isComplete = () => all.every(({ present }) => present.size === people);
  await until(isComplete, 'all know all others', 30_000, 200).catch(() => undefined);
  const allInMs = Math.max(answeredAt, ...all.map(({ changedAt }) => changedAt)) - startedAt;
  const wrongLists = all.filter(({ present }) => present.size !== people).length;
  const cpuMs = cpuOf(server) - cpuBefore;
  startedAt = performance.now();
  const leaves = await spread((each) => each.leave(room.id));
  const allOutMs = performance.now() - startedAt;
  loop.stop();
  const what = (text: string) => `${how}: ${text}`;
  return [
    ...ofSamples({ what: what('join'), unit: 'ms', samples: joins, goals }),
    ofValue(what('all are in'), 'ms', allInMs, { atMost: goals.max }),
    ...ofSamples({ what: what('leave'), unit: 'ms', samples: leaves, goals }),
    ofValue(what('all have left'), 'ms', allOutMs, { atMost: goals.max }),
    ofValue(what('devices with a wrong list of participants'), '', wrongLists, { atMost: 0 }),
    ofValue(what('CPU of the server per join, with media and PostgreSQL'), 'ms', cpuMs / people),
    ofValue(what('event loop delay of the devices’ process, p99'), 'ms', loop.percentile(99)),
  ];
}

const cpuOf = (server: ServerProcess) => cpuByProcess(server.pid).reduce((sum, { ms }) => sum + ms, 0);
