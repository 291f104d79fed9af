import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Server, type Socket } from 'socket.io';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Address } from '../../protocol/common.ts';
import type { WireMessage } from '../../protocol/messages.ts';
import { seeded } from '../../../test/harness/random.ts';
import { until } from '../../../test/harness/until.ts';
import { Platform } from '../platform/Platform.ts';
import { StoredItems } from '../platform/StoredItems.ts';
import { Connection } from './Connection.ts';
import { EventStream } from './EventStream.ts';
import { Tokens } from './Tokens.ts';

/* The server of this test sends events in any order, twice, or not at all. */

const wallet = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' as Address;
const pageSize = 10;

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const closer of closers.splice(0).reverse()) await closer();
});

class ScriptedServer {
  readonly url: string;
  /** The number of the latest event. */
  latest = 0;
  /** Events up to this number are no longer stored. */
  forgotten = 0;
  /** Whether it answers no requests. */
  isSilent = false;
  /** The cursors of the received catch-up requests. */
  readonly catchUps: number[] = [];
  readonly #io: Server;

  static async start(): Promise<ScriptedServer> {
    const http = createServer();
    const io = new Server(http, { transports: ['websocket'] });
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    closers.push(() => io.close());
    return new ScriptedServer(io, `http://127.0.0.1:${(http.address() as AddressInfo).port}`);
  }

  get connections(): number {
    return this.#io.engine.clientsCount;
  }

