import type { BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { clickedMessage } from '../../sdk/src/worker/messages.ts';
import { fits, focused, goTo, tabTo } from '../harness/browser/console.ts';
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
import type { TestClient } from '../harness/clients/TestClient.ts';
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
  it('sends nothing with the Enter that confirms a word of an input method', async () => {
    const [alice, bob] = await Promise.all([come(), come()]);
    await openChat(alice, bob);
    const field = alice.page.getByTestId('compose');
    await field.fill('日本');
    // As Safari reports it, after the composition.
    await field.evaluate((element) => {
      const enter = { key: 'Enter', keyCode: 229, bubbles: true, cancelable: true };
      element.dispatchEvent(new KeyboardEvent('keydown', enter));
    });
    await expect.poll(() => field.inputValue()).toBe('日本');
    await field.press('Enter');
    await messageOf(alice, '日本').waitFor();
  });

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

  it('keeps the draft and the focus through replies and edits', async () => {
    const [alice, bob] = await Promise.all([come(), come()]);
    await Promise.all([openChat(alice, bob), openChat(bob, alice)]);
    await say(alice, 'Dinner?');
    await say(bob, 'Maybe');
    const field = bob.page.getByTestId('compose');
    const choose = async (text: string, action: 'reply' | 'edit-message') => {
      await actOn(bob, text);
      await bob.page.getByTestId(action).click();
      await expect.poll(() => focused(bob.page)).toBe('compose');
    };
    // An edit leaves the draft as it was, and so does a reply that is cancelled.
    await field.fill('At eight');
    await choose('Maybe', 'edit-message');
    await expect.poll(() => field.inputValue()).toBe('Maybe');
    await field.fill('Yes');
    await field.press('Enter');
    await messageOf(bob, 'Yes').getByTestId('edited').waitFor();
    await expect.poll(() => field.inputValue()).toBe('At eight');
    await expect.poll(() => focused(bob.page)).toBe('compose');
    await bob.page.keyboard.type('?');
    await expect.poll(() => field.inputValue()).toBe('At eight?');
    await bob.page.keyboard.press('Backspace');
    await choose('Dinner?', 'reply');
    await expect.poll(() => field.inputValue()).toBe('At eight');
    await field.press('Escape');
    await bob.page.getByTestId('composing-reply').waitFor({ state: 'detached' });
    await expect.poll(() => field.inputValue()).toBe('At eight');
    await expect.poll(() => focused(bob.page)).toBe('compose');
    await choose('Dinner?', 'reply');
    await bob.page.getByRole('button', { name: 'Do not reply' }).click();
    await expect.poll(() => focused(bob.page)).toBe('compose');
    await choose('Dinner?', 'reply');
    await field.press('Enter');
    await messageOf(alice, 'At eight').getByTestId('quote').getByText('Dinner?').waitFor();
    await expect.poll(() => field.inputValue()).toBe('');
    await expect.poll(() => focused(bob.page)).toBe('compose');
  });

  it('keeps a draft while another chat or page is shown', async () => {
    const [alice, bob, carol] = await Promise.all([come(), come(), come()]);
    const field = alice.page.getByTestId('compose');
    await openChat(alice, carol);
    await say(alice, 'Hello Carol');
    await openChat(alice, bob);
    await say(alice, 'Hello Bob');
    await field.fill('At eight');
    await chatWith(alice, carol).click();
    await expect.poll(() => field.inputValue()).toBe('');
    await chatWith(alice, bob).click();
    await expect.poll(() => field.inputValue()).toBe('At eight');
    await goTo(alice.page, 'calls');
    await goTo(alice.page, 'chats');
    await chatWith(alice, bob).click();
    await expect.poll(() => field.inputValue()).toBe('At eight');
    await field.press('Enter');
    await messageOf(alice, 'At eight').waitFor();
    await chatWith(alice, carol).click();
    await expect.poll(() => field.inputValue()).toBe('');
    await chatWith(alice, bob).click();
    await messageOf(alice, 'Hello Bob').waitFor();
    await expect.poll(() => field.inputValue()).toBe('');
  });

  it('keeps an edit that has begun when the one before is stored late', async () => {
    let store = () => {};
    const stored = new Promise<void>((resolve) => (store = resolve));
    const prepare = (context: BrowserContext) =>
      context.routeWebSocket(/socket\.io/, (socket) => {
        const server = socket.connectToServer();
        socket.onMessage(async (message) => {
          if (String(message).includes('messages.edit')) await stored;
          server.send(message);
        });
      });
    const [alice, bob] = await Promise.all([come({ prepare }), come()]);
    await openChat(alice, bob);
    for (const text of ['At sevn', 'Or eigt']) await say(alice, text);
    const field = alice.page.getByTestId('compose');
    const edit = async (text: string) => {
      await actOn(alice, text);
      await alice.page.getByTestId('edit-message').click();
      await expect.poll(() => field.inputValue()).toBe(text);
    };
    await edit('At sevn');
    await say(alice, 'At seven');
    await field.press('Escape');
    await edit('Or eigt');
    await field.fill('Or eight');
    store();
    await messageOf(alice, 'At seven').getByTestId('edited').waitFor();
    await expect.poll(() => field.inputValue()).toBe('Or eight');
    await field.press('Enter');
    await messageOf(alice, 'Or eight').getByTestId('edited').waitFor();
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

describe('a group', () => {
  it('adds a contact, invites a stranger, names who writes, and has both ticks when all have read', async () => {
    const [alice, bob, carol] = await Promise.all([come(), harness.client(), come(phone)]);
    await bob.parley.people.saveContact(alice.address, 'Alice');
    await bob.parley.people.setProfile({ name: 'Bob' });
    const group = await createGroup(alice, 'Dinner', [bob, carol]);
    await alice.page.getByTestId('group-details').getByText('2 members').waitFor();
    await say(alice, 'For two');
    await bob.event('message:received', ({ content }) => content === 'For two');

    // Carol is on another page, which counts the invitation.
    await expect.poll(() => carol.page.title()).toMatch(/^\(1\) /);
    await goTo(carol.page, 'chats');
    await chatWith(carol, group).getByText('Invitation').waitFor();
    await chatWith(carol, group).click();
    const invitation = carol.page.getByTestId('group-invitation');
    await invitation.getByText('Dinner').waitFor();
    await invitation.getByText('2 members').waitFor();
    await expect.poll(() => carol.page.getByTestId('compose').count()).toBe(0);
    await expect.poll(() => carol.page.getByTestId('message').count()).toBe(0);
    await fits(carol.page, 'group-invitation');
    await carol.page.getByTestId('join-group').click();
    await carol.page.getByTestId('compose').waitFor();
    await alice.page.getByTestId('group-details').getByText('3 members').waitFor();

    const { id } = await bob.parley.messages.send({ to: group.address, content: 'Gladly', type: 'text' });
    for (const each of [alice, carol])
      await messageOf(each, 'Gladly').getByTestId('sender').getByText('Bob').waitFor();
    await expect.poll(() => messageOf(carol, 'For two').count()).toBe(0);
    const typing = alice.page.getByTestId('typing');
    await bob.parley.messages.setTyping(group.address, true);
    await typing.getByText('Bob is typing').waitFor();
    await carol.page.getByTestId('compose').pressSequentially('Me');
    await typing.getByText(/Bob and .+ are typing/).waitFor();
    await bob.parley.messages.setTyping(group.address, false);
    await say(carol, 'Me too');
    await messageOf(alice, 'Me too').getByTestId('sender').waitFor();
    await typing.getByText('typing').waitFor({ state: 'detached' });
    await actOn(carol, 'Gladly');
    await carol.page.getByTestId('reply').click();
    await say(carol, 'See you there');
    await messageOf(alice, 'See you there').getByTestId('quote').getByText('Bob').waitFor();
    // Only the first of two messages by Carol names her.
    await expect.poll(() => messageOf(alice, 'See you there').getByTestId('sender').count()).toBe(0);

    await say(alice, 'At eight');
    await messageOf(carol, 'At eight').waitFor();
    const readByCarol = await bob.parley.messages.getConversation(group.address);
    expect(readByCarol.lastMessage?.content).toBe('At eight');
    await waitForStatus(alice, 'At eight', 'delivered');
    await carol.page.getByTestId('back-to-threads').click();
    await expect.poll(() => chatWith(carol, group).getAttribute('data-unread')).toBe('0');
    await expect.poll(() => messageOf(alice, 'At eight').getAttribute('data-status')).toBe('delivered');
    await expect.poll(() => chatWith(carol, group).textContent()).toContain('At eight');
    await bob.parley.messages.markAsRead(readByCarol.lastMessage?.id ?? id);
    await waitForStatus(alice, 'At eight', 'read');

    // A clicked push opens the group.
    const push = { version: 1, kind: 'message', id, from: bob.address, to: alice.address };
    const ofGroup = { ...push, at: new Date().toISOString(), group: { id: group.address, name: 'Dinner' } };
    for (const clicked of [ofGroup, { ...ofGroup, kind: 'group', id: group.address }]) {
      await goTo(alice.page, 'calls');
      await alice.page.evaluate(clickPush, { type: clickedMessage, push: clicked });
      await alice.page.locator(`[data-testid=chat-with][data-peer="${group.address}"]`).waitFor();
    }
    await alice.page.getByTestId('search-all').click();
    await alice.page.getByTestId('search-query').fill('gladly');
    await alice.page.getByTestId('search-query').press('Enter');
    await alice.page.getByTestId('found-message').getByTestId('group-name').getByText('Dinner').waitFor();
  });

  it('is renamed, gets members and admins, removes members, and is left', async () => {
    const [alice, carol, bob, dave] = [await come(), ...(await newClients(3))] as const;
    for (const each of [bob, carol]) await each.parley.people.saveContact(alice.address, 'Alice');
    await bob.parley.people.setProfile({ name: 'Bob' });
    const group = await createGroup(alice, 'Dinner', [bob, carol]);
    const { page } = alice;
    const member = ({ address }: { address: string }) =>
      page.locator(`[data-testid=group-member][data-address="${address}"]`);

    // The focus moves into the dialog and back.
    await tabTo(page, 'group-details');
    await page.keyboard.press('Enter');
    await page.getByTestId('group-dialog').waitFor();
    await tabTo(page, 'rename-group');
    await page.keyboard.press('Enter');
    await page.getByTestId('group-name-field').fill(' ');
    await page.getByText('Enter a name.').waitFor();
    await page.getByTestId('group-name-field').fill('Lunch');
    await page.keyboard.press('Enter');
    await carol.event('group:updated', ({ name }) => name === 'Lunch');
    await page.getByTestId('group-name-field').waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.getByTestId('group-dialog').waitFor({ state: 'detached' });
    await expect.poll(() => focused(page)).toBe('group-details');
    await page.getByTestId('group-details').getByText('Lunch').waitFor();

    await page.getByTestId('group-details').click();
    await page.getByTestId('add-to-group').click();
    await page.getByTestId('people-to-add').fill(bob.address);
    await page.getByTestId('add-them').click();
    await page.getByText('This person is already in the group.').waitFor();
    await page.getByTestId('people-to-add').fill(dave.address);
    await page.getByTestId('add-them').click();
    await expect.poll(() => member(dave).getAttribute('data-standing')).toBe('invited');
    await member(carol).getByTestId('member-actions').click();
    await page.getByTestId('set-role').click();
    await expect.poll(() => member(carol).getAttribute('data-role')).toBe('admin');
    await member(bob).getByTestId('member-actions').click();
    await page.getByTestId('remove-member').click();
    await page.getByTestId('remove-member-confirm').click();
    await member(bob).waitFor({ state: 'detached' });
    await bob.event('group:updated', ({ standing }) => standing === 'removed');

    await carol.parley.messages.send({ to: group.address, content: 'Bye', type: 'text' });
    await page.getByTestId('leave-group').click();
    await page.getByTestId('leave-group-confirm').click();
    await page.getByTestId('not-in-group').waitFor();
    await page.getByTestId('group-dialog').waitFor({ state: 'detached' });
    await expect.poll(() => page.getByTestId('compose').count()).toBe(0);
    await messageOf(alice, 'Bye').waitFor();
    await actOn(alice, 'Bye');
    await page.getByTestId('delete-message').waitFor();
    await expect.poll(() => page.getByTestId('reply').count()).toBe(0);
  });

  it('suggests people by name, and says what is wrong', async () => {
    const [alice, bob] = await Promise.all([come(), harness.client()]);
    await bob.parley.people.setProfile({ name: 'Bob Builder' });
    await bob.parley.messages.send({ to: alice.address, content: 'Hello', type: 'text' });
    const { page } = alice;
    await goTo(page, 'chats');
    await page.getByTestId('new-chat').click();
    await page.getByTestId('chat-kind').getByText('Group').click();
    await page.getByTestId('create-group').click();
    await page.getByText('Enter a name.').waitFor();
    await page.getByText('Choose at least one person.').waitFor();
    await page.getByTestId('people-to-add').fill('0x12');
    await page.getByTestId('people-to-add').press('Enter');
    await page.getByText('An address is 0x followed by 40 digits').waitFor();
    await page.getByTestId('people-to-add').fill('');
    await page.getByTestId('suggested-person').press('Enter');
    await page.getByTestId('chosen-person').getByRole('button').press('Enter');
    await page.getByTestId('chosen-person').waitFor({ state: 'detached' });
    await expect.poll(() => focused(page)).toBe('people-to-add');
    await page.getByTestId('people-to-add').fill(alice.address);
    await page.getByTestId('people-to-add').press('Enter');
    await page.getByText('This is your own address.').waitFor();
    await page.getByTestId('people-to-add').fill('builder');
    await page.getByTestId('suggested-person').getByText('Bob Builder').waitFor();
    await page.getByTestId('people-to-add').press('Enter');
    await page.getByTestId('chosen-person').getByText('Bob Builder').waitFor();
    await page.getByTestId('group-name-field').fill('Work');
    await page.keyboard.press('Enter');
    await page.getByTestId('group-details').getByText('2 members').waitFor();
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
    visitors.allowServerDown();
  });
});

declare global {
  interface Window {
    /** The number that the page has shown last on the icon of the installed app. */
    badge: number | undefined;
  }
}

/** Runs in the page: what the worker tells it when a notification is clicked. */
const clickPush = (data: unknown) =>
  void navigator.serviceWorker.dispatchEvent(new MessageEvent('message', { data }));

const phone = { viewport: { width: 390, height: 844 } };
const newClients = (count: number) =>
  Promise.all(Array.from({ length: count }, () => harness.client())) as Promise<
    [TestClient, TestClient, TestClient]
  >;

/** Creates a group through its form. @returns its id, as the address of a chat */
async function createGroup(
  { page }: Person,
  name: string,
  people: { address: string }[],
): Promise<{ address: string }> {
  await goTo(page, 'chats');
  await page.getByTestId('new-chat').click();
  await page.getByTestId('chat-kind').getByText('Group').click();
  await page.getByTestId('group-name-field').fill(name);
  await page.getByTestId('people-to-add').fill(people.map(({ address }) => address).join(' '));
  await page.getByTestId('create-group').click();
  await page.getByTestId('group-details').getByText(name).waitFor();
  return { address: (await page.getByTestId('chat-with').getAttribute('data-peer')) ?? '' };
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
