import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { closeAll, type Closer } from '../../../platform/Closer.ts';
import { answerError } from '../../../server/http/errors.ts';
import { createHls, createPackager } from '../../../server/compose/createHls.ts';
import { RtmpServer } from '../../../server/streaming/rtmp/RtmpServer.ts';
import { memoryLimiters } from '../../../platform/limits/limiters.ts';
import { LimitFactory } from '../../../platform/limits/Limits.ts';
import { fetchWhenReady } from '../../harness/nodes/fetchWhenReady.ts';
import { ownFfmpegProcesses, ffmpegSlots } from '../../harness/media/ffmpegs.ts';
import { FakeStreamGateway } from '../../harness/media/FakeStreamGateway.ts';
import { freePorts, mediaPorts } from '../../harness/nodes/ports.ts';
import { FfmpegPublisher } from '../../harness/clients/FfmpegPublisher.ts';
import { TestNodes, type TestNode } from '../../harness/nodes/TestNodes.ts';
import { until } from '../../harness/until.ts';
import { onlyKey } from '../../../platform/keys.ts';

/* RTMP arrives at one node, the room is on another, and players request HLS from two nodes without the media role. */

const log = pino({ level: 'silent' });
const closers: Closer[] = [];
const urls: string[] = [];
let gateway: FakeStreamGateway;
let port: number;

beforeAll(async () => {
  const nodes = await TestNodes.create();
  closers.push(['nodes', () => nodes.close()]);
  const folder = await mkdtemp(join(tmpdir(), 'parley-cluster-hls-'));
  closers.push(['folder', () => rm(folder, { recursive: true, force: true })]);
  const { local } = await nodes.open('media');
  const slots = ffmpegSlots();
  const packager = await createPackager({
    config: { FFMPEG_BIN: 'ffmpeg', DATA_DIR: folder, HLS_IDLE_SECONDS: 30 },
    local,
    slots,
    log,
    listen: { ip: '127.0.0.1', ports: mediaPorts },
  });
  closers.push(['segments', () => packager.close()]);
  const [first, second] = [await nodes.open('signaling'), await nodes.open('signaling')];
  gateway = new FakeStreamGateway(first.media);
  for (const node of [first, second]) urls.push(await serve(node));
  port = await freePorts();
  const cluster = first.media;
  const rtmp = await RtmpServer.listen({
    host: '127.0.0.1',
    port,
    gateway: gateway,
    cluster,
    slots,
    log,
    ffmpeg: 'ffmpeg',
  });
  closers.push(['RTMP', () => rtmp.close()]);
});
afterAll(() => closeAll(closers, log));

async function serve({ media }: TestNode): Promise<string> {
  const hls = createHls({
    gateway: gateway,
    limitFactory: new LimitFactory(memoryLimiters),
    perMinute: 30,
    cluster: media,
    secrets: { keys: () => onlyKey(Buffer.alloc(32, 1)) },
  });
  const http = createServer(express().use('/hls', hls.router).use(answerError)).listen(0, '127.0.0.1');
  await once(http, 'listening');
  closers.push(['HLS', () => (hls.close(), http.close())]);
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/hls/${gateway.playbackId}`;
}

it('packages on one node and serves the same segments from every node', async () => {
  const pusher = new FfmpegPublisher(`rtmp://127.0.0.1:${port}/live/${gateway.key}`);
  closers.push(['publisher', () => pusher.kill()]);
  await until(() => gateway.calls.some((line) => line.startsWith('flows')), 'media arrives');
  const [one = '', other = ''] = urls;
  const master = await (await fetchWhenReady(`${one}/index.m3u8?token=${gateway.token}`)).text();
  const playlist = master.trim().split('\n').at(-1) ?? '';
  expect((await fetchWhenReady(`${other}/index.m3u8?token=${gateway.token}`)).status).toBe(200);
  // A load balancer may send each request of a player to another node.
  const segments = async (url: string) => {
    const text = await (await fetchWhenReady(`${url}/${playlist}`)).text();
    return [...text.matchAll(/^[^#\s].*$/gm)].map(([path]) => path);
  };
  const [path] = await segments(one);
  expect(await segments(other)).toContain(path);
  const files = await Promise.all(
    urls.map(async (url) => Buffer.from(await (await fetch(`${url}/${path}`)).arrayBuffer())),
  );
  expect(files[0]?.length).toBeGreaterThan(5_000);
  expect(files[0]?.equals(files[1] ?? Buffer.alloc(0))).toBe(true);
  const running = await ownFfmpegProcesses();
  expect(running.filter(({ args }) => args.includes('hls'))).toHaveLength(1);
  // Packets to another node are encrypted.
  const ingest = running.find(({ args }) => args.includes('live_flv') && args.includes('pipe:0'));
  expect(ingest?.args.filter((arg) => arg.startsWith('srtp://'))).toHaveLength(2);
  // Other users of a machine can read arguments.
  expect(ingest?.args).not.toContain('-srtp_out_params');
});
