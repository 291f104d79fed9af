import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, it } from 'vitest';
import { launchChromium } from '../harness/browser.ts';
import { MeetingRoom, receivedVideo } from '../harness/MeetingRoom.ts';
import { NetworkNamespace } from '../harness/NetworkNamespace.ts';
import { measureUntil } from '../harness/measureUntil.ts';
import { until } from '../harness/until.ts';

/*
 * A receiver behind a narrow line, in a network namespace of its own. The line is narrowed by a token bucket (tc tbf), which queues
 * and then drops as a modem does.
 */

declare global {
  interface Window {
    /** Of the last frame. */
    shownHeight: number;
  }
}

/** The promised figures (docs/decisions/11-video.md). */
const [smallWithinMs, largeWithinMs] = [5_000, 30_000];

const roomId = 'room_narrow';
let network: NetworkNamespace;
let meetingRoom: MeetingRoom;
let [sender, receiver]: (Browser | undefined)[] = [];

beforeAll(async () => {
  network = NetworkNamespace.create();
  meetingRoom = await MeetingRoom.open({ listenIp: network.hostAddress }, network.hostAddress);
  await meetingRoom.cluster.openRoom(roomId);
  sender = await launchChromium({ args: [`--unsafely-treat-insecure-origin-as-secure=${meetingRoom.url}`] });
  receiver = await network.launchChromium(meetingRoom.url);
});
afterAll(async () => {
  await Promise.all([sender?.close(), receiver?.close()]);
  await meetingRoom?.close();
  await network?.remove();
});

it('a receiver cut to 300 kbit/s gets the small picture, and the large one back after', async () => {
  if (!sender || !receiver) throw new Error('no browsers');
  const ann = await meetingRoom.enter(sender, roomId, { width: 640, height: 360, isNoisy: true });
  const near = await meetingRoom.enter(sender, roomId, null);
  const far = await meetingRoom.enter(receiver, roomId, null);
  const heightOf = async ({ page }: typeof far) => (await receivedVideo(page, roomId, ann.wallet)).height;
  await until(async () => (await heightOf(far)) === 360, 'the large picture');
  const qualities: (number | null)[] = [];
  meetingRoom.cluster.on('quality', ({ peer, receiving }) => {
    const { participant } = peer.tag as { participant: { walletAddress: string } };
    if (participant.walletAddress === far.wallet) qualities.push(receiving);
  });

  // At full speed, before anything happens to it.
  await standsAt(far.page, 360);
  await watchFrames(far.page);
  const shows = (height: number) => async () => (await shownHeight(far.page)) === height;
  await until(shows(360), 'the large picture on the page');
  await measureUntil(() => network.limit(300), shows(180), 'the small picture', smallWithinMs);
  const { frames } = await receivedVideo(far.page, roomId, ann.wallet);
  await until(
    async () => (await receivedVideo(far.page, roomId, ann.wallet)).frames > frames + 5,
    'it moves',
  );
  await until(() => qualities.some((quality) => quality !== null && quality <= 5), 'its quality is told');
  // Nobody else notices.
  await until(async () => (await heightOf(near)) === 360, 'the large picture, to who has the line for it');

  await until(shows(180), 'the small picture still');
  await measureUntil(() => network.limit(null), shows(360), 'the large picture', largeWithinMs);
});

/** Notes what the page shows, frame by frame: statistics take their time, the more so the busier the machine is. */
const watchFrames = (page: Page) =>
  page.evaluate(() => {
    const video = document.querySelector('video') as HTMLVideoElement;
    const onFrame = (_now: number, { height }: VideoFrameCallbackMetadata) => {
      window.shownHeight = height;
      video.requestVideoFrameCallback(onFrame);
    };
    video.requestVideoFrameCallback(onFrame);
  });
const shownHeight = (page: Page) => page.evaluate(() => window.shownHeight);

/** Waits until this height has been there for two seconds. */
async function standsAt(page: Page, height: number): Promise<void> {
  let since = performance.now();
  await until(async () => {
    const [wallet] = await page.evaluate(() =>
      window.seen.map(({ payload }) => (payload as { wallet: string }).wallet),
    );
    if ((await receivedVideo(page, roomId, wallet ?? '')).height !== height) since = performance.now();
    return performance.now() - since > 2_000;
  }, `a picture ${height} high that stays`);
}
