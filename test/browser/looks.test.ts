import type { Locator, Page } from 'playwright-core';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { call, fits, ownAddress, waitForVideo } from '../harness/browser/console.ts';
import { ConsoleVisitors } from '../harness/browser/ConsoleVisitors.ts';
import { join, makeRoom, withSmallCamera } from '../harness/browser/consoleRooms.ts';
import type { TestClient } from '../harness/clients/TestClient.ts';
import { oneNode, type OneNode } from '../harness/nodes/Harness.ts';

/* Pages with unusual texts: very long, very large, or written from right to left. */

const phone = { viewport: { width: 360, height: 740 } };
const long = 'Wolfeschlegelsteinhausenbergerdorffwelchevoraltern';
const privateKey = generatePrivateKey();

let harness: OneNode;
let visitors: ConsoleVisitors;
let owner: TestClient;

beforeAll(async () => {
  const account = privateKeyToAccount(privateKey);
  [harness, visitors] = await Promise.all([
    oneNode({ SIGNUP_CREDITS: '3000', OPERATOR_WALLETS: account.address }),
    ConsoleVisitors.launch(),
  ]);
  owner = await harness.client(account);
});

afterAll(async () => {
  await visitors?.close();
  await harness?.close();
});

afterEach(async () => expect(await visitors.closeAll()).toEqual([]));

/** Opens a page of the console with the wallet of this test. */
async function open(path: string, options: Parameters<ConsoleVisitors['visit']>[1] = phone): Promise<Page> {
  const { prepare } = options;
  return visitors.visit(harness.url() + path, {
    ...options,
    prepare: async (context) => {
      await prepare?.(context);
      await context.addInitScript(
        (who) => {
          // The blank page that each tab starts with has no storage.
          if (location.protocol === 'http:') sessionStorage.setItem('parley.who', JSON.stringify(who));
        },
        { kind: 'throwaway', privateKey },
      );
    },
  });
}

/** Enlarges the text of a page, as a browser's setting does. */
const enlarge = (page: Page) => page.evaluate(() => (document.documentElement.style.fontSize = '200%'));

/** The controls in an element that are not completely in the window. */
const cutOff = (element: Locator) =>
  element.getByRole('button').evaluateAll((buttons) =>
    buttons
      .filter((button) => {
        const { left, right } = button.getBoundingClientRect();
        return left < 0 || right > innerWidth;
      })
      .map((button) => button.dataset['testid']),
  );

/** Whether the last character of an element's text is on the left of the first one. */
const endsOnTheLeft = (element: Locator) =>
  element.evaluate((one) => {
    const texts = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
    const text = texts.nextNode() as Text;
    const leftOf = (offset: number) => {
      const range = document.createRange();
      range.setStart(text, offset);
      range.setEnd(text, offset + 1);
      return range.getBoundingClientRect().left;
    };
    return leftOf(text.length - 1) < leftOf(0);
  });

