import { expect, it } from 'vitest';
import { leave, received, smallVideo, type BrowserClient } from '../harness/browser/browser.ts';
import { browserOnOneNode } from '../harness/browser/browserOnOneNode.ts';
import { until } from '../harness/until.ts';

const { client } = browserOnOneNode();

/** Notes each move of the page, and when video and audio from another wallet flowed after it. */
const noteMoves = ({ page }: BrowserClient, from: BrowserClient) =>
  page.evaluate((wallet) => {
    window.parley.on('conference:moved', ({ room, fromRoomId, reason }) => {
      const payload = { fromRoomId, to: room.id, reason, participants: 0, flowsAt: 0 };
      payload.participants = window.parley.conference.participants(room.id).length;
      window.seen.push({ name: 'conference:moved', payload });
      const check = async () => {
        const { receiving } = await window.parley.media.stats(room.id).catch(() => ({ receiving: [] }));
        const inbound = (receiving as RTCInboundRtpStreamStats[]).filter(
          ({ type, codecId }) => type === 'inbound-rtp' && codecId,
        );
        const hasVideo = inbound.some(({ framesDecoded }) => (framesDecoded ?? 0) > 0);
        const hasAudio = inbound.some(
          ({ kind, packetsReceived }) => kind === 'audio' && (packetsReceived ?? 0) > 0,
        );
        if (hasVideo && hasAudio && window.tracks.has(`${wallet} camera`)) payload.flowsAt = Date.now();
        else setTimeout(() => void check(), 20);
      };
      void check();
    });
  }, from.address);

interface Move {
  fromRoomId: string;
  to: string;
  reason: string;
  participants: number;
  /** When media of the other person flowed. */
  flowsAt: number;
}

const moves = ({ page }: BrowserClient) =>
  page.evaluate(() =>
    window.seen.filter(({ name }) => name === 'conference:moved').map(({ payload }) => payload as Move),
  );

const localTracks = ({ page }: BrowserClient, roomId: string) =>
  page.evaluate(
    (id) =>
      (window.parley.media.localStream(id)?.getTracks() ?? []).map(
        ({ id: track, kind, enabled, readyState }) => ({ track, kind, enabled, readyState }),
      ),
    roomId,
  );

it('moves two people with the same tracks, and their media flow again at once', async () => {
  const [host, alice, bob] = [await client(), await client(), await client()];
  const parent = await host.page.evaluate(
    async () => (await window.parley.conference.create({ name: 'Class', maxParticipants: 5 })).id,
  );
  for (const { page } of [host, alice, bob])
    await page.evaluate(([roomId, video]) => window.parley.conference.join({ roomId, video }), [
      parent,
      smallVideo,
    ] as const);
  await until(async () => (await received(alice.page, parent)).framesDecoded > 3, 'media in the room');
  await noteMoves(alice, bob);
  // A source that is off stays off.
  await bob.page.evaluate((id) => window.parley.conference.muteAudio(id), parent);
  await bob.page.evaluate((id) => window.parley.conference.unmuteAudio(id), parent);
  await alice.page.evaluate((id) => window.parley.conference.muteAudio(id), parent);
  const before = { alice: await localTracks(alice, parent), bob: await localTracks(bob, parent) };
  const breakout = await host.page.evaluate(
    async ({ roomId, wallets }) => {
      const participantIds = window.parley.conference
        .participants(roomId)
        .filter(({ walletAddress }) => wallets.includes(walletAddress))
        .map(({ id }) => id);
      const rooms = [{ name: 'Two', participantIds }];
      return (await window.parley.breakouts.create({ roomId, rooms }))[0]?.id ?? '';
    },
    { roomId: parent, wallets: [alice.address, bob.address] },
  );
  const arrived = async (count: number) => {
    await until(
      async () => (await moves(alice)).length === count && (await moves(alice)).at(-1)?.flowsAt,
      'media of Bob',
    );
    return (await moves(alice)).at(-1) as Move;
  };
  expect(await arrived(1)).toMatchObject({ fromRoomId: parent, to: breakout, reason: 'host' });
  expect(await localTracks(alice, breakout)).toEqual(before.alice);
  expect(await localTracks(bob, breakout)).toEqual(before.bob);
  expect(before.bob.every(({ readyState, enabled }) => readyState === 'live' && enabled)).toBe(true);
  expect(await localTracks(alice, parent)).toEqual([]);
  const seenByBob = () =>
    bob.page.evaluate(
      ([id, wallet]) =>
        window.parley.conference.participants(id).find(({ walletAddress }) => walletAddress === wallet),
      [breakout, alice.address] as const,
    );
  await until(async () => (await seenByBob())?.video, 'the camera of Alice');
  expect(await seenByBob()).toMatchObject({ audio: false, video: true });
  await host.page.evaluate((id) => window.parley.breakouts.end(id), parent);
  expect(await arrived(2)).toMatchObject({ fromRoomId: breakout, to: parent, reason: 'ended' });
  expect(await localTracks(bob, parent)).toEqual(before.bob);
  await leave(host, alice, bob);
});
