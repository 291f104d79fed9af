import { pino } from 'pino';
import { io, type Socket } from 'socket.io-client';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createLinkTokens } from '../server/cluster/MediaLinks.ts';
import { NetworkProxy, inFront } from '../test/harness/NetworkProxy.ts';
import { freePorts } from '../test/harness/ports.ts';
import { until } from '../test/harness/until.ts';
import { serveLinks, type LinkServer } from './linkServer.ts';
import type { LocalMediaCluster } from './LocalMediaCluster.ts';
import { inProcessLink, type MediaLink } from './MediaLink.ts';
import { MediaNode } from './MediaNode.ts';
import type { NewsName, TellNews } from './rpc.ts';
import { linkPath, SocketLink } from './SocketLink.ts';
import { newPeer, openLocal, opus } from './testSupport.ts';

const log = pino({ level: 'silent' });
const tokens = createLinkTokens(Buffer.alloc(32, 'of the cluster'));
const nodeId = 'node_media';
const roomId = 'room';

let local: LocalMediaCluster;
let node: MediaNode;
let port: number;
let server: LinkServer;
/** What the media node believes to be. */
let ownId: string | undefined;

beforeEach(async () => {
  local = await openLocal();
  node = new MediaNode(local, log);
  ownId = nodeId;
  port = await freePorts();
  await serve();
});
afterEach(async () => {
  await server.close();
  await local.close();
});

async function serve() {
  const verify = (token: unknown) => tokens.verify(token);
  server = await serveLinks({ node, host: '127.0.0.1', port, verify, id: () => ownId, log });
}

interface Home {
  link: MediaLink;
  news: [name: NewsName, payload: unknown][];
  heard: (name: NewsName) => unknown[];
}

type Open = (home: string) => Home;

function listen(): { tell: TellNews; news: Home['news']; heard: Home['heard'] } {
  const news: Home['news'] = [];
  return {
    tell: (name, payload) => void news.push([name, payload]),
    news,
    heard: (name) => news.filter(([heard]) => heard === name).map(([, payload]) => payload),
  };
}

const openInProcess: Open = (home) => {
  const { tell, ...rest } = listen();
  const link = inProcessLink(node, home, tell);
  onTestFinished(() => link.close());
  return { link, ...rest };
};

interface Socketed extends Home {
  /** How its way went down and up, in order. */
  way: ('up' | 'refused' | 'silent')[];
}

function openSocket(home: string, options: { address?: string; token?: () => string } = {}): Socketed {
  const { tell, ...rest } = listen();
  const way: Socketed['way'] = [];
  const link = new SocketLink({
    nodeId,
    address: `127.0.0.1:${port}`,
    token: () => tokens.sign(home),
    tell,
    onUp: () => way.push('up'),
    onDown: (how) => way.push(how),
    ...options,
  });
  onTestFinished(() => link.close());
  return { link, way, ...rest };
}

const last = ({ way }: Socketed) => way.at(-1);
const at = (epoch: number) => ({ roomId, epoch });
const joinAs = (link: MediaLink, peerId: string, epoch = 1, seat = peerId) =>
  link.call('join', { ...at(epoch), ...newPeer(peerId, seat) });
const speak = (link: MediaLink, peerId: string) =>
  link.call('produce', { ...at(1), peerId, source: 'microphone', rtpParameters: opus(), paused: false });

/** Its workers answer nothing until the test is over. */
function freezeWorkers() {
  const pids = local.workerPids;
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  onTestFinished(() => pids.forEach((pid) => process.kill(pid, 'SIGCONT')));
}

/** How a request failed, and after how long. */
async function failure(request: Promise<unknown>) {
  const startedAt = performance.now();
  const error = await request.then(
    () => null,
    (reason: unknown) => reason,
  );
  return { error, ms: performance.now() - startedAt };
}

const unavailable = { code: 'SERVICE_UNAVAILABLE', reason: 'media_node_unreachable' };

