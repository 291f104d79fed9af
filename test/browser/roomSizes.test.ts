import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fits } from '../harness/browser/console.ts';
import { newcomer } from '../harness/browser/consoleChats.ts';
import { inWaitingRoom, join, waitForTileVideo, withSmallCamera } from '../harness/browser/consoleRooms.ts';
import { ConsoleVisitors } from '../harness/browser/ConsoleVisitors.ts';
import { joinParticipants } from '../harness/clients/participants.ts';
import { oneNode, type OneNode } from '../harness/nodes/Harness.ts';

/* A room of eight participants with video, on a phone and a laptop. */

/** Small videos, because one machine renders and encodes seven of them. */
const wide = { width: 480, height: 270 };
const others = [
  { name: 'Ben', ...wide, speaks: true },
  // A phone in portrait format.
  { name: 'Chloé', width: 360, height: 640 },
  { name: 'Dmitri Wolkonski-Arensburg', ...wide },
  { name: 'Esra', ...wide },
  { name: 'Farid', width: 270, height: 480 },
  { name: 'Grace', ...wide },
  { name: 'Hiro', ...wide },
];
const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
const laptop = { viewport: { width: 1366, height: 768 } };

let harness: OneNode;
let visitors: ConsoleVisitors;
let roomId: string;
let participants: { context: BrowserContext; addresses: string[] };

beforeAll(async () => {
  [harness, visitors] = await Promise.all([oneNode(), ConsoleVisitors.launch()]);
  const host = await harness.client();
  const room = await host.parley.conference.create({ name: 'Thursday’s planning', maxParticipants: 8 });
  roomId = room.id;
  participants = await joinParticipants(visitors.browser, harness.url(), roomId, others);
});

afterAll(async () => {
  await participants?.context.close();
  await visitors?.close();
  await harness?.close();
});

afterEach(async () => expect(await visitors.closeAll()).toEqual([]));

/** Opens the lobby as the future eighth participant. */
async function come(options: object): Promise<Page> {
  const { page } = await newcomer(visitors, harness.url(), { prepare: withSmallCamera, ...options });
  await page.goto(`${harness.url()}/rooms/${roomId}`);
  await inWaitingRoom(page);
  await page.getByText('Ben, Chloé, Dmitri Wolkonski-Arensburg and 4 more are in the room.').waitFor();
  return page;
}

/** Joins and waits until all eight videos move. */
async function joinRoom(page: Page): Promise<void> {
  await join(page, 'Ada');
  await page.getByTestId('tile').nth(7).waitFor();
  const own = (await page.locator('[data-testid=tile][data-own=true]').getAttribute('data-address')) ?? '';
  await Promise.all([own, ...participants.addresses].map((address) => waitForTileVideo(page, address)));
}

/** The name of the camera that the page sends from. */
const ownCamera = (page: Page) =>
  page
    .locator('[data-testid=tile][data-own=true] video')
    .evaluate(({ srcObject }: HTMLVideoElement) => (srcObject as MediaStream).getVideoTracks()[0]?.label);

/** Waits until the layout of the tiles has no flaws. On a busy machine the browser sends smaller videos at first. */
const expectGoodLayout = (page: Page) =>
  expect
    .poll(() => page.evaluate(flaws), { message: 'the layout of the tiles', timeout: 80_000 })
    .toEqual({ tiles: 8, small: [], outside: [], overlapping: [], covered: [], blurred: [] });

