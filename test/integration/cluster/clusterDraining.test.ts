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
import { record } from '../../harness/mediaWorld.ts';
import { closeAll, type Closer } from '../../../platform/Closer.ts';
import { answerError } from '../../../server/http/errors.ts';
import { createHls, createPackager } from '../../../server/compose/createHls.ts';
import { RtmpServer } from '../../../server/streaming/rtmp/RtmpServer.ts';
import type { FfmpegSlots } from '../../../server/streaming/FfmpegSlots.ts';
import { memoryLimiters } from '../../../platform/limits/limiters.ts';
import { LimitFactory } from '../../../platform/limits/Limits.ts';
import { publisherIdentity } from '../../../signaling/streaming/StreamGateway.ts';
import { ffmpegSlots } from '../../harness/ffmpegs.ts';
import { fetchOnceThere } from '../../harness/fetchOnceThere.ts';
import { GatewayDoubles } from '../../harness/GatewayDoubles.ts';
import { freePorts, mediaPorts } from '../../harness/ports.ts';
import { Pusher } from '../../harness/Pusher.ts';
import { HttpPeer } from '../../harness/HttpPeer.ts';
import { TestNodes, type TestNode } from '../../harness/TestNodes.ts';
import { until } from '../../harness/until.ts';
import { openNode } from '../streaming/webrtcSupport.ts';

/* A stream comes by RTMP, is watched by HLS and tapped as recordings are, or by WHIP and WHEP; then the node that has its room leaves. */

const log = pino({ level: 'silent' });
const closers: Closer[] = [];
const media: TestNode[] = [];
let signaling: TestNode;
let gateway: GatewayDoubles;
let hlsUrl: string;
let rtmpPort: number;
let webrtcUrl: string;

