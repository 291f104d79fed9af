import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { oneNode, type OneNode } from '../../harness/Harness.ts';
import { PushService } from '../../harness/PushService.ts';
import { until } from '../../harness/until.ts';
import { created } from '../../scenarios/conference.ts';
import { queryDatabase } from '../money/accountSupport.ts';
import { Device } from './pushSupport.ts';
import { closeSockets } from '../support.ts';

/* Invitations to rooms wake devices that are away. */

let service: PushService;
let harness: OneNode;

beforeAll(async () => {
  service = await PushService.start();
  harness = await oneNode(service.settings);
});
afterEach(() => expect(service.problems).toEqual([]));
afterAll(async () => {
  // Not after each: those that run beside it need theirs.
  closeSockets();
  await harness?.close();
  await service?.close();
});

/** Bob, whose apps are closed, with a browser that can be woken; and Alice with a room. */
async function bobIsAway() {
  const [alice, bob] = [await harness.client(), await harness.client()];
  const { subscription } = await Device.register(harness.url(), bob, service);
  bob.close();
  const roomId = await created(alice);
  return { alice, bob, subscription, roomId };
}

const pushesOf = (roomId: string) =>
  queryDatabase(harness.server, `SELECT FROM due WHERE kind = 'push' AND subject LIKE '%' || $1`, [roomId]);

describe.concurrent('an invitation', () => {
  it('to nobody’s device wakes a browser: who invites, and to which room', async () => {
    const { alice, bob, subscription, roomId } = await bobIsAway();
    await alice.parley.conference.invite(roomId, [bob.address]);
    const { message } = await subscription.push();
    expect(message).toMatchObject({
      kind: 'conferenceInvite',
      id: roomId,
      from: alice.address,
      to: bob.address,
    });
  });

  it('that a device has heard within three seconds wakes nobody', async () => {
    const { alice, bob, subscription, roomId } = await bobIsAway();
    const tablet = await harness.client(bob.account);
    await alice.parley.conference.invite(roomId, [bob.address]);
    await tablet.event('conference:invited');
    await until(async () => (await pushesOf(roomId)).length === 0, 'it was looked at');
    expect(subscription.requests).toEqual([]);
  });

  it('is heard by a device that was away, unless there is nothing left to come to', async () => {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const kept = new Map<string, string>();
    const storage = {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
      removeItem: (key: string) => void kept.delete(key),
    };
    const before = await harness.client(bob.account, storage);
    await until(
      () => [...kept.keys()].some((key) => key.includes('cursor')),
      'it knows how far it has heard',
    );
    before.close();
    bob.close();
    const [over, open] = [await created(alice), await created(alice)];
    for (const roomId of [over, open]) await alice.parley.conference.invite(roomId, [bob.address]);
    await alice.parley.conference.end(over);
    const back = await harness.client(bob.account, storage);
    const { room, from } = await back.event('conference:invited');
    expect(room).toMatchObject({ id: open, host: alice.address, status: 'waiting' });
    expect(from).toBe(alice.address);
    expect(back.seen('conference:invited')).toHaveLength(1);
  });

  it('of somebody who is blocked wakes nobody', async () => {
    const { alice, bob, roomId } = await bobIsAway();
    const tablet = await harness.client(bob.account);
    await tablet.parley.calls.block(alice.address);
    tablet.close();
    await alice.parley.conference.invite(roomId, [bob.address]);
    expect(await pushesOf(roomId)).toEqual([]);
  });
});
