import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectRoomClients, type RawRoomClient } from '../../harness/clients/RawRoomClient.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import { closeSockets } from '../support.ts';

/* Many simultaneous joins of one room. `npm run bench -- rush` measures five hundred. */

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

const hasNoDuplicates = (ids: string[]) => new Set(ids).size === ids.length;

it('admits simultaneous joins up to the capacity and announces each join and leave once', async () => {
  const answers = await Promise.allSettled(all.slice(1).map((each) => each.join(roomId)));
  const refused = answers.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
  // Exactly those beyond the capacity are refused.
  expect(refused.map(({ reason }) => String(reason).includes('ROOM_FULL'))).toEqual(Array(10).fill(true));
  const present = all.filter(({ participantId }) => participantId !== '');
  const ids = present.map(({ participantId }) => participantId).sort();
  expect(new Set(ids).size).toBe(people - 10);
  for (const each of present) {
    await until(() => each.present.size === ids.length, 'all participants are known');
    expect([...each.present].sort()).toEqual(ids);
    expect(hasNoDuplicates(each.listed)).toBe(true);
    expect(hasNoDuplicates(each.joined)).toBe(true);
  }
  for (const each of all) if (each.participantId === '') expect([each.joined, each.left]).toEqual([[], []]);

  const [host, ...others] = present;
  await Promise.all(others.map((each) => each.leave(roomId)));
  await until(() => host?.present.size === 1, 'only the host is present');
  expect(hasNoDuplicates(host?.left ?? [])).toBe(true);
  const room = (await host?.ask('conference.get', { roomId })) as { participants: { id: string }[] };
  expect(room.participants.map(({ id }) => id)).toEqual([host?.participantId]);
});

it('creates one membership when two devices of one wallet join at the same time', async () => {
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
