import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fits, waitForVideo } from '../harness/browser/console.ts';
import { newcomer } from '../harness/browser/consoleChats.ts';
import {
  join,
  makeRoom,
  tileOf,
  waitForTileVideo,
  withSmallCamera,
} from '../harness/browser/consoleRooms.ts';
import { goLive, makeStream } from '../harness/browser/consoleStreams.ts';
import { ConsoleVisitors } from '../harness/browser/ConsoleVisitors.ts';
import { guestLink } from '../harness/browser/guestLinks.ts';
import { oneNode, type OneNode } from '../harness/nodes/Harness.ts';

/* Guests in the console: the link with a participant token, without a wallet and without signing in. */

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
const open = (link: string, options = {}) => visitors.visit(link, { prepare: withSmallCamera, ...options });
const enter = async (page: Page) => {
  await page.getByTestId('join-room').click();
  await page.getByTestId('in-room').waitFor();
};
const problem = (page: Page, text: string) => page.getByTestId('problem').getByText(text).waitFor();

describe('a guest of a room', () => {
  it('joins under the name in the token, talks and chats, and is marked as a guest', async () => {
    const ada = await come();
    const roomId = await makeRoom(ada.page, { name: 'Open house' });
    await join(ada.page, 'Ada');
    const { link } = await guestLink(harness, roomId, { identity: 'bob', displayName: 'Bob' });
    const bob = await open(link);
    await bob.getByTestId('lobby-video').waitFor();
    // The token is not in the address bar, but a reload still has it.
    await expect.poll(() => bob.url()).toBe(`${harness.url()}/join`);
    await bob.reload();
    await bob.getByTestId('guest-name').getByText('Bob').waitFor();
    await expect.poll(() => bob.getByTestId('display-name').count()).toBe(0);
    await enter(bob);
    await waitForTileVideo(ada.page, 'guest:bob');
    await waitForTileVideo(bob, ada.address);
    await ada.page
      .getByRole('listitem', { name: 'Bob, guest' })
      .getByText('Guest', { exact: true })
      .waitFor();

    await bob.getByTestId('room-chat').click();
    await bob.getByTestId('room-compose').fill('Hello from outside');
    await bob.getByTestId('room-compose').press('Enter');
    await ada.page.getByTestId('room-chat').click();
    const said = ada.page.getByTestId('room-message').filter({ hasText: 'Hello from outside' });
    await said.getByText('Bob').waitFor();
    await said.getByText('Guest', { exact: true }).waitFor();
    await ada.page.getByTestId('room-people').click();
    const person = ada.page.locator('[data-testid=person][data-address="guest:bob"]');
    await person.getByText('Guest', { exact: true }).waitFor();
    // Only wallets can invite.
    await bob.getByTestId('room-people').click();
    await bob.getByTestId('person').nth(1).waitFor();
    await expect.poll(() => bob.getByTestId('room-link').count()).toBe(0);
    await expect.poll(() => bob.getByTestId('room-invite').count()).toBe(0);
  });

  it('sees no controls for what the token does not grant', async () => {
    const host = await harness.client();
    const room = await host.parley.conference.create({ name: 'Quiet', maxParticipants: 5 });
    await host.parley.conference.join(room.id);
    const { link } = await guestLink(harness, room.id, {
      identity: 'listener',
      canPublish: ['microphone'],
      canChat: false,
    });
    const page = await open(link);
    await page.locator('[data-testid=guest-right][data-allowed=false]').nth(2).waitFor();
    await page.getByTestId('lobby-microphone').waitFor();
    await expect.poll(() => page.getByTestId('lobby-camera').count()).toBe(0);
    await enter(page);
    await page.getByTestId('room-mic').waitFor();
    for (const absent of ['room-camera', 'room-share'])
      await expect.poll(() => page.getByTestId(absent).count(), { message: absent }).toBe(0);
    // The shortcut of the camera does nothing.
    await page.keyboard.press('v');
    await page.getByTestId('room-chat').click();
    await page.getByText('Your link does not let you write in this room.').waitFor();
    await expect.poll(() => page.getByTestId('room-compose').count()).toBe(0);
    expect(host.parley.conference.participants(room.id).map(({ video }) => video)).toEqual([false, false]);
  });

  it('joins as a viewer without devices, and fits a small phone in dark mode', async () => {
    const host = await harness.client();
    const room = await host.parley.conference.create({
      name: 'A lecture with a long name',
      maxParticipants: 5,
    });
    const { link } = await guestLink(harness, room.id, {
      identity: 'viewer-with-a-long-name',
      role: 'viewer',
    });
    const page = await open(link, { viewport: { width: 360, height: 640 }, colorScheme: 'dark' });
    await fits(page, 'join-room');
    await page.getByText('You are a viewer.').waitFor();
    await expect.poll(() => page.getByTestId('lobby-video').count()).toBe(0);
    await enter(page);
    await fits(page, 'room-leave');
    await expect.poll(() => page.getByTestId('room-mic').count()).toBe(0);
    await page.getByTestId('room-people').click();
    await fits(page, 'panel-people');
    await page.getByTestId('room-leave').click();
    await page.locator('[data-testid=departed][data-departure=left]').waitFor();
    await expect.poll(() => page.getByTestId('to-my-rooms').count()).toBe(0);
    await page.getByTestId('return').click();
    await enter(page);
  });

  it('manages the room as a host', async () => {
    const host = await harness.client();
    const room = await host.parley.conference.create({ name: 'Hosted', maxParticipants: 5 });
    await host.parley.conference.join({ roomId: room.id, displayName: 'Owner' });
    const other = await harness.client();
    await other.parley.conference.join({ roomId: room.id, displayName: 'Other' });
    const { link } = await guestLink(harness, room.id, { identity: 'host', role: 'host' });
    const page = await open(link);
    await page.getByText('You are a host and manage the room.').waitFor();
    await enter(page);
    await page.getByTestId('room-people').click();
    const person = page.locator(`[data-testid=person][data-address="${other.address}"]`);
    await person.getByTestId('person-menu').click();
    await page.getByTestId('remove-person').click();
    await other.event('conference:removed', ({ reason }) => reason === 'kicked');
    await tileOf(page, other.address).waitFor({ state: 'detached' });
    await page.getByTestId('room-leave').click();
    await page.getByTestId('end-room').click();
    await page.locator('[data-testid=departed][data-departure=ended]').waitFor();
  });
});

