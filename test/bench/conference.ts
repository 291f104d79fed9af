import { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { startBareServer } from './bareServer.ts';
import { bareParticipants } from './rooms/bareParticipant.ts';
import { FullRoom } from './rooms/FullRoom.ts';
import { inTurns, type Side } from './rooms/inTurns.ts';
import { parleyParticipants } from './rooms/parleyParticipant.ts';
import { report, type Sample } from './rooms/report.ts';
import type { BenchParticipant } from './rooms/BenchParticipant.ts';
import { audioKbit, consumersOf, receivedFrom, layers, shapes, type Shape } from './rooms/shapes.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 4);
/** The room sizes to measure. @default all */
const wanted = process.env.BENCH_PEOPLE?.split(',').map(Number);
const timing = { settleMs: 2_000, measureMs: 10_000 };
/** The maximum share of the CPU time that signalling may use. */
const signallingGoal = 0.1;

interface Server extends Omit<Side, 'packets'> {
  participants: (shape: Shape) => Promise<BenchParticipant[]>;
}

/**
 * Fills rooms with synthetic participants on Parley and on bare mediasoup, which forward the same packets, and measures the two in turns.
 * Reports the CPU time of the servers' processes while packets flow, per megabit and per consumer.
 */
export async function benchConference(): Promise<boolean> {
  let isMet = true;
  for (const shape of shapes.filter(({ people }) => !wanted || wanted.includes(people))) {
    const samples: [Sample[], Sample[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      const both = await onServers((servers) => measure(shape, round, servers));
      for (const [side, more] of both.entries()) samples[side]?.push(...more);
    }
    const what = { title: describe(shape), receiver: 'consumer', receivers: consumersOf(shape) };
    isMet = report({ ...what, signalling: signallingGoal }, samples) && isMet;
  }
  return isMet;
}

/**
 * Starts new servers, for one round. They are not reused, because a process's memory layout changes its CPU time by up to a tenth for its
 * whole life, and because media of participants who have left, which is kept for the grace period, must not burden the next round.
 */
async function onServers<T>(run: (servers: [Server, Server]) => Promise<T>): Promise<T> {
  const server = await ServerProcess.start({
    LOG_LEVEL: 'info',
    RATE_LIMIT_REALTIME: '100000',
    RATE_LIMIT_JOINS: '100000',
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

async function measure(
  shape: Shape,
  round: number,
  [parley, bare]: [Server, Server],
): Promise<[Sample[], Sample[]]> {
  const fullRooms: FullRoom[] = [];
  const gather = async ({ participants, ...side }: Server): Promise<Side> => {
    const fullRoom = await FullRoom.gather(shape, participants);
    fullRooms.push(fullRoom);
    return { ...side, packets: fullRoom };
  };
  try {
    const sides = [await gather(parley), await gather(bare)] as const;
    const what = `rooms of ${shape.people}, servers ${round + 1} of ${rounds}`;
    return await inTurns(what, sides, { ...timing, rounds: 1, first: round % 2 === 0 ? 0 : 1 });
  } finally {
    for (const fullRoom of fullRooms) fullRoom.close();
  }
}

function describe(shape: Shape): string {
  const { people, rooms, layer } = shape;
  const forwarded = receivedFrom(shape);
  const audio = forwarded < people ? `the audio of ${forwarded} participants` : 'all audio';
  return (
    `${rooms > 1 ? `${rooms} rooms` : 'A room'} of ${people}: video of ${layers[layer]?.kbit} kbit/s, ` +
    `${audio} of ${audioKbit} kbit/s, ${consumersOf(shape)} consumers`
  );
}
