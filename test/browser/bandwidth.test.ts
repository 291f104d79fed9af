import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchChromium } from '../harness/browser/browser.ts';
import { MeetingRoom, receivedVideo } from '../harness/clients/MeetingRoom.ts';
import { NetworkNamespace } from '../harness/nodes/NetworkNamespace.ts';
import { measureUntil } from '../harness/measureUntil.ts';
import type { WireFinding } from '../../sdk/protocol/quality.ts';
import { findCauses } from '../../signaling/quality/findCauses.ts';
import { until } from '../harness/until.ts';

/*
 * A receiver with little bandwidth, in a separate network namespace. A token bucket (tc tbf) limits the bandwidth. Like a modem, it
 * queues packets, and drops them when the queue is full.
 */

declare global {
  interface Window {
    /** Height of the last frame shown. */
    shownHeight: number;
  }
}

/** The documented maximum times for switching to the small and to the large layer (docs/decisions/11-video.md). */
const [smallWithinMs, largeWithinMs] = [5_000, 30_000];

const roomId = 'room_narrow';
let network: NetworkNamespace;
let meetingRoom: MeetingRoom;
let [sender, receiver]: (Browser | undefined)[] = [];

beforeAll(async () => {
  network = NetworkNamespace.create();
  meetingRoom = await MeetingRoom.open({ listenIp: network.hostAddress }, network.hostAddress);
  await meetingRoom.cluster.openRoom(roomId);
  sender = await launchChromium({
    whole: true,
    args: [`--unsafely-treat-insecure-origin-as-secure=${meetingRoom.url}`],
  });
  receiver = await network.launchChromium(meetingRoom.url);
});
afterAll(async () => {
  await Promise.all([sender?.close(), receiver?.close()]);
  await meetingRoom?.close();
  await network?.remove();
});

it('switches a receiver with 300 kbit/s to the small layer, and back when the limit is lifted', async () => {
  if (!sender || !receiver) throw new Error('no browsers');
  const ann = await meetingRoom.enter(sender, roomId, { width: 640, height: 360, isNoisy: true });
  const near = await meetingRoom.enter(sender, roomId, null);
  const far = await meetingRoom.enter(receiver, roomId, null);
  const heightOf = async ({ page }: typeof far) => (await receivedVideo(page, roomId, ann.wallet)).height;
  await until(async () => (await heightOf(far)) === 360, 'the large layer');
  const qualities: (number | null)[] = [];
  meetingRoom.cluster.on('quality', ({ peer, receiving }) => {
    const { participant } = peer.tag as { participant: { walletAddress: string } };
    if (participant.walletAddress === far.wallet) qualities.push(receiving);
  });

  // Wait for full speed before limiting the bandwidth.
  await waitForStableHeight(far.page, 360);
  await watchFrames(far.page);
  const shows = (height: number) => async () => (await shownHeight(far.page)) === height;
  await until(shows(360), 'the large layer on the page');
  await measureUntil(() => network.limit(300), shows(180), 'the small layer', smallWithinMs);
  const { frames } = await receivedVideo(far.page, roomId, ann.wallet);
  await until(
    async () => (await receivedVideo(far.page, roomId, ann.wallet)).frames > frames + 5,
    'the video continues',
  );
  await until(() => qualities.some((quality) => quality !== null && quality <= 5), 'its quality is reported');
  // Other receivers are not affected.
  await until(async () => (await heightOf(near)) === 360, 'the large layer for the other receiver');

  const isToBlame = ({ cause, walletAddress }: WireFinding) =>
    cause === 'participant_network' && walletAddress === far.wallet;
  await until(() => findings().some(isToBlame), 'the network of this receiver is to blame');
  expect(findings().filter(({ walletAddress }) => walletAddress !== far.wallet)).toEqual([]);
  await until(shows(180), 'the small layer still');
  await measureUntil(() => network.limit(null), shows(360), 'the large layer', largeWithinMs);
});

/** What the reports of all devices say. */
const findings = () =>
  findCauses(
    [...meetingRoom.samples].map(([walletAddress, samples]) => ({ walletAddress, samples })),
    [],
  );

/** Records the height of each frame shown, because statistics lag behind on a busy machine. */
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

/** Waits until the video has had this height for two seconds. */
async function waitForStableHeight(page: Page, height: number): Promise<void> {
  let since = performance.now();
  await until(async () => {
    const [wallet] = await page.evaluate(() =>
      window.seen.map(({ payload }) => (payload as { wallet: string }).wallet),
    );
    if ((await receivedVideo(page, roomId, wallet ?? '')).height !== height) since = performance.now();
    return performance.now() - since > 2_000;
  }, `a stable height of ${height}`);
}
