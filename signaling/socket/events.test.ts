import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { io as connect, type Socket } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Address } from '../../sdk/protocol/common.ts';
import { protocolVersion } from '../../sdk/protocol/version.ts';
import { silent } from '../../test/harness/nodes/embeddedPostgres/support.ts';
import { eventCipher } from '../../server/compose/eventCipher.ts';
import { openRedis, type OpenRedis } from '../../platform/redis.ts';
import { RedisServer } from '../../test/harness/nodes/RedisServer.ts';
import { until } from '../../test/harness/until.ts';
import { authenticate } from './authenticate.ts';
import type { ParleyServer } from './RequestContext.ts';
import { createIo, endSession } from './createIo.ts';
import { MissedEvents } from './MissedEvents.ts';
import { channels, Notifier } from './Notifier.ts';
import { redisAdapter } from '../../platform/internals/socketIo/redisAdapter.ts';
import { onlyKey } from '../../platform/keys.ts';

/* Events from one node to devices on the same node and on other nodes. Vitest fails the run on any unhandled rejection. */

interface Node {
  io: ParleyServer;
  /** Called when an event did not reach the other node. */
  onLost: () => void;
  notifier: Notifier;
  url: string;
  close(): Promise<void>;
}

const cipher = eventCipher({ keys: () => onlyKey(Buffer.alloc(32, 'of the cluster')) });

async function openNode(redis: OpenRedis | null): Promise<Node> {
  const httpServer = createServer();
  const io = createIo({
    httpServer,
    adapter:
      redis && redisAdapter({ client: redis.client, cipher, onLost: () => node.onLost(), log: silent }),
    isAllowedOrigin: () => true,
    log: silent,
  });
  // The test's token is `wallet session`.
  const verifyToken = (token: string) => {
    const [wallet, sessionId = ''] = token.split(' ') as [Address, string];
    const expiresAt = new Date(Date.now() + 60_000);
    return Promise.resolve({ wallet, sessionId, network: 'mainnet' as const, expiresAt });
  };
  authenticate(io, verifyToken, silent);
  httpServer.listen(0, '127.0.0.1');
  await once(httpServer, 'listening');
  const node: Node = {
    io,
    onLost: () => {},
    notifier: new Notifier(io),
    url: `http://127.0.0.1:${(httpServer.address() as AddressInfo).port}`,
    close: () => io.close(),
  };
  return node;
}

interface Device {
  id: string;
  socket: Socket;
  /** The events it received, in order, each with its number. */
  received: string[];
}

let wallets = 0;
const newWallet = (): Address => `0x${(++wallets).toString(16).padStart(40, '0')}`;

async function device(node: Node, wallet: Address, sessionId = 'session'): Promise<Device> {
  const socket = connect(node.url, {
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
    auth: { token: `${wallet} ${sessionId}`, protocolVersion },
  });
  onTestFinished(() => void socket.disconnect());
  const received: string[] = [];
  socket.onAny((event: string, payload: { consumerId?: string }) => {
    if (payload.consumerId !== 'probe') received.push([event, payload.consumerId].filter(Boolean).join(' '));
  });
  socket.on('disconnect', (reason) => received.push(reason));
  await once(socket as never, 'connect');
  return { id: socket.id ?? '', socket, received };
}

const event = 'media:consumer:closed';
const numbered = (consumerId: number | string) =>
  ({ scope: 'call', id: 'call', consumerId: `${consumerId}` }) as const;
const events = (...numbers: (number | string)[]) => numbers.map((number) => `${event} ${number}`);

/** Waits until events from one node arrive on the other. It sends probes, because no signal reports that. */
async function waitForEvents(from: Node, to: Node): Promise<void> {
  const wallet = newWallet();
  const { socket } = await device(to, wallet);
  const arrived = new Promise((resolve) => socket.once(event, resolve));
  let hasArrived = false;
  void arrived.then(() => (hasArrived = true));
  await until(() => {
    from.notifier.toWallet(wallet, event, numbered('probe'));
    return hasArrived;
  }, 'an event arrives');
}

let flushes = 0;

