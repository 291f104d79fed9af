import type { BrowserContext, Page } from 'playwright-core';
import { goTo, sees } from './console.ts';
import { until } from './until.ts';

/* What a person does on the console's pages of streams. */

/** Makes a stream on the page for that, and ends up on its own. @returns its id */
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

/** From the stream's page; resolves when it is live. */
export async function goLive(page: Page, picture: 'Camera' | 'Screen' = 'Camera'): Promise<void> {
  await page.getByTestId('set-up-live').click();
  await page.getByTestId('live-source').getByText(picture).click();
  await page.getByTestId('live-quality').selectOption('720p');
  await page.getByTestId('go-live-now').click();
  await sees(page, 'own-video');
  await isIn(page, 'live');
}

/** Waits until the page says that the stream is so. */
export const isIn = (page: Page, state: 'idle' | 'live' | 'away' | 'ended') =>
  page.locator(`[data-testid=stream-state][data-state=${state}]`).first().waitFor();

/** Waits until the stream plays by HLS, and goes on. */
export async function playsByHls(page: Page): Promise<void> {
  const video = page.locator('[data-testid=watch-video][data-way=hls]');
  await video.waitFor();
  const time = () =>
    video.evaluate(({ currentTime, videoWidth }: HTMLVideoElement) => (videoWidth > 0 ? currentTime : 0));
  await until(async () => (await time()) > 0, 'the first of it', 60_000);
  const before = await time();
  await until(async () => (await time()) > before + 1, 'it goes on', 60_000);
}

/** A browser without WebRTC. */
export const withoutWebrtc = (context: BrowserContext) =>
  context.addInitScript(() => {
    Reflect.deleteProperty(window, 'RTCPeerConnection');
  });

/** A browser that plays nothing aloud before somebody has clicked. */
export const withQuietAutoplay = (context: BrowserContext) =>
  context.addInitScript(() => {
    // What tests look at counts as a click for the browser itself.
    let hasClicked = false;
    document.addEventListener('pointerdown', () => (hasClicked = true), { capture: true });
    const play: (this: HTMLMediaElement) => Promise<void> = Reflect.get(HTMLMediaElement.prototype, 'play');
    HTMLMediaElement.prototype.play = function (this: HTMLMediaElement) {
      if (this.muted || hasClicked) return play.call(this);
      return Promise.reject(new DOMException('the user has not clicked yet', 'NotAllowedError'));
    };
  });
