import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LocalMediaCluster } from '../../../media/cluster/LocalMediaCluster.ts';
import { openLocal } from '../../harness/media/mediaFixtures.ts';
import { runTool } from '../../../server/files/runTool.ts';
import { answerError } from '../../../server/http/errors.ts';
import { createHls, createPackager } from '../../../server/compose/createHls.ts';
import type { HlsPackager } from '../../../server/streaming/hls/HlsPackager.ts';
import { RtmpServer } from '../../../server/streaming/rtmp/RtmpServer.ts';
import { memoryLimiters } from '../../../platform/limits/limiters.ts';
import { LimitFactory } from '../../../platform/limits/Limits.ts';
import { fetchWhenReady } from '../../harness/nodes/fetchWhenReady.ts';
import { killProcess } from '../../harness/nodes/killProcess.ts';
import { ownFfmpegProcesses, ffmpegSlots } from '../../harness/media/ffmpegs.ts';
import { FakeStreamGateway } from '../../harness/media/FakeStreamGateway.ts';
import { freePorts, mediaPorts } from '../../harness/nodes/ports.ts';
import { FfmpegPublisher } from '../../harness/clients/FfmpegPublisher.ts';
import { until } from '../../harness/until.ts';
import { onlyKey } from '../../../platform/keys.ts';

/* One ffmpeg process publishes, another makes segments, and the tests fetch the segments as players do. */

const idleSeconds = 5;
let cluster: LocalMediaCluster;
let gateway: FakeStreamGateway;
let rtmp: RtmpServer;
let packager: HlsPackager;
let http: Server;
let folder: string;
let url: string;
let pusher: FfmpegPublisher;
let closeHls: () => void;

beforeAll(async () => {
  cluster = await openLocal();
});
afterAll(() => cluster?.close());

beforeEach(async () => {
  const log = pino({ level: 'silent' });
  const slots = ffmpegSlots();
  const port = await freePorts();
  gateway = new FakeStreamGateway(cluster);
  folder = await mkdtemp(join(tmpdir(), 'parley-hls-'));
  rtmp = await RtmpServer.listen({
    host: '127.0.0.1',
    port,
    gateway: gateway,
    cluster,
    slots,
    log,
    ffmpeg: 'ffmpeg',
  });
  packager = await createPackager({
    config: { FFMPEG_BIN: 'ffmpeg', DATA_DIR: folder, HLS_IDLE_SECONDS: idleSeconds },
    local: cluster,
    slots,
    log,
    listen: { ip: '127.0.0.1', ports: mediaPorts },
  });
  const hls = createHls({
    gateway: gateway,
    limitFactory: new LimitFactory(memoryLimiters),
    perMinute: 30,
    cluster,
    secrets: { keys: () => onlyKey(Buffer.alloc(32, 1)) },
  });
  closeHls = hls.close;
  http = createServer(express().use('/hls', hls.router).use(answerError)).listen(0, '127.0.0.1');
  await once(http, 'listening');
  url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/hls/${gateway.playbackId}`;
  pusher = new FfmpegPublisher(`rtmp://127.0.0.1:${port}/live/${gateway.key}`);
  await until(() => gateway.calls.some((words) => words.startsWith('flows')), 'the stream flows');
});
afterEach(async () => {
  await pusher?.kill();
  await rtmp?.close();
  await packager?.close();
  closeHls();
  http?.close();
  await cluster.closeRoom(gateway.streamId);
  await rm(folder, { recursive: true, force: true });
});

const packagers = async () => (await ownFfmpegProcesses()).filter(({ args }) => args.includes('hls'));

/** Fetches the master playlist. @returns the URL of the media playlist */
async function begin(token = `?token=${gateway.token}`): Promise<string> {
  const response = await fetchWhenReady(`${url}/index.m3u8${token}`);
  expect(response.status).toBe(200);
  const master = await response.text();
  return new URL(master.trim().split('\n').at(-1) ?? '', response.url).href;
}

interface Entry {
  url: string;
  at: number;
  seconds: number;
}

async function list(playlist: string): Promise<{ entries: Entry[]; text: string }> {
  const response = await fetchWhenReady(playlist);
  expect(response.status).toBe(200);
  expect(response.headers.get('cache-control')).toBe('no-store');
  const text = await response.text();
  const pattern = /#EXT-X-PROGRAM-DATE-TIME:(.*)\n#EXTINF:(.*),\n(.*)/g;
  const entries = [...text.matchAll(pattern)].map(([, at = '', seconds = '', path = '']) => ({
    url: new URL(path, playlist).href,
    at: Date.parse(at),
    seconds: Number(seconds),
  }));
  return { entries, text };
}

