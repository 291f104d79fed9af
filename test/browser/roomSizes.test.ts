import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fits } from '../harness/console.ts';
import { newcomer } from '../harness/consoleChats.ts';
import { inWaitingRoom, join, waitForTileVideo, withSmallCamera } from '../harness/consoleRooms.ts';
import { ConsoleVisitors } from '../harness/ConsoleVisitors.ts';
import { joinParticipants } from '../harness/participants.ts';
import { oneNode, type OneNode } from '../harness/Harness.ts';

/* Eight people in a room, all with a picture, on the screens people have. */

/** Small: one machine paints and encodes seven of them. */
const wide = { width: 480, height: 270 };
const others = [
  { name: 'Ben', ...wide, speaks: true },
  // From phones.
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

/** Somebody at the door, who is going to be the eighth. */
async function come(options: object): Promise<Page> {
  const { page } = await newcomer(visitors, harness.url(), { prepare: withSmallCamera, ...options });
  await page.goto(`${harness.url()}/rooms/${roomId}`);
  await inWaitingRoom(page);
  await page.getByText('Ben, Chloé, Dmitri Wolkonski-Arensburg and 4 more are in the room.').waitFor();
  return page;
}

/** Joins, and waits until all eight can be seen to move. */
async function joinThem(page: Page): Promise<void> {
  await join(page, 'Ada');
  await page.getByTestId('tile').nth(7).waitFor();
  const own = (await page.locator('[data-testid=tile][data-own=true]').getAttribute('data-address')) ?? '';
  await Promise.all([own, ...participants.addresses].map((address) => waitForTileVideo(page, address)));
}

/** Once the page has come to rest: what is wrong with how its tiles lie. A busy machine's browser sends smaller pictures for a while. */
const allSeen = (page: Page) =>
  expect
    .poll(() => page.evaluate(flaws), { message: 'how the tiles lie', timeout: 80_000 })
    .toEqual({ tiles: 8, small: [], outside: [], overlapping: [], covered: [], blurred: [] });

/** Runs in the page. */
function flaws() {
  const tiles = [...document.querySelectorAll<HTMLElement>('[data-testid=tile]')].map((element) => ({
    element,
    name: element.getAttribute('aria-label') ?? '',
    box: element.getBoundingClientRect(),
  }));
  const names = (found: typeof tiles) => found.map(({ name }) => name);
  const overlap = (one: DOMRect, other: DOMRect) =>
    one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
  /** Nine points of a tile, of which each is seen and can be touched. */
  const isCovered = ({ element, box }: (typeof tiles)[number]) =>
    [0.04, 0.5, 0.96].some((across) =>
      [0.04, 0.5, 0.96].some(
        (down) =>
          document
            .elementFromPoint(box.left + across * box.width, box.top + down * box.height)
            ?.closest('[data-testid=tile]') !== element,
      ),
    );
  /** Shown much larger than it is, by more than where the largest that is sent is shown. */
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

/** What there is to read and to press, against what is behind it: 1 to 21; 4.5 can be read. */
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

async function looksRight(page: Page): Promise<void> {
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
    await allSeen(page);
    await fits(page, 'room-leave');
    await expect.poll(() => weakestContrast(page), { message: colorScheme }).toBeGreaterThan(4.5);
  }
}

describe('eight people', () => {
  it('are all seen on a phone, and so is what is said of them', async () => {
    const page = await come(phone);
    await fits(page, 'join-room');
    await joinThem(page);
    await looksRight(page);
    await page.getByTestId('room-people').tap();
    await fits(page, 'panel-people');
    const last = page.getByTestId('person').nth(7);
    await last.scrollIntoViewIfNeeded();
    await expect.poll(() => last.getByText('Ada', { exact: true }).isVisible()).toBe(true);
    await page.getByTestId('room-people').tap();
    await page.setViewportSize({ width: phone.viewport.height, height: phone.viewport.width });
    await allSeen(page);
    await page.getByTestId('room-leave').tap();
    await page.getByTestId('departed').waitFor();
  });

  it('are all seen on a laptop, beside what is written too', async () => {
    const page = await come(laptop);
    await joinThem(page);
    await looksRight(page);
    await page.getByTestId('room-chat').click();
    await fits(page, 'panel-chat');
    await allSeen(page);
    await page.getByTestId('room-leave').click();
    await page.getByTestId('departed').waitFor();
  });
});