  private constructor(io: Server, url: string) {
    this.#io = io;
    this.url = url;
    io.on('connection', (socket: Socket) => {
      socket.emit('session:welcome', { walletAddress: wallet, latestEvent: this.latest });
      socket.on('session.catchUp', ({ after }: { after: number }, answer: (answer: unknown) => void) => {
        if (this.isSilent) return;
        this.catchUps.push(after);
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

  send(sequence: number): void {
    this.#io.emit('message:received', message(sequence), sequence);
  }

  announceLatest(): void {
    this.#io.emit('session:behind', { latest: this.latest });
  }

  /** Closes all connections. The clients reconnect. */
  async breakConnections(): Promise<void> {
    for (const socket of await this.#io.fetchSockets()) (socket as unknown as Socket).conn.close();
  }
}

/** The object of every seventh event no longer exists, so its payload is null. */
const isGone = (sequence: number) => sequence % 7 === 0;
const message = (sequence: number) => (isGone(sequence) ? null : { id: String(sequence) });

interface Listening {
  received: number[];
  lost: () => number;
  connection: Connection;
}

/** @param after makes the storage asynchronous */
async function listen(
  server: ScriptedServer,
  storage?: Map<string, string>,
  after: <T>(value: T) => T | Promise<T> = (value) => value,
): Promise<Listening> {
  const tokens = new Tokens({
    sessionToken: 'a token',
    refresh: () => Promise.reject(new Error('unexpected refresh')),
    storageKey: '',
  });
  const connection = new Connection({ baseUrl: server.url, platform: new Platform(), tokens });
  closers.push(() => connection.close());
  const received: number[] = [];
  let lost = 0;
  const stream = new EventStream({
    connection,
    storageKey: 'cursor',
    onLost: () => lost++,
    storage: new StoredItems(
      storage && {
        getItem: (key) => after(storage.get(key) ?? null),
        setItem: (key, value) => after(void storage.set(key, value)),
        removeItem: (key) => after(void storage.delete(key)),
      },
    ),
  });
  stream.on('message:received', (payload: WireMessage) => received.push(Number(payload.id)));
  expect(await stream.wallet()).toBe(wallet);
  return { received, lost: () => lost, connection };
}

const upTo = (last: number, after = 0) =>
  Array.from({ length: last - after }, (_, index) => after + 1 + index).filter((each) => !isGone(each));

describe('the stream of events', () => {
  it.each([1, 2, 3, 4, 5, 6])('delivers each event once and in order (seed %s)', async (seed) => {
    const random = seeded(seed);
    const server = await ScriptedServer.start();
    const { received } = await listen(server);
    const many = 120;
    const late: number[] = [];
    for (let sequence = 1; sequence <= many; sequence++) {
      server.latest = sequence;
      const luck = random();
      if (luck < 0.1) late.push(sequence);
      else if (luck > 0.15) server.send(sequence);
      if (luck > 0.9) server.send(Math.ceil(random() * sequence));
      if (luck > 0.97) await server.breakConnections();
      if (random() < 0.2) late.splice(0).forEach((each) => server.send(each));
      if (random() < 0.3) await delay(random() * 20);
    }
    server.announceLatest();
    await until(() => received.length >= upTo(many).length, 'all');
    expect(received).toEqual(upTo(many));
  });

  it('requests missing events after a gap, and drops duplicates', async () => {
    const server = await ScriptedServer.start();
    const { received } = await listen(server);
    // The catch-up of the connection is done, so the events must come from the gap's catch-up.
    await until(() => server.catchUps.length === 1, 'the first catch-up');
    server.latest = 4;
    for (const sequence of [1, 1, 2, 1, 4, 2]) server.send(sequence);
    await until(() => received.length === 4, 'the third and fourth events');
    expect(received).toEqual([1, 2, 3, 4]);
  });

  it.each([
    ['synchronous', <T>(value: T) => value],
    ['asynchronous', <T>(value: T) => delay(5).then(() => value)],
  ])(
    'starts at the latest event on a new device, at the stored cursor on a known one (%s)',
    async (_, after) => {
      const server = await ScriptedServer.start();
      server.latest = 5;
      const storage = new Map<string, string>();
      const first = await listen(server, storage, after);
      server.latest = 6;
      server.send(6);
      await until(() => first.received.length === 1, 'the sixth event');
      first.connection.close();
      server.latest = 40;
      const again = await listen(server, storage, after);
      await until(() => again.received.length >= upTo(40, 6).length, 'the other events');
      expect([first.received, again.received]).toEqual([[6], upTo(40, 6)]);
      expect(server.catchUps.slice(-4)).toEqual([6, 16, 26, 36]);
    },
  );

  it('reports when more events were missed than are stored, and continues after them', async () => {
    const server = await ScriptedServer.start();
    server.latest = 50;
    server.forgotten = 30;
    const { received, lost } = await listen(server, new Map([[`cursor ${wallet}`, '20']]));
    await until(() => lost() === 1, 'the report');
    server.latest = 51;
    server.send(51);
    await until(() => received.length === 1, 'the next event');
    expect(received).toEqual([51]);
  });

  it('gets the events of its suspension when it resumes', async () => {
    const server = await ScriptedServer.start();
    const { received, connection } = await listen(server);
    connection.suspend();
    expect(connection.state).toBe('idle');
    await until(() => server.connections === 0, 'the disconnection');
    server.latest = 2;
    await connection.resume();
    await until(() => received.length === 2, 'the missed events');
    expect([received, connection.state]).toEqual([[1, 2], 'connected']);
  });

  it('does not connect by itself while it is suspended', async () => {
    const server = await ScriptedServer.start();
    const { received, connection } = await listen(server);
    let arrived = 0;
    connection.on('message:received', () => arrived++);
    await until(() => server.catchUps.length === 1, 'the first request');
    await delay(100);
    server.latest = 2;
    server.send(2);
    await until(() => arrived === 1, 'an event after a gap');
    connection.suspend();
    // Longer than it waits before it requests the missing event.
    await delay(400);
    expect([received, connection.state]).toEqual([[], 'idle']);
    await connection.resume();
    await until(() => received.length === 2, 'the missed events');
    expect(received).toEqual([1, 2]);
  });

  it('keeps a connection that answers when it resumes, and replaces one that does not', async () => {
    const server = await ScriptedServer.start();
    const { connection } = await listen(server);
    const { id } = connection;
    await connection.resume();
    expect(connection.id).toBe(id);
    const states: string[] = [];
    connection.onState((state) => states.push(state));
    server.isSilent = true;
    await connection.resume();
    expect(states).toEqual(['reconnecting', 'connected']);
    expect(connection.id).not.toBe(id);
  });

  it('ignores an invalid cursor in the storage', async () => {
    const server = await ScriptedServer.start();
    server.latest = 3;
    const { received } = await listen(server, new Map([[`cursor ${wallet}`, '<script>']]));
    server.latest = 4;
    server.send(4);
    await until(() => received.length === 1, 'the next event');
    expect(received).toEqual([4]);
  });

  it('leaves requests to the app while it catches up with very many events', async () => {
    vi.useFakeTimers();
    try {
      const [rateLimit, latest] = [40, 500];
      const handlers = new Map<string, (payload: object) => void>();
      const requestedAt: number[] = [];
      const connection = {
        on: (name: string, handler: (payload: object) => void) => void handlers.set(name, handler),
        onNumbered: () => undefined,
        onState: () => undefined,
        request: (_name: string, { after }: { after: number }) => {
          requestedAt.push(performance.now());
          const events = Array.from({ length: pageSize }, (_, index) => ({
            sequence: after + 1 + index,
            event: 'message:received',
            payload: message(after + 1 + index),
          }));
          return Promise.resolve({ events, latest, isLost: false });
        },
      };
      const received: number[] = [];
      const stream = new EventStream({
        connection: connection as unknown as Connection,
        storageKey: 'cursor',
        onLost: () => undefined,
        storage: new StoredItems({
          getItem: () => '0',
          setItem: () => undefined,
          removeItem: () => undefined,
        }),
      });
      stream.on('message:received', (payload: WireMessage) => received.push(Number(payload.id)));
      handlers.get('session:welcome')?.({ walletAddress: wallet, latestEvent: latest, rateLimit });
      await vi.advanceTimersByTimeAsync(60_000);
      expect(received).toEqual(upTo(latest));
      // The server counts in windows of ten seconds, which may begin at any time.
      const inWindow = (from: number) => requestedAt.filter((at) => at >= from && at < from + 10_000).length;
      expect(Math.max(...requestedAt.map(inWindow))).toBeLessThanOrEqual((rateLimit * 3) / 4);
    } finally {
      vi.useRealTimers();
    }
  });
});
