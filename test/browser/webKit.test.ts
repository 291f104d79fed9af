import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebKit, WebKitHangs } from '../harness/browser/WebKit.ts';
import { FfmpegPublisher } from '../harness/clients/FfmpegPublisher.ts';
import { oneNode, type OneNode } from '../harness/nodes/Harness.ts';
import { freePorts } from '../harness/nodes/ports.ts';
import { until } from '../harness/until.ts';

/* The console in WebKit, the engine of Safari. Debian's build has no WebRTC, as Safari in lockdown mode. */

let harness: OneNode;
let webKit: WebKit;

beforeAll(async () => {
  const RTMP_PORT = String(await freePorts());
  [harness, webKit] = await Promise.all([oneNode({ RTMP_PORT }), WebKit.launch()]);
});
afterAll(async () => {
  await webKit?.close();
  await harness?.close();
});

it('signs in with a click, chats, and is told that it cannot call', async () => {
  const ben = await harness.client();
  await webKit.goto(harness.url());
  await webKit.click('try-wallet');
  const own = await webKit.attribute('my-address', 'data-address');
  await webKit.type('callee', ben.address);
  await webKit.click('start-video');
  await webKit.shows('This browser cannot make calls');

  await ben.parley.messages.send({ to: own, content: 'Hello WebKit', type: 'text' });
  await webKit.goto(`${harness.url()}/chats/${ben.address}`);
  await webKit.shows('Hello WebKit');
  await webKit.type('compose', 'Hello Ben\uE007');
  expect(await ben.event('message:received')).toMatchObject({ from: own, content: 'Hello Ben' });
  expect(ben.seen('call:incoming')).toEqual([]);
});

async function play(url: string): Promise<void> {
  await webKit.goto(url);
  const seconds = () =>
    webKit.run<number>(`
      const video = document.querySelector('video');
      return video && video.videoWidth === 640 ? video.currentTime : 0`);
  let before = 0;
  await until(async () => (before = await seconds()) > 0, 'WebKit plays');
  await until(async () => (await seconds()) > before + 1, 'WebKit goes on').catch(async (error: unknown) => {
    if (error instanceof WebKitHangs) throw error;
    // It stood still once, on a busy machine, for an unknown reason.
    const state = await webKit.run<string>(`
      const { currentTime, readyState, networkState, paused, seeking, error, buffered } = document.querySelector('video');
      const ranges = Array.from({ length: buffered.length }, (_, at) => [buffered.start(at), buffered.end(at)]);
      return JSON.stringify({ currentTime, readyState, networkState, paused, seeking, error: error?.message, ranges })`);
    throw new Error(`WebKit does not go on: ${state}`, { cause: error });
  });
}

// WebKitGTK 2.50 can block itself while it begins to play on a busy machine: its main thread sends an event to GStreamer and waits, and the
// thread of its media source waits for the main thread. No page can do anything about that, so another browser tries.
it('plays a live stream by HLS', async () => {
  const host = await harness.client();
  const stream = await host.parley.streaming.create({ title: 'For WebKit' });
  const publisher = new FfmpegPublisher(`${stream.rtmpUrl}/${stream.streamKey}`);
  try {
    await until(async () => (await host.parley.streaming.get(stream.id)).isSending, 'the stream is live');
    await play(stream.watchUrl).catch(async (error: unknown) => {
      if (!(error instanceof WebKitHangs)) throw error;
      await webKit.close();
      webKit = await WebKit.launch();
      await play(stream.watchUrl);
    });
  } finally {
    await publisher.kill();
  }
});
