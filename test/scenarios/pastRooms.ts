import { expect } from 'vitest';
import type { Harness } from '../harness/nodes/Harness.ts';
import type { TestClient } from '../harness/clients/TestClient.ts';
import { until } from '../harness/until.ts';
import { created, idIn, refused } from './conference.ts';

/** Scenarios for rooms that have ended, that start later or that one cannot simply enter, on one or several nodes. */
export const pastRoomScenarios: Record<string, (harness: Harness) => Promise<void>> = {
  async 'lists the rooms that a wallet was in, with their chats, after they have ended'(harness) {
    const [host, ann, ben] = [await harness.client(), await harness.client(), await harness.client()];
    const stranger = await harness.client();
    const room = await created(host);
    for (const one of [host, ann, ben]) await one.parley.conference.join(room);
    const say = (text: string) => host.parley.conference.sendChat(room, text);
    await say('one');
    await ann.parley.conference.leave(room);
    await say('two');
    await host.parley.conference.kick(room, await idIn(host, room, ben));
    await say('three');
    // Those who have left do not read the chat of an open room.
    expect(await refused(ann.parley.conference.getChat(room))).toEqual(['NOT_FOUND', 'not_found']);
    expect((await ann.parley.conference.past()).data).toEqual([]);
    await host.parley.conference.end(room);
    const chat = async (client: TestClient) =>
      (await client.parley.conference.getChat(room)).map(({ message }) => message.content);
    expect(await chat(host)).toEqual(['one', 'two', 'three']);
    expect(await chat(ann)).toEqual(['one', 'two', 'three']);
    // A wallet that was removed reads only what it could read then.
    expect(await chat(ben)).toEqual(['one', 'two']);
    expect(await refused(chat(stranger))).toEqual(['NOT_FOUND', 'not_found']);
    const past = async (client: TestClient) => (await client.parley.conference.past()).data;
    const [own] = await past(host);
    expect(own).toMatchObject({
      room: { id: room, status: 'ended', endReason: 'ended', participants: [] },
      recordings: [],
      messages: 3,
    });
    expect(own?.joinedAt).toBeInstanceOf(Date);
    expect(own?.leftAt).toEqual(own?.room.endedAt);
    const [anns] = await past(ann);
    expect(anns).toMatchObject({ room: { id: room }, messages: 3 });
    expect(anns?.leftAt?.getTime()).toBeLessThan(anns?.room.endedAt?.getTime() ?? 0);
    expect(await past(ben)).toMatchObject([{ room: { id: room }, messages: 2 }]);
    expect(await past(stranger)).toEqual([]);
  },

  async 'pages through past rooms, also those that nobody joined, without breakouts'(harness) {
    const host = await harness.client();
    const rooms: string[] = [];
    for (let index = 0; index < 5; index++) {
      const room = await created(host);
      if (index % 2 === 0) {
        await host.parley.conference.join(room);
        await host.parley.breakouts.create({ roomId: room, rooms: [{ name: 'x' }] });
      }
      await host.parley.conference.end(room);
      rooms.unshift(room);
    }
    const first = await host.parley.conference.past({ limit: 2 });
    expect(first.data.map(({ room }) => room.id)).toEqual(rooms.slice(0, 2));
    // A room that ends in the meantime does not move the next page.
    await host.parley.conference.end(await created(host));
    const second = await host.parley.conference.past({ limit: 2, cursor: first.nextCursor ?? '' });
    const third = await host.parley.conference.past({ limit: 2, cursor: second.nextCursor ?? '' });
    expect([...second.data, ...third.data].map(({ room }) => room.id)).toEqual(rooms.slice(2));
    expect(third).toMatchObject({ hasMore: false, nextCursor: null });
    expect(first.data[1]).toMatchObject({ joinedAt: null, leftAt: null });
    const unknown = host.parley.conference.past({ cursor: await created(host) });
    expect((await refused(unknown))[0]).toBe('VALIDATION_ERROR');
  },

  async 'lets a host admit all who wait, as far as there are places'(harness) {
    const host = await harness.client();
    const waiters = await Promise.all([0, 1, 2].map(() => harness.client()));
    const { id: room } = await host.parley.conference.create({
      name: 'Small',
      maxParticipants: 3,
      settings: { waitingRoom: true },
    });
    await host.parley.conference.join(room);
    const joins: Promise<void>[] = [];
    for (const waiter of waiters) {
      joins.push(waiter.parley.conference.join(room));
      await host.event('conference:waiting:joined', ({ walletAddress }) => walletAddress === waiter.address);
    }
    expect(await refused(waiters[0]?.parley.conference.admitAll(room) ?? Promise.resolve())).toEqual([
      'ACCESS_DENIED',
      'not_a_host',
    ]);
    expect(await host.parley.conference.admitAll(room)).toEqual({ admitted: 2, waiting: 1 });
    await Promise.all(joins.slice(0, 2));
    const denied = refused(joins[2] ?? Promise.resolve());
    expect(await refused(host.parley.conference.admitAll(room))).toEqual(['ROOM_FULL', 'room_full']);
    await host.parley.conference.deny(room, waiters[2]?.address ?? '');
    expect(await denied).toEqual(['ACCESS_DENIED', 'denied']);
    expect(await host.parley.conference.admitAll(room)).toEqual({ admitted: 0, waiting: 0 });
    await host.parley.conference.end(room);
  },

  async 'keeps no place for a wallet that was admitted and found the room full'(harness) {
    const [host, ann, ben, cat] = await Promise.all([0, 1, 2, 3].map(() => harness.client()));
    if (!host || !ann || !ben || !cat) throw new Error('no clients');
    const { id: room } = await host.parley.conference.create({
      name: 'Small',
      maxParticipants: 2,
      settings: { waitingRoom: true },
    });
    await host.parley.conference.invite(room, [ann.address]);
    for (const one of [host, ann]) await one.parley.conference.join(room);
    const first = refused(ben.parley.conference.join(room));
    await host.event('conference:waiting:joined');
    // An invitation admits a wallet that waits, even to a full room.
    await host.parley.conference.invite(room, [ben.address]);
    expect(await first).toEqual(['ROOM_FULL', 'room_full']);
    await host.event('conference:waiting:left', ({ walletAddress }) => walletAddress === ben.address);
    expect(await host.parley.conference.getWaiting(room)).toEqual([]);
    await ann.parley.conference.leave(room);
    const second = cat.parley.conference.join(room);
    await host.event('conference:waiting:joined', ({ walletAddress }) => walletAddress === cat.address);
    expect(await host.parley.conference.admitAll(room)).toEqual({ admitted: 1, waiting: 0 });
    await second;
    // Ben stays invited.
    await cat.parley.conference.leave(room);
    await ben.parley.conference.join(room);
    await host.parley.conference.end(room);
  },

  async 'tells in advance what happens to a wallet that joins'(harness) {
    const [host, ann, ben] = [await harness.client(), await harness.client(), await harness.client()];
    const { id: room } = await host.parley.conference.create({
      name: 'Door',
      maxParticipants: 2,
      settings: { waitingRoom: true },
    });
    const entry = async (client: TestClient) => (await client.parley.conference.get(room)).entry;
    expect([await entry(host), await entry(ann)]).toEqual(['enter', 'wait']);
    await host.parley.conference.lock(room);
    // A lock comes before the waiting room: nobody waits for an answer that cannot come.
    expect(await entry(ann)).toBe('locked');
    expect(await refused(ann.parley.conference.join(room))).toEqual(['ACCESS_DENIED', 'room_locked']);
    await host.parley.conference.invite(room, [ann.address, ben.address]);
    expect(await entry(ann)).toBe('enter');
    for (const one of [host, ann]) await one.parley.conference.join(room);
    expect([await entry(ann), await entry(ben)]).toEqual(['enter', 'full']);
    await host.parley.conference.kick(room, await idIn(host, room, ann));
    expect(await entry(ann)).toBe('removed');
    await host.parley.conference.end(room);
    expect(await entry(ann)).toBeUndefined();
  },

  async 'keeps a scheduled room open until its start, even if somebody looks in before'(harness) {
    const host = await harness.client();
    const startsAt = new Date(Date.now() + 3_600_000);
    const room = await host.parley.conference.create({
      name: 'Later',
      maxParticipants: 5,
      settings: { emptyTimeout: 1 },
      startsAt,
    });
    expect(room.startsAt).toEqual(startsAt);
    // The timeout of the other room starts later, and ends.
    const control = await created(host, { emptyTimeout: 1 });
    for (const id of [room.id, control]) {
      await host.parley.conference.join(id);
      await host.parley.conference.leave(id);
    }
    await until(
      async () => (await host.parley.conference.get(control)).status === 'ended',
      'the other room has ended',
    );
    expect(await host.parley.conference.get(room.id)).toMatchObject({ status: 'active', startsAt });
    await host.parley.conference.end(room.id);
    const late = new Date(Date.now() + 400 * 24 * 3_600_000);
    const create = host.parley.conference.create({ name: 'x', maxParticipants: 2, startsAt: late });
    expect((await refused(create))[0]).toBe('VALIDATION_ERROR');
  },
};
