import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { oneNode, type OneNode } from '../../harness/nodes/Harness.ts';
import { PushService } from '../../harness/services/PushService.ts';
import { until } from '../../harness/until.ts';
import { created } from '../../scenarios/conference.ts';
import { queryDatabase } from '../money/accountSupport.ts';
import { Device, openApp, retryOf } from './pushSupport.ts';
import { closeSockets } from '../support.ts';

/* Invitations to rooms wake disconnected devices. */

let service: PushService;
let harness: OneNode;

beforeAll(async () => {
  service = await PushService.start();
  harness = await oneNode(service.settings);
});
afterEach(() => expect(service.problems).toEqual([]));
afterAll(async () => {
  // Not in afterEach, because other tests still running need their sockets.
  closeSockets();
  await harness?.close();
  await service?.close();
});

/** Creates Alice with a room, and Bob. Bob's apps are closed, and his browser is subscribed to push. */
async function bobIsAway() {
  const [alice, bob] = [await harness.client(), await harness.client()];
  const { subscription } = await Device.register(harness.url(), bob, service);
  bob.close();
  const roomId = await created(alice);
  return { alice, bob, subscription, roomId };
}

const pushesOf = (roomId: string) =>
  queryDatabase(harness.server, `SELECT FROM due WHERE kind = 'push' AND subject LIKE '%' || $1`, [roomId]);

const { tried, tryAgain } = retryOf(() => harness.server);

describe.concurrent('an invitation', () => {
  it.each(['the room has ended', 'the wallet is inside', 'the wallet was removed'])(
    'sends no push when %s',
    async (why) => {
      const { alice, bob, subscription, roomId } = await bobIsAway();
      subscription.answers.push({ status: 429, headers: { 'retry-after': '600' } });
      await alice.parley.conference.join(roomId);
      await alice.parley.conference.invite(roomId, [bob.address]);
      await tried(roomId);
      const tablet = await harness.client(bob.account);
      if (why === 'the room has ended') await alice.parley.conference.end(roomId);
      else await tablet.parley.conference.join(roomId);
      const { participants } = await alice.parley.conference.get(roomId);
      const { id = '' } = participants.find(({ walletAddress }) => walletAddress === bob.address) ?? {};
      if (why === 'the wallet was removed') await alice.parley.conference.kick(roomId, id);
      await tryAgain(roomId);
      await until(async () => (await pushesOf(roomId)).length === 0, 'its job has run');
      expect(subscription.requests).toHaveLength(1);
    },
  );

  it('sends a push with the inviting wallet and the room', async () => {
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

  it('sends no push when a device confirms the invitation within three seconds', async () => {
    const { alice, bob, subscription, roomId } = await bobIsAway();
    const tablet = await openApp(harness, bob.account);
    await alice.parley.conference.invite(roomId, [bob.address]);
    await tablet.event('conference:invited');
    await until(async () => (await pushesOf(roomId)).length === 0, 'its job has run');
    expect(subscription.requests).toEqual([]);
  });

  it('reaches a device that was disconnected, unless the room has ended', async () => {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const stored = new Map<string, string>();
    const storage = {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
      removeItem: (key: string) => void stored.delete(key),
    };
    const before = await harness.client(bob.account, storage);
    await until(() => [...stored.keys()].some((key) => key.includes('cursor')), 'its cursor is stored');
    before.close();
    bob.close();
    const [ended, open] = [await created(alice), await created(alice)];
    for (const roomId of [ended, open]) await alice.parley.conference.invite(roomId, [bob.address]);
    await alice.parley.conference.end(ended);
    const back = await harness.client(bob.account, storage);
    const { room, from } = await back.event('conference:invited');
    expect(room).toMatchObject({ id: open, host: alice.address, status: 'waiting' });
    expect(from).toBe(alice.address);
    expect(back.seen('conference:invited')).toHaveLength(1);
  });

  it('sends no push for a blocked sender', async () => {
    const { alice, bob, roomId } = await bobIsAway();
    const tablet = await harness.client(bob.account);
    await tablet.parley.calls.block(alice.address);
    tablet.close();
    await alice.parley.conference.invite(roomId, [bob.address]);
    expect(await pushesOf(roomId)).toEqual([]);
  });

  it('is not listed for a wallet that has blocked the host, unless it was in the room', async () => {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const [entered, unseen] = [await created(alice), await created(alice)];
    await bob.parley.conference.join(entered);
    await bob.parley.conference.leave(entered);
    await bob.parley.calls.block(alice.address);
    for (const roomId of [entered, unseen]) await alice.parley.conference.invite(roomId, [bob.address]);
    const listed = async () => (await bob.parley.conference.list()).map(({ id }) => id);
    expect(await listed()).toEqual([entered]);
    await bob.parley.calls.unblock(alice.address);
    expect((await listed()).sort()).toEqual([entered, unseen].sort());
  });

  it('is neither pushed nor told later when the inviting wallet was blocked meanwhile', async () => {
    const { alice, bob, subscription, roomId } = await bobIsAway();
    subscription.answers.push({ status: 429, headers: { 'retry-after': '600' } });
    await alice.parley.conference.invite(roomId, [bob.address]);
    await tried(roomId);
    const tablet = await harness.client(bob.account);
    await tablet.parley.calls.block(alice.address);
    await tryAgain(roomId);
    await until(async () => (await pushesOf(roomId)).length === 0, 'its job has run');
    expect(subscription.requests).toHaveLength(1);
    const { events } = await tablet.request('session.catchUp', { after: 0 });
    expect(events).toMatchObject([{ event: 'conference:invited', payload: null }]);
  });
});