/** Sends one more event and waits for it. It arrives last: by then, all events before it have arrived or been lost. */
async function flush(from: Node, ...devices: Device[]): Promise<void> {
  for (const { id, received } of devices) {
    const mark = `last ${++flushes}`;
    from.notifier.toSocket(id, event, numbered(mark));
    const [last = ''] = events(mark);
    await until(() => received.includes(last), 'the last event');
    received.splice(received.indexOf(last), 1);
  }
}

describe.each([
  ['in this process', false],
  ['through Redis', true],
])('events %s', (_where, withRedis) => {
  let server: RedisServer | null = null;
  let redis: OpenRedis[] = [];
  let nodes: Node[];
  let here: Node;
  /** Another node. Without Redis, it is the same node as `here`. */
  let there: Node;

  beforeAll(async () => {
    if (withRedis) {
      const { url } = (server = await RedisServer.create());
      redis = await Promise.all([0, 1].map(() => openRedis({ url, logger: silent })));
    }
    nodes = await Promise.all(withRedis ? redis.map(openNode) : [openNode(null)]);
    here = nodes[0] as Node;
    there = nodes.at(-1) as Node;
    if (!withRedis) return;
    const probe = async () => Promise.all([waitForFirstEvent(here, there), waitForFirstEvent(there, here)]);
    await probe();
  });
  afterAll(async () => {
    for (const node of nodes ?? []) await node.close();
    for (const { close } of redis) await close();
    await server?.dispose();
  });

  it('reach every device of a wallet once, and no other wallet', async () => {
    const [alice, bob] = [newWallet(), newWallet()];
    const devices = [await device(here, alice), await device(there, alice), await device(there, alice)];
    const other = await device(there, bob);
    here.notifier.toWallet(alice, event, numbered(1));
    there.notifier.toWallet(alice, event, numbered(2));
    await flush(here, ...devices, other);
    await flush(there, ...devices, other);
    for (const { received } of devices) expect(received.sort()).toEqual(events(1, 2));
    expect(other.received).toEqual([]);
  });

  it('skip the device named in exceptSocket, on whichever node it is', async () => {
    const wallet = newWallet();
    const [near, far] = [await device(here, wallet), await device(there, wallet)];
    here.notifier.toWallet(wallet, event, numbered(1), { exceptSocket: near.id });
    here.notifier.toWallet(wallet, event, numbered(2), { exceptSocket: far.id });
    await flush(here, near, far);
    expect(near.received).toEqual(events(2));
    expect(far.received).toEqual(events(1));
  });

  it('reach one device, on whichever node it is', async () => {
    const wallet = newWallet();
    const [near, far] = [await device(here, wallet), await device(there, wallet)];
    here.notifier.toSocket(near.id, event, numbered(1));
    here.notifier.toSocket(far.id, event, numbered(2));
    here.notifier.toSocket('no such', event, numbered(3));
    await flush(here, near, far);
    expect([near.received, far.received]).toEqual([events(1), events(2)]);
  });

  it('arrive in the order in which one node sent them, across recipients', async () => {
    const wallet = newWallet();
    const [near, far] = [await device(here, wallet), await device(there, wallet)];
    for (const { id } of [near, far]) here.io.in(id).socketsJoin(channels.media('ordered'));
    await flush(here, near, far);
    for (let number = 0; number < 300; number += 3) {
      here.notifier.toWallet(wallet, event, numbered(number));
      for (const { id } of [near, far]) here.notifier.toSocket(id, event, numbered(number + 1));
      here.notifier.toMediaRoomHere('ordered', event, numbered(number + 2));
    }
    await flush(here, near, far);
    const all = Array.from({ length: 300 }, (_, number) => number);
    expect(near.received).toEqual(events(...all));
    expect(far.received).toEqual(events(...all.filter((number) => !withRedis || number % 3 !== 2)));
  });

  it('end a session: its devices on every node get the reason and are disconnected, and other sessions stay', async () => {
    const wallet = newWallet();
    const ended = [await device(here, wallet, 'ended'), await device(there, wallet, 'ended')];
    const going = [await device(here, wallet, 'going'), await device(there, wallet, 'going')];
    here.notifier.toWallet(wallet, event, numbered(1));
    endSession(here.io, 'ended');
    for (const { received } of ended)
      await until(() => received.includes('io server disconnect'), 'it is disconnected');
    for (const { received } of ended)
      expect(received).toEqual([...events(1), 'session:ended', 'io server disconnect']);
    await flush(here, ...going);
    for (const { received } of going) expect(received).toEqual(events(1));
  });

  it('do not reach devices that left the room, on whichever node the leave was requested', async () => {
    const wallet = newWallet();
    const far = await device(there, wallet);
    here.io.in(far.id).socketsJoin(channels.media('left'));
    await flush(here, far);
    there.notifier.toMediaRoomHere('left', event, numbered(1));
    here.io.in(channels.media('left')).socketsLeave(channels.media('left'));
    await flush(here, far);
    there.notifier.toMediaRoomHere('left', event, numbered(2));
    await flush(there, far);
    expect(far.received).toEqual(events(1));
  });

  it.runIf(withRedis)('are encrypted in Redis, where they can be neither forged nor replayed', async () => {
    const wallet = newWallet();
    const far = await device(there, wallet);
    here.notifier.toWallet(wallet, event, numbered(1));
    await flush(here, far);
    const attacker = (redis[0] as OpenRedis).client;
    const stream = 'parley:events';
    const entries = (await attacker.xRange(stream, '-', '+')) ?? [];
    expect(entries.length).toBeGreaterThan(0);
    expect(JSON.stringify(entries)).not.toMatch(new RegExp(`${event}|${wallet}|rooms`));
    for (const { message } of entries) await attacker.xAdd(stream, '*', message);
    const packet = { type: 2, nsp: '/', data: [event, numbered('forged')] };
    const data = { packet, opts: { rooms: [far.id], except: [], flags: {} } };
    const forged = { uid: 'attacker', nsp: '/', type: '3', data: JSON.stringify(data) };
    await attacker.xAdd(stream, '*', forged);
    await attacker.xAdd(stream, '*', { sealed: Buffer.from(JSON.stringify(forged)).toString('base64') });
    await attacker.publish('parley:events#/#', JSON.stringify(forged));
    await flush(here, far);
    expect(far.received).toEqual(events(1));
  });
});

