import type { Browser, BrowserContext, Page } from 'playwright-core';
import { openClient, smallVideo, type BrowserClient } from './browser.ts';
import { goTo } from './console.ts';
import { until } from '../until.ts';

/* Actions on the console's room pages. */

/** Makes camera videos small, because several pages encode and decode them on only two cores. */
export async function withSmallCamera(context: BrowserContext): Promise<void> {
  await context.addInitScript((size) => {
    // Missing on the blank page that each tab starts with.
    const devices = navigator.mediaDevices as MediaDevices | undefined;
    if (!devices) return;
    const open = devices.getUserMedia.bind(devices);
    devices.getUserMedia = (constraints = {}) => {
      const { deviceId } =
        typeof constraints.video === 'object' ? constraints.video : { deviceId: undefined };
      const video = constraints.video ? { ...size, ...(deviceId ? { deviceId } : {}) } : false;
      return open({ ...constraints, video });
    };
  }, smallVideo);
}

interface RoomOptions {
  name: string;
  /** The options to switch, by the ends of their test ids. */
  switches?: string[];
}

/** Creates a room and opens its lobby. @returns the room's id */
export async function makeRoom(page: Page, { name, switches = [] }: RoomOptions): Promise<string> {
  await goTo(page, 'rooms');
  await page.getByTestId('new-room').click();
  await page.getByTestId('room-name').fill(name);
  for (const field of switches) await page.getByTestId(`room-${field}`).click({ force: true });
  await page.getByTestId('create-room').click();
  return inWaitingRoom(page);
}

/** Waits for the room's lobby. @returns the room's id */
export async function inWaitingRoom(page: Page): Promise<string> {
  const lobby = page.getByTestId('lobby');
  await lobby.waitFor();
  return (await lobby.getAttribute('data-room')) ?? '';
}

/** Joins from the lobby, and waits until the page shows the room. */
export async function join(page: Page, name: string): Promise<void> {
  await page.getByTestId('display-name').fill(name);
  await page.getByTestId('join-room').click();
  await page.getByTestId('in-room').waitFor();
}

export const tileOf = (page: Page, address: string) =>
  page.locator(`[data-testid=tile][data-address="${address}"]`);

/** Chooses a host action in a participant's menu. The people panel must be open. @param what the action's test id */
export async function onPerson(page: Page, address: string, what: string): Promise<void> {
  const person = page.locator(`[data-testid=person][data-address="${address}"]`);
  await person.getByTestId('person-menu').click();
  const item = page.locator(`[data-testid=${what}]:not([data-disabled])`);
  await item.click();
  await item.waitFor({ state: 'detached' });
}

/** Waits until a participant's video moves on the page. */
export async function waitForTileVideo(page: Page, address: string): Promise<void> {
  const video = tileOf(page, address).getByTestId('tile-video');
  await video.waitFor();
  const frames = () =>
    video.evaluate((element: HTMLVideoElement) =>
      element.videoWidth > 0 ? element.getVideoPlaybackQuality().totalVideoFrames : 0,
    );
  const before = await frames();
  await until(async () => (await frames()) > before + 3, `the video of ${address} moves`);
}

/** Waits until this page plays audible sound from this many others. */
export async function waitForOthersAudio(page: Page, count: number): Promise<void> {
  const sounds = page.getByTestId('sound');
  await until(async () => (await sounds.count()) >= count, `${count} sounds`);
  await until(
    () =>
      page.evaluate(async (wanted) => {
        const elements = [...document.querySelectorAll<HTMLAudioElement>('[data-testid=sound]')];
        const context = new AudioContext();
        const analysers = elements.map(({ srcObject }) => {
          const analyser = new AnalyserNode(context, { fftSize: 32_768 });
          context.createMediaStreamSource(srcObject as MediaStream).connect(analyser);
          return analyser;
        });
        const loud = new Set<number>();
        const samples = new Float32Array(32_768);
        // The microphone beeps once a second.
        for (const start = performance.now(); performance.now() - start < 2_500 && loud.size < wanted;) {
          await new Promise((resolve) => setTimeout(resolve, 100));
          analysers.forEach((analyser, index) => {
            analyser.getFloatTimeDomainData(samples);
            if (samples.some((sample) => Math.abs(sample) > 0.02)) loud.add(index);
          });
        }
        await context.close();
        return loud.size >= wanted;
      }, count),
    `sound of ${count} others`,
    30_000,
  );
}

/** Joins a room from another app, which is a bare page with the SDK. */
export async function joinInBarePage(
  browser: Browser,
  url: string,
  roomId: string,
  displayName: string,
  { video = true, audio = true }: { video?: boolean; audio?: boolean } = {},
): Promise<BrowserClient> {
  const client = await openClient(browser, url);
  await client.page.evaluate(
    ([id, name, withVideo, withAudio]) =>
      window.parley.conference.join({ roomId: id, displayName: name, video: withVideo, audio: withAudio }),
    [roomId, displayName, video ? smallVideo : false, audio] as const,
  );
  return client;
}
