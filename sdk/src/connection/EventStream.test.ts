import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Server, type Socket } from 'socket.io';
import { afterEach, describe, expect, it } from 'vitest';
import type { Address } from '../../protocol/common.ts';
import type { WireMessage } from '../../protocol/messages.ts';
import { seeded } from '../../../test/harness/random.ts';
import { until } from '../../../test/harness/until.ts';
import { Connection } from './Connection.ts';
import { EventStream } from './EventStream.ts';
import { Tokens } from './Tokens.ts';

/* A server that tells in any order, twice, or not at all; what a device makes of it. */

const wallet = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' as Address;
const pageSize = 10;

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const closer of closers.splice(0).reverse()) await closer();
});

class ScriptedServer {
  readonly url: string;
  /** How far the sequence goes. */
  latest = 0;
  /** Events up to this one are no longer kept. */
  forgotten = 0;
  readonly asked: number[] = [];
  readonly #io: Server;

  static async start(): Promise<ScriptedServer> {
    const http = createServer();
    const io = new Server(http, { transports: ['websocket'] });
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    closers.push(() => io.close());
    return new ScriptedServer(io, `http://127.0.0.1:${(http.address() as AddressInfo).port}`);
  }

  private constructor(io: Server, url: string) {
    this.#io = io;
    this.url = url;
    io.on('connection', (socket: Socket) => {
      socket.emit('session:welcome', { walletAddress: wallet, latestEvent: this.latest });
      socket.on('session.catchUp', ({ after }: { after: number }, answer: (answer: unknown) => void) => {
        this.asked.push(after);
        const last = Math.min(this.latest, after + pageSize);
        const events = Array.from({ length: Math.max(0, last - after) }, (_, index) => ({
          sequence: after + 1 + index,
          event: 'message:received',
          payload: message(after + 1 + index),
        }));
        const isLost = after < this.forgotten || after > this.latest;
        answer({ ok: true, data: { events: isLost ? [] : events, latest: this.latest, isLost } });
      });
    });
  }

  tell(sequence: number): void {
    this.#io.emit('message:received', message(sequence), sequence);
  }

  tellHowFar(): void {
    this.#io.emit('session:behind', { latest: this.latest });
  }

  /** Whatever the reason: the client comes back. */
  async breakConnections(): Promise<void> {
    for (const socket of await this.#io.fetchSockets()) (socket as unknown as Socket).conn.close();
  }
}

/** Every seventh is gone, and told of by its number alone. */
const isGone = (sequence: number) => sequence % 7 === 0;
const message = (sequence: number) => (isGone(sequence) ? null : { id: String(sequence) });

interface Listening {
  heard: number[];
  lost: () => number;
  connection: Connection;
}

async function listen(server: ScriptedServer, storage?: Map<string, string>): Promise<Listening> {
  const tokens = new Tokens({
    sessionToken: 'a token',
    refresh: () => Promise.reject(new Error('not asked')),
    storageKey: '',
  });
  const connection = new Connection({ baseUrl: server.url, tokens });
  closers.push(() => connection.close());
  const heard: number[] = [];
  let lost = 0;
  const stream = new EventStream({
    connection,
    storageKey: 'cursor',
    onLost: () => lost++,
    storage: storage && {
      getItem: (key) => storage.get(key) ?? null,
      setItem: (key, value) => void storage.set(key, value),
      removeItem: (key) => void storage.delete(key),
    },
  });
  stream.on('message:received', (payload: WireMessage) => heard.push(Number(payload.id)));
  expect(await stream.wallet()).toBe(wallet);
  return { heard, lost: () => lost, connection };
}

const upTo = (last: number, after = 0) =>
  Array.from({ length: last - after }, (_, index) => after + 1 + index).filter((each) => !isGone(each));

describe('the stream of events', () => {
  it.each([1, 2, 3, 4, 5, 6])('is each once and in order, however it is told (seed %s)', async (seed) => {
    const random = seeded(seed);
    const server = await ScriptedServer.start();
    const { heard } = await listen(server);
    const many = 120;
    const late: number[] = [];
    for (let sequence = 1; sequence <= many; sequence++) {
      server.latest = sequence;
      const luck = random();
      if (luck < 0.1) late.push(sequence);
      else if (luck > 0.15) server.tell(sequence);
      if (luck > 0.9) server.tell(Math.ceil(random() * sequence));
      if (luck > 0.97) await server.breakConnections();
      if (random() < 0.2) late.splice(0).forEach((each) => server.tell(each));
      if (random() < 0.3) await delay(random() * 20);
    }
    server.tellHowFar();
    await until(() => heard.length >= upTo(many).length, 'all');
    expect(heard).toEqual(upTo(many));
  });

  it('asks for what a gap shows to be missing, and drops what it has', async () => {
    const server = await ScriptedServer.start();
    const { heard } = await listen(server);
    // What every device asks as it connects is answered: nothing else will tell it.
    await until(() => server.asked.length === 1, 'asked');
    server.latest = 4;
    for (const sequence of [1, 1, 2, 1, 4, 2]) server.tell(sequence);
    await until(() => heard.length === 4, 'the third and fourth');
    expect(heard).toEqual([1, 2, 3, 4]);
  });

  it('begins now on a new device, and where it was on one that remembers', async () => {
    const server = await ScriptedServer.start();
    server.latest = 5;
    const storage = new Map<string, string>();
    const first = await listen(server, storage);
    server.latest = 6;
    server.tell(6);
    await until(() => first.heard.length === 1, 'the sixth');
    first.connection.close();
    server.latest = 40;
    const again = await listen(server, storage);
    await until(() => again.heard.length >= upTo(40, 6).length, 'the others');
    expect([first.heard, again.heard]).toEqual([[6], upTo(40, 6)]);
    expect(server.asked.slice(-4)).toEqual([6, 16, 26, 36]);
  });

  it('says so when more was missed than is kept, and goes on from there', async () => {
    const server = await ScriptedServer.start();
    server.latest = 50;
    server.forgotten = 30;
    const { heard, lost } = await listen(server, new Map([[`cursor ${wallet}`, '20']]));
    await until(() => lost() === 1, 'the loss');
    server.latest = 51;
    server.tell(51);
    await until(() => heard.length === 1, 'the next');
    expect(heard).toEqual([51]);
  });

  it('takes nothing a storage says for granted', async () => {
    const server = await ScriptedServer.start();
    server.latest = 3;
    const { heard } = await listen(server, new Map([[`cursor ${wallet}`, '<script>']]));
    server.latest = 4;
    server.tell(4);
    await until(() => heard.length === 1, 'the next');
    expect(heard).toEqual([4]);
  });
});
