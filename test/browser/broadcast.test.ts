import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import type Hls from 'hls.js';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LiveStream } from '../../sdk/src/index.ts';
import { launchChromium } from '../harness/browser/browser.ts';
import { allCommandLines } from '../harness/media/ffmpegs.ts';
import { oneNode, type OneNode } from '../harness/nodes/Harness.ts';
import { freePorts } from '../harness/nodes/ports.ts';
import { FfmpegPublisher } from '../harness/clients/FfmpegPublisher.ts';
import type { TestClient } from '../harness/clients/TestClient.ts';
import { until } from '../harness/until.ts';

/* ffmpeg publishes by RTMP, as OBS does, to a real server; a browser plays the stream by HLS. */

let harness: OneNode;
let browser: Browser;
let host: TestClient;
let stream: LiveStream;
const pushers: FfmpegPublisher[] = [];

declare global {
  interface Window {
    Hls: typeof Hls;
    player: Hls;
  }
}

beforeAll(async () => {
  harness = await oneNode({ RTMP_PORT: String(await freePorts()), STREAM_RECONNECT_SECONDS: '30' });
  browser = await launchChromium();
  host = await harness.client();
});
afterAll(async () => {
  await browser?.close();
  await harness?.close();
});
beforeEach(async () => {
  stream = await host.parley.streaming.create({ title: 'Friday' });
});
afterEach(async () => {
  await Promise.all(pushers.splice(0).map((pusher) => pusher.kill()));
});

function push(form: ConstructorParameters<typeof FfmpegPublisher>[1] = {}): FfmpegPublisher {
  const pusher = new FfmpegPublisher(`${stream.rtmpUrl}/${stream.streamKey}`, form);
  pushers.push(pusher);
  return pusher;
}

const now = () => host.parley.streaming.get(stream.id);
const isSending = (sending = true) =>
  until(async () => (await now()).isSending === sending, `the stream is ${sending ? '' : 'not '}sending`);

const hlsCode = () => readFile(createRequire(import.meta.url).resolve('hls.js/dist/hls.js'), 'utf8');

/** Opens a page that plays the stream, as any site could. */
async function play(): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 320, height: 200 } });
  await page.setContent('<video muted autoplay></video>');
  await page.addScriptTag({ content: await hlsCode() });
  await page.evaluate((url) => {
    // Lets a browser that was briefly too busy catch up.
    window.player = new window.Hls({ maxLiveSyncPlaybackRate: 1.5 });
    window.player.loadSource(url);
    window.player.attachMedia(document.querySelector('video') ?? document.createElement('video'));
  }, stream.playbackUrl);
  return page;
}

/** The state of the player. */
const stateOf = (page: Page) =>
  page.evaluate(() => {
    const video = document.querySelector('video');
    return {
      time: video?.currentTime ?? 0,
      width: video?.videoWidth ?? 0,
      audioBytes:
        (video as { webkitAudioDecodedByteCount?: number } | null)?.webkitAudioDecodedByteCount ?? 0,
    };
  });

describe('an RTMP stream', () => {
  it('plays in a browser by HLS', async () => {
    // A small video, because the browser renders without a GPU.
    push({ size: '320x180', rate: 15 });
    await isSending();
    expect((await now()).status).toBe('live');
    const page = await play();
    await until(async () => (await stateOf(page)).time > 2, 'the stream plays');
    const state = await stateOf(page);
    expect(state.width).toBe(320);
    expect(state.audioBytes).toBeGreaterThan(0);
    // Players stay three segments behind. The actual delay also depends on the machine, so only the segment length is checked.
    const segmentSeconds = await page.evaluate(() => window.player.latestLevelDetails?.targetduration);
    expect(segmentSeconds).toBeGreaterThan(0);
    expect(segmentSeconds).toBeLessThanOrEqual(2);
    await until(async () => (await now()).viewerCount === 1, 'one viewer');
    await host.parley.streaming.end(stream.id);
    await until(async () => (await fetch(stream.playbackUrl)).status !== 200, 'the playlist is gone');
    expect([404, 409, 410]).toContain((await fetch(stream.playbackUrl)).status);
    await page.close();
  });

  it('continues after an interruption of ten seconds, and its key appears in no log or command line', async () => {
    const first = push();
    await isSending();
    const { startedAt } = await now();
    await first.kill();
    await isSending(false);
    await delay(10_000);
    expect((await now()).status).toBe('live');
    push();
    await isSending();
    expect((await now()).startedAt).toEqual(startedAt);
    const others = (await allCommandLines()).filter(
      ({ args }) => !args.some((arg) => arg.startsWith('rtmp:')),
    );
    const key = stream.streamKey;
    expect(key).toMatch(/^sk_/);
    expect(others.filter(({ args }) => args.join(' ').includes(key))).toEqual([]);
    expect(harness.server.log).toContain('RTMP ingest started');
    expect(harness.server.log).not.toContain(key);
    // A reset revokes the former key and disconnects its publisher.
    const disconnected = pushers.at(-1);
    await host.parley.streaming.resetKey(stream.id);
    await disconnected?.exited();
    const refused = push();
    await refused.exited();
    await host.parley.streaming.end(stream.id);
  });

  it('plays with a viewer token if it is private', async () => {
    await host.parley.streaming.end(stream.id);
    stream = await host.parley.streaming.create({ title: 'Private', isPublic: false });
    push();
    await isSending();
    expect((await fetch(stream.playbackUrl)).status).toBe(401);
    const { token } = await host.parley.streaming.getViewerToken(stream.id);
    const url = `${stream.playbackUrl}?token=${encodeURIComponent(token)}`;
    // On a busy machine the first requests get 503 until the first segments exist. Players retry too.
    await until(async () => (await fetch(url)).status === 200, 'the playlist');
    const player = spawn(
      'ffprobe',
      ['-v', 'error', '-show_entries', 'stream=codec_name', '-of', 'csv=p=0', url],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    let found = '';
    player.stdout.setEncoding('utf8').on('data', (text: string) => (found += text));
    await once(player, 'close');
    expect([...new Set(found.split('\n').filter(Boolean))].sort()).toEqual(['aac', 'h264']);
    await host.parley.streaming.end(stream.id);
  });
});
