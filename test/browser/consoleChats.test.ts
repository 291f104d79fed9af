import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fits, goTo, tabTo } from '../harness/browser/console.ts';
import {
  actOn,
  chatWith,
  messageOf,
  newcomer,
  openChat,
  waitForStatus,
  say,
  type Person,
} from '../harness/browser/consoleChats.ts';
import { ConsoleVisitors } from '../harness/browser/ConsoleVisitors.ts';
import { oneNode, type OneNode } from '../harness/nodes/Harness.ts';
import { until } from '../harness/until.ts';
import { picture } from '../integration/files/mediaSupport.ts';

/* Chats in the console: the actions of one user appear on the other's page without a reload. */

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

const come = (options = {}) => newcomer(visitors, harness.url(), options);

describe('a chat', () => {
  it('shows unread counts, typing and receipts; a hidden window does not mark messages as read', async () => {
    const [alice, bob] = await Promise.all([come(), come()]);
    await openChat(alice, bob);
    await say(alice, 'Hello Bob 👋');
    await waitForStatus(alice, 'Hello Bob 👋', 'delivered');
    // Bob is on another page, which shows the count.
    await bob.page.locator('[data-testid=unread-chats]').waitFor();
    await goTo(bob.page, 'chats');
    await expect.poll(() => chatWith(bob, alice).getAttribute('data-unread')).toBe('1');
    await expect.poll(() => messageOf(alice, 'Hello Bob 👋').getAttribute('data-status')).toBe('delivered');
    await chatWith(bob, alice).click();
    await waitForStatus(alice, 'Hello Bob 👋', 'read');
    await bob.page.getByTestId('unread-chats').waitFor({ state: 'detached' });

    await bob.page.getByTestId('compose').pressSequentially('Hel');
    await alice.page.getByTestId('typing').getByText('is typing').waitFor();
    await say(bob, 'Hello Alice');
    await messageOf(alice, 'Hello Alice').waitFor();
    await alice.page.getByTestId('typing').getByText('is typing').waitFor({ state: 'detached' });

    // A hidden window does not mark messages as read until it is visible again.
    await setVisibility(bob, 'hidden');
    await say(alice, 'Are you there?');
    await messageOf(bob, 'Are you there?').waitFor();
    await waitForStatus(alice, 'Are you there?', 'delivered');
    await setVisibility(bob, 'visible');
    await waitForStatus(alice, 'Are you there?', 'read');
  });

  it('adds and removes reactions, and deletes messages for oneself or for everyone', async () => {
    const [alice, bob] = await Promise.all([come(), come()]);
    await Promise.all([openChat(alice, bob), openChat(bob, alice)]);
    await say(alice, 'Shall we?');
    await messageOf(bob, 'Shall we?').waitFor();
    await actOn(bob, 'Shall we?');
    await bob.page.locator('[data-testid=react][data-emoji="👍"]').click();
    await alice.page.locator('[data-testid=reaction][data-emoji="👍"][aria-pressed=false]').waitFor();
    await bob.page.locator('[data-testid=reaction][aria-pressed=true]').click();
    await alice.page.getByTestId('reaction').waitFor({ state: 'detached' });

    await actOn(bob, 'Shall we?');
    await bob.page.getByTestId('delete-message').click();
    await bob.page.getByTestId('delete-for-me').waitFor();
    await expect.poll(() => bob.page.getByTestId('delete-for-everyone').count()).toBe(0);
    await bob.page.getByTestId('delete-for-me').click();
    await messageOf(bob, 'Shall we?').waitFor({ state: 'detached' });
    await say(alice, 'A secret');
    await messageOf(bob, 'A secret').waitFor();
    await actOn(alice, 'A secret');
    await alice.page.getByTestId('delete-message').click();
    await alice.page.getByTestId('delete-for-everyone').click();
    await bob.page.getByText('This message was deleted').waitFor();
    await alice.page.getByText('You deleted this message').waitFor();
    await expect.poll(() => messageOf(bob, 'A secret').count()).toBe(0);
    await expect.poll(() => messageOf(alice, 'Shall we?').count()).toBe(1);
  });

  it('replies, edits, finds messages, links web addresses, and counts unread ones in the title', async () => {
    const [alice, bob] = await Promise.all([come(), come()]);
    await recordBadge(bob);
    await openChat(alice, bob);
    await say(alice, 'Dinner? https://example.org/menu');
    // Bob is on another page.
    await expect.poll(() => bob.page.title()).toMatch(/^\(1\) /);
    await expect.poll(() => badgeOf(bob)).toBe(1);
    await bob.page.locator('link[rel=icon][type="image/png"]').waitFor({ state: 'attached' });
    await openChat(bob, alice);
    await expect.poll(() => bob.page.title()).not.toMatch(/^\(/);
    await bob.page.locator('link[rel=icon][href$="/icon.svg"]').waitFor({ state: 'attached' });
    await expect.poll(() => badgeOf(bob)).toBe(0);
    const link = bob.page.getByTestId('message-text').getByRole('link');
    await expect.poll(() => link.getAttribute('href')).toBe('https://example.org/menu');
    await expect.poll(() => link.getAttribute('rel')).toContain('noopener');

    const row = bob.page.getByTestId('message').locator('..');
    await row.hover();
    await row.getByTestId('message-actions').click();
    await bob.page.getByTestId('reply').click();
    await bob.page.getByTestId('composing-reply').waitFor();
    await say(bob, 'Gladly');
    await alice.page.getByTestId('quote').getByText('Dinner?').waitFor();

    await actOn(bob, 'Gladly');
    await bob.page.getByTestId('edit-message').click();
    await expect.poll(() => bob.page.getByTestId('compose').inputValue()).toBe('Gladly');
    await say(bob, 'At eight');
    await messageOf(alice, 'At eight').getByTestId('edited').waitFor();

    await alice.page.getByTestId('search-chat').click();
    await alice.page.getByTestId('search-query').fill('eigh');
    await alice.page.getByTestId('search-query').press('Enter');
    const found = alice.page.getByTestId('found-message').filter({ hasText: 'At eight' });
    await found.getByRole('button').click();
    await isShown(alice, 'At eight');
    // The quote shows the message that was replied to.
    await messageOf(alice, 'At eight').getByTestId('quote').click();
    await isShown(alice, 'Dinner?');
    await alice.page.getByTestId('search-chat').click();
    await alice.page.getByTestId('search-query').fill('nothing like it');
    await alice.page.getByTestId('search-query').press('Enter');
    await alice.page.getByText('No message contains these words.').waitFor();
  });

  it('hides messages of a blocked wallet until it is unblocked', async () => {
    const [alice, bob] = await Promise.all([come(), come()]);
    await Promise.all([openChat(alice, bob), openChat(bob, alice)]);
    const toggle = async () => {
      await bob.page.getByTestId('chat-menu').click();
      await bob.page.getByTestId('chat-block').click();
    };
    await toggle();
    await bob.page.getByText('You blocked this wallet').waitFor();
    await say(alice, 'Hello?');
    await waitForStatus(alice, 'Hello?', 'sent');
    await toggle();
    await bob.page.getByTestId('compose').waitFor();
    await say(alice, 'Hello again');
    await messageOf(bob, 'Hello again').waitFor();
    await expect.poll(() => messageOf(bob, 'Hello?').count()).toBe(0);
  });

  it('sends an image with a caption, enlarges it on a click, and sends other files as documents', async () => {
    const [alice, bob] = await Promise.all([come(), come()]);
    await Promise.all([openChat(alice, bob), openChat(bob, alice)]);
    const empty = { name: 'empty.txt', mimeType: 'text/plain', buffer: Buffer.alloc(0) };
    await alice.page.getByTestId('file').setInputFiles(empty);
    await alice.page.getByTestId('file-refused').waitFor();
    await expect.poll(() => alice.page.getByTestId('send').isDisabled()).toBe(true);
    await alice.page.getByLabel('Remove empty.txt').click();
    const text = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('notes') };
    await alice.page.getByTestId('file').setInputFiles(text);
    await alice.page.getByTestId('send').click();
    await bob.page.getByTestId('message-document').getByText('notes.txt').waitFor();
    const buffer = await picture();
    await alice.page.getByTestId('file').setInputFiles({ name: 'lake.png', mimeType: 'image/png', buffer });
    await say(alice, 'The lake');
    await waitForStatus(alice, 'The lake', 'read');
    const shown = bob.page.getByTestId('message-picture');
    expect(await widthOf(shown.locator('img'))).toBeGreaterThan(0);
    await shown.click();
    expect(await widthOf(bob.page.getByTestId('large-picture'))).toBe(400);
    await bob.page.keyboard.press('Escape');
    await bob.page.getByTestId('large-picture').waitFor({ state: 'detached' });
    await paste(bob, buffer);
    await bob.page.getByTestId('chosen-file').waitFor();
    await bob.page.getByTestId('send').click();
    await until(
      async () => (await alice.page.getByTestId('message-picture').count()) === 2,
      'the pasted image',
    );
  });

  it('cancels an upload, and reports a file that the server rejects', async () => {
    const [alice, bob] = await Promise.all([come(), come()]);
    await openChat(alice, bob);
    // The upload request never completes.
    await alice.page.route('**/uploads/**', () => {});
    const buffer = await picture();
    await alice.page.getByTestId('file').setInputFiles({ name: 'lake.png', mimeType: 'image/png', buffer });
    await say(alice, 'Never mind');
    await waitForStatus(alice, 'Never mind', 'sending');
    await alice.page.getByTestId('cancel-upload').click();
    await messageOf(alice, 'Never mind').waitFor({ state: 'detached' });
    await alice.page.unroute('**/uploads/**');

    // The server refuses the upload.
    await alice.page.route('**/uploads/**', (route) => route.fulfill({ status: 413, body: '{}' }));
    await alice.page.getByTestId('file').setInputFiles({ name: 'lake.png', mimeType: 'image/png', buffer });
    await say(alice, 'Look');
    await waitForStatus(alice, 'Look', 'failed');
    const tried = alice.page.waitForResponse((response) => response.status() >= 400);
    await alice.page.getByTestId('retry').click();
    await tried;
    await waitForStatus(alice, 'Look', 'failed');
    await alice.page.getByTestId('discard').click();
    await messageOf(alice, 'Look').waitFor({ state: 'detached' });
    await say(alice, 'Only text, then');
    await waitForStatus(alice, 'Only text, then', 'delivered');
    for (const expected of ['400', '413', '422']) visitors.allowError(expected);
  });

  it('validates addresses and works with the keyboard only', async () => {
    const alice = await come({ viewport: { width: 360, height: 640 } });
    await goTo(alice.page, 'chats');
    await alice.page.getByText('No chats yet').waitFor();
    await alice.page.getByTestId('new-chat').click();
    for (const [typed, why] of [
      ['0x12', 'An address is 0x followed by 40 digits'],
      [alice.address, 'This is your own address'],
    ] as const) {
      await alice.page.getByTestId('peer').fill(typed);
      await alice.page.keyboard.press('Enter');
      await alice.page.getByText(why).waitFor();
    }
    await alice.page.getByTestId('peer').fill(nobody.toLowerCase());
    await alice.page.keyboard.press('Enter');
    await alice.page.getByTestId('compose').waitFor();
    await tabTo(alice.page, 'compose');
    await alice.page.keyboard.type('By hand');
    await tabTo(alice.page, 'send');
    await alice.page.keyboard.press('Enter');
    await waitForStatus(alice, 'By hand', 'sent');
    await fits(alice.page, 'compose');
    await alice.page.getByTestId('back-to-threads').click();
    await fits(alice.page, 'chat');
    await expect.poll(() => chatWith(alice, { address: nobody }).textContent()).toContain('You: By hand');
  });

  it('loads earlier messages and keeps the scroll position', async () => {
    const [alice, bob] = [await harness.client(), await come()];
    const write = (content: string) => alice.parley.messages.send({ to: bob.address, content, type: 'text' });
    for (let count = 1; count <= 44; count++) await write(`Line ${count}`);
    await goTo(bob.page, 'chats');
    await chatWith(bob, alice).click();
    await messageOf(bob, 'Line 44').waitFor();
    await expect.poll(() => messageOf(bob, 'Line 4').count()).toBe(0);
    const above = messageOf(bob, 'Line 5');
    await bob.page.getByTestId('messages').evaluate((element) => element.scrollTo(0, 40));
    await messageOf(bob, 'Line 1').waitFor({ state: 'attached' });
    const position = await above.boundingBox();
    const frame = await bob.page.getByTestId('messages').boundingBox();
    expect(Math.abs((position?.y ?? 0) - (frame?.y ?? 0))).toBeLessThan(200);
    const { id } = await write('The last');
    await bob.page.getByTestId('new-below').click();
    await alice.event('message:read', ({ messageId }) => messageId === id);
  });

  it('opens an old message that was found, and loads the messages after it', async () => {
    const [alice, bob] = [await harness.client(), await come()];
    const write = (content: string) => alice.parley.messages.send({ to: bob.address, content, type: 'text' });
    for (let count = 1; count <= 130; count++) await write(count === 30 ? 'The needle' : `Line ${count}`);
    await goTo(bob.page, 'chats');
    await bob.page.getByTestId('search-all').click();
    await bob.page.getByTestId('search-query').fill('needle');
    await bob.page.getByTestId('search-query').press('Enter');
    await bob.page.getByTestId('found-message').getByRole('button').press('Enter');
    await isShown(bob, 'The needle');
    await messageOf(bob, 'Line 29').waitFor();
    await expect.poll(() => messageOf(bob, 'Line 130').count()).toBe(0);
    // A new message does not appear next to the old ones.
    const { id } = await write('The last');
    await bob.page.getByTestId('messages').press('End');
    await messageOf(bob, 'Line 80').waitFor({ state: 'attached' });
    await expect.poll(() => messageOf(bob, 'The last').count()).toBe(0);
    await bob.page.getByTestId('to-latest').click();
    await messageOf(bob, 'The last').waitFor();
    await messageOf(bob, 'Line 130').waitFor();
    await bob.page.getByTestId('to-latest').waitFor({ state: 'detached' });
    await alice.event('message:read', ({ messageId }) => messageId === id);
  });
});

