import { describe, expect, it } from 'vitest';
import {
  allReceive,
  launchChromium,
  leave,
  openClient,
  received,
  smallVideo,
  type BrowserClient,
} from '../harness/browser/browser.ts';
import { browserOnOneNode } from '../harness/browser/browserOnOneNode.ts';
import { until, untilUnchanged } from '../harness/until.ts';

const { harness, pair } = browserOnOneNode();

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

  it('stays idle if the camera is denied', async () => {
    const refusing = await launchChromium({ grant: false });
    try {
      const alice = await openClient(refusing, harness().url());
      const outcome = await alice.page.evaluate(async () => {
        const { id } = await window.parley.streaming.create({ title: 'Browser' });
        const error = await window.parley.streaming
          .start({ streamId: id })
          .catch((thrown: unknown) => thrown);
        return [(error as { code: string }).code, (await window.parley.streaming.get(id)).status];
      });
      expect(outcome).toEqual(['PERMISSION_DENIED', 'idle']);
    } finally {
      await refusing.close();
    }
  });
});