describe.each<[string, Open]>([
  ['in this process', openInProcess],
  ['over the network', openSocket],
])('a link %s', (_where, open) => {
  it('asks, and hears the answer', async () => {
    const { link } = open('home');
    expect(await link.call('openRoom', at(1))).toEqual({});
    expect(await joinAs(link, 'alice')).toMatchObject({ peers: [], consumers: [], replaced: null });
    expect(await link.call('peers', at(1))).toEqual([
      { peerId: 'alice', tag: { name: 'alice' }, sending: [] },
    ]);
    expect(await link.call('leave', { ...at(1), peerId: 'alice' })).toEqual({});
    expect(await link.call('closeRoom', at(1))).toEqual({});
    expect(local.roomsPerWorker).toEqual([0]);
  });

  it('keeps the code, the reason and the details of an error', async () => {
    const { link } = open('home');
    await link.call('openRoom', at(2));
    await joinAs(link, 'alice', 2);
    expect((await failure(link.call('peers', { ...at(1), roomId: 'none' }))).error).toMatchObject({
      name: 'ParleyError',
      code: 'NOT_FOUND',
      message: expect.stringMatching(/no such room/) as string,
    });
    expect((await failure(link.call('openRoom', at(1)))).error).toMatchObject({
      name: 'ParleyError',
      code: 'CONFLICT',
      reason: 'stale_epoch',
    });
    const fingerprints = [{ algorithm: 'rot13', value: 'x' }];
    const { sendTransport } = await joinAs(link, 'bob', 2);
    const connect = link.call('connectTransport', {
      ...at(2),
      peerId: 'bob',
      transportId: sendTransport?.id ?? '',
      dtlsParameters: { fingerprints },
    });
    expect((await failure(connect)).error).toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('refuses a lower epoch, and leaves the room as it is', async () => {
    const { link, news } = open('home');
    await link.call('openRoom', at(2));
    await joinAs(link, 'alice', 2);
    const stale = { code: 'CONFLICT', reason: 'stale_epoch' };
    await expect(link.call('openRoom', at(1))).rejects.toMatchObject(stale);
    await expect(joinAs(link, 'bob', 1)).rejects.toMatchObject(stale);
    await expect(link.call('leave', { ...at(1), peerId: 'alice' })).rejects.toMatchObject(stale);
    // What closes is not told whether it did.
    await link.call('closeRoom', at(1));
    expect(await link.call('peers', at(2))).toMatchObject([{ peerId: 'alice' }]);
    expect(news).toEqual([]);
  });

  it('with a higher epoch: the outdated room is closed, and who knew it is told', async () => {
    const [one, two] = [open('one'), open('two')];
    await one.link.call('openRoom', at(1));
    await joinAs(one.link, 'alice');
    await two.link.call('openRoom', at(2));
    expect(await two.link.call('peers', at(2))).toEqual([]);
    await until(() => one.heard('roomClosed').length > 0, 'one hears that its room is over');
    expect(one.news).toEqual([['roomClosed', { roomId, epoch: 1 }]]);
    expect(two.news).toEqual([]);
    // A node that asks under an epoch this one has not heard of knows better, too.
    await expect(joinAs(two.link, 'bob', 3)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await until(() => two.heard('roomClosed').length > 0, 'two hears that its room is over');
    expect([...node.rooms]).toEqual([]);
    expect(local.roomsPerWorker).toEqual([0]);
  });

  it('closes rooms the owners’ table does not give to this node', async () => {
    const { link, news, heard } = open('home');
    for (const room of ['kept', 'moved', 'over']) await link.call('openRoom', { roomId: room, epoch: 1 });
    const known = node.rooms;
    // Opened after that look at the rooms: it may be in no table that was read before.
    await link.call('openRoom', { roomId: 'new', epoch: 1 });
    const owned = new Map([
      ['kept', 1],
      ['moved', 2],
    ]);
    await node.closeDisowned(owned, known);
    expect([...node.rooms.keys()]).toEqual(['kept', 'new']);
    await until(() => heard('roomClosed').length === 2, 'both are told of');
    expect(news.map(([, payload]) => payload)).toEqual([
      { roomId: 'moved', epoch: 1 },
      { roomId: 'over', epoch: 1 },
    ]);
  });

  it('tells the home of a peer what is for that peer, and every home in the room who sends what', async () => {
    const [one, two, other] = [open('one'), open('two'), open('other')];
    await one.link.call('openRoom', at(1));
    await other.link.call('openRoom', { roomId: 'elsewhere', epoch: 1 });
    await joinAs(one.link, 'alice');
    await joinAs(two.link, 'bob');
    await speak(one.link, 'alice');
    await until(() => two.heard('consumer').length > 0, 'bob is offered what alice sends');
    expect(two.heard('consumer')).toMatchObject([{ to: { peerId: 'bob' }, from: { peerId: 'alice' } }]);
    await one.link.call('closeProducer', { ...at(1), peerId: 'alice', source: 'microphone' });
    await until(() => two.heard('consumerClosed').length > 0, 'bob hears its end');
    const names = ({ news }: Home) => news.map(([name]) => name).sort();
    expect(names(two)).toEqual(['consumer', 'consumerClosed', 'peerUpdated', 'peerUpdated']);
    expect(names(one)).toEqual(['peerUpdated', 'peerUpdated']);
    expect(other.news).toEqual([]);
  });

  it('moves the home of a peer when its device resumes elsewhere', async () => {
    const [one, two] = [open('one'), open('two')];
    await one.link.call('openRoom', at(1));
    await joinAs(one.link, 'alice');
    await joinAs(one.link, 'bob');
    await two.link.call('resume', { ...at(1), peerId: 'bob', seat: 'bob', tag: {} });
    await until(() => one.heard('peerGone').length > 0, 'bob’s former home hears of it');
    expect(one.heard('peerGone')).toEqual([{ roomId, peerId: 'bob' }]);
    await speak(one.link, 'alice');
    await until(() => two.heard('consumer').length > 0, 'bob is offered what alice sends');
    expect(one.heard('consumer')).toEqual([]);
    // A seat is not taken by who only says so.
    const wrong = one.link.call('resume', { ...at(1), peerId: 'bob', seat: 'alice', tag: {} });
    await expect(wrong).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await speak(one.link, 'alice');
    await until(() => two.heard('consumer').length > 1, 'bob is still told there');
    expect(one.heard('consumer')).toEqual([]);
  });

  it('goes on telling a device that joined again because an answer was lost', async () => {
    const one = open('one');
    await one.link.call('openRoom', at(1));
    await joinAs(one.link, 'alice');
    await joinAs(one.link, 'bob');
    await joinAs(one.link, 'bob');
    await speak(one.link, 'alice');
    await until(() => one.heard('consumer').length > 0, 'bob is offered what alice sends');
  });

  it('tells each home of its own, when a worker dies', async () => {
    const [one, two] = [open('one'), open('two')];
    await one.link.call('openRoom', at(1));
    await joinAs(one.link, 'alice');
    await joinAs(two.link, 'bob');
    for (const pid of local.workerPids) process.kill(pid, 'SIGKILL');
    await until(() => one.heard('roomRestarted').length + two.heard('roomRestarted').length === 2, 'both');
    expect(one.heard('roomRestarted')).toMatchObject([{ lost: [{ peerId: 'alice' }] }]);
    expect(two.heard('roomRestarted')).toMatchObject([{ lost: [{ peerId: 'bob' }] }]);
  });
});

it('waits so long for an answer, and no longer, over either link', async () => {
  const homes = [openInProcess('one'), openSocket('two')];
  for (const { link } of homes) await link.call('openRoom', at(1));
  freezeWorkers();
  for (const { error, ms } of await Promise.all(
    homes.map(({ link }, index) => failure(joinAs(link, `peer ${index}`))),
  )) {
    expect(error).toMatchObject(unavailable);
    expect(ms).toBeGreaterThan(4_900);
  }
});

describe('a link over the network', () => {
  /** A connection that sends what no SocketLink would. */
  async function raw(auth: object = { token: tokens.sign('home'), to: nodeId }): Promise<Socket> {
    const socket = io(`http://127.0.0.1:${port}`, {
      path: linkPath,
      transports: ['websocket'],
      forceNew: true,
      reconnection: false,
      auth,
    });
    onTestFinished(() => void socket.disconnect());
    await new Promise<void>((resolve, reject) => socket.on('connect', resolve).on('connect_error', reject));
    return socket;
  }

  const nonsense: [string, unknown, unknown][] = [
    ['an unknown request', 'format', at(1)],
    ['a member of every object', 'constructor', at(1)],
    ['no name', null, at(1)],
    ['no request', 'peers', undefined],
    ['a missing member', 'peers', { roomId }],
    ['a member too many', 'peers', { ...at(1), more: true }],
    ['an epoch below zero', 'openRoom', at(-1)],
    ['a room without a name', 'openRoom', { roomId: '', epoch: 1 }],
    ['a name too long', 'openRoom', { roomId: 'x'.repeat(65), epoch: 1 }],
  ];

  it.each(nonsense)('refuses %s, and harms nothing', async (_what, name, request) => {
    const { link } = openSocket('home');
    await link.call('openRoom', at(1));
    const socket = await raw();
    expect(await socket.timeout(2_000).emitWithAck('rpc', name, request)).toMatchObject({
      ok: false,
      error: { code: 'VALIDATION_ERROR' },
    });
    // Neither the connection nor the room has suffered.
    expect(await socket.timeout(2_000).emitWithAck('rpc', 'peers', at(1))).toEqual({ ok: true, data: [] });
    expect([...node.rooms]).toEqual([[roomId, 1]]);
  });

  it('ignores what asks for no answer', async () => {
    const socket = await raw();
    socket.emit('rpc', 'openRoom', at(1));
    socket.emit('rpc');
    socket.emit('other', 1);
    expect(await socket.timeout(2_000).emitWithAck('rpc', 'openRoom', { roomId: 'next', epoch: 1 })).toEqual({
      ok: true,
      data: {},
    });
    expect([...node.rooms.keys()]).toEqual(['next']);
  });

  it('is refused without a token of this cluster, and asks nothing', async () => {
    const others = createLinkTokens(Buffer.alloc(32, 'of another cluster'));
    for (const token of [undefined, '', 'nonsense', others.sign('home'), {}])
      await expect(raw({ token, to: nodeId })).rejects.toThrow('not a node of this cluster');
    const stranger = openSocket('home', { token: () => others.sign('home') });
    expect((await failure(stranger.link.call('openRoom', at(1)))).error).toMatchObject(unavailable);
    // Its owner may yet be given the right key: the node behind it lives.
    expect(new Set(stranger.way)).toEqual(new Set(['silent']));
    expect([...node.rooms]).toEqual([]);
  });

  it('is refused by another node, or another life, and then the one that was meant is gone', async () => {
    await expect(raw({ token: tokens.sign('home'), to: 'node_other' })).rejects.toThrow('another node');
    const home = openSocket('home');
    await home.link.call('openRoom', at(1));
    ownId = 'node_reborn';
    server.disconnectAll();
    await until(() => last(home) === 'refused', 'the link is refused');
    expect((await failure(home.link.call('peers', at(1)))).error).toMatchObject(unavailable);
  });

  it('to a node that is still joining is no sign of its death', async () => {
    ownId = undefined;
    const home = openSocket('home');
    await until(() => last(home) === 'silent', 'the link is not taken yet');
    ownId = nodeId;
    await until(() => last(home) === 'up', 'the link is up');
    expect(home.way).not.toContain('refused');
  });

  it('fails a request under way at once when the other end dies, and is up again when that is back', async () => {
    const home = openSocket('home');
    await home.link.call('openRoom', at(1));
    freezeWorkers();
    const failed = failure(joinAs(home.link, 'alice'));
    // It has come there: what is asked later is answered.
    await home.link.call('peers', at(1));
    await server.close();
    const { error, ms } = await failed;
    expect(error).toMatchObject(unavailable);
    // Not by waiting for an answer as long as one is waited for.
    expect(ms).toBeLessThan(4_500);
    await until(() => last(home) === 'refused', 'nobody listens there any more');
    const next = await failure(home.link.call('peers', at(1)));
    expect(next.error).toMatchObject(unavailable);
    expect(next.ms).toBeLessThan(4_500);
    await serve();
    await until(() => last(home) === 'up', 'the link is up again');
    expect(await home.link.call('peers', at(1))).toEqual([]);
  });

  it('that goes silent fails what is under way after three pings, and is up again when the network is back', async () => {
    const proxy = await NetworkProxy.create([port], []);
    onTestFinished(() => proxy.close());
    const home = openSocket('home', { address: `${inFront}:${port}` });
    await home.link.call('openRoom', at(1));
    proxy.cut();
    const { error, ms } = await failure(home.link.call('peers', at(1)));
    expect(error).toMatchObject(unavailable);
    expect(ms).toBeLessThan(4_500);
    expect(last(home)).toBe('silent');
    proxy.restore();
    await until(() => last(home) === 'up', 'the link is up again');
    expect(home.way).not.toContain('refused');
    expect(await home.link.call('peers', at(1))).toEqual([]);
  });

  it('tells news again once it is up again', async () => {
    const home = openSocket('home');
    await home.link.call('openRoom', at(1));
    await joinAs(home.link, 'alice');
    await joinAs(home.link, 'bob');
    await server.close();
    await until(() => last(home) === 'refused', 'the way is gone');
    await serve();
    await until(() => last(home) === 'up', 'the link is up again');
    await speak(home.link, 'alice');
    expect(home.heard('consumer')).toHaveLength(1);
  });

  it('breaks under a request that is too large, which fails at once, and is up again', async () => {
    const home = openSocket('home');
    await home.link.call('openRoom', at(1));
    const tag = { text: 'x'.repeat(1024 * 1024) };
    const { error, ms } = await failure(home.link.call('join', { ...at(1), ...newPeer('alice'), tag }));
    expect(error).toMatchObject(unavailable);
    expect(ms).toBeLessThan(4_500);
    await until(() => last(home) === 'up', 'the link is up again');
    expect(home.way).toEqual(['up', 'silent', 'up']);
    expect(await home.link.call('peers', at(1))).toEqual([]);
    const nearly = { text: 'x'.repeat(1000 * 1024) };
    await home.link.call('join', { ...at(1), ...newPeer('alice'), tag: nearly });
  });

  it('once closed is not up again, and asks nothing', async () => {
    const home = openSocket('home');
    await home.link.call('openRoom', at(1));
    home.link.close();
    const { error, ms } = await failure(home.link.call('peers', at(1)));
    expect(error).toMatchObject(unavailable);
    // Not even the time for connecting.
    expect(ms).toBeLessThan(900);
    expect(home.way).toEqual(['up']);
  });

  it('has one home: what an older connection of it ends does not silence the newer', async () => {
    const [older, newer] = [openSocket('home'), openSocket('home')];
    await older.link.call('openRoom', at(1));
    await newer.link.call('openRoom', at(1));
    older.link.close();
    await joinAs(newer.link, 'alice');
    await joinAs(newer.link, 'bob');
    await speak(newer.link, 'alice');
    expect(newer.heard('consumer')).toHaveLength(1);
  });
});
