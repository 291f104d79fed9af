import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { fits } from '../harness/browser/console.ts';
import { newcomer } from '../harness/browser/consoleChats.ts';
import {
  join,
  makeRoom,
  tileOf,
  waitForTileVideo,
  withSmallCamera,
} from '../harness/browser/consoleRooms.ts';
import { ConsoleVisitors } from '../harness/browser/ConsoleVisitors.ts';
import { guestLink } from '../harness/browser/guestLinks.ts';
import { oneNode, type OneNode } from '../harness/nodes/Harness.ts';

/* Breakouts in the console. */

let harness: OneNode;
let visitors: ConsoleVisitors;

beforeAll(async () => {
  [harness, visitors] = await Promise.all([oneNode(), ConsoleVisitors.launch()]);
});

afterAll(async () => {
  await visitors?.close();
  await harness?.close();
});

afterEach(async () => expect(await visitors.closeAll()).toEqual([]));

const come = (options = {}) => newcomer(visitors, harness.url(), { prepare: withSmallCamera, ...options });
const enterAsGuest = async (roomId: string, identity: string, options = {}) => {
  const { link } = await guestLink(harness, roomId, { identity });
  const page = await visitors.visit(link, { prepare: withSmallCamera, ...options });
  await page.getByTestId('join-room').click();
  await page.getByTestId('in-room').waitFor();
  return page;
};
const openPanel = async (page: Page) => {
  await page.getByTestId('room-more').click();
  await page.getByTestId('room-breakouts').click();
  await page.getByTestId('panel-breakouts').waitFor();
};
const group = (page: Page, name: string) => page.getByTestId('breakout').filter({ hasText: name });

it('opens breakouts, moves people without a reload, lets them call a host, and ends them', async () => {
  const ada = await come();
  const { page } = ada;
  const roomId = await makeRoom(page, { name: 'Course' });
  await join(page, 'Ada');
  const [bob, cleo] = [await enterAsGuest(roomId, 'bob'), await enterAsGuest(roomId, 'cleo')];
  await page.getByTestId('people-count').getByText('3 people').waitFor();
  // Only hosts manage breakouts.
  await bob.getByTestId('room-more').click();
  await bob.getByTestId('room-layout').waitFor();
  await expect.poll(() => bob.getByTestId('room-breakouts').count()).toBe(0);
  await bob.keyboard.press('Escape');
  await bob.evaluate(() => Reflect.set(window, 'isSamePage', true));

  await openPanel(page);
  await page.getByTestId('breakout-minutes').fill('5');
  await page.getByTestId('breakout-name').first().fill('Red');
  await page.keyboard.press('Escape');
  await page.getByTestId('breakout-name').first().waitFor({ state: 'detached' });
  await openPanel(page);
  await expect.poll(() => page.getByTestId('breakout-name').first().inputValue()).toBe('Red');
  await page.getByTestId('breakout-way').getByText('By hand').click();
  for (const each of await page.getByTestId('breakout-of').all()) await each.selectOption({ label: 'Red' });
  await page.getByTestId('open-breakouts').click();
  await bob.getByTestId('in-breakout').getByText('Red').waitFor();
  await bob.getByTestId('time-left').waitFor();
  // They see and hear each other there.
  await waitForTileVideo(bob, 'guest:cleo');
  await waitForTileVideo(cleo, 'guest:bob');
  await tileOf(bob, ada.address).waitFor({ state: 'detached' });

  await group(page, 'Red').locator('[data-address="guest:bob"]').waitFor();
  await page.getByTestId('breakouts-compose').fill('Five minutes left');
  await page.getByTestId('breakouts-send').click();
  await cleo.getByTestId('room-chat-count').getByText('1').waitFor();

  // A host moves somebody.
  await group(page, 'Red').locator('[data-address="guest:cleo"]').getByTestId('move-person').click();
  await page.getByTestId('move-to').filter({ hasText: 'Group 2' }).click();
  await cleo.getByTestId('in-breakout').getByText('Group 2').waitFor();
  await group(page, 'Group 2').locator('[data-address="guest:cleo"]').waitFor();

  await bob.getByTestId('call-host').click();
  await bob.getByTestId('host-was-called').waitFor();
  await page.getByTestId('host-called').getByText('bob').waitFor();
  await page.getByTestId('go-to-caller').click();
  await page.getByTestId('in-breakout').getByText('Red').waitFor();
  await page.getByTestId('host-called').waitFor({ state: 'detached' });
  await waitForTileVideo(page, 'guest:bob');
  await waitForTileVideo(bob, ada.address);

  // Somebody goes back alone, the others when the host ends it.
  await cleo.getByTestId('back-to-main').click();
  await cleo.getByTestId('was-moved').waitFor();
  await page.getByTestId('end-breakouts').click();
  for (const each of [page, bob]) await each.getByTestId('was-moved').waitFor();
  await waitForTileVideo(bob, 'guest:cleo');
  await waitForTileVideo(page, 'guest:bob');
  await expect.poll(() => bob.evaluate(() => Reflect.get(window, 'isSamePage') as unknown)).toBe(true);
  await page.getByTestId('open-breakouts').waitFor();
});

it('distributes people automatically, and fits a small phone in dark mode', async () => {
  const small = { viewport: { width: 360, height: 640 }, colorScheme: 'dark' };
  const ada = await come(small);
  const { page } = ada;
  const roomId = await makeRoom(page, { name: 'A course with a name that is too long for any phone' });
  await join(page, 'Ada');
  const bob = await enterAsGuest(roomId, 'bob', small);
  const dora = await harness.client();
  await dora.parley.conference.join({ roomId, displayName: 'Dora' });
  await page.getByTestId('people-count').getByText('3 people').waitFor();
  await openPanel(page);
  await page.getByTestId('breakout-count').fill('0');
  await page.getByTestId('open-breakouts').click();
  await page.getByText('1 to 50').waitFor();
  await page.getByTestId('breakout-count').fill('2');
  await fits(page, 'open-breakouts');
  await page.getByTestId('open-breakouts').click();
  await bob.getByTestId('in-breakout').waitFor();
  await fits(bob, 'call-host');
  await fits(page, 'breakout');
  const people = async (name: string) => group(page, name).getByTestId('breakout-person').count();
  await expect.poll(async () => [await people('Group 1'), await people('Group 2')]).toEqual([1, 1]);
  // The host leaves from a breakout, and comes back to the lobby of the room.
  await group(page, 'Group 1').getByTestId('go-to-breakout').click();
  await page.getByTestId('in-breakout').waitFor();
  await page.getByTestId('room-leave').click();
  await page.getByTestId('leave-room').click();
  await page.getByTestId('return').click();
  await expect.poll(() => page.getByTestId('lobby').getAttribute('data-room')).toBe(roomId);
});