describe('with text of twice the size, on a phone', () => {
  it('all controls of a room are in the window', async () => {
    const page = await open('/', { ...phone, prepare: withSmallCamera });
    await page.getByTestId('wallet-menu').waitFor();
    await makeRoom(page, { name: long });
    await join(page, 'Ada');
    await enlarge(page);
    await expect.poll(() => cutOff(page.getByRole('toolbar'))).toEqual([]);
    await expect.poll(() => cutOff(page.getByTestId('in-room').getByRole('banner'))).toEqual([]);
  });

  it('there is space for a message and for the name in a chat', async () => {
    const page = await open(`/chats/${(await harness.client()).address}`);
    const field = page.getByTestId('compose');
    await field.waitFor();
    await enlarge(page);
    const widthOf = (locator: Locator) => locator.evaluate((one) => one.getBoundingClientRect().width);
    await expect.poll(() => widthOf(field)).toBeGreaterThan(100);
    await expect.poll(() => widthOf(page.getByTestId('chat-with'))).toBeGreaterThan(100);
    expect(await cutOff(page.getByRole('main'))).toEqual([]);
  });

  it('nothing is wider than the narrowest window', async () => {
    const narrow = { viewport: { width: 320, height: 640 }, prepare: withSmallCamera };
    const ada = await open('/account', narrow);
    const overflow = () =>
      ada.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    await ada.getByTestId('account-id').waitFor();
    await enlarge(ada);
    await expect.poll(overflow).toBe(0);
    await ada.goto(harness.url());
    await enlarge(ada);
    const ben = await harness.client();
    const { id } = await ben.parley.calls.start({ to: owner.address, type: 'video' });
    await ada.getByTestId('answer').waitFor();
    await expect.poll(() => cutOff(ada.getByTestId('incoming'))).toEqual([]);
    await ada.getByTestId('answer').click();
    await ada.getByTestId('timer').waitFor();
    await ben.parley.calls.end(id);
    await ada.getByTestId('call-summary').waitFor();
    await expect.poll(overflow).toBe(0);
    await makeRoom(ada, { name: 'Stand-up' });
    await expect.poll(overflow).toBe(0);
    await join(ada, 'Ada');
    await expect.poll(() => cutOff(ada.getByRole('toolbar'))).toEqual([]);
    await ada.getByTestId('room-more').click();
    const menu = ada.getByRole('menu');
    await expect
      .poll(() => menu.evaluate((panel) => panel.getBoundingClientRect().right <= innerWidth))
      .toBe(true);
  });

  it('all controls of a call are in the window', async () => {
    const ada = await open('/', { ...phone, prepare: withSmallCamera });
    const ben = await visitors.visit(harness.url(), { ...phone, prepare: withSmallCamera });
    await ben.getByTestId('try-wallet').click();
    await ownAddress(ben);
    await call(ben, await ownAddress(ada));
    await enlarge(ada);
    await expect.poll(() => cutOff(ada.getByTestId('incoming'))).toEqual([]);
    await ada.getByTestId('answer').click();
    await waitForVideo(ada);
    await expect.poll(() => cutOff(ada.getByTestId('in-call'))).toEqual([]);
    await ada.getByTestId('hang-up').click();
  });
});

it('texts and names from right to left keep their punctuation', async () => {
  const omar = await harness.client();
  await omar.parley.people.setProfile({ name: 'محمد عبد الرحمن (مدير)' });
  await omar.parley.messages.send({ to: owner.address, type: 'text', content: 'نعم، في الثامنة!' });
  const page = await open(`/chats/${omar.address}`);
  await page.getByTestId('message-text').waitFor();
  expect(await endsOnTheLeft(page.getByTestId('message-text'))).toBe(true);
  const heading = page.getByTestId('chat-with');
  await heading.getByText('محمد').waitFor();
  expect(await endsOnTheLeft(heading)).toBe(true);
  // In one line.
  expect(await heading.evaluate((one) => one.getBoundingClientRect().height)).toBeLessThan(40);
  await page.getByTestId('compose').fill('نعم!');
  const isRight = () => page.getByTestId('compose').evaluate((field) => field.matches(':dir(rtl)'));
  expect(await isRight()).toBe(true);
  const { id } = await owner.parley.conference.create({ name: 'غرفة الاجتماعات!', maxParticipants: 5 });
  await page.goto(`${harness.url()}/rooms`);
  const name = page.locator(`[data-room=${id}]`).getByText('غرفة الاجتماعات!');
  await name.waitFor();
  expect(await endsOnTheLeft(name)).toBe(true);
});

it('the avatar at the door of a room is round', async () => {
  const page = await open('/', { prepare: withSmallCamera });
  await page.getByTestId('wallet-menu').waitFor();
  await makeRoom(page, { name: 'Stand-up' });
  await page.getByTestId('lobby-camera').click();
  const avatar = page.getByRole('region', { name: 'Camera and microphone' }).locator('svg').first();
  const sides = () =>
    avatar.evaluate((svg) => [svg.getBoundingClientRect().width, svg.getBoundingClientRect().height]);
  await expect.poll(sides).toEqual([128, 128]);
});

it('with forced colours, which paint no backgrounds, one sees whether a switch is on', async () => {
  const page = await open('/', { prepare: withSmallCamera });
  await page.getByTestId('wallet-menu').waitFor();
  await makeRoom(page, { name: 'Stand-up' });
  await page.emulateMedia({ forcedColors: 'active' });
  await page.getByText('Voice processing').click();
  const toggle = page.getByRole('switch', { name: 'Echo cancellation' });
  await expect.poll(() => toggle.evaluate((box) => getComputedStyle(box).appearance)).toBe('auto');
});

