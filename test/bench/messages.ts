import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { io, type Socket } from 'socket.io-client';
import { newId } from '../../sdk/protocol/ids.ts';
import { protocolVersion } from '../../sdk/protocol/version.ts';
import { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { newWallet, signIn } from '../integration/support.ts';
import { startBareServer } from './bareServer.ts';
import { cpuTimeOf } from './cpuTime.ts';
import { percentile } from './figures.ts';

const pairs = 32;
/** The number of messages in flight. It is enough to saturate the server; more would only add latency. */
const inFlight = 256;
const rates = [100, 500, 1_000];
const rateSeconds = 4;
const rounds = 6;
const roundSeconds = 4;
/** The minimum ratio of Parley's rate to that of the slower baseline. */
const goal = 0.7;
const content = 'A message of an ordinary length: not a novel, and not an ok either. See you at eight?';
/** The interval at which a client acknowledges the messages it has received, all together like the SDK. */
const acknowledgeEveryMs = 100;

interface Transport {
  name: string;
  /** Sends a message. Resolves when it has arrived or is stored. */
  carry: (index: number) => Promise<unknown>;
  /** The CPU time that the transport's process has used so far, in milliseconds. */
  cpu: () => number;
  close: () => Promise<void> | void;
}

/**
 * Measures Parley's messages, which are durably stored, from the sender's request to the arrival at the recipient's device. Compares them
 * with Socket.IO, which relays messages without storing them, and with inserting a row in the same database. The three take turns, so that
 * other load on the machine affects all of them.
 */
export async function benchMessages(): Promise<boolean> {
  const server = await ServerProcess.start({
    LOG_LEVEL: 'info',
    RATE_LIMIT_REALTIME: '100000000',
    RATE_LIMIT_MESSAGES: '100000000',
  });
  const transports: Transport[] = [];
  try {
    transports.push(await parley(server), await relay(), await inserts(server));
    for (const transport of transports) await heldRate(transport, 1);
    for (const rate of rates) for (const transport of transports) await atRate(transport, rate);
    return report(transports, await heldRates(transports));
  } finally {
    for (const transport of transports) await transport.close();
    await server.dispose();
  }
}

/** Sends at a fixed rate, without waiting for earlier messages, and prints the latencies. */
async function atRate(transport: Transport, rate: number): Promise<void> {
  const samples: number[] = [];
  const running: Promise<unknown>[] = [];
  const startedAt = performance.now();
  for (let sent = 0; sent < rate * rateSeconds;) {
    const due = Math.min(((performance.now() - startedAt) / 1_000) * rate, rate * rateSeconds);
    for (; sent < due; sent++) {
      const sentAt = performance.now();
      running.push(transport.carry(sent).then(() => samples.push(performance.now() - sentAt)));
    }
    await delay(1);
  }
  await Promise.all(running);
  const took = (performance.now() - startedAt) / 1_000;
  const line = [0.5, 0.99].map(
    (share) => `p${share * 100} ${percentile(samples, share).toFixed(1).padStart(7)} ms`,
  );
  console.log(
    `  ${transport.name.padEnd(18)} ${String(rate).padStart(5)}/s  ${line.join('   ')}   sustained ${(samples.length / took).toFixed(0)}/s`,
  );
}

/**
 * Sends as fast as possible with a fixed number of messages in flight.
 * @returns messages per second
 */
async function heldRate(transport: Transport, seconds: number): Promise<number> {
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1_000;
  let carried = 0;
  await Promise.all(
    Array.from({ length: inFlight }, async (_, pair) => {
      for (let index = pair; performance.now() < endsAt; index += inFlight) {
        await transport.carry(index);
        carried++;
      }
    }),
  );
  return carried / ((performance.now() - startedAt) / 1_000);
}

interface Held {
  perSecond: number;
  /** The CPU time of the transport's process per message, in microseconds. */
  cpu: number;
}

async function heldRates(transports: Transport[]): Promise<Held[][]> {
  const samples: Held[][] = transports.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, transport] of transports.entries()) {
      const before = transport.cpu();
      const perSecond = await heldRate(transport, roundSeconds);
      samples[index]?.push({
        perSecond,
        cpu: ((transport.cpu() - before) * 1_000) / (perSecond * roundSeconds),
      });
    }
  }
  return samples;
}

