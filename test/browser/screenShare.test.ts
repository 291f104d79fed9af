import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { leave, smallVideo } from '../harness/browser/browser.ts';
import { browserOnOneNode } from '../harness/browser/browserOnOneNode.ts';
import { fakeScreen } from '../harness/browser/fakeScreen.ts';
import { receivedFrom, waitForMedia } from '../harness/media/receivedFrom.ts';
import { until } from '../harness/until.ts';

/* One Chromium page shares a screen with audio with another, in a room on a real server. */

declare global {
  interface Window {
    /** Completes the selection in the browser's dialog. */
    choose: () => void;
  }
}

const { pair } = browserOnOneNode();

/** Opens Alice's room with Bob, whose screen is a moving canvas with a tone, because headless Chromium cannot capture screen audio. */
async function inRoom() {
  const [alice, bob] = await pair();
  const roomId = await alice.page.evaluate(
    async () => (await window.parley.conference.create({ name: 'Screens', maxParticipants: 5 })).id,
  );
  for (const { page } of [alice, bob])
    await page.evaluate(([id, video]) => window.parley.conference.join({ roomId: id, video }), [
      roomId,
      smallVideo,
    ] as const);
  await alice.page.evaluate(() => {
    for (const name of ['conference:screenshare:started', 'conference:screenshare:stopped'] as const)
      window.parley.on(name, (payload) => window.seen.push({ name, payload }));
  });
  const participantId = await until(
    () =>
      alice.page.evaluate(
        ([id, wallet]) =>
          window.parley.conference
            .participants(id)
            .find(({ walletAddress, video }) => walletAddress === wallet && video)?.id,
        [roomId, bob.address] as const,
      ),
    'Bob',
  );
  await screenToChoose(bob.page);
  return { alice, bob, roomId, screen: { roomId, participantId } };
}

/** Replaces the browser's dialog for choosing a screen. The user has chosen one when `window.choose()` is called. */
async function screenToChoose(page: Page): Promise<void> {
  await fakeScreen(page);
  await page.evaluate(() => {
    const chosen = new Promise<void>((resolve) => (window.choose = resolve));
    const { mediaDevices } = navigator;
    const capture = mediaDevices.getDisplayMedia.bind(mediaDevices);
    mediaDevices.getDisplayMedia = async (options) => {
      await chosen;
      return capture(options);
    };
  });
}

/** Shares the screen. Resolves with null or an error code. */
const share = (page: Page, roomId: string, options = {}) =>
  page.evaluate(
    ([id, given]) =>
      window.parley.conference.startScreenShare(id, given).then(
        () => null,
        (error: { code: string }) => error.code,
      ),
    [roomId, options] as const,
  );
const choose = (page: Page) => page.evaluate(() => window.choose());
const stop = (page: Page, roomId: string) =>
  page.evaluate((id) => window.parley.conference.stopScreenShare(id), roomId);
const captured = (page: Page) =>
  page.evaluate(() => window.screenTracks.map(({ kind, readyState }) => `${kind} ${readyState}`).sort());
const shared = (page: Page, roomId: string) =>
  page.evaluate((id) => window.parley.media.localScreen(id)?.getTracks().length ?? 0, roomId);
const screenEvents = (page: Page) =>
  page.evaluate(() => window.seen.filter(({ name }) => name.startsWith('conference:screenshare')));

it('transmits screen and audio until sharing stops', async () => {
  const { alice, bob, roomId, screen } = await inRoom();
  const get = (source: 'screen' | 'screen-audio') => receivedFrom(alice.page, roomId, bob.address, source);
  await choose(bob.page);
  expect(await share(bob.page, roomId)).toBeNull();
  expect(await captured(bob.page)).toEqual(['audio live', 'video live']);
  // Both arrive with content, in addition to Bob's camera and microphone.
  await waitForMedia(alice.page, roomId, [bob.address], ['screen', 'screen-audio']);
  await waitForMedia(alice.page, roomId, [bob.address]);
  await until(async () => (await screenEvents(alice.page)).length === 1, 'the started event');

  await stop(bob.page, roomId);
  await until(async () => !(await get('screen')) && !(await get('screen-audio')), 'both have ended');
  await until(async () => (await screenEvents(alice.page)).length === 2, 'the stopped event');
  expect(await screenEvents(alice.page)).toEqual([
    { name: 'conference:screenshare:started', payload: screen },
    { name: 'conference:screenshare:stopped', payload: screen },
  ]);
  expect(await captured(bob.page)).toEqual(['audio ended', 'video ended']);
  await leave(alice, bob);
});

it('replaces screen and audio with another screen without audio', async () => {
  const { alice, bob, roomId } = await inRoom();
  await choose(bob.page);
  await share(bob.page, roomId);
  await waitForMedia(alice.page, roomId, [bob.address], ['screen', 'screen-audio']);
  expect(await share(bob.page, roomId, { audio: false })).toBeNull();
  await until(
    async () => !(await receivedFrom(alice.page, roomId, bob.address, 'screen-audio')),
    'the audio has ended',
  );
  expect(await captured(bob.page)).toEqual(['audio ended', 'video ended', 'video live']);
  expect(await receivedFrom(alice.page, roomId, bob.address, 'screen')).not.toBeNull();
  await leave(alice, bob);
});

it.each([
  ['while choosing', () => undefined],
  // Bob's audio and video are being closed at that moment.
  [
    'at the moment of choosing',
    (bob: Page) =>
      bob.evaluate(() => {
        window.parley.on(
          'conference:participant:updated',
          ({ role }) => role === 'viewer' && window.choose(),
        );
      }),
  ],
])('shares and captures nothing if the participant becomes a viewer %s', async (_when, prepare) => {
  const { alice, bob, roomId, screen } = await inRoom();
  await prepare(bob.page);
  const answer = share(bob.page, roomId);
  const { participantId } = screen;
  await alice.page.evaluate(([id, who]) => window.parley.conference.setRole(id, who, 'viewer'), [
    roomId,
    participantId,
  ] as const);
  await choose(bob.page);
  expect(await answer).toBe('ACCESS_DENIED');
  expect(await captured(bob.page)).toEqual(['audio ended', 'video ended']);
  expect(await shared(bob.page, roomId)).toBe(0);
  expect(await screenEvents(alice.page)).toEqual([]);
  await leave(alice, bob);
});

it('captures nothing if the participant leaves while choosing', async () => {
  const { alice, bob, roomId } = await inRoom();
  const answer = share(bob.page, roomId);
  await bob.page.evaluate((id) => window.parley.conference.leave(id), roomId);
  await choose(bob.page);
  expect(await answer).toBe('CONFLICT');
  expect(await captured(bob.page)).toEqual(['audio ended', 'video ended']);
  await leave(alice, bob);
});
