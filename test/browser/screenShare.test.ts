import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { leave, smallVideo } from '../harness/browser.ts';
import { browserOnOneNode } from '../harness/browserOnOneNode.ts';
import { receivedFrom, waitForMedia } from '../harness/receivedFrom.ts';
import { until } from '../harness/until.ts';

/* A screen with its sound, in a room of the real server: what Chromium sends, what another Chromium gets of it, and what is told of it. */

declare global {
  interface Window {
    /** What was captured for sharing, ended or not. */
    captured: MediaStreamTrack[];
    /** Lets the page's user decide. */
    choose: () => void;
  }
}

const { pair } = browserOnOneNode();

/** Alice's room, with Bob in it, who shares a picture that moves and a tone: Chromium without a screen has no sound of one to give. */
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
  await hasScreenToShare(bob.page);
  return { alice, bob, roomId, screen: { roomId, participantId } };
}

/** In the place of the browser's dialogue; all behind it is real. */
const hasScreenToShare = (page: Page) =>
  page.evaluate(() => {
    window.captured = [];
    const chosen = new Promise<void>((resolve) => (window.choose = resolve));
    navigator.mediaDevices.getDisplayMedia = async ({ audio } = {}) => {
      await chosen;
      const canvas = Object.assign(document.createElement('canvas'), { width: 320, height: 180 });
      const picture = canvas.getContext('2d');
      setInterval(() => {
        if (picture) picture.fillStyle = `hsl(${Math.random() * 360} 60% 50%)`;
        picture?.fillRect(Math.random() * 200, 0, 120, 180);
      }, 100);
      const stream = canvas.captureStream(10);
      if (audio) {
        const context = new AudioContext();
        const [tone, out] = [new OscillatorNode(context), context.createMediaStreamDestination()];
        tone.connect(out);
        tone.start();
        for (const track of out.stream.getTracks()) stream.addTrack(track);
      }
      window.captured.push(...stream.getTracks());
      return stream;
    };
  });

/** Shares; resolves with nothing, or the code of what went wrong. */
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
  page.evaluate(() => window.captured.map(({ kind, readyState }) => `${kind} ${readyState}`).sort());
const shared = (page: Page, roomId: string) =>
  page.evaluate((id) => window.parley.media.localScreen(id)?.getTracks().length ?? 0, roomId);
const told = (page: Page) =>
  page.evaluate(() => window.seen.filter(({ name }) => name.startsWith('conference:screenshare')));

it('the others see it and hear it, until it is over', async () => {
  const { alice, bob, roomId, screen } = await inRoom();
  const get = (source: 'screen' | 'screen-audio') => receivedFrom(alice.page, roomId, bob.address, source);
  await choose(bob.page);
  expect(await share(bob.page, roomId)).toBeNull();
  expect(await captured(bob.page)).toEqual(['audio live', 'video live']);
  // Both come, with something in both; and Bob's face and voice besides.
  await waitForMedia(alice.page, roomId, [bob.address], ['screen', 'screen-audio']);
  await waitForMedia(alice.page, roomId, [bob.address]);
  await until(async () => (await told(alice.page)).length === 1, 'the news of it');

  await stop(bob.page, roomId);
  await until(async () => !(await get('screen')) && !(await get('screen-audio')), 'the end of both');
  await until(async () => (await told(alice.page)).length === 2, 'the news of its end');
  expect(await told(alice.page)).toEqual([
    { name: 'conference:screenshare:started', payload: screen },
    { name: 'conference:screenshare:stopped', payload: screen },
  ]);
  expect(await captured(bob.page)).toEqual(['audio ended', 'video ended']);
  await leave(alice, bob);
});

it('another screen, without a sound, takes the place of both', async () => {
  const { alice, bob, roomId } = await inRoom();
  await choose(bob.page);
  await share(bob.page, roomId);
  await waitForMedia(alice.page, roomId, [bob.address], ['screen', 'screen-audio']);
  expect(await share(bob.page, roomId, { audio: false })).toBeNull();
  await until(
    async () => !(await receivedFrom(alice.page, roomId, bob.address, 'screen-audio')),
    'the end of the sound',
  );
  expect(await captured(bob.page)).toEqual(['audio ended', 'video ended', 'video live']);
  expect(await receivedFrom(alice.page, roomId, bob.address, 'screen')).not.toBeNull();
  await leave(alice, bob);
});

it.each([
  ['while choosing', () => undefined],
  // His sound and picture are being ended then.
  [
    'the moment something is chosen',
    (bob: Page) =>
      bob.evaluate(() => {
        window.parley.on(
          'conference:participant:updated',
          ({ role }) => role === 'viewer' && window.choose(),
        );
      }),
  ],
])('who is made a viewer %s shares nothing, and nothing is captured', async (_when, prepare) => {
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
  expect(await told(alice.page)).toEqual([]);
  await leave(alice, bob);
});

it('who leaves while choosing captures nothing', async () => {
  const { alice, bob, roomId } = await inRoom();
  const answer = share(bob.page, roomId);
  await bob.page.evaluate((id) => window.parley.conference.leave(id), roomId);
  await choose(bob.page);
  expect(await answer).toBe('CONFLICT');
  expect(await captured(bob.page)).toEqual(['audio ended', 'video ended']);
  await leave(alice, bob);
});
