import { ServerProcess } from '../harness/ServerProcess.ts';
import { startBareServer } from './bareServer.ts';
import { bareSeats } from './rooms/bareSeat.ts';
import { Crowd } from './rooms/Crowd.ts';
import { inTurns, type Side } from './rooms/inTurns.ts';
import { parleySeats } from './rooms/parleySeat.ts';
import { report } from './rooms/report.ts';
import type { Seat } from './rooms/Seat.ts';
import { audioKbit, consumersOf, heardOf, layers, shapes, type Shape } from './rooms/shapes.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
/** Only rooms of so many people. */
const wanted = process.env.BENCH_PEOPLE?.split(',').map(Number);
const timing = { rounds, settleMs: 2_000, measureMs: 10_000 };
/** Of the total. */
const signallingGoal = 0.1;

interface Server extends Omit<Side, 'packets'> {
  seats: (shape: Shape) => Promise<Seat[]>;
}

/**
 * Rooms of synthetic people on Parley, and the same on bare mediasoup, in turns: each forwards the same packets. What the servers'
 * processes use is read while packets flow, by the megabit and by the consumer. Each shape has servers of its own: what one leaves behind
 * (the media of those who have gone is kept for their grace, and a worker's heap is what it was filled with) is not the next one's.
 */
export async function benchConference(): Promise<boolean> {
  let isMet = true;
  for (const shape of shapes.filter(({ people }) => !wanted || wanted.includes(people)))
    isMet = (await onServers((servers) => benchShape(shape, servers))) && isMet;
  return isMet;
}

async function onServers<T>(run: (servers: [Server, Server]) => Promise<T>): Promise<T> {
  const server = await ServerProcess.start({
    LOG_LEVEL: 'info',
    RATE_LIMIT_REALTIME: '100000',
    RATE_LIMIT_JOINS: '100000',
  });
  const bare = await startBareServer();
  try {
    return await run([
      { name: 'parley', pid: server.pid, seats: (shape) => parleySeats(server.url, shape) },
      { name: 'bare', pid: bare.pid, seats: (shape) => bareSeats(bare.url, shape) },
    ]);
  } finally {
    bare.stop();
    await server.dispose();
  }
}

async function benchShape(shape: Shape, [parley, bare]: [Server, Server]): Promise<boolean> {
  const crowds: Crowd[] = [];
  const gather = async ({ seats, ...side }: Server): Promise<Side> => {
    const crowd = await Crowd.gather(shape, seats);
    crowds.push(crowd);
    return { ...side, packets: crowd };
  };
  try {
    const sides = [await gather(parley), await gather(bare)] as const;
    const samples = await inTurns(`rooms of ${shape.people}`, sides, timing);
    const title = describe(shape);
    const receivers = consumersOf(shape);
    return report({ title, receiver: 'consumer', receivers, signalling: signallingGoal }, samples);
  } finally {
    for (const crowd of crowds) crowd.close();
  }
}

function describe(shape: Shape): string {
  const { people, rooms, layer } = shape;
  const sound = heardOf(shape) < people ? `the sound of ${heardOf(shape)}` : 'everybody’s sound';
  return (
    `${rooms > 1 ? `${rooms} rooms` : 'A room'} of ${people}: pictures of ${layers[layer]?.kbit} kbit/s, ` +
    `${sound} of ${audioKbit} kbit/s, ${consumersOf(shape)} consumers`
  );
}