/** Like waitForEvents(), but for beforeAll, where no afterEach closes devices: it disconnects the device it creates. */
async function waitForFirstEvent(from: Node, to: Node): Promise<void> {
  const socket = connect(to.url, {
    transports: ['websocket'],
    forceNew: true,
    auth: { token: `${newWallet()} probe`, protocolVersion },
  });
  let hasArrived = false;
  socket.once(event, () => (hasArrived = true));
  await once(socket as never, 'connect');
  await until(() => {
    from.notifier.toSocket(socket.id ?? '', event, numbered('probe'));
    return hasArrived;
  }, 'an event arrives');
  socket.disconnect();
}

describe('events through a Redis that fails', () => {
  let server: RedisServer;
  let redis: OpenRedis[];
  let here: Node;
  let there: Node;

  beforeAll(async () => {
    server = await RedisServer.create();
    const { url } = server;
    redis = await Promise.all([0, 1].map(() => openRedis({ url, logger: silent })));
    [here, there] = (await Promise.all(redis.map(openNode))) as [Node, Node];
    await Promise.all([waitForFirstEvent(here, there), waitForFirstEvent(there, here)]);
  });
  afterAll(async () => {
    for (const node of [here, there]) await node?.close();
    for (const { close } of redis ?? []) await close();
    await server?.dispose();
  });

  const streamLength = () => redis[0]?.client.xLen('parley:events');

  it('stay on their node when all recipients are there', async () => {
    const wallet = newWallet();
    const [near, far] = [await device(here, wallet), await device(there, wallet)];
    for (const [node, { id }] of [
      [here, near],
      [there, far],
    ] as const)
      node.io.local.in(id).socketsJoin(channels.media('local'));
    await flush(here, far);
    const before = await streamLength();
    here.notifier.toSocket(near.id, event, numbered(1));
    here.notifier.toMediaRoomHere('local', event, numbered(2));
    here.notifier.toAllHere('session:missed', {});
    await until(() => near.received.length === 3, 'all three events');
    expect(await streamLength()).toBe(before);
    await flush(here, far);
    expect(near.received).toEqual([...events(1, 2), 'session:missed']);
    expect(far.received).toEqual([]);
  });

  it('are not read in a loop from a Redis that refuses it at once, such as one that loads its data', async () => {
    const { client } = redis[0] as OpenRedis;
    const reads = async () =>
      Number(/^cmdstat_xread:calls=(\d+)/m.exec(await client.info('commandstats'))?.[1] ?? 0);
    await client.set('parley:events', 'not a stream');
    const before = await reads();
    await until(async () => (await reads()) > before, 'a refused read', 30_000);
    const first = await reads();
    await delay(500);
    expect((await reads()) - first).toBeLessThan(20);
    await client.del('parley:events');
    await Promise.all([waitForEvents(here, there), waitForEvents(there, here)]);
  });

  it('reach devices of the same node immediately while Redis is away, and end sessions there', async () => {
    const wallet = newWallet();
    const near = await device(here, wallet, 'near');
    await server.stop();
    await until(() => redis.every(({ client }) => !client.isReady), 'both nodes have noticed');
    // Enough to pile up if anything queued them.
    for (let number = 0; number < 2_000; number++) here.notifier.toWallet(wallet, event, numbered(number));
    // Redis is still away, and nothing waits for it.
    await until(() => near.received.length === 2_000, 'all events');
    expect(near.received).toEqual(events(...Array.from({ length: 2_000 }, (_, number) => number)));
    endSession(here.io, 'near');
    await until(() => near.received.at(-1) === 'io server disconnect', 'the disconnect');
    expect(near.received.slice(-2)).toEqual(['session:ended', 'io server disconnect']);
    // A device that connects during the outage is served as well.
    const later = await device(here, wallet);
    here.notifier.toWallet(wallet, event, numbered(1));
    await until(() => later.received.length > 0, 'the event');
    await startRedis();
    await waitForEvents(here, there);
    await waitForEvents(there, here);
  });

  async function startRedis(): Promise<void> {
    const back = redis.map(({ onBack }) => new Promise<void>((resolve) => onBack(resolve)));
    await server.start();
    await Promise.all(back);
  }

  it('reach other nodes again, once each, after Redis has restarted without data', async () => {
    const wallet = newWallet();
    const [near, far] = [await device(here, wallet), await device(there, wallet)];
    const back = redis.map(({ onBack }) => new Promise<void>((resolve) => onBack(resolve)));
    await server.restartEmpty();
    await Promise.all(back);
    await Promise.all([waitForEvents(here, there), waitForEvents(there, here)]);
    here.notifier.toWallet(wallet, event, numbered(1));
    there.notifier.toWallet(wallet, event, numbered(2));
    for (const { received } of [near, far]) await until(() => received.length === 2, 'both events');
    await flush(here, near, far);
    await flush(there, near, far);
    for (const { received } of [near, far]) expect(received.sort()).toEqual(events(1, 2));
  });

  it('end sessions on other nodes after an outage, also those that ended before it was noticed', async () => {
    const far = await device(there, newWallet(), 'ended');
    const missed = new MissedEvents(() => redis[0]?.client.isReady === true);
    here.onLost = () => missed.lost(() => here.io);
    onTestFinished(() => {
      missed.close();
      here.onLost = () => {};
    });
    server.pause();
    expect(redis[0]?.client.isReady).toBe(true);
    endSession(here.io, 'ended');
    missed.ended('ended');
    await server.stop();
    await startRedis();
    await until(() => far.received.at(-1) === 'io server disconnect', 'the disconnect');
    await Promise.all([waitForEvents(here, there), waitForEvents(there, here)]);
  });

  it('reach devices of the same node immediately while Redis hangs', async () => {
    const wallet = newWallet();
    const near = await device(here, wallet);
    server.pause();
    here.notifier.toWallet(wallet, event, numbered(1));
    // Redis is still hanging when the event arrives.
    await until(() => near.received.length > 0, 'the event');
    server.resume();
    await waitForEvents(here, there);
  });
});

describe('a process that sends events through Redis', () => {
  it.each(['is up', 'is away'])('exits after closing its connections when Redis %s', async (state) => {
    const server = await RedisServer.create();
    onTestFinished(() => server.dispose());
    const script = fileURLToPath(new URL('../../test/harness/nodes/eventNode.ts', import.meta.url));
    const child = spawn(process.execPath, ['--import', 'tsx', script, server.url], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(createInterface(child.stdout), 'line');
    if (state === 'is away') await server.stop();
    child.stdin.write('close\n');
    const [exitCode] = (await once(child, 'exit')) as [number | null];
    expect(exitCode).toBe(0);
  });
});
