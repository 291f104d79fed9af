import type { BrowserContext, Page } from 'playwright-core';
import { goTo, waitForVideo } from './console.ts';
import { until } from '../until.ts';

/* Actions on the console's stream pages. */

/** Creates a stream and opens its page. @returns the stream's id */
export async function makeStream(
  page: Page,
  title: string,
  { isPrivate = false, isRecorded = false } = {},
): Promise<string> {
  await goTo(page, 'streams');
  await page.getByTestId('new-stream').click();
  await page.getByTestId('stream-title').fill(title);
  if (isPrivate) await page.getByTestId('stream-private').check();
  if (isRecorded) await page.getByTestId('stream-record').check();
  await page.getByTestId('create-stream').click();
  const studio = page.getByTestId('studio');
  await studio.waitFor();
  return (await studio.getAttribute('data-stream')) ?? '';
}

/** Goes live from the stream's page, and waits until the stream is live. */
export async function goLive(page: Page, source: 'Camera' | 'Screen' = 'Camera'): Promise<void> {
  await page.getByTestId('set-up-live').click();
  await page.getByTestId('live-source').getByText(source).click();
  await page.getByTestId('live-quality').selectOption('720p');
  await page.getByTestId('go-live-now').click();
  await waitForVideo(page, 'own-video');
  await waitForStreamState(page, 'live');
}

/** Waits until the page shows this state of the stream. */
export const waitForStreamState = (page: Page, state: 'idle' | 'live' | 'away' | 'ended') =>
  page.locator(`[data-testid=stream-state][data-state=${state}]`).first().waitFor();

/** Waits until the stream plays by HLS and keeps playing. */
export async function playsByHls(page: Page): Promise<void> {
  const video = page.locator('[data-testid=watch-video][data-way=hls]');
  await video.waitFor();
  const time = () =>
    video.evaluate(({ currentTime, videoWidth }: HTMLVideoElement) => (videoWidth > 0 ? currentTime : 0));
  await until(async () => (await time()) > 0, 'playback starts', 60_000);
  const before = await time();
  await until(async () => (await time()) > before + 1, 'playback continues', 60_000);
}

/** Removes WebRTC from the browser. */
export const withoutWebrtc = (context: BrowserContext) =>
  context.addInitScript(() => {
    Reflect.deleteProperty(window, 'RTCPeerConnection');
  });

/** Makes the browser refuse to play unmuted media before the first click. */
export const withQuietAutoplay = (context: BrowserContext) =>
  context.addInitScript(() => {
    // Chromium's own policy does not work here: it treats every action of Playwright as a click.
    let hasClicked = false;
    document.addEventListener('pointerdown', () => (hasClicked = true), { capture: true });
    const play: (this: HTMLMediaElement) => Promise<void> = Reflect.get(HTMLMediaElement.prototype, 'play');
    HTMLMediaElement.prototype.play = function (this: HTMLMediaElement) {
      if (this.muted || hasClicked) return play.call(this);
      return Promise.reject(new DOMException('the user has not clicked yet', 'NotAllowedError'));
    };
  });
