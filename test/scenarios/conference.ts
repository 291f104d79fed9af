import { expect } from 'vitest';
import type { ParleyError } from '../../sdk/src/index.ts';
import type { Harness } from '../harness/nodes/Harness.ts';
import type { TestClient } from '../harness/clients/TestClient.ts';
import { until } from '../harness/until.ts';

/**
 * Scenarios for conferences without media, on one or several nodes. They check admission, events and how rooms end. The harness waits 10 s
 * for a disconnected device, so that a busy machine can do in time what must happen within that period.
 */
export const conferenceScenarios: Record<string, (harness: Harness) => Promise<void>> = {
  async 'activates a room with the first join and ends it when the host does'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const room = await alice.parley.conference.create({ name: 'Monday', maxParticipants: 10 });
    expect(room).toMatchObject({
      name: 'Monday',
      host: alice.address,
      participants: [],
      maxParticipants: 10,
      status: 'waiting',
      video: true,
      audio: true,
      gate: null,
      settings: { locked: false, waitingRoom: false, allowChat: true, emptyTimeout: 300, maxDuration: null },
    });
    expect(room.url.endsWith(`/rooms/${room.id}`)).toBe(true);
    expect(room.createdAt).toBeInstanceOf(Date);
    await alice.parley.conference.join({ roomId: room.id, displayName: 'Alice' });
    expect(await alice.parley.conference.get(room.id)).toMatchObject({ status: 'active' });
    await bob.parley.conference.join({ roomId: room.id, displayName: 'Bob' });
    expect(await alice.event('conference:participant:joined')).toMatchObject({
      roomId: room.id,
      walletAddress: bob.address,
      displayName: 'Bob',
      role: 'participant',
      audio: false,
      handRaised: false,
    });
    expect(bob.parley.conference.participants(room.id).map((one) => [one.displayName, one.role])).toEqual([
      ['Alice', 'host'],
      ['Bob', 'participant'],
    ]);
    await bob.parley.conference.leave(room.id);
    expect(await alice.event('conference:participant:left')).toMatchObject({ walletAddress: bob.address });
    await bob.parley.conference.join(room.id);
    await alice.event(
      'conference:participant:joined',
      ({ id }) => id !== alice.seen('conference:participant:left')[0]?.id,
    );
    await alice.parley.conference.end(room.id);
    expect(await bob.event('conference:ended')).toMatchObject({
      id: room.id,
      status: 'ended',
      endReason: 'ended',
    });
    await expect(bob.parley.conference.join(room.id)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(alice.parley.conference.end(room.id)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await alice.parley.conference.list()).toEqual([]);
    expect(await alice.parley.conference.list({ status: 'ended' })).toMatchObject([{ id: room.id }]);
  },

  async 'ends a room that stays empty for the timeout'(harness) {
    const alice = await harness.client();
    const room = await created(alice, { emptyTimeout: 1 });
    await alice.parley.conference.join(room);
    await alice.parley.conference.leave(room);
    await ended(alice, room, 'empty');
  },

  async 'keeps a room that a participant rejoins within the timeout'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const room = await created(alice, { emptyTimeout: 10 });
    const control = await created(alice, { emptyTimeout: 10 });
    await alice.parley.conference.join(room);
    await alice.parley.conference.leave(room);
    await bob.parley.conference.join(room);
    // The timeout of the other room starts later, and ends.
    await alice.parley.conference.join(control);
    await alice.parley.conference.leave(control);
    await ended(alice, control, 'empty');
    expect(await alice.parley.conference.get(room)).toMatchObject({ status: 'active' });
    await alice.parley.conference.end(room);
  },

  async 'ends a room with participants at its maximum duration'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const room = await created(alice, { maxDuration: 3 });
    await bob.parley.conference.join(room);
    expect(await bob.event('conference:ended')).toMatchObject({ id: room, endReason: 'max_duration' });
  },

  async 'removes a disconnected participant after the grace period and keeps one that returns in time'(
    harness,
  ) {
    const [alice, bob, carol] = [await harness.client(), await harness.client(), await harness.client()];
    const dave = await harness.client();
    const room = await created(alice);
    for (const client of [alice, bob, carol, dave]) await client.parley.conference.join(room);
    // Sign in before the grace period starts, because on a busy machine a sign-in can take just as long.
    const reloaded = await harness.client(carol.account);
    bob.close();
    carol.close();
    const idOf = (wallet: string) =>
      alice.parley.conference.participants(room).find(({ walletAddress }) => walletAddress === wallet)?.id;
    const carolsId = idOf(carol.address);
    for (const disconnected of [bob, carol]) {
      const participantId = idOf(disconnected.address);
      const isAwayEvent = (away: { participantId: string; isAway: boolean }) =>
        away.isAway && away.participantId === participantId;
      await alice.event('conference:participant:away', isAwayEvent);
    }
    expect(alice.parley.conference.participants(room).map(({ isAway }) => isAway ?? false)).toEqual([
      false,
      true,
      true,
      false,
    ]);
    await reloaded.parley.conference.join(room);
    await alice.event(
      'conference:participant:away',
      ({ participantId, isAway }) => !isAway && participantId === carolsId,
    );
    // Dave's grace period starts and ends after Carol's.
    dave.close();
    for (const { address } of [bob, dave])
      await alice.event('conference:participant:left', ({ walletAddress }) => walletAddress === address);
    expect(alice.seen('conference:participant:left')).toHaveLength(2);
    expect(alice.parley.conference.participants(room).map(({ walletAddress }) => walletAddress)).toEqual([
      alice.address,
      carol.address,
    ]);
    await alice.parley.conference.end(room);
  },

  async 'moves the membership of a wallet to its newest device'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const phone = await harness.client(bob.account);
    const room = await created(alice);
    await alice.parley.conference.join(room);
    await bob.parley.conference.join(room);
    await phone.parley.conference.join(room);
    expect(await bob.event('media:replaced')).toEqual({ scope: 'conference', id: room });
    const { participants } = await alice.parley.conference.get(room);
    expect(participants).toHaveLength(2);
    // When the replaced device leaves, the current one is not affected.
    await bob.parley.conference.leave(room);
    await phone.parley.conference.raiseHand(room);
    await alice.event('conference:participant:updated', ({ handRaised }) => handRaised);
    expect(alice.seen('conference:participant:left')).toEqual([]);
    await alice.parley.conference.end(room);
  },

  async 'admits only invited wallets to a locked room'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const room = await created(alice);
    await alice.parley.conference.join(room);
    expect(await alice.parley.conference.lock(room)).toMatchObject({ settings: { locked: true } });
    expect(await refused(bob.parley.conference.join(room))).toEqual(['ACCESS_DENIED', 'room_locked']);
    await alice.parley.conference.invite(room, [bob.address.toLowerCase()]);
    expect(await bob.event('conference:invited')).toMatchObject({ room: { id: room }, from: alice.address });
    expect(await bob.parley.conference.list()).toMatchObject([{ id: room }]);
    await bob.parley.conference.join(room);
    await alice.event('conference:participant:joined');
    await alice.parley.conference.end(room);
  },

  async 'removes a kicked participant until they are invited again'(harness) {
    const [alice, bob, carol] = [await harness.client(), await harness.client(), await harness.client()];
    const room = await created(alice);
    for (const client of [alice, bob, carol]) await client.parley.conference.join(room);
    const id = await idIn(alice, room, bob);
    await expect(carol.parley.conference.kick(room, id)).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
    await alice.parley.conference.kick(room, id);
    expect(await bob.event('conference:removed')).toEqual({ roomId: room, reason: 'kicked', access: null });
    expect(await carol.event('conference:participant:left')).toMatchObject({ id });
    expect(await refused(bob.parley.conference.join(room))).toEqual(['ACCESS_DENIED', 'removed']);
    expect((await bob.parley.conference.get(room)).participants).toEqual([]);
    await alice.parley.conference.invite(room, [bob.address]);
    await bob.parley.conference.join(room);
    const own = await idIn(carol, room, alice);
    await expect(alice.parley.conference.kick(room, own)).rejects.toMatchObject({ code: 'CONFLICT' });
    await alice.parley.conference.end(room);
  },

  async 'holds a join in the waiting room until a host admits or denies it'(harness) {
    const [alice, bob, carol] = [await harness.client(), await harness.client(), await harness.client()];
    const room = await created(alice, { waitingRoom: true });
    await alice.parley.conference.join(room);
    const joining = bob.parley.conference.join({ roomId: room, displayName: 'Bob' });
    expect(await alice.event('conference:waiting:joined')).toMatchObject({
      walletAddress: bob.address,
      displayName: 'Bob',
    });
    await bob.event('conference:waiting');
    const denied = refused(carol.parley.conference.join(room));
    await alice.event('conference:waiting:joined', ({ walletAddress }) => walletAddress === carol.address);
    expect(await alice.parley.conference.getWaiting(room)).toMatchObject([
      { walletAddress: bob.address },
      { walletAddress: carol.address },
    ]);
    await expect(bob.parley.conference.getWaiting(room)).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
    expect((await bob.parley.conference.get(room)).participants).toEqual([]);
    await alice.parley.conference.admit(room, bob.address);
    await joining;
    await alice.event('conference:participant:joined', ({ displayName }) => displayName === 'Bob');
    await alice.event('conference:waiting:left', ({ walletAddress }) => walletAddress === bob.address);
    await alice.parley.conference.deny(room, carol.address);
    expect(await denied).toEqual(['ACCESS_DENIED', 'denied']);
    expect(await refused(carol.parley.conference.join(room))).toEqual(['ACCESS_DENIED', 'removed']);
    // An admitted participant can rejoin without waiting.
    await bob.parley.conference.leave(room);
    await bob.parley.conference.join(room);
    await alice.parley.conference.end(room);
  },

  async 'removes wallets from the waiting room when they leave or disconnect'(harness) {
    const [alice, bob, carol] = [await harness.client(), await harness.client(), await harness.client()];
    const room = await created(alice, { waitingRoom: true });
    const [first, second] = [bob, carol].map((client) =>
      client.parley.conference.join(room).catch((error: ParleyError) => error.code),
    );
    await alice.event('conference:waiting:joined', ({ walletAddress }) => walletAddress === bob.address);
    await alice.event('conference:waiting:joined', ({ walletAddress }) => walletAddress === carol.address);
    await bob.parley.conference.leave(room);
    expect(await first).toBe('CONFLICT');
    await alice.event('conference:waiting:left', ({ walletAddress }) => walletAddress === bob.address);
    carol.close();
    await second;
    await alice.event('conference:waiting:left', ({ walletAddress }) => walletAddress === carol.address);
    expect(await alice.parley.conference.getWaiting(room)).toEqual([]);
    await alice.parley.conference.end(room);
  },

  async 'keeps a wallet in the waiting room when one of its devices leaves it'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const phone = await harness.client(bob.account);
    const room = await created(alice, { waitingRoom: true });
    const joining = bob.parley.conference.join(room);
    await bob.event('conference:waiting');
    const left = refused(phone.parley.conference.join(room));
    await phone.event('conference:waiting');
    await phone.parley.conference.leave(room);
    expect(await left).toEqual(['CONFLICT', 'left']);
    await until(
      () => alice.seen('conference:waiting:joined').length === 2,
      'the wallet waits with its other device',
    );
    expect(alice.seen('conference:waiting:left')).toHaveLength(1);
    expect(await alice.parley.conference.getWaiting(room)).toMatchObject([{ walletAddress: bob.address }]);
    await alice.parley.conference.admit(room, bob.address);
    await joining;
    expect(phone.parley.conference.participants(room)).toEqual([]);
    await alice.parley.conference.end(room);
  },

  async 'shows the participants in an invitation no longer to a wallet that was removed'(harness) {
    const [alice, bob, carol] = [await harness.client(), await harness.client(), await harness.client()];
    const room = await created(alice);
    await carol.parley.conference.join(room);
    await alice.parley.conference.invite(room, [bob.address]);
    await bob.parley.conference.join(room);
    const invited = async () => {
      const { events } = await bob.request('session.catchUp', { after: 0 });
      return events.map(({ payload }) => payload as { room: { id: string; participants: unknown[] } });
    };
    expect(await invited()).toMatchObject([{ room: { id: room, participants: [{}, {}] } }]);
    await alice.parley.conference.kick(room, await idIn(carol, room, bob));
    expect(await invited()).toMatchObject([{ room: { id: room, participants: [] } }]);
    await alice.parley.conference.end(room);
  },

  async 'lets hosts appoint other hosts, who get the same permissions'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const room = await created(alice);
    for (const client of [alice, bob]) await client.parley.conference.join(room);
    await expect(bob.parley.conference.lock(room)).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
    const [own, others] = [await idIn(alice, room, alice), await idIn(alice, room, bob)];
    expect(await alice.parley.conference.setRole(room, others, 'host')).toMatchObject({ role: 'host' });
    await bob.event('conference:participant:updated', ({ id, role }) => id === others && role === 'host');
    await bob.parley.conference.lock(room);
    expect(await alice.event('conference:updated')).toMatchObject({ settings: { locked: true } });
    await expect(bob.parley.conference.setRole(room, own, 'viewer')).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    await bob.parley.conference.end(room);
    await alice.event('conference:ended');
  },

  async 'delivers chat messages to all participants, and shows them to those who join later'(harness) {
    const [alice, bob, carol] = [await harness.client(), await harness.client(), await harness.client()];
    const room = await created(alice);
    for (const client of [alice, bob])
      await client.parley.conference.join({ roomId: room, displayName: 'me' });
    const sent = await alice.parley.conference.sendChat(room, 'Good morning');
    expect(sent.message.timestamp).toBeInstanceOf(Date);
    expect(await bob.event('conference:chat:message')).toEqual(sent);
    await bob.parley.conference.sendChat(room, 'Hello');
    await alice.event('conference:chat:message');
    expect(alice.seen('conference:chat:message')).toHaveLength(1);
    await expect(carol.parley.conference.sendChat(room, 'x')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(carol.parley.conference.getChat(room)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await carol.parley.conference.join(room);
    const texts = (await carol.parley.conference.getChat(room)).map(({ message }) => message.content);
    expect(texts).toEqual(['Good morning', 'Hello']);
    const [, last] = await carol.parley.conference.getChat(room);
    const before = await carol.parley.conference.getChat(room, { before: last?.message.id ?? '' });
    expect(before.map(({ message }) => message.content)).toEqual(['Good morning']);
    await alice.parley.conference.end(room);
  },

  async 'admits as many of fifty simultaneous joins as the room has capacity'(harness) {
    const host = await harness.client();
    const { id: room } = await host.parley.conference.create({ name: 'Small', maxParticipants: 7 });
    const guests = await Promise.all(Array.from({ length: 50 }, () => harness.client()));
    const outcomes = await Promise.all(
      guests.map((guest) =>
        guest.parley.conference.join(room).then(
          () => 'joined',
          (error: ParleyError) => error.code,
        ),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'joined')).toHaveLength(7);
    expect(outcomes.filter((outcome) => outcome === 'ROOM_FULL')).toHaveLength(43);
    expect((await host.parley.conference.get(room)).participants).toHaveLength(7);
    // The capacity applies to the host too, and a participant who leaves makes room for another.
    await expect(host.parley.conference.join(room)).rejects.toMatchObject({ code: 'ROOM_FULL' });
    await guests[outcomes.indexOf('joined')]?.parley.conference.leave(room);
    await host.parley.conference.join(room);
    for (const guest of guests) guest.close();
    await host.parley.conference.end(room);
  },
};

type Settings = Parameters<TestClient['parley']['conference']['create']>[0]['settings'];

/** Creates a room. @returns the id of the room */
export async function created(host: TestClient, settings: Settings = {}): Promise<string> {
  const { id } = await host.parley.conference.create({ name: 'Room', maxParticipants: 10, settings });
  return id;
}

/** The participant id of the client `of`, as `client` sees it in the room. */
export async function idIn(client: TestClient, roomId: string, of: { address: string }): Promise<string> {
  const { participants } = await client.parley.conference.get(roomId);
  const found = participants.find(({ walletAddress }) => walletAddress === of.address);
  if (!found) throw new Error('the client to find is not in the room');
  return found.id;
}

/** Returns the code and the reason of a rejected request. If the request succeeds, returns `ok` instead. */
export async function refused(run: Promise<unknown>): Promise<[string, string | undefined]> {
  const error = await run.then(
    () => null,
    (thrown: ParleyError) => thrown,
  );
  return error ? [error.code, error.reason] : ['ok', undefined];
}

async function ended(host: TestClient, roomId: string, endReason: string): Promise<void> {
  const room = await until(async () => {
    const found = await host.parley.conference.get(roomId);
    return found.status === 'ended' && found;
  }, 'the room ends');
  expect(room).toMatchObject({ endReason });
}
