import type { Page } from 'playwright-core';
import type { PrivateKeyAccount } from 'viem';
import { expect } from 'vitest';
import { until } from '../until.ts';

/* Actions on the console's pages, and checks of what they show. */

/** The screens that every page must fit. */
export const screens = [
  ['a small phone in dark mode', { viewport: { width: 360, height: 640 }, colorScheme: 'dark' }],
  ['a laptop', { viewport: { width: 1280, height: 800 }, colorScheme: 'light' }],
] as const;

/** Creates a trial wallet with one click. @returns its address */
export async function tryOut(page: Page): Promise<string> {
  await page.getByTestId('try-wallet').click();
  return ownAddress(page);
}

export async function ownAddress(page: Page): Promise<string> {
  return (await page.getByTestId('my-address').getAttribute('data-address')) ?? '';
}

export async function call(page: Page, address: string): Promise<void> {
  await page.getByTestId('callee').fill(address);
  await page.getByTestId('start-video').click();
}

/** Waits until a video is visible and has shown new frames. */
export async function waitForVideo(page: Page, testId = 'remote-video'): Promise<void> {
  const video = page.getByTestId(testId);
  await video.waitFor();
  const frames = () =>
    video.evaluate((element: HTMLVideoElement) =>
      element.videoWidth > 0 && !element.paused ? element.getVideoPlaybackQuality().totalVideoFrames : 0,
    );
  let before = await frames();
  await until(async () => {
    const now = await frames();
    // A new stream resets the counter.
    before = Math.min(before, now);
    return now > before + 5;
  }, `moving ${testId}`);
}

export const cameraIn = (page: Page) =>
  page
    .getByTestId('local-video')
    .evaluate(({ srcObject }: HTMLVideoElement) => (srcObject as MediaStream).getVideoTracks()[0]?.label);

/** How the browser processes the microphone that the page sends in a call. */
export const processingIn = (page: Page) =>
  page.getByTestId('local-video').evaluate(({ srcObject }: HTMLVideoElement) => {
    const settings = (srcObject as MediaStream).getAudioTracks()[0]?.getSettings();
    return [settings?.echoCancellation, settings?.noiseSuppression, settings?.autoGainControl];
  });

/** Waits until the page plays audible sound from the other party. */
export async function waitForAudio(page: Page): Promise<void> {
  const level = () =>
    page.getByTestId('remote-video').evaluate(async (element: HTMLVideoElement) => {
      if (!(element.srcObject instanceof MediaStream) || element.muted) return 0;
      if (element.srcObject.getAudioTracks().length === 0) return 0;
      const context = new AudioContext();
      const analyser = new AnalyserNode(context, { fftSize: 32_768 });
      context.createMediaStreamSource(element.srcObject).connect(analyser);
      const samples = new Float32Array(analyser.fftSize);
      // Listen for more than a second: the microphone beeps once a second, and the analyser covers only the last two thirds of a second.
      const startedAt = performance.now();
      let peak = 0;
      while (peak < 0.02 && performance.now() - startedAt < 1_500) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
        analyser.getFloatTimeDomainData(samples);
        peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
      }
      await context.close();
      return peak;
    });
  await page.getByTestId('remote-video').waitFor({ state: 'attached' });
  await until(async () => (await level()) >= 0.02, 'sound of the other party');
}

export async function ended(page: Page, outcome: string): Promise<void> {
  await expect.poll(() => page.getByTestId('call-summary').getAttribute('data-outcome')).toBe(outcome);
  await expect.poll(() => page.getByTestId('in-call').count()).toBe(0);
}

export async function inHistory(page: Page, direction: string, status: string): Promise<void> {
  const items = page.getByTestId('history-item');
  await items.waitFor();
  await expect.poll(() => items.getAttribute('data-direction')).toBe(direction);
  await expect.poll(() => items.getAttribute('data-status')).toBe(status);
}

export async function problem(page: Page): Promise<{ code: string | null; text: string | null }> {
  const alert = page.getByTestId('problem');
  return { code: await alert.getAttribute('data-code'), text: await alert.textContent() };
}

/** Opens a page through the navigation. On a phone, pages missing from the bottom bar are in the sheet behind "More". */
export async function goTo(page: Page, name: string): Promise<void> {
  const link = page.getByTestId(`to-${name}`);
  const more = page.getByTestId('to-more');
  await link.or(more).first().waitFor();
  const isInSheet = !(await link.isVisible());
  if (isInSheet) await more.click();
  await link.click();
  // While the sheet closes, its links are still there, and would be taken for those of the page.
  if (isInSheet) await link.waitFor({ state: 'hidden' });
}

export const focused = (page: Page) =>
  page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset['testid'] ?? null);

/** Presses Tab until this element has the focus. */
export async function tabTo(page: Page, testId: string): Promise<void> {
  await page.getByTestId(testId).first().waitFor();
  const passed: (string | null)[] = [];
  for (let pressed = 0; pressed < 50; pressed++) {
    const at = await focused(page);
    if (at === testId) return;
    passed.push(at);
    await page.keyboard.press('Tab');
  }
  throw new Error(`50 presses of Tab do not reach ${testId}: ${passed.join(', ')}`);
}

