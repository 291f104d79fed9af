import { availableParallelism } from 'node:os';
import { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { startBareServer } from './bareServer.ts';
import type { Bench } from './report/Report.ts';
import type { BenchParticipant } from './rooms/BenchParticipant.ts';
import { bareParticipants } from './rooms/bareParticipant.ts';
import { cpuFigures } from './rooms/cpuFigures.ts';
import { FullRoom } from './rooms/FullRoom.ts';
import { inTurns, type Side } from './rooms/inTurns.ts';
import { parleyParticipants } from './rooms/parleyParticipant.ts';
import type { Sample } from './rooms/Sample.ts';
import { audioKbit, layers, receivedFrom, shapes, type Shape } from './rooms/shapes.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
/** The room sizes to measure. @default all */
const wanted = process.env.BENCH_PEOPLE?.split(',').map(Number);
/**
 * Signalling has little to do, so V8 goes on compiling its hot code for two minutes (2 to 3 ms a second on an Intel Xeon), and collects the
 * garbage of the start-up twice, the second time mostly after 160 seconds (0.1 s). Measurements begin after that.
 */
const timing = { warmUpMs: 165_000, settleMs: 2_000, measureMs: 10_000 };
const goals = { ratio: 1.05, signalling: 5 };

interface Server extends Omit<Side, 'packets'> {
  participants: (shape: Shape) => Promise<BenchParticipant[]>;
}

/** Fills rooms with synthetic participants on Parley and on bare mediasoup, and measures the two in turns. */
export const rooms: Bench = {
  title: 'Rooms of 4 to 32',
  about:
    '32 participants in rooms of 4 to 32 people. They send real SRTP packets without a codec and report as the viewers above do, and everybody shows everybody: the larger the room, the smaller the videos. ' +
    'The figure is the CPU time of the server (Node.js and media workers) per megabit that the participants received. ' +
    'The baseline is a minimal mediasoup server with one router per room and one worker per core, with the same worker program and the same transport options, which forwards the same packets. Each round starts new servers. A round in which less than 99 % of the packets arrived on either side is repeated, at most two times, or left out.',
  profile:
    'The media workers run the same program with the same options as the baseline, and two equal servers differ by up to a tenth, by the layout of their memory: see the second line of the section about the baseline’s options. So three pairs of servers tell little about a few percent: in four reports, rooms of eight had ratios of 1.13, 1, 1.07 and 1.05, and rooms of four 1.04, 1.06, 1.04 and 1.05. With equal workers, a share of signalling of 4 % alone is a ratio of 1.04, so only less signalling makes 1.05 sure. What is our own is signalling, the CPU time of Node.js. Most of it is waking up. With eight rooms of four it is 5 ms a second on an Intel Xeon, at 22 wakeups (by /proc, thread by thread): 4.5 in the main thread, for 43 pings of devices and their answers, 32 reports of speakers and 27 of loudness, and the rest in V8’s own threads. On a slower Xeon it was 25 ms, at 63 wakeups, while each periodic task, the ping of each connection and the report of loudness of each room had a time of its own; now those that are due run together. In the first two minutes of a server, V8’s threads take 2 to 3 ms a second more, because they compile the code of signalling, and the garbage of the start is collected twice, for 0.1 to 0.25 s. While the measurements began after a minute and a half, the share was 5.1 % for rooms of four; from the third minute on it is 3.8 %. A collection that comes later still counts: it takes 0.1 s, which in ten seconds of rooms of eight is 6 %. Two of their three rounds on 2026-12-01 had 9 and 10 % and the third 4 %, which fits one collection each.',
  async run() {
    const figures = [];
    for (const shape of shapes.filter(({ people }) => !wanted || wanted.includes(people))) {
      const samples: Sample[][] = [[], []];
      for (let round = 0; round < rounds; round++) {
        const both = await onServers((servers) => measure(shape, round, servers));
        for (const [side, more] of both.entries()) samples[side]?.push(...more);
      }
      figures.push(...cpuFigures(describe(shape), samples, goals));
    }
    return figures;
  },
};

/**
 * Starts new servers, for one round. They are not reused, because a process's memory layout changes its CPU time by up to a tenth for its
 * whole life, and because media of participants who have left, which is kept for the grace period, must not burden the next round.
 */
async function onServers<T>(run: (servers: [Server, Server]) => Promise<T>): Promise<T> {
  const server = await ServerProcess.start({
    LOG_LEVEL: 'info',
    RATE_LIMIT_REALTIME: '100000',
    RATE_LIMIT_JOINS: '100000',
    MEDIA_WORKERS: String(availableParallelism()),
  });
  const bare = await startBareServer();
  try {
    return await run([
      { name: 'parley', pid: server.pid, participants: (shape) => parleyParticipants(server.url, shape) },
      { name: 'bare', pid: bare.pid, participants: (shape) => bareParticipants(bare.url, shape) },
    ]);
  } finally {
    bare.stop();
    await server.dispose();
  }
}

async function measure(shape: Shape, round: number, [parley, bare]: [Server, Server]): Promise<Sample[][]> {
  const fullRooms: FullRoom[] = [];
  const gather = async ({ participants, ...side }: Server): Promise<Side> => {
    const fullRoom = await FullRoom.gather(shape, participants);
    fullRooms.push(fullRoom);
    return { ...side, packets: fullRoom };
  };
  try {
    const sides = [await gather(parley), await gather(bare)];
    const what = `rooms of ${shape.people}, servers ${round + 1} of ${rounds}`;
    return await inTurns(what, sides, { ...timing, rounds: 1, first: round % 2 === 0 ? 0 : 1 });
  } finally {
    for (const fullRoom of fullRooms) fullRoom.close();
  }
}

function describe(shape: Shape): string {
  const { people, rooms: count, layer } = shape;
  const forwarded = receivedFrom(shape);
  const audio = forwarded < people ? `the audio of ${forwarded}` : 'all audio';
  return `${count > 1 ? `${count} rooms` : 'a room'} of ${people}, video of ${layers[layer]?.kbit} kbit/s and ${audio} of ${audioKbit} kbit/s`;
}