const segments = (playlist: string, count: number) =>
  until(async () => {
    const found = await list(playlist);
    return found.entries.length >= count ? found : null;
  }, `${count} segments`);

describe('HLS', () => {
  it('plays a stream a few seconds behind, and stops the packager when nobody watches', async ({
    onTestFinished,
  }) => {
    expect(await packagers()).toEqual([]);
    const startedAt = Date.now();
    const playlist = await begin();
    // Keeps the packager running, however long the test takes.
    const watching = setInterval(() => void fetch(playlist).then((response) => response.text(), String), 500);
    onTestFinished(() => clearInterval(watching));
    // If the machine stalled, a segment may be longer than a second. It leaves the playlist a few seconds later.
    let longest = 1;
    const { entries, text } = await until(async () => {
      const found = await segments(playlist, 5);
      longest = Math.max(longest, ...found.entries.map(({ seconds }) => seconds));
      return found.entries.every(({ seconds }) => seconds < 1.5) ? found : null;
    }, 'segments of a second');
    expect(await packagers()).toHaveLength(1);
    expect(text).toContain(`#EXT-X-TARGETDURATION:${Math.round(longest)}\n`);
    // A player starts three segments from the end. Segment times are extrapolated, so they may be off by up to a second.
    const newest = entries.at(-1);
    const endsAt = (newest?.at ?? 0) + (newest?.seconds ?? 0) * 1_000;
    const behindMs = endsAt - (entries.at(-3)?.at ?? 0);
    expect(behindMs).toBeGreaterThan(1_500);
    expect(behindMs).toBeLessThan(6_000);
    expect(entries[0]?.at).toBeGreaterThan(startedAt - 1_000);
    expect(endsAt).toBeLessThan(Date.now() + 1_000);
    const files = await Promise.all(entries.slice(-2).map((entry) => fetch(entry.url)));
    expect(files.map(({ status }) => status)).toEqual([200, 200]);
    expect(files[1]?.headers.get('content-type')).toBe('video/mp2t');
    expect(files[1]?.headers.get('cache-control')).toBe('public, max-age=3600, immutable');
    expect(files[1]?.headers.get('access-control-allow-origin')).toBe('*');
    const shown = ['-show_entries', 'stream=codec_name,width,profile', '-of', 'json'];
    const probed = await runTool(
      'ffprobe',
      ['-v', 'error', ...shown, '-live_start_index', '-3', `${url}/index.m3u8?token=${gateway.token}`],
      15,
    );
    const { streams } = JSON.parse(probed) as { streams: object[] };
    expect(streams).toContainEqual(expect.objectContaining({ codec_name: 'h264', width: 640 }));
    expect(streams).toContainEqual({ codec_name: 'aac', profile: 'LC' });
    expect(await packagers()).toHaveLength(1);
    // The two watchers are this test and ffprobe.
    expect(gateway.watchers.size).toBe(2);
    clearInterval(watching);
    await until(async () => (await packagers()).length === 0, 'the packager stops without requests');
    await until(async () => (await readdir(join(folder, 'hls'))).length === 0, 'its files are gone');
    // For earlier viewers the new package follows a marked discontinuity; new viewers start with it.
    const next = await until(async () => {
      const listed = await list(playlist).catch(() => null);
      return listed?.text.includes('#EXTINF') ? listed : null;
    }, 'the earlier viewer gets new segments');
    expect(discontinuitiesOf(next.text)).toBeGreaterThan(0);
    expect(discontinuitiesOf((await list(await begin())).text)).toBe(0);
  });

  it('restarts a killed ffmpeg and marks the discontinuity', async () => {
    const playlist = await begin();
    await segments(playlist, 3);
    const sequenceOf = (text: string) => Number(/MEDIA-SEQUENCE:(\d+)/.exec(text)?.[1]);
    const { text: first } = await list(playlist);
    const before = sequenceOf(first);
    expect(discontinuitiesOf(first)).toBe(0);
    const [ffmpeg] = await packagers();
    killProcess(ffmpeg?.pid);
    const found = await until(async () => {
      const { text, entries } = await list(playlist);
      return text.includes('/1-') ? { text, entries } : null;
    }, 'segments of the second run');
    expect(found.text).toMatch(/#EXT-X-DISCONTINUITY\n(#.*\n){2}[^#\s]+\/1-\d+\.ts/);
    expect(sequenceOf(found.text)).toBeGreaterThanOrEqual(before);
    const last = found.entries.at(-1);
    expect((await fetch(last?.url ?? '')).status).toBe(200);
  });

  it('deletes the files of earlier runs while a viewer watches', async () => {
    const playlist = await begin();
    await segments(playlist, 3);
    const [ffmpeg] = await packagers();
    killProcess(ffmpeg?.pid);
    const filesOfFirst = async () => {
      const names = await readdir(join(folder, 'hls'), { recursive: true });
      return names.filter((name) => name.includes('/0-'));
    };
    expect(await filesOfFirst()).toContainEqual(expect.stringContaining('0-0.ts'));
    const { text } = await until(async () => {
      const listed = await list(playlist);
      return (await filesOfFirst()).length === 0 ? listed : null;
    }, 'the files of the first run are gone');
    const listed = addressesIn(text).map((path) =>
      fetch(new URL(path, playlist)).then(({ status }) => status),
    );
    expect(new Set(await Promise.all(listed))).toEqual(new Set([200]));
  });

  it('admits only authorized viewers', async () => {
    const refused = await fetch(`${url}/index.m3u8`);
    expect(refused.status).toBe(401);
    expect(refused.headers.get('access-control-allow-origin')).toBe('*');
    expect(refused.headers.get('access-control-expose-headers')).toContain('Retry-After');
    expect((await fetch(`${url}/index.m3u8?token=wrong`)).status).toBe(401);
    expect((await fetch(`${url.replace('playback', 'other')}/index.m3u8`)).status).toBe(404);
    expect((await fetch(`${url}/live.m3u8`)).status).toBe(401);
    expect((await fetch(`${url}/live.m3u8?session=e30.AAAA`)).status).toBe(401);
    expect(await packagers()).toEqual([]);
    const bearer = { headers: { Authorization: `Bearer ${gateway.token}` } };
    expect((await fetchWhenReady(`${url}/index.m3u8`, bearer)).status).toBe(200);
    const playlist = await begin();
    const { entries } = await segments(playlist, 2);
    // The token stays with the session, because the viewer may come back when the stream has become private.
    expect([...gateway.watchers.values()].map(({ token }) => token)).toEqual([gateway.token]);
    const segment = entries.at(-1)?.url ?? '';
    expect((await fetch(segment)).status).toBe(200);
    expect((await fetch(segment.split('?')[0] ?? '')).status).toBe(403);
    expect((await fetch(segment.replace(/signature=(.)/, changed))).status).toBe(403);
    expect((await fetch(segment.replace(/\/[^/?]*\?/, '/..%2f..%2fsecret.key?'))).status).toBe(404);
    gateway.banned.add('a viewer');
    await until(async () => (await fetch(playlist)).status === 403, 'the ban applies');
    const attempts = Array.from({ length: 31 }, () => fetch(`${url}/index.m3u8?token=wrong`));
    expect((await Promise.all(attempts)).map(({ status }) => status)).toContain(429);
  });

  it('ends the playlist when the stream ends', async () => {
    const playlist = await begin();
    const { text } = await segments(playlist, 3);
    const fetchAll = (of: string) =>
      Promise.all(addressesIn(of).map((path) => fetch(new URL(path, playlist)).then(({ status }) => status)));
    expect(new Set(await fetchAll(text))).toEqual(new Set([200]));
    await gateway.end();
    const ended = await until(async () => {
      const now = await list(playlist);
      return now.text.includes('#EXT-X-ENDLIST') ? now : null;
    }, 'the playlist ends');
    // The remaining segments are still available.
    expect(ended.entries.length).toBeGreaterThan(0);
    expect(new Set(await fetchAll(ended.text))).toEqual(new Set([200]));
    expect((await fetch(`${url}/index.m3u8?token=${gateway.token}`)).status).toBe(404);
    await until(async () => (await packagers()).length === 0, 'the packager stops');
  });
});

/** URLs of the segments and initialization segments in a playlist. */
const addressesIn = (playlist: string) => [...playlist.matchAll(/^[^#\s].*$/gm)].map(([segment]) => segment);

const discontinuitiesOf = (playlist: string) => Number(/DISCONTINUITY-SEQUENCE:(\d+)/.exec(playlist)?.[1]);
const changed = (_text: string, first: string) => `signature=${first === 'A' ? 'B' : 'A'}`;
