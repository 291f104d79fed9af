import { setTimeout as delay } from 'node:timers/promises';
import { io, type Socket } from 'socket.io-client';
import { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { connected, send, signIn } from '../integration/support.ts';
import { startBareServer } from './bareServer.ts';
import { ofRounds } from './report/Figure.ts';
import type { Bench } from './report/Report.ts';
import { median } from './report/percentile.ts';

const people = 20;
/** The number of messages in flight. It is enough to saturate the server. */
const inFlight = 64;
const rounds = 5;
const roundMs = 3_000;
/** The interval between messages when latency is measured, in milliseconds. */
const pauseMs = 10;
/** The minimum ratio of Parley's rate to that of bare Socket.IO. */
const minimumRatio = 0.5;

interface Side {
  name: string;
  send: (number: number) => Promise<unknown>;
  receivers: Socket[];
  event: string;
  numberIn: (payload: never) => number;
  close: () => Promise<void> | void;
}

interface Measured {
  perSecond: number;
  medianMs: number;
}

/** Data messages from one participant to all others of a room on one node. */
export const data: Bench = {
  title: 'Data messages in a room',
  about: `One of ${people} participants sends small JSON messages to all others, ${inFlight} in flight. The baseline is a Socket.IO server that broadcasts the same messages without any check. The latency is that of single messages, from sending to the arrival at the last participant.`,
  async run() {
    const sides = [await parley(), await bare()] as const;
    try {
      const samples = sides.map((): Measured[] => []);
      for (const side of sides) await measure(side, 500);
      for (let round = 0; round < rounds; round++) {
        process.stdout.write(`\r  round ${round + 1} of ${rounds}`);
        for (const [index, side] of sides.entries()) samples[index]?.push(await measure(side, roundMs));
      }
      process.stdout.write('\n');
      const [ours, theirs] = samples as [Measured[], Measured[]];
      const figure = (what: string, unit: '/s' | 'ms', name: keyof Measured) => ({
        what,
        unit,
        ours: ours.map((round) => round[name]),
        baseline: { name: sides[1].name, values: theirs.map((round) => round[name]) },
      });
      return [
        ofRounds({
          ...figure('highest rate', '/s', 'perSecond'),
          goal: { of: 'ratio', atLeast: minimumRatio },
        }),
        ofRounds(figure('latency, median', 'ms', 'medianMs')),
      ];
    } finally {
      for (const side of sides) await side.close();
    }
  },
};

async function measure(side: Side, ms: number): Promise<Measured> {
  const arrivals = new Arrivals(side);
  try {
    const startedAt = performance.now();
    let carried = 0;
    const work = async () => {
      for (; performance.now() < startedAt + ms; carried++) await arrivals.carry();
    };
    await Promise.all(Array.from({ length: inFlight }, work));
    const perSecond = (carried * 1_000) / (performance.now() - startedAt);
    const samples: number[] = [];
    for (let count = 0; count < 100; count++) {
      const sentAt = performance.now();
      await arrivals.carry();
      samples.push(performance.now() - sentAt);
      await delay(pauseMs);
    }
    return { perSecond, medianMs: median(samples) };
  } finally {
    arrivals.close();
  }
}

/** Sends messages, and waits until each has arrived at all receivers. */
class Arrivals {
  readonly #side: Side;
  readonly #waiting = new Map<number, { missing: number; resolve: () => void }>();
  #sent = 0;
  readonly #onMessage = (payload: unknown) => {
    const number = this.#side.numberIn(payload as never);
    const waiting = this.#waiting.get(number);
    if (!waiting || --waiting.missing > 0) return;
    this.#waiting.delete(number);
    waiting.resolve();
  };

  constructor(side: Side) {
    this.#side = side;
    for (const receiver of side.receivers) receiver.on(side.event, this.#onMessage);
  }

  async carry(): Promise<void> {
    const number = this.#sent++;
    const missing = this.#side.receivers.length;
    const arrived = new Promise<void>((resolve) => this.#waiting.set(number, { missing, resolve }));
    await Promise.all([this.#side.send(number), arrived]);
  }

  close(): void {
    for (const receiver of this.#side.receivers) receiver.off(this.#side.event, this.#onMessage);
  }
}

const json = (number: number) => ({ number, x: 120.5, y: 44.25, colour: 'red' });

async function parley(): Promise<Side> {
  const server = await ServerProcess.start({
    LOG_LEVEL: 'info',
    RATE_LIMIT_REALTIME: '100000000',
    RATE_LIMIT_DATA: '100000000',
  });
  const sockets = await Promise.all(
    Array.from({ length: people }, async () => connected(server.url, (await signIn(server.url)).token)),
  );
  const [sender, ...receivers] = sockets as [Socket, ...Socket[]];
  const ask = async (socket: Socket, name: string, payload: object) => {
    const answer = await send(socket, name, payload);
    if (!answer.ok) throw new Error(JSON.stringify(answer));
    return answer.data;
  };
  const room = await ask(sender, 'conference.create', { name: 'Bench', maxParticipants: people });
  const { id: roomId } = room as { id: string };
  for (const socket of sockets) await ask(socket, 'conference.join', { roomId });
  return {
    name: 'parley',
    send: (number) => ask(sender, 'conference.sendData', { roomId, topic: 'cursor', json: json(number) }),
    receivers,
    event: 'conference:data',
    numberIn: (payload: { json: { number: number } }) => payload.json.number,
    async close() {
      for (const socket of sockets) socket.close();
      await server.dispose();
    },
  };
}

async function bare(): Promise<Side> {
  const server = await startBareServer('relay');
  const open = (wallet: string) =>
    io(server.url, { transports: ['websocket'], auth: { wallet }, forceNew: true });
  const sender = open('sender');
  const receivers = Array.from({ length: people - 1 }, () => open('room'));
  await Promise.all(
    [sender, ...receivers].map((socket) => new Promise<void>((resolve) => socket.once('connect', resolve))),
  );
  return {
    name: 'bare Socket.IO',
    send: (number) => sender.emitWithAck('send', { to: 'room', topic: 'cursor', json: json(number) }),
    receivers,
    event: 'message',
    numberIn: (payload: { json: { number: number } }) => payload.json.number,
    close() {
      for (const socket of [sender, ...receivers]) socket.close();
      server.stop();
    },
  };
}