it('the components are mirrored in a page that is read from right to left', async () => {
  const omar = await harness.client();
  const page = await open(`/chats/${omar.address}`, { prepare: withSmallCamera });
  const middleOf = (testId: string) =>
    page
      .getByTestId(testId)
      .first()
      .evaluate((element) => {
        const { left, width } = element.getBoundingClientRect();
        return left + width / 2;
      });
  await page.getByTestId('chat-menu').waitFor();
  await page.evaluate(() => (document.documentElement.dir = 'rtl'));
  await omar.parley.messages.send({ to: owner.address, type: 'text', content: 'Hello' });
  await expect.poll(async () => (await middleOf('chat-menu')) < (await middleOf('chat-with'))).toBe(true);
  await page.getByTestId('message-actions').click();
  const reply = page.getByTestId('reply');
  await reply.waitFor();
  expect(await reply.evaluate((item) => item.matches(':dir(rtl)'))).toBe(true);
  expect(await reply.locator('svg').evaluate((icon) => getComputedStyle(icon).scale)).toBe('-1 1');
  await page.keyboard.press('Escape');
  await omar.parley.calls.start({ to: owner.address, type: 'video' });
  await page.getByTestId('answer').click();
  await page.getByTestId('timer').waitFor();
  const half = (page.viewportSize()?.width ?? 0) / 2;
  await expect.poll(() => middleOf('local-video')).toBeLessThan(half);
  expect(await middleOf('minimise-call')).toBeGreaterThan(half);
  await page.getByTestId('hang-up').click();
});

it('long names without spaces stay in the window', async () => {
  const page = await open('/backend', { ...phone, prepare: withSmallCamera });
  await page.getByTestId('wallet-menu').waitFor();
  const { id } = await owner.parley.conference.create({ name: long + long, maxParticipants: 5 });
  await page.goto(`${harness.url()}/backend/rooms/${id}`);
  await page.getByRole('heading', { name: long, level: 1 }).waitFor();
  await fits(page, 'account-room-facts');

  const group = await owner.parley.groups.create({ name: long, members: [(await harness.client()).address] });
  await page.goto(`${harness.url()}/chats/${group.id}`);
  await page.getByTestId('group-details').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByTestId('add-to-group').waitFor();
  expect(await dialog.evaluate((one) => one.getBoundingClientRect().right)).toBeLessThanOrEqual(360);
  await page.keyboard.press('Escape');

  const room = await makeRoom(page, { name: long, switches: ['waitingRoom'] });
  await join(page, 'Ada');
  const guest = await harness.client();
  void guest.parley.conference
    .join({ roomId: room, displayName: long, audio: false, video: false })
    .catch(() => undefined);
  const banner = page.getByTestId('waiting-banner');
  await banner.waitFor();
  expect(
    await banner.locator('strong').evaluate((one) => {
      const { left, right } = one.getBoundingClientRect();
      return left >= 0 && right <= innerWidth;
    }),
  ).toBe(true);
});

it('the field for a text message fills its line, and the filter of payments fits its card', async () => {
  const page = await open('/texts/new');
  const field = page.getByTestId('compose');
  await field.waitFor();
  const [width, whole] = await field.evaluate((one) => [
    one.getBoundingClientRect().width,
    (one.closest('form') as HTMLElement).getBoundingClientRect().width,
  ]);
  expect(width).toBeGreaterThan((whole ?? 0) / 2);
  await page.goto(`${harness.url()}/operator/payments`);
  await fits(page, 'payment-filter');
  const right = (selector: string) =>
    page.locator(selector).evaluate((one) => one.getBoundingClientRect().right);
  expect(await right('[data-testid=payment-filter]')).toBeLessThanOrEqual(
    await right('[data-testid=request-payments]'),
  );
});

it('copies on pages without https, where the browser has no navigator.clipboard', async () => {
  const page = await open('/', {
    ...phone,
    prepare: async (context) => {
      await context.addInitScript(() => {
        Object.assign(window, { realClipboard: navigator.clipboard });
        Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined });
      });
    },
  });
  const copied = () =>
    page.evaluate(() => (window as never as { realClipboard: Clipboard }).realClipboard.readText());
  await page.getByRole('button', { name: 'Copy your address' }).click();
  await expect.poll(copied).toBe(owner.address);
  await page.goto(`${harness.url()}/account`);
  await page.getByTestId('account-id-copy').click();
  await expect.poll(copied).toMatch(/^acc_/);
});
