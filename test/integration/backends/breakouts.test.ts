import { afterAll, beforeAll, expect, it } from 'vitest';
import { keyScopes } from '../../../sdk/protocol/http.ts';
import type { ParleyError } from '../../../sdk/protocol/errors.ts';
import { Parley } from '../../../sdk/src/Parley.ts';
import { RecordingClient } from '../../harness/clients/RecordingClient.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { WebhookReceiver } from '../../harness/services/WebhookReceiver.ts';
import { until } from '../../harness/until.ts';
import { newCustomer, newKey, roomySettings } from '../money/accountSupport.ts';

/* Backends put guests into breakouts and move them between rooms. The guests follow by themselves. */

interface Told {
  participant: { identity: string };
  reason?: string;
  movedTo?: string | null;
}

let server: ServerProcess;
let receiver: WebhookReceiver;
let backend: Parley;
let stranger: Parley;
const clients: { close: () => void }[] = [];

beforeAll(async () => {
  server = await ServerProcess.start({ ...roomySettings, WEBHOOK_ALLOW_LOOPBACK: 'true' });
  receiver = await WebhookReceiver.start();
  [backend, stranger] = await Promise.all([ofNewAccount(), ofNewAccount()]);
  await backend.webhooks.create({ url: receiver.url });
});
afterAll(async () => {
  for (const client of clients) client.close();
  await receiver?.close();
  await server?.dispose();
});

async function ofNewAccount(): Promise<Parley> {
  const { secret } = await newKey(server.url, await newCustomer(server.url), { scopes: keyScopes });
  const client = new Parley({ baseUrl: server.url, auth: { apiKey: secret } });
  clients.push(client);
  return client;
}

const newRoom = async (name = 'Lesson') => (await backend.rooms.create({ name })).id;

/** A guest who has joined a room, without media. */
async function guestIn(roomId: string, identity: string): Promise<RecordingClient> {
  const { token } = await backend.rooms.createToken(roomId, { identity });
  const guest = new RecordingClient(new Parley({ baseUrl: server.url, participantToken: token }));
  clients.push(guest);
  await guest.parley.conference.join(roomId);
  return guest;
}

async function idIn(roomId: string, identity: string): Promise<string> {
  const { data } = await backend.rooms.participants(roomId, { identity });
  return data[0]?.id ?? '';
}

const arrival = (guest: RecordingClient, from: string, to: string) =>
  guest.event('conference:moved', ({ fromRoomId, room }) => fromRoomId === from && room.id === to);

const refused = (request: Promise<unknown>): Promise<unknown> =>
  request.catch(({ reason }: ParleyError) => reason);

/** What the feed tells of a guest in a room, in its order, once there are this many events. */
function told(roomId: string, identity: string, count: number): Promise<unknown[]> {
  const read = async () => {
    const { data } = await backend.webhooks.events({ subjectId: roomId, limit: 100 });
    const events = data
      .filter(({ type }) => type === 'participant.joined' || type === 'participant.left')
      .map(({ type, data: about }) => ({ type, about: about as unknown as Told }))
      .filter(({ about }) => about.participant.identity === identity)
      .map(({ type, about: { reason, movedTo } }) => (reason ? [type, reason, movedTo] : [type]));
    return events.length >= count && events;
  };
  return until(read, `${count} events of ${identity}`) as Promise<unknown[]>;
}

it('brings a guest back when the breakout is ended like a room', async () => {
  const parent = await newRoom();
  const alice = await guestIn(parent, 'alice');
  const { data } = await backend.rooms.createBreakouts(parent, {
    rooms: [{ name: 'One', participantIds: [await idIn(parent, 'alice')] }],
  });
  const [{ id: breakout } = { id: '' }] = data;
  await arrival(alice, parent, breakout);
  expect(await backend.rooms.end(breakout)).toMatchObject({ status: 'ended', endReason: 'breakouts_ended' });
  expect(await arrival(alice, breakout, parent)).toMatchObject({ reason: 'ended' });
});

