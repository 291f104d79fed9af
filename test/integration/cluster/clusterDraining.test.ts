import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { MediaCluster } from '../../../media/MediaCluster.ts';
import { RoomOwners } from '../../../media/cluster/RoomOwners.ts';
import { record } from '../../harness/media/mediaFixtures.ts';
import { closeAll, type Closer } from '../../../platform/Closer.ts';
import { answerError } from '../../../server/http/errors.ts';
import { createHls, createPackager } from '../../../server/compose/createHls.ts';
import { RtmpServer } from '../../../server/streaming/rtmp/RtmpServer.ts';
import type { FfmpegSlots } from '../../../server/streaming/FfmpegSlots.ts';
import { memoryLimiters } from '../../../platform/limits/limiters.ts';
import { LimitFactory } from '../../../platform/limits/Limits.ts';
import { publisherIdentity } from '../../../signaling/streaming/StreamGateway.ts';
import { ffmpegSlots } from '../../harness/media/ffmpegs.ts';
import { fetchWhenReady } from '../../harness/nodes/fetchWhenReady.ts';
import { FakeStreamGateway } from '../../harness/media/FakeStreamGateway.ts';
import { freePorts, mediaPorts } from '../../harness/nodes/ports.ts';
import { FfmpegPublisher } from '../../harness/clients/FfmpegPublisher.ts';
import { WhipWhepPeer } from '../../harness/clients/WhipWhepPeer.ts';
import { TestNodes, type TestNode } from '../../harness/nodes/TestNodes.ts';
import { until } from '../../harness/until.ts';
import { openNode } from '../streaming/webrtcSupport.ts';
import { onlyKey } from '../../../platform/keys.ts';

/* The node that owns a stream's room drains. The stream is published by RTMP, with HLS and a plain RTP egress, or by WHIP, with WHEP. */

const log = pino({ level: 'silent' });
const closers: Closer[] = [];
const media: TestNode[] = [];
let signaling: TestNode;
let gateway: FakeStreamGateway;
let hlsUrl: string;
let rtmpPort: number;
let webrtcUrl: string;

beforeAll(async () => {
  const nodes = await TestNodes.create();
  closers.push(['nodes', () => nodes.close()]);
  const slots = ffmpegSlots();
  // The test drains two of these nodes.
  for (let index = 0; index < 3; index++) media.push(await mediaNode(nodes, slots));
  signaling = await nodes.open('signaling');
  await nodes.waitForEachOther(signaling, ...media);
  gateway = new FakeStreamGateway(signaling.media);
  hlsUrl = await serveHls(signaling.media);
  rtmpPort = await freePorts();
  const rtmp = await RtmpServer.listen({
    host: '127.0.0.1',
    port: rtmpPort,
    gateway: gateway,
    cluster: signaling.media,
    slots,
    log,
    ffmpeg: 'ffmpeg',
  });
  closers.push(['RTMP', () => rtmp.close()]);
  const { db, media: cluster } = signaling;
  const webrtc = await openNode({ db, cluster, stream: gateway }, { whip: 100, whep: 100 });
  closers.push(['WHIP and WHEP', () => webrtc.close()]);
  webrtcUrl = webrtc.url;
});
afterAll(() => closeAll(closers, log));

async function mediaNode(nodes: TestNodes, slots: FfmpegSlots): Promise<TestNode> {
  const node = await nodes.open('media');
  const folder = await mkdtemp(join(tmpdir(), 'parley-draining-'));
  closers.push(['folder', () => rm(folder, { recursive: true, force: true })]);
  const packager = await createPackager({
    config: { FFMPEG_BIN: 'ffmpeg', DATA_DIR: folder, HLS_IDLE_SECONDS: 30 },
    local: node.local,
    slots,
    log,
    listen: { ip: '127.0.0.1', ports: mediaPorts },
  });
  closers.push(['segments', () => packager.close()]);
  return node;
}

