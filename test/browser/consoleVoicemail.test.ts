import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { blockDevices, ended, fits, focused, goTo, inHistory } from '../harness/browser/console.ts';
import { newcomer, openChat, type Person } from '../harness/browser/consoleChats.ts';
import { ConsoleVisitors } from '../harness/browser/ConsoleVisitors.ts';
import { oneNode, type OneNode } from '../harness/nodes/Harness.ts';
import { PushService } from '../harness/services/PushService.ts';
import { subscribeInPage } from '../harness/browser/pushInBrowser.ts';
import { SpeechServer } from '../harness/services/SpeechServer.ts';
import { until } from '../harness/until.ts';
import { Device } from '../integration/notifications/pushSupport.ts';

/* Voicemail and notification settings in the console, with Chromium's fake microphone, which beeps. */

let harness: OneNode;
let visitors: ConsoleVisitors;
let speech: SpeechServer;
let pushes: PushService;

beforeAll(async () => {
  [speech, pushes] = await Promise.all([SpeechServer.start(), PushService.start()]);
  [harness, visitors] = await Promise.all([oneNode(pushes.settings), ConsoleVisitors.launch()]);
});

afterAll(async () => {
  await visitors?.close();
  await harness?.close();
  await pushes?.close();
  speech?.close();
});

afterEach(async () => expect(await visitors.closeAll()).toEqual([]));

const come = (options = {}) => newcomer(visitors, harness.url(), options);

describe('a voicemail', () => {
  it('can be left after a declined call, played and deleted', async () => {
    const [alice, bob] = await Promise.all([come({ viewport: { width: 360, height: 640 } }), come()]);
    await alice.page.getByTestId('callee').fill(bob.address);
    await alice.page.getByTestId('start-audio').click();
    await bob.page.getByTestId('decline').click();
    await ended(alice.page, 'declined');
    // The party that declined is not offered a voicemail.
    await inHistory(bob.page, 'incoming', 'declined');
    await expect.poll(() => bob.page.getByTestId('offer-voicemail').count()).toBe(0);
    await fits(alice.page, 'offer-voicemail');
    await alice.page.getByTestId('offer-voicemail').click();
    await record(alice);
    await alice.page.getByTestId('recording-done').click();
    await alice.page.getByTestId('leave-voicemail').waitFor({ state: 'detached' });

    await bob.page.getByTestId('unread-voicemails').waitFor();
    await goTo(bob.page, 'voicemail');
    const item = bob.page.locator(`[data-testid=voicemail][data-from="${alice.address}"]`);
    await expect.poll(() => item.getAttribute('data-read')).toBe('false');
    await item.getByTestId('transcribe').click();
    // This server has no transcription service.
    await item.getByTestId('no-transcription').waitFor();
    const seconds = await item.getByTestId('voicemail-player').evaluate(async (element) => {
      const audio = element as HTMLAudioElement;
      await audio.play();
      await new Promise((resolve) => audio.addEventListener('ended', resolve));
      return audio.currentTime;
    });
    expect(seconds).toBeGreaterThan(0.8);
    await bob.page.locator('[data-testid=voicemail][data-read=true]').waitFor();
    await bob.page.getByTestId('unread-voicemails').waitFor({ state: 'detached' });
    await item.getByTestId('delete-voicemail').click();
    await bob.page.getByTestId('delete-voicemail-confirm').click();
    await bob.page.getByText('No voicemails').waitFor();
    await bob.page.reload();
    await bob.page.getByText('No voicemails').waitFor();
  });

  it('can be recorded from a chat and cancelled, and a missing microphone permission is reported', async () => {
    const [alice, bob] = await Promise.all([come({ viewport: { width: 360, height: 640 } }), come()]);
    await openChat(alice, bob);
    await alice.page.getByTestId('chat-menu').click();
    await alice.page.getByTestId('chat-voicemail').click();
    await alice.page.getByTestId('record').click();
    await waitForRecording(alice.page);
    await fits(alice.page, 'cancel-recording');
    await alice.page.getByTestId('cancel-recording').click();
    await alice.page.getByTestId('record').waitFor();
    await blockDevices(alice.page);
    await alice.page.getByTestId('record').click();
    await alice.page.locator('[data-testid=problem][data-code=PERMISSION_DENIED]').waitFor();
    await goTo(bob.page, 'voicemail');
    await bob.page.getByText('No voicemails').waitFor();
  });
});

