import { expect } from 'vitest';
import type { ParleyError } from '../../sdk/src/index.ts';
import type { Harness } from '../harness/Harness.ts';
import type { TestClient } from '../harness/TestClient.ts';

/**
 * Conferences without media, on whatever the harness is: who comes in, who is told, how they end. The harness waits 4 s for a
 * device that is gone.
 */
export const conferenceScenarios: Record<string, (harness: Harness) => Promise<void>> = {
  async 'a room waits, is active from the first who joins, and ends with its host'(harness) {
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

  async 'a room that is empty for its time ends'(harness) {
    const alice = await harness.client();
    const room = await created(alice, { emptyTimeout: 1 });
    await alice.parley.conference.join(room);
    await alice.parley.conference.leave(room);
    await ended(alice, room, 'empty');
  },

  async 'a room that somebody comes back to in time does not'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const room = await created(alice, { emptyTimeout: 4 });
    await alice.parley.conference.join(room);
    await alice.parley.conference.leave(room);
    await bob.parley.conference.join(room);
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    expect(await alice.parley.conference.get(room)).toMatchObject({ status: 'active' });
    await alice.parley.conference.end(room);
  },

  async 'a room that has lasted as long as it may ends, with people in it'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const room = await created(alice, { maxDuration: 3 });
    await bob.parley.conference.join(room);
    expect(await bob.event('conference:ended')).toMatchObject({ id: room, endReason: 'max_duration' });
  },

  async 'who is gone for too long has left; who comes back in time has not'(harness) {
    const [alice, bob, carol] = [await harness.client(), await harness.client(), await harness.client()];
    const room = await created(alice);
    for (const client of [alice, bob, carol]) await client.parley.conference.join(room);
    // Signed in before she is waited for, which a busy machine takes as long for.
    const reloaded = await harness.client(carol.account);
    bob.close();
    carol.close();
    const idOf = (wallet: string) =>
      alice.parley.conference.participants(room).find(({ walletAddress }) => walletAddress === wallet)?.id;
    const ofCarol = idOf(carol.address);
    for (const gone of [bob, carol]) {
      const participantId = idOf(gone.address);
      const isGone = (away: { participantId: string; isAway: boolean }) =>
        away.isAway && away.participantId === participantId;
      await alice.event('conference:participant:away', isGone);
    }
    expect(alice.parley.conference.participants(room).map(({ isAway }) => isAway ?? false)).toEqual([
      false,
      true,
      true,
    ]);
    await reloaded.parley.conference.join(room);
    await alice.event(
      'conference:participant:away',
      ({ participantId, isAway }) => !isAway && participantId === ofCarol,
    );
    expect(await alice.event('conference:participant:left')).toMatchObject({ walletAddress: bob.address });
    // Longer than anybody may be away.
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    expect(alice.seen('conference:participant:left')).toHaveLength(1);
    expect(alice.parley.conference.participants(room).map(({ walletAddress }) => walletAddress)).toEqual([
      alice.address,
      carol.address,
    ]);
    await alice.parley.conference.end(room);
  },

  async 'another device of a wallet takes its place'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const phone = await harness.client(bob.account);
    const room = await created(alice);
    await alice.parley.conference.join(room);
    await bob.parley.conference.join(room);
    await phone.parley.conference.join(room);
    expect(await bob.event('media:replaced')).toEqual({ scope: 'conference', id: room });
    const { participants } = await alice.parley.conference.get(room);
    expect(participants).toHaveLength(2);
    // The device that lost the place leaves: nothing happens to the one that has it.
    await bob.parley.conference.leave(room);
    await phone.parley.conference.raiseHand(room);
    await alice.event('conference:participant:updated', ({ handRaised }) => handRaised);
    expect(alice.seen('conference:participant:left')).toEqual([]);
    await alice.parley.conference.end(room);
  },

  async 'a locked room takes only who is invited'(harness) {
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

  async 'who is kicked is out, and stays out until invited'(harness) {
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

  async 'in front of the waiting room a join waits until a host opens'(harness) {
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
    // Who was let in once comes back without waiting.
    await bob.parley.conference.leave(room);
    await bob.parley.conference.join(room);
    await alice.parley.conference.end(room);
  },

  async 'who waits and goes, or gives up, is no longer in front of the door'(harness) {
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

  async 'hosts make hosts, who may then what hosts may'(harness) {
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

  async 'what is said reaches everybody, and who comes later can read it'(harness) {
    const [alice, bob, carol] = [await harness.client(), await harness.client(), await harness.client()];
    const room = await created(alice);
    for (const client of [alice, bob])
      await client.parley.conference.join({ roomId: room, displayName: 'me' });
    const said = await alice.parley.conference.sendChat(room, 'Good morning');
    expect(said.message.timestamp).toBeInstanceOf(Date);
    expect(await bob.event('conference:chat:message')).toEqual(said);
    await bob.parley.conference.sendChat(room, 'Hello');
    await alice.event('conference:chat:message');
    expect(alice.seen('conference:chat:message')).toHaveLength(1);
    await expect(carol.parley.conference.sendChat(room, 'x')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(carol.parley.conference.getChat(room)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await carol.parley.conference.join(room);
    const words = (await carol.parley.conference.getChat(room)).map(({ message }) => message.content);
    expect(words).toEqual(['Good morning', 'Hello']);
    const [, last] = await carol.parley.conference.getChat(room);
    const before = await carol.parley.conference.getChat(room, { before: last?.message.id ?? '' });
    expect(before.map(({ message }) => message.content)).toEqual(['Good morning']);
    await alice.parley.conference.end(room);
  },

  async 'of fifty who join at once, as many come in as there are places'(harness) {
    const host = await harness.client();
    const { id: room } = await host.parley.conference.create({ name: 'Small', maxParticipants: 7 });
    const guests = await Promise.all(Array.from({ length: 50 }, () => harness.client()));
    const outcomes = await Promise.all(
      guests.map((guest) =>
        guest.parley.conference.join(room).then(
          () => 'in',
          (error: ParleyError) => error.code,
        ),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'in')).toHaveLength(7);
    expect(outcomes.filter((outcome) => outcome === 'ROOM_FULL')).toHaveLength(43);
    expect((await host.parley.conference.get(room)).participants).toHaveLength(7);
    // Full is full, for its host too; and a place that is given up is another's.
    await expect(host.parley.conference.join(room)).rejects.toMatchObject({ code: 'ROOM_FULL' });
    await guests[outcomes.indexOf('in')]?.parley.conference.leave(room);
    await host.parley.conference.join(room);
    for (const guest of guests) guest.close();
    await host.parley.conference.end(room);
  },
};

type Settings = Parameters<TestClient['parley']['conference']['create']>[0]['settings'];

/** @returns the room's id */
export async function created(host: TestClient, settings: Settings = {}): Promise<string> {
  const { id } = await host.parley.conference.create({ name: 'Room', maxParticipants: 10, settings });
  return id;
}

/** The id of somebody in a room. */
export async function idIn(client: TestClient, roomId: string, of: TestClient): Promise<string> {
  const { participants } = await client.parley.conference.get(roomId);
  const found = participants.find(({ walletAddress }) => walletAddress === of.address);
  if (!found) throw new Error('not in the room');
  return found.id;
}

/** The code of a refusal, and of its detail. */
export async function refused(run: Promise<unknown>): Promise<[string, string | undefined]> {
  const error = await run.then(
    () => null,
    (thrown: ParleyError) => thrown,
  );
  return error ? [error.code, error.details?.[0]?.code] : ['ok', undefined];
}

async function ended(host: TestClient, roomId: string, endReason: string): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const room = await host.parley.conference.get(roomId);
    if (room.status === 'ended') return expect(room).toMatchObject({ endReason });
    expect(Date.now()).toBeLessThan(deadline);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
