import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { ended, focused, ownAddress, tabTo, waitForVideo } from '../harness/browser/console.ts';
import { ConsoleVisitors } from '../harness/browser/ConsoleVisitors.ts';
import { withSmallCamera } from '../harness/browser/consoleRooms.ts';
import { oneNode, type OneNode } from '../harness/nodes/Harness.ts';

/* The console by keyboard alone: no step uses the mouse. */

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

/** Moves the focus to an element with Tab and presses Enter. */
async function press(page: Page, testId: string): Promise<void> {
  await tabTo(page, testId);
  await page.keyboard.press('Enter');
}

/** Moves the focus to a field with Tab and types into it. */
async function type(page: Page, testId: string, text: string): Promise<void> {
  await tabTo(page, testId);
  await page.keyboard.type(text);
}

/** Waits until an element of the page has the focus: on the body, the next Tab would start at the top. */
const keepsFocus = (page: Page) =>
  expect.poll(() => page.evaluate(() => document.activeElement === document.body)).toBe(false);

/** Signs in as a guest. */
async function come(): Promise<{ page: Page; address: string }> {
  const page = await visitors.visit(harness.url(), { prepare: withSmallCamera });
  await press(page, 'try-wallet');
  const address = await ownAddress(page);
  await keepsFocus(page);
  return { page, address };
}

it('signs in, calls, answers, mutes and hangs up', async () => {
  const [ada, ben] = await Promise.all([come(), come()]);
  await tabTo(ada.page, 'callee');
  await ada.page.keyboard.type(ben.address);
  await ada.page.keyboard.press('Enter');
  await ben.page.getByTestId('incoming').waitFor();
  // The focus is on the answer button; the other buttons can be reached with Tab.
  await expect.poll(() => focused(ben.page)).toBe('answer');
  for (const button of ['decline', 'answer-audio', 'answer']) await tabTo(ben.page, button);
  await ben.page.keyboard.press('Enter');
  await Promise.all([waitForVideo(ada.page), waitForVideo(ben.page)]);
  await ada.page.keyboard.press('m');
  await ben.page.getByTestId('peer-muted').waitFor();
  await press(ben.page, 'hang-up');
  await Promise.all([ended(ada.page, 'ended'), ended(ben.page, 'ended')]);
  // Other pages do not show it.
  await press(ada.page, 'to-chats');
  await ada.page.getByTestId('call-summary').waitFor({ state: 'detached' });
});

it('opens a chat and writes a message', async () => {
  const [{ page }, ben] = await Promise.all([come(), come()]);
  await press(page, 'to-chats');
  await page.getByRole('heading', { name: 'Chats', level: 1 }).waitFor();
  // The link leads to the content, not back to the top.
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('content');
  await press(page, 'new-chat');
  await type(page, 'peer', ben.address);
  await page.keyboard.press('Enter');
  await page.getByTestId('chat-with').waitFor();
  await type(page, 'compose', 'Hello');
  await page.keyboard.press('Enter');
  await page.getByTestId('message').getByText('Hello').waitFor();
});

it('opens a dialog and comes back, and signs out', async () => {
  const { page } = await come();
  await press(page, 'to-account');
  await press(page, 'add-contact');
  await page.getByTestId('contact-dialog').locator(':focus').waitFor();
  await page.keyboard.press('Escape');
  await page.getByTestId('contact-dialog').waitFor({ state: 'detached' });
  await expect.poll(() => focused(page)).toBe('add-contact');
  await press(page, 'account-sign-out');
  await press(page, 'sign-out-throwaway-confirm');
  await page.getByTestId('try-wallet').waitFor();
});

it('creates, joins and leaves a room', async () => {
  const { page } = await come();
  await press(page, 'to-rooms');
  await press(page, 'new-room');
  await type(page, 'room-name', 'Stand-up');
  await press(page, 'create-room');
  await page.getByTestId('lobby').waitFor();
  await type(page, 'display-name', 'Ada');
  await press(page, 'join-room');
  await page.getByTestId('in-room').waitFor();
  await press(page, 'room-leave');
  await page.getByTestId('leave-room').waitFor();
  await press(page, 'leave-room');
  await page.getByTestId('in-room').waitFor({ state: 'detached' });
});

it('goes live', async () => {
  const { page } = await come();
  await press(page, 'to-streams');
  await press(page, 'new-stream');
  await type(page, 'stream-title', 'Morning show');
  await press(page, 'create-stream');
  await page.getByTestId('studio').waitFor();
  await press(page, 'set-up-live');
  await press(page, 'go-live-now');
  await page.locator('[data-testid=stream-state][data-state=live]').first().waitFor();
});