async function serveHls(cluster: MediaCluster): Promise<string> {
  const hls = createHls({
    cluster,
    gateway: gateway,
    limitFactory: new LimitFactory(memoryLimiters),
    perMinute: 30,
    secrets: { keys: () => onlyKey(Buffer.alloc(32, 1)) },
  });
  const http = createServer(express().use('/hls', hls.router).use(answerError)).listen(0, '127.0.0.1');
  await once(http, 'listening');
  closers.push(['HLS', () => (hls.close(), http.close())]);
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/hls/${gateway.playbackId}`;
}

/** Opens the playlist as a player does, and returns a function that fetches its present state. */
async function play(): Promise<() => Promise<{ sequence: number; packages: string[] }>> {
  const master = await (await fetchWhenReady(`${hlsUrl}/index.m3u8?token=${gateway.token}`)).text();
  const playlist = master.trim().split('\n').at(-1) ?? '';
  return async () => {
    const answer = await fetch(`${hlsUrl}/${playlist}`);
    const text = answer.ok ? await answer.text() : '';
    const paths = [...text.matchAll(/^[^#\s].*$/gm)].map(([path]) => path.split('/').slice(0, -1).join('/'));
    const sequence = Number(/EXT-X-MEDIA-SEQUENCE:(\d+)/.exec(text)?.[1] ?? 0);
    return { sequence, packages: [...new Set(paths)] };
  };
}

async function ownerOf(roomId: string): Promise<TestNode> {
  const owner = await new RoomOwners(signaling.db).find(roomId);
  return media.find(({ registry }) => registry.id === owner?.nodeId) as TestNode;
}

/** Opens an egress of the publisher, as a recording does. */
async function egress(peerId: string): Promise<{ packets: () => number }> {
  const ports = { video: await freePorts(2), audio: await freePorts(2) };
  let packets = 0;
  for (const port of Object.values(ports)) {
    const socket = createSocket('udp4', () => packets++).bind(port, '127.0.0.1');
    await once(socket, 'listening');
    closers.push(['socket', () => void socket.close()]);
  }
  const { media: cluster } = signaling;
  const options = {
    peerId,
    tag: {},
    of: publisherIdentity,
    shows: 'camera' as const,
    ip: '127.0.0.1',
    ports,
  };
  const { tracks } = await cluster.room(gateway.streamId).openEgress(options);
  const ids = tracks.map(({ consumerId }) => consumerId);
  if (ids.length > 0) await cluster.room(gateway.streamId).resumeConsumers({ peerId, consumerIds: ids });
  return { packets: () => packets };
}

it('closes WHIP and WHEP connections, whose clients reconnect to a remaining node', async () => {
  const peers: WhipWhepPeer[] = [];
  const open = async (connecting: Promise<WhipWhepPeer>) => {
    const peer = await connecting;
    peers.push(peer);
    closers.push(['peer', () => peer.close()]);
    return peer;
  };
  const publish = () => open(WhipWhepPeer.publish(`${webrtcUrl}/whip`, gateway.key));
  const watch = () => open(WhipWhepPeer.watch(`${webrtcUrl}/whep/${gateway.playbackId}`, gateway.token));
  await publish();
  const viewer = await watch();
  await until(() => viewer.receivesVideo(), 'video');
  const draining = await ownerOf(gateway.streamId);

  await draining.registry.drain();

  for (const peer of peers) await until(() => peer.state !== 'connected', 'the connection closes');
  expect(gateway.publisher).toBe(null);
  expect(gateway.watchers.size).toBe(0);
  await publish();
  const again = await watch();
  await until(() => again.receivesVideo(), 'video from the new node');
  expect(await ownerOf(gateway.streamId)).not.toBe(draining);
  expect(peers.slice(0, 2).map(({ state }) => state)).not.toContain('connected');
  for (const peer of peers) peer.close();
  await until(() => gateway.publisher === null, 'the publisher is gone');
  gateway.calls.length = 0;
});

it('moves an RTMP stream: the publisher stays connected, HLS continues, and egress restarts', async () => {
  const pusher = new FfmpegPublisher(`rtmp://127.0.0.1:${rtmpPort}/live/${gateway.key}`, {
    size: '320x180',
    rate: 15,
  });
  closers.push(['publisher', () => pusher.kill()]);
  const flows = () => gateway.calls.filter((line) => line.startsWith('flows')).length;
  await until(() => flows() === 1, 'media arrives');
  const playlist = await play();
  const before = await until(async () => {
    const now = await playlist();
    return now.packages.length > 0 ? now : null;
  }, 'segments');
  const first = await egress('egress');
  await until(() => first.packets() > 20, 'the egress receives packets');

  const owners = new RoomOwners(signaling.db);
  const draining = await ownerOf(gateway.streamId);
  const seen = record(signaling.media)(gateway.streamId);
  await draining.registry.drain();

  await until(() => seen.roomMoving.length > 0, 'the peers are told to move');
  const moved = seen.roomMoving.flatMap(({ peers }) => peers.map(({ peerId }) => peerId));
  expect(moved.sort()).toEqual([gateway.publisher?.publisherId, 'egress'].sort());
  await until(() => flows() === 2, 'media arrives at the new node');
  expect(await ownerOf(gateway.streamId)).not.toBe(draining);
  expect((await owners.of(draining.registry.id)).size).toBe(0);
  // The same publisher, on the same connection.
  expect(pusher.isRunning).toBe(true);
  expect(gateway.calls.filter((line) => /^(claim|lost)/.test(line))).toHaveLength(1);

  const second = await until(async () => {
    const again = await egress(`egress ${Math.random()}`);
    // There are no packets until the publisher is in the room again.
    await until(() => again.packets() > 20, 'packets', 2_000).catch(() => null);
    return again.packets() > 20 ? again : null;
  }, 'a restarted egress receives packets');
  expect(second.packets()).toBeGreaterThan(20);
  const after = await until(async () => {
    const now = await playlist();
    return now.packages.some((one) => !before.packages.includes(one)) ? now : null;
  }, 'segments from the new node');
  expect(after.sequence).toBeGreaterThan(before.sequence);
  expect(seen.roomRestarted).toEqual([]);
});
