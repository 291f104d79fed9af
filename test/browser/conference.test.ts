import { describe, expect, it } from 'vitest';
import type { Participant } from '../../sdk/src/index.ts';
import { allReceive, leave, smallVideo, type BrowserClient } from '../harness/browser.ts';
import { browserOnOneNode } from '../harness/browserOnOneNode.ts';
import { until } from '../harness/until.ts';

const { pair } = browserOnOneNode();

async function inRoom(
  settings: object = {},
): Promise<{ alice: BrowserClient; bob: BrowserClient; roomId: string }> {
  const [alice, bob] = await pair();
  const roomId = await alice.page.evaluate(
    async (given) =>
      (await window.parley.conference.create({ name: 'Room', maxParticipants: 5, settings: given })).id,
    settings,
  );
  for (const { page } of [alice, bob]) await join(page, roomId);
  return { alice, bob, roomId };
}

const join = (page: BrowserClient['page'], roomId: string) =>
  page.evaluate(([id, video]) => window.parley.conference.join({ roomId: id, video }), [
    roomId,
    smallVideo,
  ] as const);

const seesOfOther = (page: BrowserClient['page'], roomId: string, own: string) =>
  page.evaluate(
    ([id, wallet]) =>
      window.parley.conference.participants(id).find(({ walletAddress }) => walletAddress !== wallet),
    [roomId, own] as const,
  );

const other = (of: BrowserClient, roomId: string, fits: (one: Participant) => boolean) =>
  until(async () => {
    const one = await seesOfOther(of.page, roomId, of.address);
    return one && fits(one) ? one : null;
  }, 'the news of the other');

describe('a conference of two browsers', () => {
  it('both send and receive; mute, camera and screen are seen by the other', async () => {
    const { alice, bob, roomId } = await inRoom();
    await allReceive(roomId, alice, bob);
    await other(alice, roomId, ({ audio, video }) => audio && video);
    await bob.page.evaluate((id) => window.parley.conference.muteAudio(id), roomId);
    await other(alice, roomId, ({ audio }) => !audio);
    await bob.page.evaluate((id) => window.parley.conference.unmuteAudio(id), roomId);
    await other(alice, roomId, ({ audio }) => audio);
    await bob.page.evaluate((id) => window.parley.conference.muteVideo(id), roomId);
    await other(alice, roomId, ({ video }) => !video);
    await bob.page.evaluate((id) => window.parley.conference.unmuteVideo(id), roomId);
    const { id } = await other(alice, roomId, ({ video }) => video);
    await bob.page.evaluate((room) => window.parley.conference.startScreenShare(room), roomId);
    await other(alice, roomId, ({ screen }) => screen);
    await bob.page.evaluate((room) => window.parley.conference.stopScreenShare(room), roomId);
    await other(alice, roomId, ({ screen }) => !screen);
    // A host silences it; it may speak again.
    await alice.page.evaluate(([room, who]) => window.parley.conference.muteParticipant(room, who), [
      roomId,
      id,
    ] as const);
    await other(alice, roomId, ({ audio }) => !audio);
    await bob.page.evaluate((room) => window.parley.conference.unmuteAudio(room), roomId);
    await other(alice, roomId, ({ audio }) => audio);
    await leave(alice, bob);
  });

  it('hears who speaks, and how well everybody’s media gets through', async () => {
    const { alice, bob, roomId } = await inRoom();
    await bob.page.evaluate((room) => window.parley.conference.leave(room), roomId);
    await until(async () => !(await seesOfOther(alice.page, roomId, alice.address)), 'bob has left');
    await alice.page.evaluate(() => {
      for (const name of ['conference:speaker:active', 'conference:quality'] as const)
        window.parley.on(name, (payload) => window.seen.push({ name, payload }));
    });
    await join(bob.page, roomId);
    const { id } = await other(alice, roomId, ({ audio }) => audio);
    const heard = <Payload>(name: string) =>
      alice.page.evaluate(
        (wanted) => window.seen.filter((event) => event.name === wanted).map(({ payload }) => payload),
        name,
      ) as Promise<Payload[]>;
    interface Speakers {
      roomId: string;
      speakers: { participantId: string; level: number }[];
    }
    const loud = await until(async () => {
      const all = await heard<Speakers>('conference:speaker:active');
      return all.flatMap(({ speakers }) => speakers).find(({ participantId }) => participantId === id);
    }, 'bob speaks');
    expect(loud.level).toBeGreaterThan(0);
    expect(loud.level).toBeLessThanOrEqual(1);
    await bob.page.evaluate((room) => window.parley.conference.muteAudio(room), roomId);
    await until(async () => {
      const last = (await heard<Speakers>('conference:speaker:active')).at(-1);
      return last?.speakers.every(({ participantId }) => participantId !== id);
    }, 'bob speaks no more');
    await until(async () => {
      const all = await heard<{ participantId: string; sending: number | null }>('conference:quality');
      return all.some(({ participantId, sending }) => participantId === id && (sending ?? 0) > 0);
    }, 'how well bob gets through');
    await leave(alice, bob);
  });

  it('a viewer sends nothing any more, and sees all the same', async () => {
    const { alice, bob, roomId } = await inRoom();
    const { id } = await other(alice, roomId, ({ video }) => video);
    await alice.page.evaluate(([room, who]) => window.parley.conference.setRole(room, who, 'viewer'), [
      roomId,
      id,
    ] as const);
    await other(alice, roomId, ({ role, video, audio }) => role === 'viewer' && !video && !audio);
    await until(
      () =>
        bob.page.evaluate((room) => window.parley.media.localStream(room)?.getTracks().length === 0, roomId),
      'the camera off',
    );
    await allReceive(roomId, bob);
    await leave(alice, bob);
  });

  it('who joins with muteOnEntry is silent until unmuted; who joins without devices opens them later', async () => {
    const { alice, bob, roomId } = await inRoom({ muteOnEntry: true });
    await other(alice, roomId, ({ audio, video }) => video && !audio);
    await bob.page.evaluate((id) => window.parley.conference.unmuteAudio(id), roomId);
    await other(alice, roomId, ({ audio }) => audio);
    await bob.page.evaluate((id) => window.parley.conference.leave(id), roomId);
    await until(async () => (await seesOfOther(alice.page, roomId, alice.address)) === undefined, 'bob gone');
    await bob.page.evaluate(
      (id) => window.parley.conference.join({ roomId: id, video: false, audio: false }),
      roomId,
    );
    await other(alice, roomId, ({ audio, video }) => !audio && !video);
    await bob.page.evaluate((id) => window.parley.conference.unmuteAudio(id), roomId);
    await other(alice, roomId, ({ audio }) => audio);
    await leave(alice, bob);
  });

  it('who reloads and joins again is the same participant, and is seen again', async () => {
    const { alice, bob, roomId } = await inRoom();
    const { id } = await other(alice, roomId, ({ video }) => video);
    await bob.page.reload();
    await bob.signIn();
    await join(bob.page, roomId);
    expect((await other(alice, roomId, ({ video }) => video)).id).toBe(id);
    await allReceive(roomId, alice, bob);
    await leave(alice, bob);
  });

  it('ends for all, and every camera is off', async () => {
    const { alice, bob, roomId } = await inRoom();
    await alice.page.evaluate((id) => window.parley.conference.end(id), roomId);
    for (const { page } of [alice, bob])
      await until(
        () => page.evaluate((id) => window.parley.media.localStream(id) === null, roomId),
        'no media',
      );
    await leave(alice, bob);
  });
});