function report(transports: Transport[], samples: Held[][]): boolean {
  console.log(
    `\nhighest sustained rate, ${inFlight} in flight (medians of ${rounds} rounds of ${roundSeconds} s)`,
  );
  const median = (index: number, name: keyof Held) =>
    percentile(samples[index]?.map((sample) => sample[name]) ?? [], 0.5);
  for (const [index, { name }] of transports.entries())
    console.log(
      `  ${name.padEnd(18)} ${median(index, 'perSecond').toFixed(0).padStart(6)}/s   CPU per message ${median(index, 'cpu').toFixed(0).padStart(4)} µs`,
    );
  const ratios = (samples[0] ?? []).map(({ perSecond }, round) => {
    const slower = Math.min(...samples.slice(1).map((bare) => bare[round]?.perSecond ?? NaN));
    return perSecond / slower;
  });
  const ratio = percentile(ratios, 0.5);
  const met = ratio >= goal;
  console.log(
    `  ratio to the slower of the two ${ratio.toFixed(2)}, ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)} ` +
      `(goal: at least ${goal}) ${met ? 'met' : 'NOT MET'}; machine load ${loadavg()[0]?.toFixed(1)}`,
  );
  return met;
}

/** Waits until messages have arrived at their recipients. */
class Arrivals {
  readonly #waiting = new Map<string, () => void>();

  of(id: string): Promise<void> {
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  arrived(id: string): void {
    this.#waiting.get(id)?.();
    this.#waiting.delete(id);
  }
}

async function parley(server: ServerProcess): Promise<Transport> {
  const arrivals = new Arrivals();
  const people = await Promise.all(Array.from({ length: pairs * 2 }, () => person(server.url, arrivals)));
  return {
    name: 'parley',
    async carry(index) {
      const { socket } = people[(index * 2) % people.length] as Person;
      const { address: to } = people[(index * 2 + 1) % people.length] as Person;
      const id = newId('msg');
      const arrived = arrivals.of(id);
      const answer = (await socket.emitWithAck('messages.send', { id, to, content, type: 'text' })) as {
        ok: boolean;
      };
      if (!answer.ok) throw new Error(JSON.stringify(answer));
      await arrived;
    },
    cpu: () => cpuTimeOf([server.pid]),
    close: () => people.forEach(({ close }) => close()),
  };
}

interface Person {
  socket: Socket;
  address: string;
  close: () => void;
}

async function person(url: string, arrivals: Arrivals): Promise<Person> {
  const account = newWallet();
  const { token } = await signIn(url, account);
  const socket = io(url, { transports: ['websocket'], auth: { token, protocolVersion }, forceNew: true });
  let newest: string | null = null;
  socket.on('message:received', ({ id }: { id: string }) => {
    newest = id;
    arrivals.arrived(id);
  });
  const acknowledging = setInterval(() => {
    if (newest) socket.emit('messages.acknowledge', { messageIds: [newest] }, () => {});
    newest = null;
  }, acknowledgeEveryMs);
  await connected(socket);
  const close = () => {
    clearInterval(acknowledging);
    socket.close();
  };
  return { socket, address: account.address, close };
}

const connected = (socket: Socket) =>
  new Promise((resolve) => socket.once('connect', () => resolve(undefined)));

async function relay(): Promise<Transport> {
  const bare = await startBareServer('relay');
  const arrivals = new Arrivals();
  const sockets = Array.from({ length: pairs * 2 }, (_, index) =>
    io(bare.url, { transports: ['websocket'], auth: { wallet: `wallet ${index}` }, forceNew: true }),
  );
  for (const socket of sockets) socket.on('message', ({ id }: { id: string }) => arrivals.arrived(id));
  await Promise.all(sockets.map(connected));
  return {
    name: 'bare Socket.IO',
    async carry(index) {
      const socket = sockets[(index * 2) % sockets.length] as Socket;
      const id = newId('msg');
      const arrived = arrivals.of(id);
      const to = `wallet ${(index * 2 + 1) % sockets.length}`;
      await socket.emitWithAck('send', { id, to, content, type: 'text' });
      await arrived;
    },
    cpu: () => cpuTimeOf([bare.pid]),
    close() {
      sockets.forEach((socket) => socket.close());
      bare.stop();
    },
  };
}

/** Stores a message in the simplest way: one row, one statement, one commit. */
async function inserts({ dataDir }: ServerProcess): Promise<Transport> {
  const pool = new pg.Pool({ host: `${dataDir}/postgres`, user: 'postgres', database: 'postgres', max: 20 });
  pool.on('error', () => {});
  await pool.query(`CREATE TABLE bare_messages (id text PRIMARY KEY, sender text NOT NULL, recipient text NOT NULL,
    type text NOT NULL, content text NOT NULL, sent_at timestamptz NOT NULL DEFAULT now())`);
  const people = Array.from({ length: pairs * 2 }, () => newWallet().address);
  return {
    name: 'bare inserts',
    async carry(index) {
      await pool.query({
        name: 'insert',
        text: 'INSERT INTO bare_messages (id, sender, recipient, type, content) VALUES ($1, $2, $3, $4, $5)',
        values: [
          newId('msg'),
          people[(index * 2) % people.length],
          people[(index * 2 + 1) % people.length],
          'text',
          content,
        ],
      });
    },
    cpu: () => cpuTimeOf([process.pid]),
    close: () => pool.end(),
  };
}
