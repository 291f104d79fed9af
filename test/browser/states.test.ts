import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { CallState, RoomState } from '../../sdk/src/index.ts';
import { leave, makeCall, smallVideo, type BrowserClient } from '../harness/browser/browser.ts';
import { browserOnOneNode } from '../harness/browser/browserOnOneNode.ts';
import { until } from '../harness/until.ts';

/* The observable states of calls and rooms, in Chromium on a real server. */

const { pair } = browserOnOneNode();

/** The fields of a state that a test compares. */
const callOf = (page: Page, id: string) =>
  page.evaluate((callId) => {
    const state: CallState = window.parley.calls.state(callId).get();
    return {
      phase: state.phase,
      isHere: state.isHere,
      remote: state.remote?.walletAddress ?? null,
      sources: state.tracks.map(({ source }) => source).sort(),
      isMuted: state.isMuted,
      isCameraOn: state.isCameraOn,
      sends: state.remote && { audio: state.remote.audio, video: state.remote.video },
      isAway: state.isAway,
      trouble: state.trouble,
      local: state.local.stream?.getTracks().length ?? 0,
      own: state.quality.own?.sending ?? null,
      other: state.quality.remote?.sending ?? null,
    };
  }, id);

const roomOf = (page: Page, id: string) =>
  page.evaluate((roomId) => {
    const state: RoomState = window.parley.conference.state(roomId).get();
    return {
      phase: state.phase,
      reason: state.reason,
      people: state.participants.map(({ walletAddress }) => walletAddress),
      own: state.own?.role ?? null,
      sources: state.tracks.map(({ source, participant }) => `${participant.walletAddress} ${source}`).sort(),
      isLocked: state.room?.settings.locked ?? null,
      isRecording: state.isRecording,
      waiters: state.waiters.map(({ walletAddress }) => walletAddress),
      local: state.local.stream?.getTracks().length ?? 0,
    };
  }, id);

it('keeps the state of a call: both parties, their media and its quality', async () => {
  const [alice, bob] = await pair();
  const id = await makeCall(alice, bob, { video: smallVideo });
  for (const [here, there] of [
    [alice, bob],
    [bob, alice],
  ] as [BrowserClient, BrowserClient][])
    await expect
      .poll(() => callOf(here.page, id))
      .toMatchObject({
        phase: 'active',
        isHere: true,
        remote: there.address,
        sources: ['camera', 'microphone'],
        isMuted: false,
        isCameraOn: true,
        sends: { audio: true, video: true },
        trouble: null,
        local: 2,
        own: 10,
        other: 10,
      });
  const changes = await alice.page.evaluateHandle((callId) => {
    const state = window.parley.calls.state(callId);
    const seen = { count: 0, isStable: true };
    state.subscribe(() => {
      seen.count++;
      seen.isStable &&= state.get() === window.parley.calls.state(callId).get();
    });
    return seen;
  }, id);
  await bob.page.evaluate((callId) => window.parley.calls.mute(callId), id);
  await bob.page.evaluate((callId) => window.parley.calls.disableVideo(callId), id);
  expect(await callOf(bob.page, id)).toMatchObject({ isMuted: true, isCameraOn: false });
  await expect.poll(() => callOf(alice.page, id)).toMatchObject({ sends: { audio: false, video: false } });

  await bob.context.setOffline(true);
  await bob.page.close();
  await expect.poll(() => callOf(alice.page, id)).toMatchObject({ isAway: true, trouble: 'other-away' });
  await alice.page.evaluate((callId) => window.parley.calls.end(callId), id);
  expect(await callOf(alice.page, id)).toMatchObject({ phase: 'over', isHere: false, sources: [], local: 0 });
  expect(await changes.evaluate(({ isStable }) => isStable)).toBe(true);
  expect(await changes.evaluate(({ count }) => count)).toBeGreaterThan(3);
  await leave(alice, bob);
});

it('keeps the state of a room: from the waiting room until this device has left', async () => {
  const [alice, bob] = await pair();
  const roomId = await alice.page.evaluate(
    async () =>
      (
        await window.parley.conference.create({
          name: 'States',
          maxParticipants: 5,
          settings: { waitingRoom: true },
        })
      ).id,
  );
  // Before the join, and the same one after it.
  const phases = await bob.page.evaluateHandle((id) => {
    const state = window.parley.conference.state(id);
    const seen = [state.get().phase as string];
    state.subscribe(() => {
      const { phase } = state.get();
      if (seen.at(-1) !== phase) seen.push(phase);
    });
    return seen;
  }, roomId);
  const join = ({ page }: BrowserClient) =>
    page.evaluate(
      ([id, video]) => void window.parley.conference.join({ roomId: id, video }).catch(() => undefined),
      [roomId, smallVideo] as const,
    );
  await alice.page.evaluate((id) => void window.parley.conference.state(id).subscribe(() => {}), roomId);
  await join(alice);
  await expect.poll(() => roomOf(alice.page, roomId)).toMatchObject({ phase: 'joined', own: 'host' });
  await join(bob);
  await expect.poll(() => roomOf(alice.page, roomId)).toMatchObject({ waiters: [bob.address] });
  await alice.page.evaluate(([id, wallet]) => window.parley.conference.admit(id, wallet), [
    roomId,
    bob.address,
  ] as const);
  for (const [here, there] of [
    [alice, bob],
    [bob, alice],
  ] as [BrowserClient, BrowserClient][])
    await expect
      .poll(() => roomOf(here.page, roomId))
      .toMatchObject({
        phase: 'joined',
        people: [alice.address, bob.address],
        sources: [`${there.address} camera`, `${there.address} microphone`],
        waiters: [],
        local: 2,
      });
  await alice.page.evaluate((id) => window.parley.conference.lock(id), roomId);
  await expect.poll(() => roomOf(bob.page, roomId)).toMatchObject({ isLocked: true, own: 'participant' });

  const bobsId = await alice.page.evaluate(
    ([id, wallet]) =>
      window.parley.conference
        .state(id)
        .get()
        .participants.find(({ walletAddress }) => walletAddress === wallet)?.id ?? '',
    [roomId, bob.address] as const,
  );
  await alice.page.evaluate(([id, participantId]) => window.parley.conference.kick(id, participantId), [
    roomId,
    bobsId,
  ] as const);
  await expect
    .poll(() => roomOf(bob.page, roomId))
    .toMatchObject({ phase: 'left', reason: 'kicked', people: [], sources: [], local: 0 });
  await until(async () => (await roomOf(alice.page, roomId)).people.length === 1, 'only Alice is left');
  await join(bob);
  await expect.poll(() => roomOf(bob.page, roomId)).toMatchObject({ phase: 'left', reason: 'refused' });
  expect(await phases.jsonValue()).toEqual([
    'left',
    'joining',
    'waiting',
    'joined',
    'left',
    'joining',
    'left',
  ]);
  await alice.page.evaluate((id) => window.parley.conference.leave(id), roomId);
  expect(await roomOf(alice.page, roomId)).toMatchObject({ phase: 'left', reason: 'left', people: [] });
  await leave(alice, bob);
});
