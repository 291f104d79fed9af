import { sql } from 'drizzle-orm';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { newId } from '../../../sdk/protocol/ids.ts';
import type { WireLiveStream } from '../../../sdk/protocol/streaming.ts';
import type { RequestInput } from '../../../sdk/protocol/wire.ts';
import { subnetsOf } from '../../../platform/limits/subnets.ts';
import { eventCipher } from '../../../server/compose/eventCipher.ts';
import { openRedis } from '../../../platform/redis.ts';
import { newSrtpKey } from '../../../media/plainRtp.ts';
import { RtmpServer } from '../../../server/streaming/rtmp/RtmpServer.ts';
import { redisAdapter } from '../../../platform/internals/socketIo/redisAdapter.ts';
import { jobKinds } from '../../../signaling/streaming/StreamDeps.ts';
import type { StreamPeer } from '../../../signaling/streaming/StreamGateway.ts';
import { WatchingStore } from '../../../signaling/streaming/WatchingStore.ts';
import { FfmpegPublisher } from '../../harness/clients/FfmpegPublisher.ts';
import { RtmpClient } from '../../harness/clients/RtmpClient.ts';
import { audioType, messageOf } from '../../harness/clients/rtmpMessages.ts';
import { SyntheticPeer } from '../../harness/clients/SyntheticPeer.ts';
import { ffmpegSlots, ownFfmpegProcesses } from '../../harness/media/ffmpegs.ts';
import { killProcess } from '../../harness/nodes/killProcess.ts';
import { freePorts } from '../../harness/nodes/ports.ts';
import { RedisServer } from '../../harness/nodes/RedisServer.ts';
import { StreamNode } from '../../harness/nodes/StreamNode.ts';
import { TestNodes } from '../../harness/nodes/TestNodes.ts';
import { until } from '../../harness/until.ts';
import { newWallet } from '../support.ts';
import { onlyKey } from '../../../platform/keys.ts';

/* The stream gateway on two nodes that receive no events from each other. */

let nodes: TestNodes;
let one: StreamNode;
let two: StreamNode;
const peers: SyntheticPeer[] = [];
const host = newWallet().address;

beforeAll(async () => {
  nodes = await TestNodes.create();
  const [first, second] = [await nodes.open('signaling', 'media'), await nodes.open('signaling', 'media')];
  await nodes.waitForEachOther(first, second);
  [one, two] = [await StreamNode.open(first), await StreamNode.open(second)];
}, 120_000);
afterAll(async () => {
  for (const peer of peers) peer.close();
  for (const node of [one, two]) await node?.close();
  await nodes?.close();
});

const create = (more: Partial<RequestInput<'streaming.create'>> = {}): Promise<WireLiveStream> =>
  one.ask(host, 'streaming.create', { title: 'x', ...more });
const status = async ({ id }: WireLiveStream) => one.ask(host, 'streaming.get', { streamId: id });

/** Claims the stream for a WHIP publisher. `send()` then starts its media. */
async function publish(node: StreamNode, { id, streamKey: key }: WireLiveStream) {
  const publisher = {
    publisherId: newId('par'),
    key,
    via: 'whip' as const,
    replaced: 0,
    onReplaced: () => void publisher.replaced++,
  };
  const peer = await node.gateway.claim(id, publisher);
  return { publisher, peer, send: () => send(node, id, peer) };
}

/** Sends audio until the stream is live. */
async function send(node: StreamNode, streamId: string, { peerId, ...peer }: StreamPeer): Promise<void> {
  const sender = await SyntheticPeer.join(node.node.media, streamId, peerId, { ...peer, tellsArrival: true });
  peers.push(sender);
  await sender.speak();
  const isSending = async () => (await node.ask(host, 'streaming.get', { streamId })).isSending;
  await until(isSending, 'the stream is live');
}

/** Ends the minute for which a stream waits for its publisher. @returns whether the stream was waiting */
async function endWait({ id }: WireLiveStream): Promise<boolean> {
  const { rowCount } = await one.node.db.execute(sql`UPDATE due SET due_at = due_at - interval '1 minute'
    WHERE kind = ${jobKinds.gone} AND subject = ${id}`);
  return rowCount === 1;
}

