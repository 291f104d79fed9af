import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { io as connect, type Socket } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Address } from '../../sdk/protocol/common.ts';
import { protocolVersion } from '../../sdk/protocol/version.ts';
import { silent } from '../../test/harness/embeddedPostgres/support.ts';
import { eventCipher } from '../../server/compose/eventCipher.ts';
import { openRedis, type OpenRedis } from '../../platform/redis.ts';
import { RedisServer } from '../../test/harness/RedisServer.ts';
import { until } from '../../test/harness/until.ts';
import { authenticate } from './authenticate.ts';
import type { ParleyServer } from './RequestContext.ts';
import { createIo, endSession } from './createIo.ts';
import { channels, Notifier } from './Notifier.ts';
import { redisAdapter } from './redisAdapter.ts';

/* Events from one node to devices on it and on others. Vitest fails the run on any unhandled rejection. */

interface Node {
  io: ParleyServer;
  notifier: Notifier;
  url: string;
  close(): Promise<void>;
}

const cipher = eventCipher({ derive: () => Buffer.alloc(32, 'of the cluster') });

async function openNode(redis: OpenRedis | null): Promise<Node> {
  const httpServer = createServer();
  const io = createIo({
    httpServer,
    adapter: redis && redisAdapter({ client: redis.client, cipher, onLost: () => {}, log: silent }),
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
  return {
    io,
    notifier: new Notifier(io),
    url: `http://127.0.0.1:${(httpServer.address() as AddressInfo).port}`,
    close: () => io.close(),
  };
}

interface Device {
  id: string;
  socket: Socket;
  /** The events it received, in order, each with its number. */
  heard: string[];
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
  const heard: string[] = [];
  socket.onAny((event: string, payload: { consumerId?: string }) => {
    if (payload.consumerId !== 'probe') heard.push([event, payload.consumerId].filter(Boolean).join(' '));
  });
  socket.on('disconnect', (reason) => heard.push(reason));
  await once(socket as never, 'connect');
  return { id: socket.id ?? '', socket, heard };
}

const event = 'media:consumer:closed';
const numbered = (consumerId: number | string) =>
  ({ scope: 'call', id: 'call', consumerId: `${consumerId}` }) as const;
const told = (...numbers: (number | string)[]) => numbers.map((number) => `${event} ${number}`);

/** Waits until events travel from one node to the other. No signal reports that. */
async function crosses(from: Node, to: Node): Promise<void> {
  const wallet = newWallet();
  const { socket } = await device(to, wallet);
  const arrived = new Promise((resolve) => socket.once(event, resolve));
  let hasArrived = false;
  void arrived.then(() => (hasArrived = true));
  await until(() => {
    from.notifier.toWallet(wallet, event, numbered('probe'));
    return hasArrived;
  }, 'events cross');
}

let flushes = 0;

/** The last event a node sends arrives last: by then, all events before it have arrived or been lost. */
async function flush(from: Node, ...devices: Device[]): Promise<void> {
  for (const { id, heard } of devices) {
    const mark = `last ${++flushes}`;
    from.notifier.toSocket(id, event, numbered(mark));
    const [last = ''] = told(mark);
    await until(() => heard.includes(last), 'the last event');
    heard.splice(heard.indexOf(last), 1);
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
  /** Without Redis both names refer to the same node. */
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
    const probe = async () => Promise.all([crossesOnce(here, there), crossesOnce(there, here)]);
    await probe();
  });
  afterAll(async () => {
    for (const node of nodes ?? []) await node.close();
    for (const { close } of redis) await close();
    await server?.dispose();
  });

  it('reach every device of a wallet, once, and nobody else’s', async () => {
    const [alice, bob] = [newWallet(), newWallet()];
    const devices = [await device(here, alice), await device(there, alice), await device(there, alice)];
    const other = await device(there, bob);
    here.notifier.toWallet(alice, event, numbered(1));
    there.notifier.toWallet(alice, event, numbered(2));
    await flush(here, ...devices, other);
    await flush(there, ...devices, other);
    for (const { heard } of devices) expect(heard.sort()).toEqual(told(1, 2));
    expect(other.heard).toEqual([]);
  });

  it('skip the device named in exceptSocket, on whichever node it is', async () => {
    const wallet = newWallet();
    const [near, far] = [await device(here, wallet), await device(there, wallet)];
    here.notifier.toWallet(wallet, event, numbered(1), { exceptSocket: near.id });
    here.notifier.toWallet(wallet, event, numbered(2), { exceptSocket: far.id });
    await flush(here, near, far);
    expect(near.heard).toEqual(told(2));
    expect(far.heard).toEqual(told(1));
  });

  it('reach one device, on whichever node it is', async () => {
    const wallet = newWallet();
    const [near, far] = [await device(here, wallet), await device(there, wallet)];
    here.notifier.toSocket(near.id, event, numbered(1));
    here.notifier.toSocket(far.id, event, numbered(2));
    here.notifier.toSocket('no such', event, numbered(3));
    await flush(here, near, far);
    expect([near.heard, far.heard]).toEqual([told(1), told(2)]);
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
    expect(near.heard).toEqual(told(...all));
    expect(far.heard).toEqual(told(...all.filter((number) => !withRedis || number % 3 !== 2)));
  });

  it('end a session: its devices on every node get the reason and are closed, other sessions stay', async () => {
    const wallet = newWallet();
    const ended = [await device(here, wallet, 'ended'), await device(there, wallet, 'ended')];
    const going = [await device(here, wallet, 'going'), await device(there, wallet, 'going')];
    here.notifier.toWallet(wallet, event, numbered(1));
    endSession(here.io, 'ended');
    for (const { heard } of ended)
      await until(() => heard.includes('io server disconnect'), 'it is disconnected');
    for (const { heard } of ended)
      expect(heard).toEqual([...told(1), 'session:ended', 'io server disconnect']);
    await flush(here, ...going);
    for (const { heard } of going) expect(heard).toEqual(told(1));
  });

  it('reach nobody who has left the room, on whichever node the leave was requested', async () => {
    const wallet = newWallet();
    const far = await device(there, wallet);
    here.io.in(far.id).socketsJoin(channels.media('left'));
    await flush(here, far);
    there.notifier.toMediaRoomHere('left', event, numbered(1));
    here.io.in(channels.media('left')).socketsLeave(channels.media('left'));
    await flush(here, far);
    there.notifier.toMediaRoomHere('left', event, numbered(2));
    await flush(there, far);
    expect(far.heard).toEqual(told(1));
  });

  it.runIf(withRedis)('are encrypted in Redis, where they can be neither forged nor replayed', async () => {
    const wallet = newWallet();
    const far = await device(there, wallet);
    here.notifier.toWallet(wallet, event, numbered(1));
    await flush(here, far);
    const stranger = (redis[0] as OpenRedis).client;
    const stream = 'parley:events';
    const entries = (await stranger.xRange(stream, '-', '+')) ?? [];
    expect(entries.length).toBeGreaterThan(0);
    expect(JSON.stringify(entries)).not.toMatch(new RegExp(`${event}|${wallet}|rooms`));
    for (const { message } of entries) await stranger.xAdd(stream, '*', message);
    const packet = { type: 2, nsp: '/', data: [event, numbered('forged')] };
    const data = { packet, opts: { rooms: [far.id], except: [], flags: {} } };
    const forged = { uid: 'stranger', nsp: '/', type: '3', data: JSON.stringify(data) };
    await stranger.xAdd(stream, '*', forged);
    await stranger.xAdd(stream, '*', { sealed: Buffer.from(JSON.stringify(forged)).toString('base64') });
    await stranger.publish('parley:events#/#', JSON.stringify(forged));
    await flush(here, far);
    expect(far.heard).toEqual(told(1));
  });
});

