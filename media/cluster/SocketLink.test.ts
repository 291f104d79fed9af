import { Agent as PlainAgent } from 'node:http';
import { Agent } from 'node:https';
import { io, type Socket } from 'socket.io-client';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { NetworkProxy, inFront } from '../../test/harness/nodes/NetworkProxy.ts';
import { until } from '../../test/harness/until.ts';
import {
  at,
  clusterKeys,
  failure,
  joinAs,
  MediaLinkFixture,
  nodeId,
  roomId,
  speak,
  unavailable,
  type TestSocketLink,
} from '../../test/harness/media/MediaLinkFixture.ts';
import { linkAgent } from './linkTls.ts';
import { linkPath } from './SocketLink.ts';
import { newPeer } from '../../test/harness/media/mediaFixtures.ts';
import { onlyKey } from '../../platform/keys.ts';

let stage: MediaLinkFixture;

beforeEach(async () => {
  stage = await MediaLinkFixture.open();
});
afterEach(() => stage.close());

const last = ({ states }: TestSocketLink) => states.at(-1);

describe('a link over the network', () => {
  /** A connection for requests that a SocketLink would not send. */
  async function raw(
    auth: object = { from: 'home', to: nodeId },
    { scheme = 'https', agent = linkAgent(clusterKeys) } = {},
  ): Promise<Socket> {
    const socket = io(`${scheme}://127.0.0.1:${stage.port}`, {
      path: linkPath,
      transports: ['websocket'],
      forceNew: true,
      reconnection: false,
      agent: agent as never,
      auth,
    });
    onTestFinished(() => void socket.disconnect());
    await new Promise<void>((resolve, reject) => socket.on('connect', resolve).on('connect_error', reject));
    return socket;
  }

  const invalid: [string, unknown, unknown][] = [
    ['an unknown request', 'format', at(1)],
    ['the name of an inherited member', 'constructor', at(1)],
    ['no name', null, at(1)],
    ['no request', 'peers', undefined],
    ['a missing member', 'peers', { roomId }],
    ['an unknown member', 'peers', { ...at(1), more: true }],
    ['an epoch below zero', 'openRoom', at(-1)],
    ['a room without a name', 'openRoom', { roomId: '', epoch: 1 }],
    ['a name too long', 'openRoom', { roomId: 'x'.repeat(65), epoch: 1 }],
  ];

  it.each(invalid)('rejects %s', async (_what, name, request) => {
    const { link } = stage.openSocket('home');
    await link.call('openRoom', at(1));
    const socket = await raw();
    expect(await socket.timeout(2_000).emitWithAck('rpc', name, request)).toMatchObject({
      ok: false,
      error: { code: 'VALIDATION_ERROR' },
    });
    // The connection and the room still work.
    expect(await socket.timeout(2_000).emitWithAck('rpc', 'peers', at(1))).toEqual({ ok: true, data: [] });
    expect([...stage.node.rooms]).toEqual([[roomId, 1]]);
  });

  it('ignores requests without an acknowledgement', async () => {
    const socket = await raw();
    socket.emit('rpc', 'openRoom', at(1));
    socket.emit('rpc');
    socket.emit('other', 1);
    expect(await socket.timeout(2_000).emitWithAck('rpc', 'openRoom', { roomId: 'next', epoch: 1 })).toEqual({
      ok: true,
      data: {},
    });
    expect([...stage.node.rooms.keys()]).toEqual(['next']);
  });

  it('is rejected without the key of this cluster', async () => {
    const auth = { from: 'home', to: nodeId };
    const otherKeys = onlyKey(Buffer.alloc(32, 'of another cluster'));
    await expect(raw(auth, { agent: linkAgent(otherKeys) })).rejects.toThrow();
    await expect(raw(auth, { agent: new Agent({ rejectUnauthorized: false }) })).rejects.toThrow();
    await expect(raw(auth, { scheme: 'http', agent: new PlainAgent() as Agent })).rejects.toThrow();
    await expect(raw({ to: nodeId })).rejects.toThrow('must name the node it comes from');
    const stranger = stage.openSocket('home', { keys: otherKeys });
    expect((await failure(stranger.link.call('openRoom', at(1)))).error).toMatchObject(unavailable);
    // Not `refused`, because the node is alive and the other side may get the right key later.
    expect(new Set(stranger.states)).toEqual(new Set(['silent']));
    expect([...stage.node.rooms]).toEqual([]);
  });

  it('is refused by a node with another id, which means that the former node is dead', async () => {
    await expect(raw({ from: 'home', to: 'node_other' })).rejects.toThrow('another node');
    const home = stage.openSocket('home');
    await home.link.call('openRoom', at(1));
    stage.ownId = 'node_reborn';
    stage.server.disconnectAll();
    await until(() => last(home) === 'refused', 'the link is refused');
    expect((await failure(home.link.call('peers', at(1)))).error).toMatchObject(unavailable);
  });

  it('does not count as refused while the node is still joining', async () => {
    stage.ownId = undefined;
    const home = stage.openSocket('home');
    await until(() => last(home) === 'silent', 'the link is not accepted yet');
    stage.ownId = nodeId;
    await until(() => last(home) === 'up', 'the link is up');
    expect(home.states).not.toContain('refused');
  });

  it('fails pending requests immediately when the node dies, and reconnects when it is back', async () => {
    const home = stage.openSocket('home');
    await home.link.call('openRoom', at(1));
    stage.freezeWorkers();
    const failed = failure(joinAs(home.link, 'alice'));
    // Once a later request is answered, the join has arrived.
    await home.link.call('peers', at(1));
    await stage.server.close();
    const { error, ms } = await failed;
    expect(error).toMatchObject(unavailable);
    // Earlier than the timeout for an answer.
    expect(ms).toBeLessThan(4_500);
    await until(() => last(home) === 'refused', 'the port is closed');
    const next = await failure(home.link.call('peers', at(1)));
    expect(next.error).toMatchObject(unavailable);
    expect(next.ms).toBeLessThan(4_500);
    await stage.serve();
    await until(() => last(home) === 'up', 'the link is up again');
    expect(await home.link.call('peers', at(1))).toEqual([]);
  });

  it('fails pending requests after three lost pings, and reconnects when the network is back', async () => {
    const proxy = await NetworkProxy.create([stage.port], []);
    onTestFinished(() => proxy.close());
    const home = stage.openSocket('home', { address: `${inFront}:${stage.port}` });
    await home.link.call('openRoom', at(1));
    proxy.cut();
    const { error, ms } = await failure(home.link.call('peers', at(1)));
    expect(error).toMatchObject(unavailable);
    expect(ms).toBeLessThan(4_500);
    expect(last(home)).toBe('silent');
    proxy.restore();
    await until(() => last(home) === 'up', 'the link is up again');
    expect(home.states).not.toContain('refused');
    expect(await home.link.call('peers', at(1))).toEqual([]);
  });

  it('survives a blocked event loop without losing pending requests', async () => {
    const home = stage.openSocket('home');
    await home.link.call('openRoom', at(1));
    const underWay = joinAs(home.link, 'alice');
    await new Promise((resolve) => setImmediate(resolve));
    // Blocks this process for longer than the silence limit.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500);
    expect(await underWay).toMatchObject({ peers: [] });
    // Long enough to miss three pings, if they did not continue.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(await home.link.call('peers', at(1))).toHaveLength(1);
    expect(home.states).toEqual(['up']);
  });

  it('delivers events again after a reconnect', async () => {
    const home = stage.openSocket('home');
    await home.link.call('openRoom', at(1));
    await joinAs(home.link, 'alice');
    await joinAs(home.link, 'bob');
    await stage.server.close();
    await until(() => last(home) === 'refused', 'the link is down');
    await stage.serve();
    await until(() => last(home) === 'up', 'the link is up again');
    await speak(home.link, 'alice');
    expect(home.received('consumer')).toHaveLength(1);
  });

  it('fails a request that is too large immediately, and reconnects', async () => {
    const home = stage.openSocket('home');
    await home.link.call('openRoom', at(1));
    const tag = { text: 'x'.repeat(1024 * 1024) };
    const { error, ms } = await failure(home.link.call('join', { ...at(1), ...newPeer('alice'), tag }));
    expect(error).toMatchObject(unavailable);
    expect(ms).toBeLessThan(4_500);
    await until(() => last(home) === 'up', 'the link is up again');
    expect(home.states).toEqual(['up', 'silent', 'up']);
    expect(await home.link.call('peers', at(1))).toEqual([]);
    const largest = { text: 'x'.repeat(1000 * 1024) };
    await home.link.call('join', { ...at(1), ...newPeer('alice'), tag: largest });
  });

  it('does not reconnect or send requests once closed', async () => {
    const home = stage.openSocket('home');
    await home.link.call('openRoom', at(1));
    home.link.close();
    const { error, ms } = await failure(home.link.call('peers', at(1)));
    expect(error).toMatchObject(unavailable);
    // Less than the connection timeout.
    expect(ms).toBeLessThan(900);
    expect(home.states).toEqual(['up']);
  });

  it('keeps sending events to a newer connection of the same signalling node when the older one closes', async () => {
    const [older, newer] = [stage.openSocket('home'), stage.openSocket('home')];
    await older.link.call('openRoom', at(1));
    await newer.link.call('openRoom', at(1));
    older.link.close();
    await joinAs(newer.link, 'alice');
    await joinAs(newer.link, 'bob');
    await speak(newer.link, 'alice');
    expect(newer.received('consumer')).toHaveLength(1);
  });
});
