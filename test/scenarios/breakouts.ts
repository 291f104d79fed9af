import { expect } from 'vitest';
import type { ConferenceRoom } from '../../sdk/src/index.ts';
import type { Harness } from '../harness/nodes/Harness.ts';
import type { TestClient } from '../harness/clients/TestClient.ts';
import { until } from '../harness/until.ts';
import { created, idIn } from './conference.ts';

/** Scenarios for breakouts without media, on one or several nodes. */
export const breakoutScenarios: Record<string, (harness: Harness) => Promise<void>> = {
  async 'moves twenty people into four breakouts, and back at the end'(harness) {
    const host = await harness.client();
    const people = await Promise.all(Array.from({ length: 20 }, () => harness.client()));
    const parent = await inRoom([host, ...people]);
    const groups = [0, 1, 2, 3].map((group) => people.filter((_, index) => index % 4 === group));
    const ids = await Promise.all(people.map((one) => idIn(host, parent, one)));
    const breakouts = await host.parley.breakouts.create({
      roomId: parent,
      rooms: groups.map((_, group) => ({
        name: `Group ${group}`,
        participantIds: ids.filter((_id, index) => index % 4 === group),
      })),
    });
    expect(breakouts).toMatchObject(
      [0, 1, 2, 3].map((group) => ({ name: `Group ${group}`, parentId: parent })),
    );
    for (const [group, { id }] of breakouts.entries())
      for (const one of groups[group] ?? []) {
        const moved = await one.event('conference:moved');
        expect(moved).toMatchObject({ fromRoomId: parent, reason: 'host', room: { id, parentId: parent } });
      }
    for (const [group, { id }] of breakouts.entries())
      for (const one of groups[group] ?? [])
        await until(
          () => one.parley.conference.participants(id).length === 5,
          'all five are in the breakout',
        );
    await until(() => host.parley.conference.participants(parent).length === 1, 'the host is alone');
    expect((await host.parley.breakouts.list(parent)).map(({ participants }) => participants.length)).toEqual(
      [5, 5, 5, 5],
    );
    await host.parley.breakouts.end(parent);
    for (const one of people) {
      const back = await one.event('conference:moved', ({ reason }) => reason === 'ended');
      expect(back.room.id).toBe(parent);
    }
    await until(() => host.parley.conference.participants(parent).length === 21, 'all are back');
    for (const { id } of breakouts)
      expect(await host.parley.conference.get(id)).toMatchObject({
        status: 'ended',
        endReason: 'breakouts_ended',
      });
    expect(people.flatMap((one) => one.seen('conference:ended'))).toEqual([]);
    expect(await host.parley.breakouts.list(parent)).toEqual([]);
  },

  async 'keeps name, role and mute state of those who are moved'(harness) {
    const [host, bob] = [await harness.client(), await harness.client()];
    const parent = await created(host, { muteOnEntry: true });
    await host.parley.conference.join(parent);
    await bob.parley.conference.join({ roomId: parent, displayName: 'Bob' });
    const bobsId = await idIn(host, parent, bob);
    await host.parley.conference.setRole(parent, bobsId, 'host');
    await bob.parley.conference.unmuteAudio(parent);
    const [breakout] = await split(host, parent, [bobsId]);
    await bob.event('conference:moved');
    expect(bob.parley.conference.participants(breakout.id)).toMatchObject([
      { displayName: 'Bob', role: 'host' },
    ]);
    expect(await bob.request('conference.join', { roomId: breakout.id })).toMatchObject({ muted: false });
  },

  async 'ends the breakouts at their time'(harness) {
    const [host, bob] = [await harness.client(), await harness.client()];
    const parent = await inRoom([host, bob]);
    const [breakout] = await split(host, parent, [await idIn(host, parent, bob)], 2);
    const timed = await host.event('conference:updated', ({ breakoutsEndAt }) => breakoutsEndAt !== null);
    expect(timed.breakoutsEndAt).toBeInstanceOf(Date);
    await bob.event('conference:moved', ({ room }) => room.id === breakout.id);
    await bob.event('conference:moved', ({ room, reason }) => room.id === parent && reason === 'ended');
    await host.event('conference:updated', ({ breakoutsEndAt }) => breakoutsEndAt === null);
    expect(await host.parley.conference.get(breakout.id)).toMatchObject({ endReason: 'breakouts_ended' });
  },

  async 'keeps an empty parent while somebody is in a breakout, and ends both when nobody is'(harness) {
    const [host, bob] = [await harness.client(), await harness.client()];
    const control = await created(host, { emptyTimeout: 1 });
    const parent = await inRoom([host, bob], { emptyTimeout: 1 });
    const [breakout] = await split(host, parent, [await idIn(host, parent, bob)]);
    await bob.event('conference:moved');
    await host.parley.conference.leave(parent);
    // The timeout of the other room starts later, and ends.
    await host.parley.conference.join(control);
    await host.parley.conference.leave(control);
    await hasEnded(host, control, 'empty');
    expect(await host.parley.conference.get(parent)).toMatchObject({ status: 'active' });
    await bob.parley.conference.leave(breakout.id);
    await hasEnded(host, parent, 'empty');
    await hasEnded(host, breakout.id, 'breakouts_ended');
  },

  async 'ends the breakouts with their parent'(harness) {
    const [host, bob] = [await harness.client(), await harness.client()];
    const parent = await inRoom([host, bob]);
    const [breakout] = await split(host, parent, [await idIn(host, parent, bob)]);
    await bob.event('conference:moved');
    await host.parley.conference.end(parent);
    expect(await bob.event('conference:ended')).toMatchObject({ id: breakout.id });
  },

  async 'brings everybody back when a host in a breakout ends it like a room'(harness) {
    const [host, bob, carol] = [await harness.client(), await harness.client(), await harness.client()];
    const parent = await inRoom([host, bob, carol]);
    const [breakout] = await split(host, parent, [await idIn(host, parent, bob)]);
    await bob.event('conference:moved');
    const hostsId = await idIn(host, parent, host);
    await host.parley.breakouts.move({ roomId: parent, participantIds: [hostsId], to: breakout.id });
    await host.event('conference:moved');
    await host.parley.conference.end(breakout.id);
    for (const one of [host, bob])
      await one.event('conference:moved', ({ room, reason }) => room.id === parent && reason === 'ended');
    await until(() => carol.parley.conference.participants(parent).length === 3, 'all are in the parent');
    expect(await host.parley.conference.get(breakout.id)).toMatchObject({ endReason: 'breakouts_ended' });
    await expect(host.parley.conference.end(breakout.id)).rejects.toMatchObject({ reason: 'room_ended' });
    expect([host, bob].flatMap((one) => one.seen('conference:ended'))).toEqual([]);
  },

  async 'lets a host visit a breakout, and everybody return alone'(harness) {
    const [host, second, bob] = [await harness.client(), await harness.client(), await harness.client()];
    const parent = await inRoom([host, second, bob]);
    await host.parley.conference.lock(parent);
    await host.parley.conference.setRole(parent, await idIn(host, parent, second), 'host');
    const [breakout] = await split(host, parent, [await idIn(host, parent, bob)]);
    await bob.event('conference:moved');
    await second.parley.breakouts.move({
      roomId: parent,
      participantIds: [await idIn(host, parent, second)],
      to: breakout.id,
    });
    await second.event('conference:moved');
    // A host in a breakout is a host of the parent, too.
    await second.parley.conference.lock(parent, false);
    await second.parley.conference.lock(parent, true);
    // Without the breakout, as after a click on a link.
    await second.parley.conference.join(parent);
    await second.parley.conference.leave(breakout.id);
    await host.event(
      'conference:participant:joined',
      ({ walletAddress, role }) => walletAddress === second.address && role === 'host',
    );
    await bob.parley.breakouts.move({
      roomId: breakout.id,
      participantIds: [await idIn(bob, breakout.id, bob)],
      to: parent,
    });
    await bob.event('conference:moved', ({ room }) => room.id === parent);
    expect(bob.parley.conference.participants(parent)).toHaveLength(3);
  },

  async 'reaches all rooms with a message, and the hosts with a call'(harness) {
    const [host, bob, carol] = [await harness.client(), await harness.client(), await harness.client()];
    const parent = await inRoom([host, bob, carol]);
    const [breakout] = await split(host, parent, [await idIn(host, parent, bob)]);
    await bob.event('conference:moved');
    await host.parley.breakouts.broadcast(parent, 'Five minutes left');
    for (const [one, roomId] of [
      [host, parent],
      [carol, parent],
      [bob, breakout.id],
    ] as const) {
      const { message } = await one.event('conference:chat:message');
      expect(message).toMatchObject({ roomId, content: 'Five minutes left', from: host.address });
    }
    await bob.parley.breakouts.callHost(breakout.id);
    expect(await host.event('conference:host:called')).toMatchObject({
      roomId: breakout.id,
      roomName: 'Breakout',
      parentId: parent,
      participant: { walletAddress: bob.address },
    });
    expect(carol.seen('conference:host:called')).toEqual([]);
    await expect(carol.parley.breakouts.callHost(parent)).rejects.toMatchObject({ code: 'CONFLICT' });
    for (let call = 2; call <= 6; call++) await bob.parley.breakouts.callHost(breakout.id);
    await expect(bob.parley.breakouts.callHost(breakout.id)).rejects.toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
    });
  },

  async 'sends on a device that was moved twice while it was away'(harness) {
    const [host, bob] = [await harness.client(), await harness.client()];
    const parent = await inRoom([host, bob]);
    const id = await idIn(host, parent, bob);
    const claim = (roomId: string) =>
      bob.request('conference.join', { roomId, held: [] }).catch((error: unknown) => error);
    bob.close();
    await host.event('conference:participant:away');
    const [breakout] = await split(host, parent, [id]);
    expect(await claim(parent)).toMatchObject({
      reason: 'moved',
      extra: { movedTo: breakout.id, movedBy: 'host' },
    });
    await host.parley.breakouts.end(parent);
    expect(await claim(breakout.id)).toMatchObject({
      reason: 'moved',
      extra: { movedTo: parent, movedBy: 'ended' },
    });
    expect(await claim(parent)).toMatchObject({ state: 'joined' });
  },

  async 'removes somebody from all rooms of the family'(harness) {
    const [host, bob] = [await harness.client(), await harness.client()];
    const parent = await inRoom([host, bob]);
    const [breakout] = await split(host, parent, [await idIn(host, parent, bob)]);
    await bob.event('conference:moved');
    await host.parley.conference.kick(breakout.id, await idIn(bob, breakout.id, bob));
    await bob.event('conference:removed');
    for (const roomId of [parent, breakout.id])
      await expect(bob.parley.conference.join(roomId)).rejects.toMatchObject({ reason: 'removed' });
  },

  async 'keeps somebody out of the parent who was only in its breakout'(harness) {
    const [host, bob] = [await harness.client(), await harness.client()];
    const parent = await created(host);
    await host.parley.conference.join(parent);
    const [breakout] = await split(host, parent, []);
    await host.parley.conference.invite(breakout.id, [bob.address]);
    await bob.parley.conference.join(breakout.id);
    await host.parley.conference.kick(breakout.id, await idIn(bob, breakout.id, bob));
    await bob.event('conference:removed');
    for (const roomId of [parent, breakout.id])
      await expect(bob.parley.conference.join(roomId)).rejects.toMatchObject({ reason: 'removed' });
    await host.parley.conference.invite(parent, [bob.address]);
    await bob.parley.conference.join(parent);
  },

  async 'refuses all that is not for participants or strangers'(harness) {
    const [host, bob, carol, stranger] = [
      await harness.client(),
      await harness.client(),
      await harness.client(),
      await harness.client(),
    ];
    const parent = await inRoom([host, bob, carol]);
    const [bobsId, carolsId] = [await idIn(host, parent, bob), await idIn(host, parent, carol)];
    const [breakout] = await split(host, parent, [bobsId]);
    await bob.event('conference:moved');
    const other = await created(host);
    const rooms = [{ name: 'x' }];
    const notHost = { code: 'ACCESS_DENIED', reason: 'not_a_host' };
    for (const { parley } of [bob, carol, stranger])
      for (const roomId of [parent, breakout.id])
        for (const attempt of [
          () => parley.breakouts.create({ roomId, rooms }),
          () => parley.breakouts.end(roomId),
          () => parley.breakouts.broadcast(roomId, 'x'),
        ])
          await expect(attempt()).rejects.toMatchObject(notHost);
    for (const { parley } of [carol, stranger]) {
      const move = { roomId: parent, participantIds: [carolsId], to: breakout.id };
      await expect(parley.breakouts.move(move)).rejects.toMatchObject(notHost);
      await expect(parley.conference.join(breakout.id)).rejects.toMatchObject({ reason: 'room_locked' });
      await expect(parley.breakouts.callHost(breakout.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    await expect(stranger.parley.breakouts.list(parent)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await carol.parley.breakouts.list(parent)).toMatchObject([{ participants: [] }]);
    const { breakouts, conference } = host.parley;
    await expect(breakouts.create({ roomId: breakout.id, rooms })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    await expect(conference.lock(breakout.id, false)).rejects.toMatchObject({ code: 'CONFLICT' });
    const move = { roomId: parent, participantIds: [carolsId] };
    await expect(breakouts.move({ ...move, to: other })).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(breakouts.move({ ...move, to: parent })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(
      breakouts.move({ ...move, participantIds: [bobsId], to: breakout.id }),
    ).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await breakouts.end(parent);
    await expect(breakouts.move({ ...move, to: breakout.id })).rejects.toMatchObject({
      reason: 'room_ended',
    });
  },
};

async function inRoom(
  [host, ...others]: TestClient[],
  settings: Parameters<typeof created>[1] = {},
): Promise<string> {
  if (!host) throw new Error('a room needs a host');
  const maxParticipants = others.length + 1;
  const { id: room } = await host.parley.conference.create({ name: 'Room', maxParticipants, settings });
  await host.parley.conference.join(room);
  await Promise.all(others.map((one) => one.parley.conference.join(room)));
  await until(() => host.parley.conference.participants(room).length === others.length + 1, 'all are there');
  return room;
}

export async function split(
  host: TestClient,
  roomId: string,
  participantIds: string[],
  durationSeconds?: number,
): Promise<[ConferenceRoom]> {
  const time = durationSeconds === undefined ? {} : { durationSeconds };
  const made = await host.parley.breakouts.create({
    roomId,
    rooms: [{ name: 'Breakout', participantIds }],
    ...time,
  });
  return made as [ConferenceRoom];
}

const hasEnded = (by: TestClient, roomId: string, endReason: string) =>
  until(
    async () => (await by.parley.conference.get(roomId)).endReason === endReason,
    `the end of a room: ${endReason}`,
  );