/** Runs in the page: finds tiles that are too small, outside, overlapping, covered or blurred. */
function flaws() {
  const tiles = [...document.querySelectorAll<HTMLElement>('[data-testid=tile]')].map((element) => ({
    element,
    name: element.getAttribute('aria-label') ?? '',
    box: element.getBoundingClientRect(),
  }));
  const names = (found: typeof tiles) => found.map(({ name }) => name);
  const overlap = (one: DOMRect, other: DOMRect) =>
    one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
  /** Whether any of nine points of a tile is covered by another element. */
  const isCovered = ({ element, box }: (typeof tiles)[number]) =>
    [0.04, 0.5, 0.96].some((across) =>
      [0.04, 0.5, 0.96].some(
        (down) =>
          document
            .elementFromPoint(box.left + across * box.width, box.top + down * box.height)
            ?.closest('[data-testid=tile]') !== element,
      ),
    );
  /** Whether the video is displayed at more than 1.5 times its resolution. */
  const isBlurred = ({ element, box }: (typeof tiles)[number]) => {
    const video = element.querySelector('video');
    if (!video?.videoWidth || element.dataset['own'] === 'true') return !video?.videoWidth;
    const stretch = Math.max(box.width / video.videoWidth, box.height / video.videoHeight);
    return stretch * devicePixelRatio > 1.5;
  };
  return {
    tiles: tiles.length,
    small: names(tiles.filter(({ box }) => box.width < 148 || box.height < 104)),
    outside: names(
      tiles.filter(
        ({ box }) => box.left < 0 || box.top < 0 || box.right > innerWidth || box.bottom > innerHeight,
      ),
    ),
    overlapping: names(
      tiles.filter((one) => tiles.some((other) => other !== one && overlap(one.box, other.box))),
    ),
    covered: names(tiles.filter(isCovered)),
    blurred: names(tiles.filter(isBlurred)),
  };
}

/** The lowest contrast ratio of texts and buttons to their background, from 1 to 21. From 4.5 on, text is readable. */
const weakestContrast = (page: Page) =>
  page.evaluate(() => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 });
    const context = canvas.getContext('2d', { willReadFrequently: true }) as CanvasRenderingContext2D;
    const lightness = (...layers: string[]) => {
      for (const layer of layers) {
        context.fillStyle = layer;
        context.fillRect(0, 0, 1, 1);
      }
      const [red = 0, green = 0, blue = 0] = [...context.getImageData(0, 0, 1, 1).data].map((part) => {
        const share = part / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const behind = (element: Element | null): string[] =>
      element ? [...behind(element.parentElement), getComputedStyle(element).backgroundColor] : ['#fff'];
    const room = document.querySelector('[data-testid=in-room]');
    const read = [...(room?.querySelectorAll('h1, p, header button, [role=toolbar] button') ?? [])];
    const ratios = read
      .filter((element) => element.checkVisibility())
      .map((element) => {
        const [ground, ink] = [behind(element), getComputedStyle(element).color];
        const [low = 0, high = 0] = [lightness(...ground), lightness(...ground, ink)].sort((a, b) => a - b);
        return (high + 0.05) / (low + 0.05);
      });
    return Math.min(...ratios);
  });

const schemes = ['light', 'dark'] as const;

async function expectGoodDisplay(page: Page): Promise<void> {
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
    await expectGoodLayout(page);
    await fits(page, 'room-leave');
    await expect.poll(() => weakestContrast(page), { message: colorScheme }).toBeGreaterThan(4.5);
  }
}

describe('eight participants', () => {
  it('are all visible on a phone, and so is their list', async () => {
    const page = await come(phone);
    await fits(page, 'join-room');
    await joinRoom(page);
    await expectGoodDisplay(page);
    await page.getByTestId('room-people').tap();
    await fits(page, 'panel-people');
    const last = page.getByTestId('person').nth(7);
    await last.scrollIntoViewIfNeeded();
    await expect.poll(() => last.getByText('Ada', { exact: true }).isVisible()).toBe(true);
    await page.getByTestId('room-people').tap();
    const camera = await ownCamera(page);
    await page.getByTestId('room-more').tap();
    await page.getByTestId('room-flip-camera').tap();
    await expect.poll(() => ownCamera(page)).not.toBe(camera);
    await page.setViewportSize({ width: phone.viewport.height, height: phone.viewport.width });
    await expectGoodLayout(page);
    await page.getByTestId('room-leave').tap();
    await page.getByTestId('departed').waitFor();
  });

  it('are all visible on a laptop, even next to the chat', async () => {
    const page = await come(laptop);
    await joinRoom(page);
    await expectGoodDisplay(page);
    await page.getByTestId('room-chat').click();
    await fits(page, 'panel-chat');
    await expectGoodLayout(page);
    await page.getByTestId('room-leave').click();
    await page.getByTestId('departed').waitFor();
  });
});