beforeAll(async () => {
  const nodes = await TestNodes.create();
  closers.push(['nodes', () => nodes.close()]);
  const places = ffmpegSlots();
  // Two of them leave.
  for (let index = 0; index < 3; index++) media.push(await mediaNode(nodes, places));
  signaling = await nodes.open('signaling');
  await nodes.meet(signaling, ...media);
  gateway = new GatewayDoubles(signaling.media);
  hlsUrl = await serveHls(signaling.media);
  rtmpPort = await freePorts();
  const rtmp = await RtmpServer.listen({
    host: '127.0.0.1',
    port: rtmpPort,
    gateway: gateway,
    cluster: signaling.media,
    slots: places,
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

async function mediaNode(nodes: TestNodes, places: FfmpegSlots): Promise<TestNode> {
  const node = await nodes.open('media');
  const folder = await mkdtemp(join(tmpdir(), 'parley-draining-'));
  closers.push(['folder', () => rm(folder, { recursive: true, force: true })]);
  const packager = await createPackager({
    config: { FFMPEG_BIN: 'ffmpeg', DATA_DIR: folder, HLS_IDLE_SECONDS: 30 },
    local: node.local,
    slots: places,
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
    secrets: { derive: () => Buffer.alloc(32, 1) },
  });
  const http = createServer(express().use('/hls', hls.router).use(answerError)).listen(0, '127.0.0.1');
  await once(http, 'listening');
  closers.push(['HLS', () => (hls.close(), http.close())]);
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/hls/${gateway.playbackId}`;
}

/** A player's playlist, as it is at each moment. */
async function play(): Promise<() => Promise<{ sequence: number; packages: string[] }>> {
  const master = await (await fetchOnceThere(`${hlsUrl}/index.m3u8?token=${gateway.token}`)).text();
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

/** As a recording takes what is published. */
async function egress(peerId: string): Promise<{ packets: () => number }> {
  const ports = { video: await freePorts(2), audio: await freePorts(2) };
  let packets = 0;
  for (const port of Object.values(ports)) {
    const socket = createSocket('udp4', () => packets++).bind(port, '127.0.0.1');
    await once(socket, 'listening');
    closers.push(['socket', () => void socket.close()]);
  }
  const { media: cluster } = signaling;
  const egresses = {
    peerId,
    tag: {},
    of: publisherIdentity,
    shows: 'camera' as const,
    ip: '127.0.0.1',
    ports,
  };
  const { tracks } = await cluster.openEgress(gateway.streamId, egresses);
  const ids = tracks.map(({ consumerId }) => consumerId);
  if (ids.length > 0) await cluster.resumeConsumers(gateway.streamId, peerId, ids);
  return { packets: () => packets };
}

it('clients of WHIP and WHEP lose their connections at once, and begin anew on a node that stays', async () => {
  const peers: HttpPeer[] = [];
  const open = async (begin: Promise<HttpPeer>) => {
    const peer = await begin;
    peers.push(peer);
    closers.push(['peer', () => peer.close()]);
    return peer;
  };
  const publish = () => open(HttpPeer.publish(`${webrtcUrl}/whip`, gateway.key));
  const watch = () => open(HttpPeer.watch(`${webrtcUrl}/whep/${gateway.playbackId}`, gateway.token));
  await publish();
  const viewer = await watch();
  await until(() => viewer.sees(), 'the picture');
  const leaving = await ownerOf(gateway.streamId);

  await leaving.registry.drain();

  for (const peer of peers) await until(() => peer.state !== 'connected', 'its connection ends');
  expect(gateway.publisher).toBe(null);
  expect(gateway.watchers.size).toBe(0);
  await publish();
  const again = await watch();
  await until(() => again.sees(), 'the picture at its new place');
  expect(await ownerOf(gateway.streamId)).not.toBe(leaving);
  expect(peers.slice(0, 2).map(({ state }) => state)).not.toContain('connected');
  for (const peer of peers) peer.close();
  await until(() => gateway.publisher === null, 'they have gone');
  gateway.said.length = 0;
});

it('its stream moves: the publisher stays connected, players go on, and taps are told to begin anew', async () => {
  const pusher = new Pusher(`rtmp://127.0.0.1:${rtmpPort}/live/${gateway.key}`, {
    size: '320x180',
    rate: 15,
  });
  closers.push(['publisher', () => pusher.kill()]);
  const flows = () => gateway.said.filter((words) => words.startsWith('flows')).length;
  await until(() => flows() === 1, 'it flows');
  const playlist = await play();
  const before = await until(async () => {
    const now = await playlist();
    return now.packages.length > 0 ? now : null;
  }, 'segments');
  const first = await egress('tap');
  await until(() => first.packets() > 20, 'the tap is sent it');

  const owners = new RoomOwners(signaling.db);
  const leaving = await ownerOf(gateway.streamId);
  const seen = record(signaling.media)(gateway.streamId);
  await leaving.registry.drain();

  await until(() => seen.roomMoving.length > 0, 'all are told');
  const told = seen.roomMoving.flatMap(({ peers }) => peers.map(({ peerId }) => peerId));
  expect(told.sort()).toEqual([gateway.publisher?.publisherId, 'tap'].sort());
  await until(() => flows() === 2, 'it flows at its new place');
  expect(await ownerOf(gateway.streamId)).not.toBe(leaving);
  expect((await owners.of(leaving.registry.id)).size).toBe(0);
  // It is the same publisher, on the same connection.
  expect(pusher.isRunning).toBe(true);
  expect(gateway.said.filter((words) => /^(claim|lost)/.test(words))).toHaveLength(1);

  const second = await until(async () => {
    const again = await egress(`tap ${Math.random()}`);
    // Before the publisher is in the room again there is nothing to be sent.
    await until(() => again.packets() > 20, 'packets', 2_000).catch(() => null);
    return again.packets() > 20 ? again : null;
  }, 'a tap that begins anew is sent it');
  expect(second.packets()).toBeGreaterThan(20);
  const after = await until(async () => {
    const now = await playlist();
    return now.packages.some((one) => !before.packages.includes(one)) ? now : null;
  }, 'segments of the new place');
  expect(after.sequence).toBeGreaterThan(before.sequence);
  expect(seen.roomRestarted).toEqual([]);
});