const sending = async ({ id }: WireLiveStream) =>
  (await one.node.media.room(id).peers({})).map(({ peerId }) => peerId);

describe('a stream key', () => {
  it('finds its stream, is stored encrypted, and appears in no log', async () => {
    const stream = await create();
    expect(await two.gateway.streamOfKey(stream.streamKey)).toEqual({ streamId: stream.id, host });
    for (const wrong of ['', 'sk_', `${stream.streamKey}x`, `sk_${'x'.repeat(32)}`, stream.id])
      await expect(one.gateway.streamOfKey(wrong)).rejects.toMatchObject({ code: 'AUTHENTICATION_REQUIRED' });
    const { rows } = await one.node.db.execute(sql`SELECT * FROM streams WHERE id = ${stream.id}`);
    const sealed = Buffer.from((rows[0] as { key_sealed: Buffer }).key_sealed).toString('latin1');
    expect(`${JSON.stringify(rows)} ${sealed}`).not.toContain(stream.streamKey.slice(3));
    expect((await two.ask(host, 'streaming.get', { streamId: stream.id })).streamKey).toBe(stream.streamKey);
    expect(one.log).toContain('stream created');
    expect(one.log + two.log).not.toContain(stream.streamKey);
  });

  it('disconnects its publisher when it is reset, while the stream stays live', async () => {
    const stream = await create();
    const { publisher, send: begin } = await publish(one, stream);
    await begin();
    expect(await status(stream)).toMatchObject({ status: 'live', isSending: true });
    const { streamKey } = await one.ask(host, 'streaming.resetKey', { streamId: stream.id });
    await until(() => publisher.replaced === 1, 'the publisher is notified');
    expect(await sending(stream)).toEqual([]);
    expect(await status(stream)).toMatchObject({ status: 'live', isSending: false });
    await expect(one.gateway.streamOfKey(stream.streamKey)).rejects.toMatchObject({
      code: 'AUTHENTICATION_REQUIRED',
    });
    expect(await one.gateway.streamOfKey(streamKey)).toEqual({ streamId: stream.id, host });
  });
});

/** Accepts publishers by RTMP on the first node. */
async function listenForRtmp(): Promise<{ rtmp: RtmpServer; port: number }> {
  const port = await freePorts();
  const { media: cluster } = one.node;
  const deps = { gateway: one.gateway, cluster, slots: ffmpegSlots(), ffmpeg: 'ffmpeg' };
  const log = pino({ level: 'silent' });
  return { rtmp: await RtmpServer.listen({ host: '127.0.0.1', port, ...deps, log }), port };
}

describe('a stream key that is reset', () => {
  it('lets in nobody who connected with it before and begins to send only now', async () => {
    const stream = await create();
    const { rtmp, port } = await listenForRtmp();
    const client = new RtmpClient({ port });
    try {
      expect(await client.publish(stream.streamKey)).toBe(true);
      const { streamKey } = await one.ask(host, 'streaming.resetKey', { streamId: stream.id });
      const own = await publish(two, { ...stream, streamKey });
      await own.send();
      // RtmpPublisher inspects what it gets for a moment, and then claims the stream.
      client.write(messageOf(audioType, Buffer.from([0xaf, 1, 0, 0]), 4));
      await client.closed();
      expect(client.hasReceived('stream key is not valid')).toBe(true);
      expect(await sending(stream)).toEqual([own.peer.peerId]);
      expect(await status(stream)).toMatchObject({ isSending: true });
    } finally {
      await client.close();
      await rtmp.close();
    }
  });

  it('lets in no WHIP publisher whose request was under way', async () => {
    const stream = await create();
    await one.ask(host, 'streaming.resetKey', { streamId: stream.id });
    await expect(publish(two, stream)).rejects.toMatchObject({ code: 'AUTHENTICATION_REQUIRED' });
  });
});