it('puts guests into breakouts, moves one to another room, and brings the others back', async () => {
  const [parent, office] = [await newRoom(), await newRoom('Office')];
  const [alice, bob] = [await guestIn(parent, 'alice'), await guestIn(parent, 'bob')];
  const { data: breakouts } = await backend.rooms.createBreakouts(parent, {
    rooms: [
      { name: 'One', participantIds: [await idIn(parent, 'alice')] },
      { name: 'Two', participantIds: [await idIn(parent, 'bob')] },
    ],
    durationSeconds: 3_600,
  });
  expect(breakouts).toMatchObject([
    { name: 'One', parentId: parent },
    { name: 'Two', parentId: parent },
  ]);
  const [one = '', two = ''] = breakouts.map(({ id }) => id);
  expect(await arrival(alice, parent, one)).toMatchObject({ reason: 'host' });
  expect(await arrival(bob, parent, two)).toMatchObject({ reason: 'host' });
  for (const roomId of [parent, one])
    expect((await backend.rooms.breakouts(roomId)).data).toMatchObject([
      { id: one, name: 'One', participantCount: 1 },
      { id: two, name: 'Two', participantCount: 1 },
    ]);

  const before = await idIn(two, 'bob');
  expect(await backend.rooms.moveParticipant(two, before, office)).toMatchObject({ id: before });
  await arrival(bob, two, office);
  expect(await backend.rooms.get(office)).toMatchObject({ participants: [{ identity: 'bob' }] });
  // He comes back into a breakout, and from there to the parent like everybody else.
  await backend.rooms.moveParticipant(office, await idIn(office, 'bob'), two);
  await arrival(bob, office, two);

  expect(await backend.rooms.endBreakouts(parent)).toMatchObject({ id: parent, status: 'active' });
  expect(await arrival(alice, one, parent)).toMatchObject({ reason: 'ended' });
  expect(await arrival(bob, two, parent)).toMatchObject({ reason: 'ended' });
  expect((await backend.rooms.breakouts(parent)).data).toEqual([]);
  expect(await backend.rooms.get(one)).toMatchObject({ status: 'ended', endReason: 'breakouts_ended' });
  expect((await backend.rooms.participants(parent)).data.map(({ identity }) => identity).sort()).toEqual([
    'alice',
    'bob',
  ]);

  const [joined, left] = ['participant.joined', 'participant.left'];
  expect(await told(parent, 'alice', 3)).toEqual([[joined], [left, 'moved', one], [joined]]);
  expect(await told(one, 'alice', 2)).toEqual([[joined], [left, 'moved', parent]]);
  expect(await told(two, 'bob', 4)).toEqual([
    [joined],
    [left, 'moved', office],
    [joined],
    [left, 'moved', parent],
  ]);
  expect(await told(office, 'bob', 2)).toEqual([[joined], [left, 'moved', two]]);
  const isBobsMove = ({ body }: { body: { data: unknown } }) => {
    const { participant, movedTo } = body.data as Told;
    return participant.identity === 'bob' && movedTo === office;
  };
  await until(
    () => receiver.of('participant.left').some(isBobsMove),
    'the endpoint was told of the move to the office',
  );
});

it('ends one breakout alone', async () => {
  const parent = await newRoom();
  const alice = await guestIn(parent, 'alice');
  const rooms = [{ name: 'One', participantIds: [await idIn(parent, 'alice')] }, { name: 'Two' }];
  const [one, two] = (await backend.rooms.createBreakouts(parent, { rooms })).data.map(({ id }) => id);
  await arrival(alice, parent, one ?? '');
  expect(await backend.rooms.endBreakouts(one ?? '')).toMatchObject({ id: one, status: 'ended' });
  await arrival(alice, one ?? '', parent);
  expect((await backend.rooms.breakouts(parent)).data.map(({ id }) => id)).toEqual([two]);
});

it('ends a family that is empty after the timeout that its parent has now', async () => {
  const parent = await newRoom();
  const alice = await guestIn(parent, 'alice');
  const rooms = [{ name: 'One', participantIds: [await idIn(parent, 'alice')] }];
  const [one = ''] = (await backend.rooms.createBreakouts(parent, { rooms })).data.map(({ id }) => id);
  await arrival(alice, parent, one);
  await backend.rooms.update(parent, { settings: { emptyTimeout: 1 } });
  await alice.parley.conference.leave(one);
  await until(async () => (await backend.rooms.get(parent)).endReason === 'empty', 'the family ends');
});

it('moves nobody to a room of another account, to the same room, or twice', async () => {
  const [room, other] = [await newRoom(), await newRoom()];
  await guestIn(room, 'alice');
  const alice = await idIn(room, 'alice');
  const foreign = (await stranger.rooms.create({ name: 'Elsewhere' })).id;
  expect(await refused(backend.rooms.moveParticipant(room, alice, foreign))).toEqual('not_found');
  expect(await refused(stranger.rooms.moveParticipant(room, alice, foreign))).toEqual('not_found');
  expect(await refused(backend.rooms.moveParticipant(room, alice, room))).toEqual('validation_failed');
  const twice = ['One', 'Two'].map((name) => ({ name, participantIds: [alice] }));
  expect(await refused(backend.rooms.createBreakouts(room, { rooms: twice }))).toEqual('validation_failed');
  await backend.rooms.end(other);
  expect(await refused(backend.rooms.moveParticipant(room, alice, other))).toEqual('room_ended');
  expect(await idIn(room, 'alice')).toBe(alice);
});

it('creates the breakouts of 40 rooms at once', async () => {
  const parents = await Promise.all(Array.from({ length: 40 }, () => newRoom()));
  const rooms = [{ name: 'One' }, { name: 'Two' }];
  const made = await Promise.all(parents.map((parent) => backend.rooms.createBreakouts(parent, { rooms })));
  expect(
    made.map(({ data }) => data.map(({ parentId, participantCount }) => [parentId, participantCount])),
  ).toEqual(
    parents.map((parent) => [
      [parent, 0],
      [parent, 0],
    ]),
  );
});