describe('while the server is down', () => {
  it('queues a message across a reload and sends it once when the server is back', async () => {
    const [alice, bob] = await Promise.all([come(), come()]);
    await openChat(alice, bob);
    await say(alice, 'Before');
    await waitForStatus(alice, 'Before', 'delivered');
    await harness.server.kill();
    await say(alice, 'While it was away');
    await waitForStatus(alice, 'While it was away', 'sending');
    await harness.server.start();
    await alice.page.reload();
    await waitForStatus(alice, 'While it was away', 'delivered');
    await openChat(bob, alice);
    await messageOf(bob, 'While it was away').waitFor();
    await expect.poll(() => messageOf(bob, 'While it was away').count()).toBe(1);
    await expect.poll(() => messageOf(alice, 'While it was away').count()).toBe(1);
    for (const expected of ['ERR_CONNECTION_REFUSED', 'WebSocket', '503']) visitors.allowError(expected);
  });
});

declare global {
  interface Window {
    /** The number that the page has shown last on the icon of the installed app. */
    badge: number | undefined;
  }
}

/** Browsers do not tell which badge an app has. */
const recordBadge = ({ page }: Person) =>
  page.evaluate(() => {
    const own = {
      set: navigator.setAppBadge.bind(navigator),
      clear: navigator.clearAppBadge.bind(navigator),
    };
    navigator.setAppBadge = (count) => own.set((window.badge = count));
    navigator.clearAppBadge = () => ((window.badge = 0), own.clear());
  });

const badgeOf = ({ page }: Person) => page.evaluate(() => window.badge);

/** Waits until a message has the focus and is in view. */
const isShown = (person: Person, text: string) =>
  person.page.locator('[data-message]:focus').filter({ hasText: text }).waitFor();

/** A wallet that has no devices. */
const nobody = '0x000000000000000000000000000000000000dEaD';

/** Changes the visibility of the page, as when another window covers it. */
const setVisibility = ({ page }: Person, state: string) =>
  page.evaluate((value) => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => value });
    document.dispatchEvent(new Event('visibilitychange'));
  }, state);

/** Waits for the image. @returns its natural width */
const widthOf = (image: ReturnType<Person['page']['locator']>) =>
  image.evaluate(async (element) => {
    await (element as HTMLImageElement).decode();
    return (element as HTMLImageElement).naturalWidth;
  });

const paste = ({ page }: Person, bytes: Buffer) =>
  page.getByTestId('compose').evaluate(
    (element, given) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(given)], 'pasted.png', { type: 'image/png' }));
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
    },
    [...bytes],
  );