describe('publishers', () => {
  it('replace earlier ones on any node; later reports of the replaced ones have no effect', async () => {
    const stream = await create();
    const first = await publish(one, stream);
    await first.send();
    const second = await publish(two, stream);
    expect(await sending(stream)).toEqual([]);
    await second.send();
    expect(await sending(stream)).toEqual([second.peer.peerId]);
    await one.gateway.lost(stream.id, first.peer.peerId);
    expect(await status(stream)).toMatchObject({ status: 'live', isSending: true });
    const third = await publish(two, stream);
    await until(
      () => second.publisher.replaced === 1,
      'a publisher on the same node is notified immediately',
    );
    await third.send();
    await two.rules.maintenance.sweep(() => true);
    expect(third.publisher.replaced).toBe(0);
  });

  it('are notified by the sweep when the event was lost', async () => {
    const stream = await create();
    const first = await publish(one, stream);
    await publish(two, stream);
    expect(first.publisher.replaced).toBe(0);
    await one.rules.maintenance.sweep(() => true);
    expect(first.publisher.replaced).toBe(1);
  });

  it('by RTMP end, and do not come back, when their ffmpeg restarts before the event arrives', async () => {
    const stream = await create();
    const { rtmp, port } = await listenForRtmp();
    const former = new FfmpegPublisher(`rtmp://127.0.0.1:${port}/live/${stream.streamKey}`);
    try {
      await until(async () => (await status(stream)).isSending, 'the stream is live');
      const { peer } = await publish(two, stream);
      const { peerId, identity, revision, tag } = peer;
      const tracks = [{ source: 'microphone' as const, ssrc: 1 }];
      const ingest = { peerId, identity, revision, tag, tracks, srtpKeyBase64: newSrtpKey() };
      await two.node.media.room(stream.id).openIngest(ingest);
      const [ffmpeg] = (await ownFfmpegProcesses()).filter(({ args }) => args.includes('copy'));
      killProcess(ffmpeg?.pid);
      await until(() => !former.isRunning, 'the replaced publisher ends');
      expect(await sending(stream)).toEqual([peerId]);
    } finally {
      await former.close();
      await rtmp.close();
    }
  });

  it('are reduced to one when twenty start at the same moment', async () => {
    const stream = await create();
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, index) => publish(index % 2 ? one : two, stream)),
    );
    for (const node of [one, two]) await node.rules.maintenance.sweep(() => true);
    await until(() => all.filter(({ publisher }) => publisher.replaced === 0).length === 1, 'one');
    expect(all.every(({ publisher }) => publisher.replaced <= 1)).toBe(true);
  });

  it('can return within a minute before the stream ends', async () => {
    const stream = await create();
    const first = await publish(one, stream);
    await first.send();
    await one.gateway.lost(stream.id, first.peer.peerId);
    expect(await status(stream)).toMatchObject({ status: 'live', isSending: false });
    const second = await publish(two, stream);
    await second.send();
    expect(await endWait(stream)).toBe(false);
    expect(await status(stream)).toMatchObject({ status: 'live', isSending: true });
    await two.gateway.lost(stream.id, second.peer.peerId);
    expect(await endWait(stream)).toBe(true);
    await until(async () => (await status(stream)).status === 'ended', 'the stream ends');
    expect(await status(stream)).toMatchObject({ endReason: 'gone' });
    await expect(publish(one, stream)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(one.gateway.streamOfKey(stream.streamKey)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('can return after their node died', async () => {
    const stream = await create();
    const { send: begin } = await publish(two, stream);
    await begin();
    const now = new Date().toISOString();
    const died = { seenAt: now, diedAt: now, roles: ['signaling', 'media'] };
    await one.rules.maintenance.onNodeDied(two.node.registry.id, died);
    expect(await status(stream)).toMatchObject({ status: 'live', isSending: false });
    expect(await endWait(stream)).toBe(true);
    await until(async () => (await status(stream)).status === 'ended', 'the stream ends');
  });
});

describe('nodes that share Redis', () => {
  it('notify publishers and viewers of other nodes immediately', async () => {
    const server = await RedisServer.create();
    const log = pino({ level: 'silent' });
    const redis = await openRedis({ url: server.url, logger: log });
    const cipher = eventCipher({ keys: () => onlyKey(Buffer.alloc(32)) });
    const adapter = () => redisAdapter({ client: redis.client, cipher, onLost: () => {}, log });
    const nodeA = await StreamNode.open(one.node, adapter());
    const nodeB = await StreamNode.open(two.node, adapter());
    try {
      const stream = await create();
      const { publisher } = await publish(nodeA, stream);
      let removed = 0;
      const watching = {
        watchingId: newId('par'),
        viewer: 'guest',
        walletAddress: null,
        via: 'whep',
      } as const;
      await nodeA.gateway.watching(stream.id, { ...watching, onRemoved: () => removed++ });
      // The Redis subscriptions take a moment to start.
      await until(async () => {
        await publish(nodeB, stream);
        return publisher.replaced === 1;
      }, 'the publisher is notified');
      await nodeB.ask(host, 'streaming.end', { streamId: stream.id });
      await until(() => removed === 1, 'the viewer is disconnected');
    } finally {
      await nodeA.close();
      await nodeB.close();
      await redis.close();
      await server.dispose();
    }
  });
});

describe('viewers without a Socket.IO connection', () => {
  const watch = (node: StreamNode, streamId: string, viewer: string, more: object = {}) => {
    const watching = { watchingId: newId('par'), viewer, walletAddress: null, via: 'whep' as const, ...more };
    return node.gateway.watching(streamId, watching).then((peer) => ({ ...watching, peer }));
  };
  const counts = (stream: WireLiveStream, count: number) =>
    until(async () => (await status(stream)).viewerCount === count, `${count} viewers`);

  it('are counted once, even if they watch in several ways', async () => {
    const stream = await create();
    const ann = newWallet().address;
    const { token } = await one.ask(ann, 'streaming.getViewerToken', { streamId: stream.id });
    const admitted = await two.gateway.admit(stream.id, token, subnetsOf('192.0.2.1'));
    expect(admitted).toEqual({ streamId: stream.id, viewer: ann, walletAddress: ann });
    const [guest, other] = [
      await one.gateway.admit(stream.id, null, subnetsOf('192.0.2.1')),
      await one.gateway.admit(stream.id, null, subnetsOf('192.0.2.1')),
    ];
    expect(guest.walletAddress).toBeNull();
    expect(guest.viewer).not.toBe(other.viewer);
    const whep = await watch(one, stream.id, ann, { walletAddress: ann });
    await watch(two, stream.id, ann, { walletAddress: ann, via: 'hls' });
    await watch(two, stream.id, guest.viewer);
    await counts(stream, 2);
    expect(whep.peer).toMatchObject({ isViewer: true, identity: whep.watchingId });
    const viewers = await one.ask(host, 'streaming.getViewers', { streamId: stream.id });
    expect(viewers.map(({ id, walletAddress, via }) => [id, walletAddress, via])).toEqual([
      [ann, ann, 'whep'],
      [guest.viewer, null, 'whep'],
    ]);
    await one.gateway.stoppedWatching(stream.id, whep.watchingId);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect((await status(stream)).viewerCount).toBe(2);
    // Makes it look as if no viewer had been seen for 50 seconds.
    await one.node.db.execute(sql`UPDATE stream_watchings SET seen_at = now() - interval '50 seconds'
      WHERE stream_id = ${stream.id}`);
    await counts(stream, 0);
  });

  it('are all counted, with few events, when a hundred arrive at the same time', async () => {
    const stream = await create();
    const countEvents = () =>
      [one.sentEvents('stream:viewer:joined'), one.sentEvents('stream:viewer:count')] as const;
    const [joinedBefore, countsBefore] = countEvents();
    const startedAt = performance.now();
    await Promise.all(
      Array.from({ length: 100 }, (_, index) => watch(one, stream.id, `guest_${index}.${index}_x`)),
    );
    const joining = Math.ceil((performance.now() - startedAt) / 1_000) + 1;
    await counts(stream, 100);
    const seconds = Math.ceil((performance.now() - startedAt) / 1_000) + 1;
    const [joined, counted] = countEvents();
    expect(joined - joinedBefore).toBeGreaterThan(0);
    expect(joined - joinedBefore).toBeLessThanOrEqual(Math.min(10 * joining, 99));
    expect(counted - countsBefore).toBeLessThanOrEqual(seconds);
  });

  it('cause only one count event per second when they arrive one after another on both nodes', async () => {
    const stream = await create();
    const countEvents = () => one.sentEvents('stream:viewer:count') + two.sentEvents('stream:viewer:count');
    const before = countEvents();
    const startedAt = performance.now();
    for (let index = 0; index < 24; index++) {
      await watch(index % 2 ? one : two, stream.id, `guest ${index}`);
      // Longer than the window in which simultaneous viewers are collected.
      await new Promise((resolve) => setTimeout(resolve, 70));
    }
    await counts(stream, 24);
    const seconds = (performance.now() - startedAt) / 1_000;
    expect(countEvents() - before).toBeGreaterThan(0);
    expect(countEvents() - before).toBeLessThanOrEqual(Math.ceil(seconds) + 1);
  });

  it('are counted by one node for both, and less often if there are very many', async () => {
    const stream = await create();
    const { db } = one.node;
    await watch(one, stream.id, 'guest_0.0_x');
    await counts(stream, 1);
    // As if 50,000 had been counted a moment ago: the next count is due five seconds later.
    const setCount = sql`UPDATE streams SET viewer_count = 50000, counted_at = clock_timestamp() WHERE id = ${stream.id}`;
    await db.execute(setCount);
    const startedAt = performance.now();
    const events = () => one.sentEvents('stream:viewer:count') + two.sentEvents('stream:viewer:count');
    const before = events();
    await watch(one, stream.id, 'guest_1.1_x');
    await watch(two, stream.id, 'guest_2.2_x');
    await counts(stream, 3);
    expect(performance.now() - startedAt).toBeGreaterThan(4_500);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(events() - before).toBe(1);
  });

  it('are listed once, by the earliest of several records', async () => {
    const stream = await create();
    const at = (seconds: number) => sql`now() - make_interval(secs => ${seconds})`;
    const records = [
      ['a', 'guest_1', at(30)],
      ['b', 'guest_1', at(40)],
      ['c', 'guest_2', at(35)],
      ['d', 'guest_1', at(40)],
      ['e', 'guest_3', at(20)],
    ] as const;
    for (const [name, viewer, joinedAt] of records)
      await one.node.db.execute(sql`
        INSERT INTO stream_watchings (stream_id, id, viewer, via, joined_at, seen_at)
        VALUES (${stream.id}, ${`${stream.id}_${name}`}, ${viewer}, 'whep', ${joinedAt}, now())`);
    const list = (page: object) =>
      one
        .ask(host, 'streaming.getViewers', { streamId: stream.id, ...page })
        .then((viewers) => viewers.map(({ id }) => id));
    expect(await list({})).toEqual(['guest_1', 'guest_2', 'guest_3']);
    expect(await list({ limit: 1, offset: 1 })).toEqual(['guest_2']);
  });

  it('need a token for a private stream, and are disconnected by a ban', async () => {
    const stream = await create({ isPublic: false });
    const admit = (token: string | null) => two.gateway.admit(stream.id, token, subnetsOf('192.0.2.1'));
    for (const invalid of [null, 'nonsense'])
      await expect(admit(invalid)).rejects.toMatchObject({ code: 'AUTHENTICATION_REQUIRED' });
    const { token } = await one.ask(host, 'streaming.getViewerToken', { streamId: stream.id });
    expect((await admit(token)).walletAddress).toBeNull();
    await one.ask(host, 'streaming.resetKey', { streamId: stream.id });
    await expect(admit(token)).rejects.toMatchObject({ code: 'AUTHENTICATION_REQUIRED' });
    await expect(two.gateway.admit(newId('str'), null, subnetsOf('192.0.2.1'))).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });

    const open = await create();
    const ben = newWallet().address;
    let removed = 0;
    const watching = await watch(one, open.id, ben, { walletAddress: ben, onRemoved: () => removed++ });
    await one.gateway.watching(open.id, watching);
    await one.ask(host, 'streaming.ban', { streamId: open.id, walletAddress: ben });
    await until(() => removed === 1, 'the viewer is disconnected');
    await expect(one.gateway.watching(open.id, watching)).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
    await counts(open, 0);
  });

  it('by HLS that come back to a private stream need the token that admitted them', async () => {
    const stream = await create({ isPublic: false });
    const { token } = await one.ask(host, 'streaming.getViewerToken', { streamId: stream.id });
    const stays = await watch(one, stream.id, 'guest_1.1_x', { via: 'hls', token });
    const goes = await watch(one, stream.id, 'guest_2.2_x', { via: 'hls', token });
    const comesBack = async (streamId: string, player: typeof goes) => {
      await one.gateway.stoppedWatching(streamId, player.watchingId);
      await two.gateway.watching(streamId, player);
    };
    await comesBack(stream.id, goes);
    const refusal = { code: 'AUTHENTICATION_REQUIRED', reason: 'token_needed' };
    for (const wrong of [null, 'nonsense']) {
      const player = { ...goes, token: wrong };
      await expect(comesBack(stream.id, player)).rejects.toMatchObject(refusal);
    }
    await one.ask(host, 'streaming.resetKey', { streamId: stream.id });
    await expect(comesBack(stream.id, goes)).rejects.toMatchObject(refusal);
    // Who is still watching goes on.
    await two.gateway.watching(stream.id, stays);

    const open = await create();
    const guest = await watch(one, open.id, 'guest_3.3_x', { via: 'hls', token: null });
    await comesBack(open.id, guest);
    await one.node.db.execute(sql`UPDATE streams SET is_public = false WHERE id = ${open.id}`);
    await two.gateway.watching(open.id, guest);
    await expect(comesBack(open.id, guest)).rejects.toMatchObject(refusal);
  });

  it('are renewed with one statement, which waits for nothing', async () => {
    const stream = await create();
    const { db } = one.node;
    const ids: string[] = [];
    for (let index = 0; index < 5; index++)
      ids.push((await watch(one, stream.id, `guest ${index}`)).watchingId);
    const other = await watch(two, (await create()).id, 'guest');
    const age = sql`UPDATE stream_watchings SET seen_at = now() - interval '40 seconds' WHERE stream_id = ${stream.id}`;
    await db.execute(age);
    const [changing = '', ...free] = ids;
    await one.gateway.stoppedWatching(stream.id, free.pop() ?? '');
    await two.node.db.transaction(async (tx) => {
      await tx.execute(sql`SELECT FROM stream_watchings WHERE id = ${changing} FOR UPDATE`);
      const queries = vi.spyOn(pg.Pool.prototype, 'query');
      const renewed = await one.gateway.stillWatching(stream.id, [...ids, other.watchingId, 'unknown']);
      const count = queries.mock.calls.filter(([query]) =>
        JSON.stringify(query).includes('stream_watchings'),
      );
      queries.mockRestore();
      expect([...renewed].sort()).toEqual([...free].sort());
      expect(count).toHaveLength(1);
    });
    const { rows } = await db.execute<{ id: string }>(sql`SELECT id FROM stream_watchings
      WHERE stream_id = ${stream.id} AND seen_at > now() - interval '30 seconds' ORDER BY id`);
    expect(rows.map(({ id }) => id)).toEqual([...free].sort());
    expect(await one.gateway.stillWatching(stream.id, [changing])).toEqual(new Set([changing]));
  });

  describe('who stop at the same time', () => {
    const all = Array.from({ length: 200 }, (_, index) => `guest ${index}`);
    /** How many statements have compared players with their records, and the most at a time. */
    let compared: { total: number; atOnce: number };

    beforeEach(() => {
      compared = { total: 0, atOnce: 0 };
      let running = 0;
      const query = Reflect.get(pg.Pool.prototype, 'query') as (...args: unknown[]) => Promise<unknown>;
      function counted(this: pg.Pool, ...args: unknown[]): unknown {
        if (!JSON.stringify(args).includes(String.raw`select \"id\" from \"stream_watchings\"`))
          return query.apply(this, args);
        compared.total++;
        compared.atOnce = Math.max(compared.atOnce, ++running);
        return query.apply(this, args).finally(() => running--);
      }
      vi.spyOn(pg.Pool.prototype, 'query').mockImplementation(counted);
    });
    afterEach(() => vi.restoreAllMocks());

    it('are not compared with their records, because their node knows that they are gone', async () => {
      const stream = await create();
      const stays = { removed: 0, onRemoved: () => void stays.removed++ };
      await watch(one, stream.id, 'another', stays);
      const players = await Promise.all(all.map((viewer) => watch(one, stream.id, viewer, stays)));
      await Promise.all(players.map(({ watchingId }) => one.gateway.stoppedWatching(stream.id, watchingId)));
      await counts(stream, 1);
      expect(compared.total).toBe(0);
      expect(stays.removed).toBe(0);
    });

    it('make a node compare its own players one time after another, if they are of another node', async () => {
      const stream = await create();
      const own = { removed: 0, onRemoved: () => void own.removed++ };
      const [, removed] = [
        await watch(one, stream.id, 'stays', own),
        await watch(one, stream.id, 'goes', own),
      ];
      const players = await Promise.all(all.map((viewer) => watch(two, stream.id, viewer)));
      await two.gateway.stoppedWatching(stream.id, removed.watchingId);
      await Promise.all(players.map(({ watchingId }) => one.gateway.stoppedWatching(stream.id, watchingId)));
      await until(() => own.removed === 1, 'the player whose record is gone is cut off');
      await counts(stream, 1);
      expect(compared.total).toBeGreaterThan(0);
      expect(compared.atOnce).toBe(1);
    });
  });

  it('are compared with their records however many there are', async () => {
    const stream = await create();
    const { watchingId } = await watch(one, stream.id, 'guest');
    const store = new WatchingStore(one.node.db, one.node.registry);
    // More than the parameters that a statement may have.
    const ids = Array.from({ length: 70_000 }, (_, index) => `par_${index}`);
    expect(await store.known(stream.id, [...ids, watchingId])).toEqual(new Set([watchingId]));
  });

  it('are not disconnected when they arrive during a sweep', async () => {
    const stream = await create();
    let removed = 0;
    const more = { onRemoved: () => removed++ };
    await watch(one, stream.id, 'first', more);
    let isOver = false;
    const sweeps = Array.from({ length: 3 }, async () => {
      while (!isOver) await one.rules.maintenance.sweep(() => true);
    });
    for (let index = 0; index < 60; index++) await watch(one, stream.id, `guest ${index}`, more);
    isOver = true;
    await Promise.all(sweeps);
    expect(removed).toBe(0);
  });

  it('are disconnected when the stream ends', async () => {
    const stream = await create();
    let removed = 0;
    const { publisher } = await publish(one, stream);
    const watching = await watch(one, stream.id, 'guest', { onRemoved: () => removed++ });
    await one.ask(host, 'streaming.end', { streamId: stream.id });
    await until(() => removed === 1 && publisher.replaced === 1, 'viewer and publisher are notified');
    await expect(one.gateway.watching(stream.id, watching)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(one.gateway.admit(stream.id, null, subnetsOf('192.0.2.1'))).rejects.toMatchObject({
      code: 'CONFLICT',
    });
  });
});

it('counts the guests of one network up to a limit, and guests of other networks and wallets in addition', async () => {
  const stream = await create();
  const watch = async (ip: string) => {
    const { viewer } = await one.gateway.admit(stream.id, null, subnetsOf(ip));
    await one.gateway.watching(stream.id, {
      watchingId: newId('par'),
      viewer,
      walletAddress: null,
      via: 'hls',
    });
    return viewer;
  };
  const viewers: string[] = [];
  for (let guest = 0; guest < 60; guest++) viewers.push(await watch('192.0.2.1'));
  expect(new Set(viewers).size).toBe(60);
  expect(viewers.every((viewer) => viewer.length <= 64 && !viewer.includes('192'))).toBe(true);
  await until(async () => (await status(stream)).viewerCount === 50, 'fifty viewers');
  await watch('192.0.2.2');
  const wallet = newWallet().address;
  const own = { watchingId: newId('par'), viewer: wallet, walletAddress: wallet, via: 'whep' } as const;
  await one.gateway.watching(stream.id, own);
  await until(async () => (await status(stream)).viewerCount === 52, 'two more viewers');
});
