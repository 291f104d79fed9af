import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WatchedStream } from '../../sdk/src/player/index.ts';
import {
  allReceive,
  launchChromium,
  leave,
  openClient,
  openUnclicked,
  received,
  smallVideo,
  type BrowserClient,
} from '../harness/browser/browser.ts';
import { browserOnOneNode } from '../harness/browser/browserOnOneNode.ts';
import { until, untilUnchanged } from '../harness/until.ts';

const { harness, client, pair } = browserOnOneNode();

const start = ({ page }: BrowserClient, streamId: string) =>
  page.evaluate(([id, video]) => window.parley.streaming.start({ streamId: id, video, quality: '720p' }), [
    streamId,
    smallVideo,
  ] as const);
const watch = ({ page }: BrowserClient, streamId: string) =>
  page.evaluate(async (id) => (await window.parley.streaming.watch(id)).status, streamId);
const stateOf = ({ page }: BrowserClient, streamId: string) =>
  page.evaluate((id) => window.parley.streaming.get(id), streamId);

/** What a page plays from a publisher: the sources of the tracks, the number of video tracks, and the width of the widest video. */
const shownBy = ({ page }: BrowserClient, { address }: BrowserClient) =>
  page.evaluate((wallet) => {
    const elements = [...document.querySelectorAll<HTMLVideoElement>(`[id^='${wallet}']`)];
    return {
      tracks: [...window.tracks.keys()].map((key) => key.replace(`${wallet} `, '')),
      videoTracks: elements.flatMap(({ srcObject }) => (srcObject as MediaStream).getVideoTracks()).length,
      width: Math.max(0, ...elements.map(({ videoWidth = 0 }) => videoWidth)),
    };
  }, address);

/** Waits until no new frames arrive. */
const waitForStandstill = (of: BrowserClient, streamId: string) =>
  untilUnchanged(async () => (await received(of.page, streamId)).framesDecoded, 'the video stops');

describe('a stream from a browser', () => {
  it('plays in another browser, can be muted, and continues after a reload of the publisher', async () => {
    const [alice, bob] = await pair();
    const id = await alice.page.evaluate(
      async () => (await window.parley.streaming.create({ title: 'Browser' })).id,
    );
    // The viewer joins before the stream starts.
    expect(await watch(bob, id)).toBe('idle');
    await start(alice, id);
    await allReceive(id, bob);
    await until(async () => (await stateOf(bob, id)).isSending, 'the stream is live');
    expect(await stateOf(bob, id)).toMatchObject({ status: 'live', streamKey: '' });
    const asked = await alice.page.evaluate(async (stream) => {
      const { sending } = await window.parley.media.stats(stream);
      return sending.filter(({ type }) => type === 'outbound-rtp').length;
    }, id);
    expect(asked).toBeGreaterThanOrEqual(2);

    await alice.page.evaluate((stream) => window.parley.streaming.muteVideo(stream), id);
    await waitForStandstill(bob, id);
    await alice.page.evaluate((stream) => window.parley.streaming.unmuteVideo(stream), id);
    await allReceive(id, bob);

    // Once the stream is restarted with audio only, no video track remains.
    await alice.page.evaluate(
      (stream) => window.parley.streaming.start({ streamId: stream, video: false }),
      id,
    );
    const { audioEnergy } = await received(bob.page, id);
    await until(async () => (await received(bob.page, id)).audioEnergy !== audioEnergy, 'the audio');
    expect(await shownBy(bob, alice)).toEqual({ tracks: ['microphone'], videoTracks: 0, width: 0 });

    await alice.page.reload();
    await alice.signIn();
    await until(async () => !(await stateOf(bob, id)).isSending, 'the stream waits');
    await start(alice, id);
    await until(async () => (await stateOf(bob, id)).isSending, 'the stream is back');
    await allReceive(id, bob);

    await alice.page.evaluate((stream) => window.parley.streaming.end(stream), id);
    await until(
      () =>
        bob.page.evaluate(
          (stream) =>
            window.parley.media.stats(stream).then(
              () => false,
              () => true,
            ),
          id,
        ),
      'the end of the stream',
    );
    expect(await stateOf(bob, id)).toMatchObject({ status: 'ended', endReason: 'ended' });
    await leave(alice, bob);
  });

  it('continues after publisher and viewer lost their connections', async () => {
    const [alice, bob] = await pair();
    const id = await alice.page.evaluate(
      async () => (await window.parley.streaming.create({ title: 'Browser' })).id,
    );
    await start(alice, id);
    await watch(bob, id);
    await allReceive(id, bob);
    await harness().server.kill();
    await harness().server.start();
    await until(async () => {
      const state = await stateOf(bob, id).catch(() => null);
      return state?.status === 'live' && state.isSending;
    }, 'the stream is back');
    await allReceive(id, bob);
    await leave(alice, bob);
  }, 120_000);
});

