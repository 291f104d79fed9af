import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { leave as leaveAll } from '../harness/browser/browser.ts';
import { newcomer } from '../harness/browser/consoleChats.ts';
import {
  inWaitingRoom,
  joinInBarePage,
  waitForOthersAudio,
  join,
  makeRoom,
  onPerson,
  waitForTileVideo,
  tileOf,
  withSmallCamera,
} from '../harness/browser/consoleRooms.ts';
import { ConsoleVisitors } from '../harness/browser/ConsoleVisitors.ts';
import { waitForMedia } from '../harness/media/receivedFrom.ts';
import { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { RawMediaClient } from '../harness/clients/RawMediaClient.ts';
import { closeSockets, newWallet, signIn } from '../integration/support.ts';

/*
 * Eight participants who all send: two on the console's pages, two on plain pages with the SDK, and four without a browser. This test has
 * a file of its own, because the last four load WebRTC into this process, and SDK clients of other tests would then send media with it.
 */

let server: ServerProcess;
let visitors: ConsoleVisitors;
const wireDevices: RawMediaClient[] = [];

beforeAll(async () => {
  [server, visitors] = await Promise.all([ServerProcess.start(), ConsoleVisitors.launch()]);
});
afterAll(async () => {
  for (const device of wireDevices) device.close();
  await visitors?.close();
  closeSockets();
  await server?.dispose();
});

const departed = (page: Page, departure: string) =>
  page.locator(`[data-testid=departed][data-departure=${departure}]`).waitFor();

/** Adds a participant without a browser, who sends real video and a tone through libwebrtc. */
async function wireParticipant(roomId: string): Promise<{ device: RawMediaClient; address: string }> {
  const wallet = newWallet();
  const { token } = await signIn(server.url, wallet);
  const device = await RawMediaClient.connect(server.url, token);
  wireDevices.push(device);
  await device.ask('conference.join', { roomId });
  await device.publish('conference', roomId);
  return { device, address: wallet.address };
}

it('transmits the media of all eight, shares a screen, and lets the host mute people, remove them and end the room', async () => {
  const ada = await newcomer(visitors, server.url, { prepare: withSmallCamera });
  const roomId = await makeRoom(ada.page, { name: 'Eight' });
  await join(ada.page, 'Ada');
  // Ben opens the invitation link without being signed in.
  const [ben, others, ...guests] = await Promise.all([
    visitors.visit(`${server.url}/rooms/${roomId}`, { prepare: withSmallCamera }),
    Promise.all(Array.from({ length: 4 }, () => wireParticipant(roomId))),
    joinInBarePage(visitors.browser, server.url, roomId, 'Chloé'),
    joinInBarePage(visitors.browser, server.url, roomId, 'Dmitri'),
  ]);
  await ben.getByTestId('invited').waitFor();
  await ben.getByTestId('try-wallet').click();
  expect(await inWaitingRoom(ben)).toBe(roomId);
  await join(ben, 'Ben');
  await ada.page.getByTestId('tile').nth(7).waitFor();

  const bens = (await ben.locator('[data-testid=tile][data-own=true]').getAttribute('data-address')) ?? '';
  const [firstWire] = others;
  const [chloe, dmitri] = guests.map(({ address }) => address);
  // Ada, Ben and the guests are in Chromium; all eight send.
  const all = [ada.address, bens, chloe, dmitri, ...others.map(({ address }) => address)].map(String);
  const but = (own: string) => all.filter((address) => address !== own);
  await Promise.all([
    ...but(ada.address).map((address) => waitForTileVideo(ada.page, address)),
    ...but(bens).map((address) => waitForTileVideo(ben, address)),
    waitForOthersAudio(ada.page, 7),
    waitForOthersAudio(ben, 7),
    ...guests.map(({ page, address }) => waitForMedia(page, roomId, but(address))),
  ]);
  await ada.page.locator('[data-testid=tile][data-speaking=true]').first().waitFor();

  await ada.page.getByTestId('room-people').click();
  await ada.page.getByTestId('record-room').click({ force: true });
  for (const page of [ada.page, ben]) await page.getByTestId('room-recording').waitFor();
  await firstWire?.device.events.first<{ recording: boolean }>(
    'conference:recording',
    ({ recording }) => recording,
  );
  await ada.page.getByTestId('record-room').click({ force: true });
  for (const page of [ada.page, ben]) await page.getByTestId('room-recording').waitFor({ state: 'detached' });
  await ada.page.getByTestId('room-people').click();

  await ben.getByTestId('room-share').click();
  await ben.getByTestId('sharing').waitFor();
  const screen = ada.page.getByTestId('screen-video');
  await screen.waitFor();
  await ada.page.waitForFunction(
    () => document.querySelector<HTMLVideoElement>('[data-testid=screen-video]')?.videoWidth,
  );
  await ada.page.locator('[data-testid=in-room][data-layout=speaker]').waitFor();
  await ben.getByTestId('sharing').getByRole('button').click();
  await screen.waitFor({ state: 'detached' });
  await ada.page.locator('[data-testid=in-room][data-layout=grid]').waitFor();

  await ada.page.getByTestId('room-people').click();
  await onPerson(ada.page, bens, 'mute-person');
  await ben.getByTestId('was-muted').waitFor();
  await ada.page.locator(`[data-testid=tile][data-address="${bens}"][data-audio=false]`).waitFor();
  await ben.getByTestId('room-mic').click();
  await ada.page.locator(`[data-testid=tile][data-address="${bens}"][data-audio=true]`).waitFor();
  await onPerson(ada.page, bens, 'remove-person');
  await onPerson(ada.page, firstWire?.address ?? '', 'make-viewer');
  await ada.page.locator('[data-testid=person][data-role=viewer]').waitFor();
  await ada.page.getByTestId('lock-room').click({ force: true });
  await ada.page.getByTestId('room-locked').waitFor();
  await departed(ben, 'kicked');
  await ben.getByText('when a host invites you').waitFor();
  await tileOf(ada.page, bens).waitFor({ state: 'detached' });

  await ada.page.getByTestId('room-leave').click();
  await ada.page.getByTestId('end-room').click();
  await departed(ada.page, 'ended');
  await firstWire?.device.events.first<{ id: string }>('conference:ended', ({ id }) => id === roomId);
  await leaveAll(...guests);
  expect(await visitors.closeAll()).toEqual([]);
});
