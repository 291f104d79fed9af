import { describe, expect, it } from 'vitest';
import type { Participant } from '../../sdk/src/index.ts';
import { allReceive, leave, smallVideo, type BrowserClient } from '../harness/browser/browser.ts';
import { browserOnOneNode } from '../harness/browser/browserOnOneNode.ts';
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

const otherSeenBy = (page: BrowserClient['page'], roomId: string, own: string) =>
  page.evaluate(
    ([id, wallet]) =>
      window.parley.conference.participants(id).find(({ walletAddress }) => walletAddress !== wallet),
    [roomId, own] as const,
  );

const waitForOther = (of: BrowserClient, roomId: string, matches: (one: Participant) => boolean) =>
  until(async () => {
    const one = await otherSeenBy(of.page, roomId, of.address);
    return one && matches(one) ? one : null;
  }, 'an update of the other participant');

describe('a conference of two browsers', () => {
  it('transmits media in both directions and announces mute, camera and screen', async () => {
    const { alice, bob, roomId } = await inRoom();
    await allReceive(roomId, alice, bob);
    await waitForOther(alice, roomId, ({ audio, video }) => audio && video);
    await bob.page.evaluate((id) => window.parley.conference.muteAudio(id), roomId);
    await waitForOther(alice, roomId, ({ audio }) => !audio);
    await bob.page.evaluate((id) => window.parley.conference.unmuteAudio(id), roomId);
    await waitForOther(alice, roomId, ({ audio }) => audio);
    await bob.page.evaluate((id) => window.parley.conference.muteVideo(id), roomId);
    await waitForOther(alice, roomId, ({ video }) => !video);
    await bob.page.evaluate((id) => window.parley.conference.unmuteVideo(id), roomId);
    const { id } = await waitForOther(alice, roomId, ({ video }) => video);
    await bob.page.evaluate((room) => window.parley.conference.startScreenShare(room), roomId);
    await waitForOther(alice, roomId, ({ screen }) => screen);
    await bob.page.evaluate((room) => window.parley.conference.stopScreenShare(room), roomId);
    await waitForOther(alice, roomId, ({ screen }) => !screen);
    // A participant muted by the host can unmute.
    await alice.page.evaluate(([room, who]) => window.parley.conference.muteParticipant(room, who), [
      roomId,
      id,
    ] as const);
    await waitForOther(alice, roomId, ({ audio }) => !audio);
    await bob.page.evaluate((room) => window.parley.conference.unmuteAudio(room), roomId);
    await waitForOther(alice, roomId, ({ audio }) => audio);
    await leave(alice, bob);
  });

  it('reports active speakers and the connection quality of participants', async () => {
    const { alice, bob, roomId } = await inRoom();
    await bob.page.evaluate((room) => window.parley.conference.leave(room), roomId);
    await until(async () => !(await otherSeenBy(alice.page, roomId, alice.address)), 'bob has left');
    await alice.page.evaluate(() => {
      for (const name of ['conference:speaker:active', 'conference:quality'] as const)
        window.parley.on(name, (payload) => window.seen.push({ name, payload }));
    });
    await join(bob.page, roomId);
    const { id } = await waitForOther(alice, roomId, ({ audio }) => audio);
    const eventsNamed = <Payload>(name: string) =>
      alice.page.evaluate(
        (wanted) => window.seen.filter((event) => event.name === wanted).map(({ payload }) => payload),
        name,
      ) as Promise<Payload[]>;
    interface Speakers {
      roomId: string;
      speakers: { participantId: string; level: number }[];
    }
    const speaker = await until(async () => {
      const all = await eventsNamed<Speakers>('conference:speaker:active');
      return all.flatMap(({ speakers }) => speakers).find(({ participantId }) => participantId === id);
    }, 'bob speaks');
    expect(speaker.level).toBeGreaterThan(0);
    expect(speaker.level).toBeLessThanOrEqual(1);
    await bob.page.evaluate((room) => window.parley.conference.muteAudio(room), roomId);
    await until(async () => {
      const last = (await eventsNamed<Speakers>('conference:speaker:active')).at(-1);
      return last?.speakers.every(({ participantId }) => participantId !== id);
    }, 'bob is silent');
    await until(async () => {
      const all = await eventsNamed<{ participantId: string; sending: number | null }>('conference:quality');
      return all.some(({ participantId, sending }) => participantId === id && (sending ?? 0) > 0);
    }, 'bob’s connection quality');
    await leave(alice, bob);
  });

  it('stops what a participant sends when they become a viewer, but not what they receive', async () => {
    const { alice, bob, roomId } = await inRoom();
    const { id } = await waitForOther(alice, roomId, ({ video }) => video);
    await alice.page.evaluate(([room, who]) => window.parley.conference.setRole(room, who, 'viewer'), [
      roomId,
      id,
    ] as const);
    await waitForOther(alice, roomId, ({ role, video, audio }) => role === 'viewer' && !video && !audio);
    await until(
      () =>
        bob.page.evaluate((room) => window.parley.media.localStream(room)?.getTracks().length === 0, roomId),
      'the camera is off',
    );
    await allReceive(roomId, bob);
    await leave(alice, bob);
  });

  it('joins muted with muteOnEntry, and can open devices after joining without them', async () => {
    const { alice, bob, roomId } = await inRoom({ muteOnEntry: true });
    await waitForOther(alice, roomId, ({ audio, video }) => video && !audio);
    await bob.page.evaluate((id) => window.parley.conference.unmuteAudio(id), roomId);
    await waitForOther(alice, roomId, ({ audio }) => audio);
    await bob.page.evaluate((id) => window.parley.conference.leave(id), roomId);
    await until(
      async () => (await otherSeenBy(alice.page, roomId, alice.address)) === undefined,
      'bob has left',
    );
    await bob.page.evaluate(
      (id) => window.parley.conference.join({ roomId: id, video: false, audio: false }),
      roomId,
    );
    await waitForOther(alice, roomId, ({ audio, video }) => !audio && !video);
    await bob.page.evaluate((id) => window.parley.conference.unmuteAudio(id), roomId);
    await waitForOther(alice, roomId, ({ audio }) => audio);
    await leave(alice, bob);
  });

  it('keeps the participant across a reload and rejoin', async () => {
    const { alice, bob, roomId } = await inRoom();
    const { id } = await waitForOther(alice, roomId, ({ video }) => video);
    await bob.page.reload();
    await bob.signIn();
    await join(bob.page, roomId);
    expect((await waitForOther(alice, roomId, ({ video }) => video)).id).toBe(id);
    await allReceive(roomId, alice, bob);
    await leave(alice, bob);
  });

  it('switches all cameras off when the conference ends', async () => {
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
