import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { Participant } from '../../sdk/src/index.ts';
import { allReceive, eventIn, leave, makeCall, type BrowserClient } from '../harness/browser/browser.ts';
import { browserOnOneNode } from '../harness/browser/browserOnOneNode.ts';
import { fakeScreen } from '../harness/browser/fakeScreen.ts';
import { intercept } from '../harness/browser/intercept.ts';
import { receivedFrom, waitForMedia } from '../harness/media/receivedFrom.ts';
import { until } from '../harness/until.ts';

/* Chromium pages share a screen in a call, which then becomes a room, on a real server. */

declare global {
  interface Window {
    /** The longest time without a new frame of the other party's camera, in milliseconds. */
    longestGap: number;
  }
}

const { client, pair } = browserOnOneNode();

const screens = (page: Page) =>
  page.evaluate(() => window.screenTracks.map(({ kind, readyState }) => `${kind} ${readyState}`).sort());

const sharesScreen = (page: Page) =>
  page.evaluate(() =>
    window.seen.some(
      ({ name, payload }) => name === 'call:participant:updated' && (payload as Participant).screen,
    ),
  );

/** The devices that a page sends to a call or room. */
const sent = (page: Page, id: string) =>
  page.evaluate(
    (of) =>
      window.parley.media
        .localStream(of)
        ?.getTracks()
        .map((track) => `${track.kind} ${track.id} ${track.readyState} ${track.enabled}`)
        .sort() ?? [],
    id,
  );

/** Waits for moving video of a muted wallet. */
async function waitForPicture(page: Page, roomId: string, wallet: string): Promise<void> {
  const frames = async () => (await receivedFrom(page, roomId, wallet, 'camera'))?.framesDecoded ?? 0;
  await until(async () => (await frames()) > 3, `the camera of ${wallet}`);
}

/** Measures from now on how long the other party's video stands still. */
const watchGaps = (viewer: BrowserClient, of: BrowserClient) =>
  viewer.page.evaluate((id) => {
    const video = document.getElementById(id) as HTMLVideoElement;
    let last = performance.now();
    window.longestGap = 0;
    const onFrame = () => {
      const now = performance.now();
      window.longestGap = Math.max(window.longestGap, now - last);
      last = now;
      video.requestVideoFrameCallback(onFrame);
    };
    video.requestVideoFrameCallback(onFrame);
  }, `${of.address} camera`);

it('shares a screen in a call, with its sound, until sharing stops', async () => {
  const [alice, bob] = await pair();
  const callId = await makeCall(alice, bob);
  await allReceive(callId, alice, bob);
  await fakeScreen(alice.page);
  await alice.page.evaluate((id) => window.parley.calls.startScreenShare(id), callId);
  await waitForMedia(bob.page, callId, [alice.address], ['screen', 'screen-audio']);
  await until(() => sharesScreen(bob.page), 'the other party is told');
  await alice.page.evaluate((id) => window.parley.calls.stopScreenShare(id), callId);
  expect(await screens(alice.page)).toEqual(['audio ended', 'video ended']);
  await until(
    () => bob.page.evaluate((key) => !window.tracks.has(key), `${alice.address} screen`),
    'the screen has ended',
  );
  await alice.page.evaluate((id) => window.parley.calls.end(id), callId);
  await eventIn(bob.page, 'call:ended');
  const refused = await alice.page.evaluate(
    (id) => window.parley.calls.startScreenShare(id).catch(({ code }: { code: string }) => code),
    callId,
  );
  expect(refused).toBe('CONFLICT');
  await leave(alice, bob);
});

it('moves both parties of a call into a room, with the same camera and microphone', async () => {
  const [[alice, bob], carol] = [await pair(), await client()];
  const messages: string[] = [];
  const starts = [
    /"media.produce".*"scope":"conference".*"microphone"/,
    /"media.produce".*"scope":"conference".*"camera"/,
    /"media.resumeConsumers".*"scope":"conference"/,
  ];
  await intercept(alice, {
    // In the room, the server gets none of these until the page has sent all of them: none waits for the answer to another.
    sent: async (message) => {
      messages.push(message);
      const areAllSent = () => starts.every((kind) => messages.some((each) => kind.test(each)));
      if (starts.some((kind) => kind.test(message))) await until(areAllSent, 'all requests are sent');
    },
    received: (message) => message,
  });
  const callId = await makeCall(alice, bob);
  await allReceive(callId, alice, bob);
  await fakeScreen(bob.page);
  await bob.page.evaluate((id) => window.parley.calls.startScreenShare(id), callId);
  await bob.page.evaluate((id) => window.parley.calls.mute(id), callId);
  const before = [await sent(alice.page, callId), await sent(bob.page, callId)];
  await watchGaps(bob, alice);
  await watchGaps(alice, bob);
  const roomId = await alice.page.evaluate(
    async ([id, address]) => (await window.parley.calls.addPeople(id, [address])).id,
    [callId, carol.address] as const,
  );
  for (const { page } of [alice, bob])
    expect(await eventIn(page, 'call:moved')).toMatchObject({ callId, room: { id: roomId } });
  // The devices stay open, and Bob stays muted. His screen ends, because others come.
  expect([await sent(alice.page, roomId), await sent(bob.page, roomId)]).toEqual(before);
  expect(await screens(bob.page)).toEqual(['audio ended', 'video ended']);
  await waitForMedia(bob.page, roomId, [alice.address]);
  await waitForPicture(alice.page, roomId, bob.address);
  const gaps = await Promise.all([alice, bob].map(({ page }) => page.evaluate(() => window.longestGap)));
  // Usually about half a second. More only on a busy machine.
  expect(Math.max(...gaps)).toBeLessThan(5_000);
  await carol.page.evaluate((id) => window.parley.conference.join(id), roomId);
  await waitForMedia(carol.page, roomId, [alice.address]);
  await waitForPicture(carol.page, roomId, bob.address);
  const isBobMuted = () =>
    carol.page.evaluate(
      ([id, wallet]) =>
        window.parley.conference.participants(id).find(({ walletAddress }) => walletAddress === wallet)
          ?.audio === false,
      [roomId, bob.address] as const,
    );
  await until(isBobMuted, 'Bob is muted');
  await leave(alice, bob, carol);
});
