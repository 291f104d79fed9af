import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { ended, focused, ownAddress, tabTo, waitForVideo } from '../harness/browser/console.ts';
import { ConsoleVisitors } from '../harness/browser/ConsoleVisitors.ts';
import { withSmallCamera } from '../harness/browser/consoleRooms.ts';
import { choose, keepsFocus, press, type } from '../harness/browser/keyboard.ts';
import { recordedParties } from '../harness/browser/recordedParties.ts';
import { oneNode, type OneNode } from '../harness/nodes/Harness.ts';
import { until } from '../harness/until.ts';

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

/** Signs in as a guest. */
async function come(): Promise<{ page: Page; address: string }> {
  const page = await visitors.visit(harness.url(), { prepare: withSmallCamera });
  await press(page, 'try-wallet');
  const address = await ownAddress(page);
  await keepsFocus(page);
  return { page, address };
}

it('does not answer a call by the next key of somebody who writes', async () => {
  const [{ page, address }, caller] = await Promise.all([come(), harness.client()]);
  await page.goto(`${harness.url()}/chats/${caller.address}`);
  await page.getByTestId('compose').fill('Good');
  await caller.parley.calls.start({ to: address, type: 'audio' });
  await page.getByTestId('incoming').waitFor();
  for (const key of ['Space', 'Enter']) await page.keyboard.press(key);
  await tabTo(page, 'decline');
  await page.keyboard.press('Enter');
  expect(await caller.event('call:declined')).toMatchObject({ to: address });
  expect(caller.seen('call:answered')).toEqual([]);
});

it('signs in, calls, answers, uses the call and its recording, and hangs up', async () => {
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

  const { page } = ada;
  // In a field of a web component, as an app may have them, keys are text.
  const component = await page.evaluateHandle(() => {
    const host = document.body.appendChild(document.createElement('div'));
    host.attachShadow({ mode: 'open' }).append(document.createElement('input'));
    return host;
  });
  await component.evaluate((host) => host.shadowRoot?.querySelector('input')?.focus());
  await page.keyboard.type('mv');
  expect(await component.evaluate((host) => host.shadowRoot?.querySelector('input')?.value)).toBe('mv');
  await component.evaluate((host) => host.remove());

  await press(page, 'toggle-recording');
  await page.locator('[data-testid=toggle-recording][aria-pressed=true]').waitFor();
  await press(page, 'devices');
  await tabTo(page, 'choose-microphone');
  const microphone = page.getByTestId('choose-microphone');
  const before = await microphone.inputValue();
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => microphone.inputValue()).not.toBe(before);
  await page.keyboard.press('Escape');
  await expect.poll(() => focused(page)).toBe('devices');
  await press(page, 'toggle-call-chat');
  await type(page, 'compose', 'Hello');
  await page.keyboard.press('Enter');
  await page.getByTestId('message').getByText('Hello').waitFor();
  // In a menu, letters find an entry.
  await press(page, 'call-more');
  await page.getByTestId('call-shortcuts').waitFor();
  await page.keyboard.type('vm');
  await page.keyboard.press('Escape');
  await page.getByTestId('call-shortcuts').waitFor({ state: 'detached' });
  await expect.poll(() => page.getByTestId('toggle-mute').getAttribute('aria-pressed')).toBe('true');
  await expect.poll(() => page.getByTestId('toggle-camera').getAttribute('aria-pressed')).toBe('false');
  await choose(page, 'call-more', 'call-shortcuts');
  await page.getByRole('dialog').locator(':focus').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'shortcuts' }).waitFor({ state: 'detached' });
  await until(async () => (await recordedParties(harness.server)) > 0, 'the call is recorded');
  await press(ben.page, 'hang-up');
  await Promise.all([ended(ada.page, 'ended'), ended(ben.page, 'ended')]);
  // Other pages do not show it.
  await press(ada.page, 'to-chats');
  await ada.page.getByTestId('call-summary').waitFor({ state: 'detached' });

  await press(page, 'to-recordings');
  await page.locator('[data-testid=recording][data-status=ready]').waitFor();
  await press(page, 'play-recording');
  await tabTo(page, 'recording-player');
  await press(page, 'delete-recording');
  await press(page, 'delete-recording-confirm');
  await page.getByTestId('recording').waitFor({ state: 'detached' });
  await keepsFocus(page);
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

it('adds, changes and removes a contact, and signs out', async () => {
  const { page } = await come();
  await press(page, 'to-account');
  await press(page, 'add-contact');
  await page.getByTestId('contact-dialog').locator(':focus').waitFor();
  await page.keyboard.press('Escape');
  await page.getByTestId('contact-dialog').waitFor({ state: 'detached' });
  await expect.poll(() => focused(page)).toBe('add-contact');
  await press(page, 'add-contact');
  await type(page, 'contact-name', 'Grace');
  await type(page, 'contact-address', '0x70997970C51812dc3A010C7d01b50e0d17dc79C8');
  await page.keyboard.press('Enter');
  await page.getByTestId('contact').getByText('Grace').waitFor();
  await press(page, 'edit-contact');
  await type(page, 'contact-name', ' Hopper');
  await page.keyboard.press('Enter');
  await page.getByTestId('contact').getByText('Grace Hopper').waitFor();
  await expect.poll(() => focused(page)).toBe('edit-contact');
  await press(page, 'remove-contact');
  await press(page, 'remove-contact-confirm');
  await page.getByTestId('no-contacts').waitFor();
  await keepsFocus(page);
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

it('goes live, watches with sound, and writes and deletes messages', async () => {
  const { page } = await come();
  await press(page, 'to-streams');
  await press(page, 'new-stream');
  await type(page, 'stream-title', 'Morning show');
  await press(page, 'create-stream');
  const studio = page.getByTestId('studio');
  await studio.waitFor();
  await press(page, 'set-up-live');
  await press(page, 'go-live-now');
  await page.locator('[data-testid=stream-state][data-state=live]').first().waitFor();
  await keepsFocus(page);

  const id = (await studio.getAttribute('data-stream')) ?? '';
  const viewer = await visitors.visit(`${harness.url()}/watch/${id}`);
  await press(viewer, 'try-wallet');
  await viewer.getByTestId('stream-compose').waitFor();
  await keepsFocus(viewer);
  await waitForVideo(viewer, 'watch-video');
  const isMuted = () => viewer.getByTestId('watch-video').evaluate((video: HTMLVideoElement) => video.muted);
  const wasMuted = await isMuted();
  await press(viewer, 'sound');
  await expect.poll(isMuted).toBe(!wasMuted);
  await type(viewer, 'stream-compose', 'Hello');
  await viewer.keyboard.press('Enter');
  const message = page.getByTestId('stream-message').getByText('Hello');
  await message.waitFor();
  await choose(page, 'message-menu', 'delete-message');
  await message.waitFor({ state: 'detached' });
  await keepsFocus(page);
  await press(page, 'end-stream');
  await press(page, 'end-confirm');
  await viewer.locator('[data-testid=player-message][data-state=ended]').waitFor();
});
