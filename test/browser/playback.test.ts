import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PlayerState } from '../../sdk/src/player/index.ts';
import { launchChromium, leave, openClient, smallVideo } from '../harness/browser/browser.ts';
import { oneNode, type OneNode } from '../harness/nodes/Harness.ts';
import { until } from '../harness/until.ts';

/* Chromium plays sound only after a click, as it does for users, and watches a stream without a wallet. */

let harness: OneNode;
let browser: Browser;

beforeAll(async () => {
  const args = ['--autoplay-policy=document-user-activation-required'];
  [harness, browser] = await Promise.all([oneNode(), launchChromium({ args })]);
});
afterAll(async () => {
  await browser?.close();
  await harness?.close();
});

it('plays sound after a click, and says that the browser blocks it until then', async () => {
  const { page, ...client } = await openClient(browser, harness.url());
  const before = await page.evaluate(async () => {
    const audio = new AudioContext();
    const out = audio.createMediaStreamDestination();
    const video = document.body.appendChild(document.createElement('video'));
    const canvas = document.createElement('canvas');
    canvas.getContext('2d');
    const picture = canvas.captureStream(10);
    const stream = new MediaStream([...picture.getTracks(), ...out.stream.getTracks()]);
    const blocked = new Promise<boolean>((resolve) =>
      window.parley.on('media:playback', ({ isBlocked }) => {
        window.seen.push({ name: 'media:playback', payload: { isBlocked } });
        resolve(isBlocked);
      }),
    );
    window.parley.media.play(video, stream);
    const isBlocked = await blocked;
    const refused = await window.parley.media.startAudio().then(
      () => '',
      (error: { code: string }) => error.code,
    );
    const button = document.body.appendChild(document.createElement('button'));
    button.textContent = 'Start';
    button.onclick = () => void window.parley.media.startAudio();
    return { isBlocked, refused, isMuted: video.muted };
  });
  expect(before).toEqual({ isBlocked: true, refused: 'PERMISSION_DENIED', isMuted: true });
  await page.getByText('Start').click();
  await until(
    () =>
      page.evaluate(() => {
        const video = document.querySelector('video');
        return video && !video.muted && !video.paused;
      }),
    'sound',
  );
  const last = await page.evaluate(() => window.seen.filter(({ name }) => name === 'media:playback').at(-1));
  expect(last?.payload).toEqual({ isBlocked: false });
  await leave({ page, ...client });
});

it('watches a stream without a wallet, from another page, until it ends', async () => {
  const host = await openClient(browser, harness.url());
  const streamId = await host.page.evaluate(async (video) => {
    const { id } = await window.parley.streaming.create({ title: 'Open' });
    await window.parley.streaming.start({ streamId: id, video, audio: true });
    return id;
  }, smallVideo);
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${harness.url()}/healthz`);
  const states = await page.evaluateHandle(
    `import('/sdk/player.js').then(({ watchStream }) => {
      const element = document.body.appendChild(document.createElement('video'));
      const seen = [];
      const watched = watchStream({ streamId: '${streamId}', element, onState: (state) => seen.push(state) });
      watched.state.subscribe(() => {});
      return { seen, watched };
    })`,
  );
  const state = () =>
    states.evaluate((value) => {
      const { seen } = value as { seen: PlayerState[] };
      const { phase = '', way = '', hasMedia = false, isSilenced = false } = seen.at(-1) ?? {};
      return { phase, way, hasMedia, isSilenced };
    });
  await expect.poll(state).toEqual({ phase: 'open', way: 'webrtc', hasMedia: true, isSilenced: true });
  await until(() => page.evaluate(() => (document.querySelector('video')?.currentTime ?? 0) > 0), 'video');
  await host.page.evaluate((id) => window.parley.streaming.end(id), streamId);
  await expect.poll(state).toMatchObject({ phase: 'ended', hasMedia: false });
  expect(await page.evaluate(() => document.querySelector('video')?.srcObject)).toBeNull();
  await context.close();
  await leave(host);
});