/** As crosses(), but outside of a test. */
async function crossesOnce(from: Node, to: Node): Promise<void> {
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
  }, 'events cross');
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
    await Promise.all([crossesOnce(here, there), crossesOnce(there, here)]);
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
    await until(() => near.heard.length === 3, 'all three');
    expect(await streamLength()).toBe(before);
    await flush(here, far);
    expect(near.heard).toEqual([...told(1, 2), 'session:missed']);
    expect(far.heard).toEqual([]);
  });

  it('reach the devices of their own node at once while Redis is away, and end sessions there', async () => {
    const wallet = newWallet();
    const near = await device(here, wallet, 'near');
    await server.stop();
    await until(() => redis.every(({ client }) => !client.isReady), 'both have noticed');
    // Enough to pile up if anything queued them.
    for (let number = 0; number < 2_000; number++) here.notifier.toWallet(wallet, event, numbered(number));
    // Redis is still away, and nothing waits for it.
    await until(() => near.heard.length === 2_000, 'all of them');
    expect(near.heard).toEqual(told(...Array.from({ length: 2_000 }, (_, number) => number)));
    endSession(here.io, 'near');
    await until(() => near.heard.at(-1) === 'io server disconnect', 'the end');
    expect(near.heard.slice(-2)).toEqual(['session:ended', 'io server disconnect']);
    // A device that connects in the outage is served as well.
    const later = await device(here, wallet);
    here.notifier.toWallet(wallet, event, numbered(1));
    await until(() => later.heard.length > 0, 'the event');
    await comesBack();
    await crosses(here, there);
    await crosses(there, here);
  });

  async function comesBack(): Promise<void> {
    const back = redis.map(({ onBack }) => new Promise<void>((resolve) => onBack(resolve)));
    await server.start();
    await Promise.all(back);
  }

  it('cross again, in both directions and once each, after Redis restarted empty', async () => {
    const wallet = newWallet();
    const [near, far] = [await device(here, wallet), await device(there, wallet)];
    const back = redis.map(({ onBack }) => new Promise<void>((resolve) => onBack(resolve)));
    await server.restartEmpty();
    await Promise.all(back);
    await Promise.all([crosses(here, there), crosses(there, here)]);
    here.notifier.toWallet(wallet, event, numbered(1));
    there.notifier.toWallet(wallet, event, numbered(2));
    for (const { heard } of [near, far]) await until(() => heard.length === 2, 'both');
    await flush(here, near, far);
    await flush(there, near, far);
    for (const { heard } of [near, far]) expect(heard.sort()).toEqual(told(1, 2));
  });

  it('reach the devices of their own node at once while Redis hangs', async () => {
    const wallet = newWallet();
    const near = await device(here, wallet);
    server.pause();
    here.notifier.toWallet(wallet, event, numbered(1));
    // Redis hangs until then.
    await until(() => near.heard.length > 0, 'the event');
    server.resume();
    await crosses(here, there);
  });
});

describe('a program that carries events through Redis', () => {
  it.each(['is there', 'is away'])('exits once it has closed its connections, when Redis %s', async (how) => {
    const server = await RedisServer.create();
    onTestFinished(() => server.dispose());
    const script = fileURLToPath(new URL('../../test/harness/eventNode.ts', import.meta.url));
    const child = spawn(process.execPath, ['--import', 'tsx', script, server.url], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(createInterface(child.stdout), 'line');
    if (how === 'is away') await server.stop();
    child.stdin.write('close\n');
    const [exitCode] = (await once(child, 'exit')) as [number | null];
    expect(exitCode).toBe(0);
  });
});