it('plays a voicemail to its end while the list is read again with other addresses', async () => {
  const bob = await withVoicemail();
  await bob.page.getByTestId('voicemail-player').waitFor();
  await harness.server.kill();
  await harness.server.start({ FILE_ADDRESS_SECONDS: '12' });
  await bob.page.reload();
  const player = bob.page.getByTestId('voicemail-player');
  const address = () => player.evaluate((audio: HTMLAudioElement) => audio.src);
  const first = await address();
  // Such addresses change every two seconds.
  const loadedAt = Date.now();
  await until(() => Promise.resolve(Date.now() > loadedAt + 2_000), 'another address');
  // Marks the voicemail as read, which reads the list again.
  await player.evaluate(async (audio: HTMLAudioElement) => {
    await audio.play();
    audio.pause();
  });
  await bob.page.locator('[data-testid=voicemail][data-read=true]').waitFor();
  expect(await address()).toBe(first);
  await player.evaluate(async (audio: HTMLAudioElement) => {
    const end = new Promise((resolve) => audio.addEventListener('ended', resolve));
    await audio.play();
    await end;
  });
  await expect.poll(address).not.toBe(first);
  visitors.allowServerDown();
});

describe('notifications', () => {
  it('can be switched off by kind, and the choice is stored', async () => {
    const { page } = await come();
    await goTo(page, 'notifications');
    const messages = page.getByTestId('prefer-messages');
    await messages.waitFor();
    await expect.poll(() => messages.isChecked()).toBe(true);
    await messages.focus();
    await page.keyboard.press('Space');
    // The page shows the value stored on the server.
    await expect.poll(() => messages.isChecked()).toBe(false);
    // The next Tab leads to the next switch, not to the top of the page.
    await expect.poll(() => focused(page)).toBe('prefer-messages');
    await page.reload();
    await expect.poll(() => messages.isChecked()).toBe(false);
    await expect.poll(() => page.getByTestId('prefer-calls').isChecked()).toBe(true);
  });

  it('are explained if the browser blocks them, and can be switched on and off otherwise', async () => {
    const { page } = await come({ whole: true });
    await goTo(page, 'notifications');
    const state = page.getByTestId('push-state');
    await page.locator('[data-testid=push-state][data-permission=denied]').waitFor();
    await expect.poll(() => state.textContent()).toContain('next to the address bar');
    await expect.poll(() => page.getByTestId('push-on').count()).toBe(0);
    await page.context().grantPermissions(['notifications'], { origin: harness.url() });
    const client = await harness.client();
    const { subscription } = await Device.register(harness.url(), client, pushes);
    await subscribeInPage({ page }, pushes.subscribe(subscription.serverKey));
    // The page detects the permission without a reload.
    await page.getByTestId('push-on').click();
    await page.locator('[data-testid=push-state][data-registered=true]').waitFor();
    await page.getByTestId('push-off').click();
    await page.locator('[data-testid=push-state][data-registered=false]').waitFor();
  });
});

describe('a server with a transcription service', () => {
  it('transcribes voicemail', async () => {
    const bob = await withVoicemail();
    await bob.page.getByTestId('transcribe').waitFor();
    await harness.server.kill();
    await harness.server.start({ TRANSCRIPTION_URL: speech.url });
    await bob.page.reload();
    await bob.page.getByTestId('transcribe').click();
    await bob.page.getByTestId('transcription').getByText('Call me back. Thanks.').waitFor();
    await bob.page.getByTestId('transcribe').waitFor({ state: 'detached' });
    visitors.allowServerDown();
  });
});

/** Somebody with a voicemail of another one, on the page of voicemails. */
async function withVoicemail(): Promise<Person> {
  const [alice, bob] = await Promise.all([come(), come()]);
  await openChat(alice, bob);
  await alice.page.getByTestId('chat-menu').click();
  await alice.page.getByTestId('chat-voicemail').click();
  await record(alice);
  await alice.page.close();
  await goTo(bob.page, 'voicemail');
  return bob;
}

/** Records and sends a voicemail in the open dialog. */
async function record({ page }: Person): Promise<void> {
  await page.getByTestId('record').click();
  await waitForRecording(page);
  await page.getByTestId('stop-and-send').click();
  await page.getByTestId('recording-sent').waitFor();
}

/** Waits until the displayed recording time is at least a second. */
const waitForRecording = (page: Page) =>
  page
    .getByTestId('recording-time')
    .getByText(/0:0[1-9]/)
    .waitFor();