describe('in a browser that allows neither the camera nor sound before a click', () => {
  let strict: Browser;

  beforeAll(async () => {
    const args = ['--autoplay-policy=document-user-activation-required'];
    strict = await launchChromium({ grant: false, args });
  });
  afterAll(() => strict?.close());

  it('stays idle', async () => {
    const alice = await openClient(strict, harness().url());
    const outcome = await alice.page.evaluate(async () => {
      const { id } = await window.parley.streaming.create({ title: 'Browser' });
      const error = await window.parley.streaming.start({ streamId: id }).catch((thrown: unknown) => thrown);
      return [(error as { code: string }).code, (await window.parley.streaming.get(id)).status];
    });
    expect(outcome).toEqual(['PERMISSION_DENIED', 'idle']);
    await leave(alice);
  });

  it('says that sound is blocked, although no frame has arrived, and starts it in a click', async () => {
    const { context, page, evaluate } = await openUnclicked(strict, harness().url());
    await evaluate("import('/sdk/parley.js').then((sdk) => { window.sdk = sdk; })");
    const before = await evaluate(async () => {
      const client = (window.parley = new window.sdk.Parley({ apiKey: '' }));
      window.seen = [];
      const canvas = Object.assign(document.createElement('canvas'), { width: 320, height: 180 });
      const picture = canvas.getContext('2d') as CanvasRenderingContext2D;
      const sound = new AudioContext().createMediaStreamDestination().stream;
      // The canvas sends no frame before something is drawn.
      const stream = new MediaStream([...canvas.captureStream(10).getTracks(), ...sound.getTracks()]);
      const video = document.body.appendChild(document.createElement('video'));
      const isBlocked = new Promise<boolean>((resolve) =>
        client.on('media:playback', (payload) => {
          window.seen.push({ name: 'media:playback', payload });
          resolve(payload.isBlocked);
        }),
      );
      client.media.play(video, stream);
      const first = await isBlocked;
      const refusal = await client.media.startAudio().then(
        () => null,
        ({ code }: { code: string }) => code,
      );
      setInterval(() => picture.fillRect(0, 0, Math.random() * 320, 180), 50);
      document.onclick = () => void client.media.startAudio();
      return { isBlocked: first, refusal, isMuted: video.muted };
    });
    expect(before).toEqual({ isBlocked: true, refusal: 'PERMISSION_DENIED', isMuted: true });
    const played = () =>
      evaluate(() => {
        const { muted = true, currentTime = 0 } = document.querySelector('video') ?? {};
        return { muted, hasPlayed: currentTime > 0 };
      });
    await expect.poll(played).toEqual({ muted: true, hasPlayed: true });
    await page.mouse.click(10, 10);
    await expect.poll(() => evaluate(() => window.seen.at(-1)?.payload)).toEqual({ isBlocked: false });
    expect(await played()).toEqual({ muted: false, hasPlayed: true });
    await context.close();
  });

  it('plays a stream without a wallet, muted until a click, until the stream ends', async () => {
    const alice = await client();
    const id = await alice.page.evaluate(
      async () => (await window.parley.streaming.create({ title: 'Open' })).id,
    );
    const { context, page, evaluate } = await openUnclicked(strict, harness().url());
    await evaluate(`import('/sdk/player.js').then(({ watchStream }) => {
      const element = document.body.appendChild(document.createElement('video'));
      window.watched = watchStream({ streamId: '${id}', element });
      document.onclick = () => (element.muted = false);
    })`);
    const shown = () =>
      evaluate(() => {
        const { watched } = window as never as { watched: WatchedStream };
        const { phase, way, hasMedia, isSilenced } = watched.state.get();
        const { muted = true, currentTime = 0, srcObject = null } = document.querySelector('video') ?? {};
        const isPlaying = srcObject !== null && currentTime > 0;
        return { phase, way, hasMedia, isSilenced, muted, isPlaying };
      });
    const waiting = { phase: 'open', way: 'webrtc', hasMedia: false, isSilenced: false, muted: false };
    await expect.poll(shown).toEqual({ ...waiting, isPlaying: false });
    await start(alice, id);
    const playing = { ...waiting, hasMedia: true, isPlaying: true };
    await expect.poll(shown).toEqual({ ...playing, isSilenced: true, muted: true });
    await page.mouse.click(10, 10);
    await expect.poll(shown).toEqual(playing);
    await alice.page.evaluate((stream) => window.parley.streaming.end(stream), id);
    await expect.poll(shown).toEqual({ ...waiting, phase: 'ended', isPlaying: false });
    await context.close();
    await leave(alice);
  });
});
