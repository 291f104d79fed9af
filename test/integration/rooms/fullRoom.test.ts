import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectRoomClients, type RawRoomClient } from '../../harness/RawRoomClient.ts';
import { ServerProcess } from '../../harness/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import { closeSockets } from '../support.ts';

/* Many at once in one room; `npm run bench -- rush` has the figures for five hundred. */

const people = 150;
let server: ServerProcess;
let all: RawRoomClient[];
let roomId: string;

beforeAll(async () => {
  server = await ServerProcess.start();
  all = await connectRoomClients(server.url, people);
  ({ id: roomId } = (await all[0]?.ask('conference.create', {
    name: 'Everybody',
    maxParticipants: people - 10,
  })) as { id: string });
  await all[0]?.join(roomId);
});
afterAll(async () => {
  closeSockets();
  await server?.dispose();
});

const isOnce = (ids: string[]) => new Set(ids).size === ids.length;

it('lets in as many as may be, tells each of everybody once, and lets all leave, who come and go at once', async () => {
  const answers = await Promise.allSettled(all.slice(1).map((each) => each.join(roomId)));
  const refused = answers.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
  // Exactly the ones there was no room for: nobody is refused who is let in.
  expect(refused.map(({ reason }) => String(reason).includes('ROOM_FULL'))).toEqual(Array(10).fill(true));
  const inside = all.filter(({ participantId }) => participantId !== '');
  const ids = inside.map(({ participantId }) => participantId).sort();
  expect(new Set(ids).size).toBe(people - 10);
  for (const each of inside) {
    await until(() => each.present.size === ids.length, 'it knows everybody');
    expect([...each.present].sort()).toEqual(ids);
    expect(isOnce(each.listed)).toBe(true);
    expect(isOnce(each.joined)).toBe(true);
  }
  for (const each of all) if (each.participantId === '') expect([each.joined, each.left]).toEqual([[], []]);

  const [host, ...leaving] = inside;
  await Promise.all(leaving.map((each) => each.leave(roomId)));
  await until(() => host?.present.size === 1, 'the host is alone');
  expect(isOnce(host?.left ?? [])).toBe(true);
  const room = (await host?.ask('conference.get', { roomId })) as { participants: { id: string }[] };
  expect(room.participants.map(({ id }) => id)).toEqual([host?.participantId]);
});

it('two devices of one wallet that come at once have one place', async () => {
  const [host, other] = all as [RawRoomClient, RawRoomClient];
  const twin = await other.otherDevice();
  await Promise.all([other.join(roomId), twin.join(roomId)].map((join) => join.catch(() => undefined)));
  const room = (await host.ask('conference.get', { roomId })) as {
    participants: { walletAddress: string }[];
  };
  expect(room.participants.map(({ walletAddress }) => walletAddress).sort()).toEqual(
    [host.address, other.address].sort(),
  );
});
