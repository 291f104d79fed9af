import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LiveStream } from '../../sdk/src/types.ts';
import { launchChromium, newContext } from '../harness/browser/browser.ts';
import { oneNode, type OneNode } from '../harness/nodes/Harness.ts';
import { publishIn, restartIceIn, statsIn, watchIn, type Playing } from '../harness/browser/rtcPages.ts';
import type { TestClient } from '../harness/clients/TestClient.ts';
import { until } from '../harness/until.ts';

/*
 * Publishing by WHIP and playing by WHEP with pages that use only RTCPeerConnection and fetch, against a complete server.
 */

let node: OneNode;
let browser: Browser;
let host: TestClient;
let stream: LiveStream;
let studio: Page;
let viewer: Page;

beforeAll(async () => {
  node = await oneNode({ LOG_LEVEL: 'debug' });
  browser = await launchChromium();
  host = await node.client();
});
afterAll(async () => {
  await browser?.close();
  await node?.close();
});

beforeEach(async () => {
  stream = await host.parley.streaming.create({ title: 'Friday' });
  [studio, viewer] = await Promise.all([openPage(), openPage()]);
  return async () => {
    await Promise.all([studio.context().close(), viewer.context().close()]);
    await host.parley.streaming.end(stream.id);
  };
});

async function openPage(): Promise<Page> {
  const page = await (await newContext(browser)).newPage();
  await page.goto(`${node.url()}/healthz`);
  return page;
}

const publish = (page = studio, options: object = {}) =>
  publishIn(page, { url: stream.whipUrl, credential: stream.streamKey, ...options });
const watch = (options: object = {}, page = viewer) => watchIn(page, { url: stream.whepUrl, ...options });
const get = () => host.parley.streaming.get(stream.id);

/** Waits until the player has decoded further video and audio. */
async function plays(page = viewer, name = 'player'): Promise<Playing> {
  const before = await statsIn(page, name);
  return until(async () => {
    const now = await statsIn(page, name);
    const isMoving = now.framesDecoded > before.framesDecoded + 5 && now.framesShown > before.framesShown;
    return isMoving && now.audioEnergy > before.audioEnergy ? now : null;
  }, 'video and audio');
}

const end = (location = '') => fetch(`${node.url()}${location}`, { method: 'DELETE' });

describe('a publishing and a playing page', () => {
  it('transmit video and audio, and the stream is live', async () => {
    const published = await publish();
    expect(published.status).toBe(201);
    await until(async () => (await get()).status === 'live', 'the stream is live');
    const watched = await watch();
    expect(watched.status).toBe(201);
    expect((await plays()).videoCodec).toBe('video/VP8');
    await until(async () => (await get()).viewerCount === 1, 'the viewer is counted');

    expect((await end(watched.headers['location'])).status).toBe(200);
    await until(async () => (await get()).viewerCount === 0, 'the viewer has left');
    expect((await end(published.headers['location'])).status).toBe(200);
    await until(async () => !(await get()).isSending, 'the stream waits');
    expect((await get()).status).toBe('live');
    expect((await end(published.headers['location'])).status).toBe(404);
  });

  it('use the payload types of Firefox and GStreamer at the same time', async () => {
    await publish();
    const likeFirefox = { 111: '109', 96: '120', 98: '121', 108: '126' };
    const likeGStreamer = { 111: '97', 96: '102' };
    const watched = await watch({ name: 'fox', renumber: likeFirefox });
    expect(watched.body).toContain('a=rtpmap:120 VP8/90000');
    const second = await openPage();
    expect((await watch({ name: 'gst', renumber: likeGStreamer }, second)).body).toContain(
      'a=rtpmap:102 VP8/90000',
    );
    await plays(viewer, 'fox');
    await plays(second, 'gst');
    await second.context().close();
  });

  it('play H264 if the publisher sends it', async () => {
    await publish(studio, { codec: 'video/h264' });
    await watch();
    expect((await plays()).videoCodec).toBe('video/H264');
  });

  it('use the largest simulcast layer', async () => {
    const layers = [
      { rid: 'h', scaleResolutionDownBy: 1 },
      { rid: 'm', scaleResolutionDownBy: 2 },
    ];
    const { body } = await publish(studio, { layers });
    expect(body).toMatch(/a=simulcast:recv h;m/);
    await watch();
    await plays();
    await until(
      () => viewer.evaluate(() => document.querySelector('video')?.videoWidth === 640),
      'the largest layer',
    );
  });

  it('continue after an ICE restart of either page', async () => {
    const published = await publish();
    const watched = await watch();
    await plays();
    const restarted = await restartIceIn(
      studio,
      `${node.url()}${published.headers['location']}`,
      'publisher',
    );
    expect(restarted.status).toBe(200);
    expect(restarted.headers['etag']).not.toBe(published.headers['etag']);
    expect((await restartIceIn(viewer, `${node.url()}${watched.headers['location']}`, 'player')).status).toBe(
      200,
    );
    await plays();
    expect(await statsIn(viewer, 'player')).toMatchObject({ state: 'connected' });
  });
});

describe('a second publisher', () => {
  it('plays for existing viewers, even with another codec', async () => {
    await publish();
    await watch();
    await plays();
    await studio.evaluate(() => window.connections['publisher']?.close());
    await until(async () => !(await get()).isSending, 'the stream waits');
    await publish(studio, { codec: 'video/h264' });
    await until(async () => (await get()).isSending, 'the stream continues');
    await until(async () => (await statsIn(viewer, 'player')).videoCodec === 'video/H264', 'the other codec');
    await plays();
  });

  it('replaces the first one', async () => {
    const first = await publish();
    await watch();
    await plays();
    const second = await openPage();
    expect((await publish(second)).status).toBe(201);
    await until(
      async () => (await statsIn(studio, 'publisher')).state !== 'connected',
      'the first publisher is disconnected',
    );
    await plays();
    expect((await end(first.headers['location'])).status).toBe(404);
    await second.context().close();
  });
});

describe('a private stream', () => {
  it('plays with a viewer token, in the header or the URL', async () => {
    const closed = await host.parley.streaming.create({ title: 'Closed', isPublic: false });
    const at = { url: closed.whepUrl };
    await publishIn(studio, { url: closed.whipUrl, credential: closed.streamKey });
    expect((await watchIn(viewer, at)).status).toBe(401);
    const { token } = await host.parley.streaming.getViewerToken(closed.id);
    expect((await watchIn(viewer, { ...at, credential: token })).status).toBe(201);
    await plays();
    const second = await openPage();
    expect((await watchIn(second, { url: `${closed.whepUrl}?token=${token}` })).status).toBe(201);
    await plays(second);
    await host.parley.streaming.end(closed.id);
    await until(
      async () => (await statsIn(viewer, 'player')).state !== 'connected',
      'the viewer is disconnected',
    );
    await second.context().close();
  });

  it('rejects a wrong key and keeps the real stream key out of the log', async () => {
    expect((await publish(studio, { credential: 'sk_wrong' })).status).toBe(401);
    expect((await publish()).status).toBe(201);
    expect(node.server.log).not.toContain(stream.streamKey);
  });
});