/** Waits until this element is visible, animations have ended, nothing is wider than the window and no control lies outside it. */
export async function fits(page: Page, testId: string): Promise<void> {
  await page.getByTestId(testId).first().waitFor();
  const found = () =>
    page.evaluate(() => ({
      tooWide: Math.max(0, document.documentElement.scrollWidth - innerWidth),
      outside: [...document.querySelectorAll<HTMLElement>('button, a, input, h1, h2, [data-testid]')]
        .filter((element) => element.checkVisibility({ visibilityProperty: true }))
        .filter((element) => {
          const { left, right } = element.getBoundingClientRect();
          return left < -0.5 || right > innerWidth + 0.5;
        })
        .map((element) => element.dataset['testid'] ?? element.outerHTML.slice(0, 80)),
    }));
  await expect
    .poll(found, { message: `the screen with ${testId}`, timeout: 5_000 })
    .toEqual({ tooWide: 0, outside: [] });
}

/** Denies access to camera and microphone, as if the user had blocked them in the browser's settings. */
export async function blockDevices(page: Page): Promise<void> {
  await page.evaluate(() => {
    navigator.mediaDevices.getUserMedia = () =>
      Promise.reject(new DOMException('Permission denied', 'NotAllowedError'));
  });
}

/** Waits until the call shows this connection state. */
export async function connection(page: Page, state: 'connected' | 'reconnecting'): Promise<void> {
  await page.locator(`[data-testid=call-connection][data-state=${state}]`).waitFor({ state: 'attached' });
}

export async function recordBanners(page: Page): Promise<void> {
  await page.evaluate(() => {
    window.banners = [];
    const banner = document.querySelector('[data-testid=call-connection]') as HTMLElement;
    new MutationObserver(() => {
      if (banner.textContent) window.banners.push(banner.textContent);
    }).observe(banner, { childList: true, subtree: true, characterData: true });
  });
}

/** Creates an API key on its page. @returns the secret */
export async function createKey(page: Page, name: string): Promise<string> {
  await page.getByTestId('create-key').click();
  await page.getByTestId('key-name').fill(name);
  await page.getByTestId('create-key-submit').click();
  return storedSecret(page);
}

/** Reads the secret that is shown, and closes the dialog. @returns the secret */
export async function storedSecret(page: Page): Promise<string> {
  const secret = (await page.getByTestId('secret').textContent()) ?? '';
  await page.getByTestId('secret-stored').check();
  await page.getByTestId('secret-done').click();
  await page.getByTestId('new-secret').waitFor({ state: 'detached' });
  return secret;
}

/** Holds the page's requests. @returns lets them through */
export async function hold(page: Page, url: string): Promise<() => void> {
  let release = () => {};
  const isReleased = new Promise<void>((resolve) => (release = resolve));
  await page.route(url, async (route) => {
    await isReleased;
    await route.continue();
  });
  return release;
}

/** Answers every sign-in of the page like a server whose database is away. */
export const refuseSignIns = (page: Page) =>
  page.route('**/api/v1/auth/**', (route) =>
    route.fulfill({
      status: 503,
      // Longer than the SDK waits for another attempt.
      headers: { 'Retry-After': '60' },
      json: { error: 'service_unavailable', message: 'The database does not answer.' },
    }),
  );

export const clipboardOf = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

/** Simulates the user switching back to this window from another. */
export const focusWindow = (page: Page) => page.evaluate(() => window.dispatchEvent(new Event('focus')));

/** Refocuses the window until it shows the data, because the server may store key uses and requests up to a second late. */
export async function refreshed(page: Page, shows: () => Promise<boolean | undefined>): Promise<void> {
  await until(async () => {
    await focusWindow(page);
    return shows();
  }, 'the page shows the data after regaining the focus');
}

/** What a test wallet needs. To simulate a user who refuses to sign, make signMessage() throw. */
export type WalletAccount = Pick<PrivateKeyAccount, 'address' | 'signMessage'>;

declare global {
  interface Window {
    askWallet: (method: string, params: unknown) => Promise<{ result?: unknown; error?: unknown }>;
  }
}

/** Adds a wallet to everything this page loads from now on, as an extension does (EIP-1193 and EIP-6963). */
export async function withWallet(page: Page, account: WalletAccount): Promise<void> {
  await page.exposeFunction('askWallet', (method: string, params: string[]) => ask(account, method, params));
  await page.addInitScript(announceWallet);
}

/** The response of a wallet. Errors are plain objects, as wallets throw them. */
async function ask(account: WalletAccount, method: string, params: string[]) {
  if (method === 'eth_requestAccounts') return { result: [account.address.toLowerCase()] };
  if (method !== 'personal_sign') return { error: { code: 4200, message: `${method} is not supported.` } };
  try {
    return { result: await account.signMessage({ message: { raw: params[0] as `0x${string}` } }) };
  } catch {
    return { error: { code: 4001, message: 'User rejected the request.' } };
  }
}

/** Runs in the page. */
function announceWallet(): void {
  const request = async ({ method, params }: { method: string; params?: unknown }) => {
    const { result, error } = await window.askWallet(method, params);
    // oxlint-disable-next-line typescript/only-throw-error -- as wallets do
    if (error) throw error;
    return result;
  };
  const icon = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E";
  const info = { uuid: 'pocket', name: 'Pocket', icon, rdns: 'test.pocket' };
  const detail = { info, provider: { request } };
  window.addEventListener('eip6963:requestProvider', () =>
    window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail })),
  );
}