describe('a link that cannot be used', () => {
  it('says that it is incomplete or invalid, and takes another link in the same tab', async () => {
    const host = await harness.client();
    const room = await host.parley.conference.create({ name: 'Links', maxParticipants: 5 });
    const page = await open(`${harness.url()}/join`);
    await problem(page, 'This link is incomplete');
    await page.goto(`${harness.url()}/join#token=pt_${'0'.repeat(43)}`);
    await problem(page, 'This link is no longer valid');
    const { link } = await guestLink(harness, room.id, { identity: 'late' });
    await page.goto(link);
    await page.getByTestId('join-room').waitFor();
    await expect.poll(() => page.url()).toBe(`${harness.url()}/join`);
  });

  it('says that it has expired', async () => {
    const host = await harness.client();
    const room = await host.parley.conference.create({ name: 'Short', maxParticipants: 5 });
    const { link } = await guestLink(harness, room.id, { identity: 'slow', expiresInSeconds: 1 });
    await expect
      .poll(async () => {
        const page = await open(link);
        const found = page.getByTestId('problem').or(page.getByTestId('join-room'));
        await found.waitFor();
        return found.textContent();
      })
      .toContain('This link has expired');
  });

  it('says that the room is full or has ended', async () => {
    const host = await harness.client();
    const room = await host.parley.conference.create({ name: 'Small', maxParticipants: 2 });
    const other = await harness.client();
    for (const { parley } of [host, other]) await parley.conference.join(room.id);
    const { link } = await guestLink(harness, room.id, { identity: 'third' });
    const page = await open(link);
    await page.getByTestId('join-room').click();
    await page.locator('[data-testid=problem][data-code=ROOM_FULL]').waitFor();
    await other.parley.conference.leave(room.id);
    await enter(page);
    await host.parley.conference.end(room.id);
    await page.locator('[data-testid=departed][data-departure=ended]').waitFor();
    await page.reload();
    await page.locator('[data-testid=departed][data-departure=ended]').waitFor();
  });

  it('says that another device uses it now, and takes the place back', async () => {
    const host = await harness.client();
    const room = await host.parley.conference.create({ name: 'Twice', maxParticipants: 5 });
    await host.parley.conference.join(room.id);
    const { link } = await guestLink(harness, room.id, { identity: 'twin' });
    const [first, second] = [await open(link), await open(link)];
    await enter(first);
    await enter(second);
    await first.locator('[data-testid=departed][data-departure=other_device]').waitFor();
    await first.getByText('Your link can be used on one device at a time.').waitFor();
    await first.getByTestId('return').click();
    await enter(first);
    await second.locator('[data-testid=departed][data-departure=other_device]').waitFor();
    expect(host.seen('conference:participant:left')).toEqual([]);
  });
});

it('opens the link by itself when a server that was away is back', async () => {
  const host = await harness.client();
  const room = await host.parley.conference.create({ name: 'Soon', maxParticipants: 5 });
  const { link } = await guestLink(harness, room.id, { identity: 'early' });
  let isAway = true;
  const page = await open(link, {
    prepare: (context: BrowserContext) =>
      context.routeWebSocket(/socket\.io/, (socket) => {
        if (isAway) void socket.close();
        else socket.connectToServer();
      }),
  });
  await problem(page, 'The server did not respond');
  await page.getByTestId('problem').getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Opening your link').waitFor();
  await problem(page, 'The server did not respond');
  isAway = false;
  await page.getByTestId('join-room').waitFor();
});

it('lets a guest watch a private stream and write in its chat', async () => {
  const ada = await come();
  const id = await makeStream(ada.page, 'For guests', { isPrivate: true });
  const { link } = await guestLink(harness, id, { identity: 'fan', displayName: 'Fan', role: 'viewer' });
  const silent = await guestLink(harness, id, { identity: 'mute', role: 'viewer', canChat: false });
  const fan = await visitors.visit(link);
  await fan.locator('[data-testid=player-message][data-state=idle]').waitFor();
  await goLive(ada.page);
  await waitForVideo(fan, 'watch-video');
  await fan.getByTestId('stream-compose').fill('Greetings');
  await fan.getByTestId('stream-compose').press('Enter');
  const said = ada.page.getByTestId('stream-message').filter({ hasText: 'Greetings' });
  await said.getByText('Guest', { exact: true }).waitFor();
  await ada.page.getByTestId('studio-tab').getByText('Viewers').click();
  const viewer = ada.page.locator('[data-testid=viewer][data-address="guest:fan"]');
  await viewer.getByText('Guest', { exact: true }).waitFor();
  const mute = await visitors.visit(silent.link);
  await mute.getByTestId('stream-message').filter({ hasText: 'Greetings' }).waitFor();
  await mute.getByText('Your link does not let you write in this chat.').waitFor();
  await expect.poll(() => mute.getByTestId('stream-compose').count()).toBe(0);
});
