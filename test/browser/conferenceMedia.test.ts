import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium } from '../harness/browser.ts';
import { Hall, picture, sentLayers } from '../harness/Hall.ts';
import { until } from '../harness/until.ts';

/* Conferences' media in Chromium: layers by what is shown, and screens. */

let hall: Hall;
let browser: Browser;
let roomId: string;
let rooms = 0;
type Guest = Awaited<ReturnType<Hall['enter']>>;
const guests: Guest[] = [];

beforeAll(async () => {
  hall = await Hall.open({ workers: 2 });
  browser = await launchChromium({
    args: ['--auto-select-tab-capture-source-by-title=Hall', '--enable-usermedia-screen-capturing'],
  });
});
afterAll(async () => {
  await browser?.close();
  await hall?.close();
});
afterEach(async () => {
  for (const { context } of guests.splice(0)) await context.close();
});

async function enter(camera: { width: number; height: number } | null): Promise<Guest> {
  if (guests.length === 0) {
    roomId = `room_${++rooms}`;
    await hall.cluster.openRoom(roomId);
  }
  const guest = await hall.enter(browser, roomId, camera);
  guests.push(guest);
  return guest;
}

/** Shows what comes from somebody in so many pixels, and has that watched. */
const show = (page: Page, from: string, height: number, source = 'camera') =>
  page.evaluate(
    ({ wallet, what, size }) => {
      const video = document.getElementById(`${wallet} ${what}`) as HTMLVideoElement;
      Object.assign(video.style, { height: `${size}px`, width: `${(size * 16) / 9}px`, position: 'fixed' });
      video.style.top = '0';
      window.parley.media.attach(video, { participant: wallet, source: what as 'camera' });
    },
    { wallet: from, what: source, size: height },
  );

/**
 * Waits until the picture has the size of the largest or smallest layer that is sent: a busy machine's browser sends smaller ones than
 * it was asked for.
 */
const comesIn = (to: Guest, from: Guest, which: 'large' | 'small', source: 'camera' | 'screen' = 'camera') =>
  until(async () => {
    const sent = (await sentLayers(from.page, roomId)).map(({ height }) => height);
    // In these tests a screen is larger than the camera beside it.
    const heights = sent.filter((height) => height > (source === 'screen' ? 180 : 0));
    const [smallest, largest] = [Math.min(...heights), Math.max(...heights)];
    const wanted = which === 'small' ? smallest : smallest < largest && largest;
    return (await picture(to.page, roomId, from.wallet, source)).height === wanted;
  }, `the ${which} picture`);

const activeLayers = async (page: Page) =>
  (await sentLayers(page, roomId)).filter(({ active }) => active).map(({ rid }) => rid);

describe('a camera in a conference', () => {
  it('goes out in three layers, as far as anybody looks at them', async () => {
    const ann = await enter({ width: 960, height: 540 });
    const ben = await enter(null);
    await comesIn(ben, ann, 'large');
    expect(await activeLayers(ann.page)).toEqual(['r0', 'r1', 'r2']);

    await show(ben.page, ann.wallet, 120);
    await comesIn(ben, ann, 'small');
    await until(async () => (await activeLayers(ann.page)).join() === 'r0', 'one layer is enough');

    await show(ben.page, ann.wallet, 500);
    await until(async () => (await activeLayers(ann.page)).length === 3, 'all layers again');
    await comesIn(ben, ann, 'large');
  });

  it('is not sent while nobody sees it, and is there again when somebody does', async () => {
    const ann = await enter({ width: 480, height: 270 });
    const ben = await enter(null);
    await comesIn(ben, ann, 'large');
    await show(ben.page, ann.wallet, 270);
    const move = (top: string) =>
      ben.page.evaluate(({ id, to }) => void ((document.getElementById(id) as HTMLElement).style.top = to), {
        id: `${ann.wallet} camera`,
        to: top,
      });
    await move('10000px');
    await until(async () => (await activeLayers(ann.page)).length === 0, 'nothing is sent');
    const { frames } = await picture(ben.page, roomId, ann.wallet);
    await move('0');
    await until(async () => (await picture(ben.page, roomId, ann.wallet)).frames > frames + 3, 'it is back');
    await comesIn(ben, ann, 'large');
    await expect(
      ben.page.evaluate(() => window.seen.filter(({ name }) => name === 'media:failed')),
    ).resolves.toEqual([]);
  });
});

describe('a screen', () => {
  it('is shared beside the camera, in layers of its own, until it ends', async () => {
    const ann = await enter({ width: 320, height: 180 });
    const ben = await enter(null);
    await ann.page.evaluate((room) => window.parley.media.startScreen(room, { audio: false }), roomId);
    await until(
      () =>
        ben.page.evaluate(() =>
          window.seen.some(({ payload }) => (payload as { source: string }).source === 'screen'),
        ),
      'the screen',
    );
    await until(
      async () => (await picture(ben.page, roomId, ann.wallet, 'screen')).frames > 0,
      'it can be seen',
    );
    await until(async () => (await picture(ben.page, roomId, ann.wallet)).frames > 3, 'so can the camera');
    await comesIn(ben, ann, 'large', 'screen');
    await show(ben.page, ann.wallet, 100, 'screen');
    await comesIn(ben, ann, 'small', 'screen');
    const sending = async () => (await hall.cluster.peers(roomId)).map((peer) => [...peer.sending].sort());
    expect(await sending()).toContainEqual(['camera', 'microphone', 'screen']);
    await ann.page.evaluate((room) => window.parley.media.stopScreen(room), roomId);
    await until(
      () => ben.page.evaluate(() => window.seen.some(({ name }) => name === 'media:track:ended')),
      'its end',
    );
    expect(await sending()).toContainEqual(['camera', 'microphone']);
  });
});
