import { expect } from 'vitest';
import type { ParleyError } from '../../sdk/src/index.ts';
import type { TestClient } from '../harness/clients/TestClient.ts';
import type { Harness } from '../harness/nodes/Harness.ts';

/**
 * Scenarios for calls without media, on one or several nodes. They check the call state table through what the wallets' devices observe.
 * The harness lets calls ring for 20 s and waits 10 s for a disconnected device, so that a busy machine can do in time what must happen
 * within these periods.
 */
export const callScenarios: Record<string, (harness: Harness) => Promise<void>> = {
  async 'rings, answers and ends a call'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const call = await alice.parley.calls.start({ to: bob.address, type: 'video' });
    expect(call).toMatchObject({
      from: alice.address,
      to: bob.address,
      type: 'video',
      status: 'ringing',
      direction: 'outgoing',
      endedAt: null,
      duration: null,
    });
    expect(call.startedAt).toBeInstanceOf(Date);
    const incoming = await bob.event('call:incoming');
    expect(incoming).toMatchObject({ id: call.id, direction: 'incoming', status: 'ringing' });
    await bob.parley.calls.answer(call.id);
    expect(await alice.event('call:answered')).toMatchObject({ id: call.id, status: 'active' });
    await bob.parley.calls.end(call.id);
    const ended = await alice.event('call:ended');
    expect(ended).toMatchObject({ id: call.id, status: 'ended', endReason: 'hangup' });
    expect(ended.duration).toBeTypeOf('number');
    expect(bob.seen('call:ended')).toEqual([]);
  },

  async 'rings on every device, and the first to answer gets the call'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const tablet = await harness.client(bob.account);
    const call = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
    await Promise.all([bob.event('call:incoming'), tablet.event('call:incoming')]);
    const answers = await Promise.allSettled([
      bob.parley.calls.answer(call.id),
      tablet.parley.calls.answer(call.id),
    ]);
    const late = answers.filter((answer) => answer.status === 'rejected');
    expect(late.map((answer) => (answer.reason as ParleyError).code)).toEqual(['CONFLICT']);
    const [winner, other] = answers[0]?.status === 'fulfilled' ? [bob, tablet] : [tablet, bob];
    await other.event('call:answered');
    await alice.event('call:answered');
    expect(winner.seen('call:answered')).toEqual([]);
    await alice.parley.calls.end(call.id);
    await Promise.all([winner.event('call:ended'), other.event('call:ended')]);
  },

  async 'notifies the caller and the other devices of a declined call'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const tablet = await harness.client(bob.account);
    const call = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
    await bob.event('call:incoming');
    await bob.parley.calls.decline(call.id, { reason: 'busy' });
    for (const client of [alice, tablet]) {
      expect(await client.event('call:declined')).toMatchObject({
        id: call.id,
        status: 'declined',
        endReason: 'busy',
      });
    }
  },

  async 'marks an unanswered call as missed for both parties'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const call = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
    for (const client of [alice, bob]) {
      expect(await client.event('call:missed')).toMatchObject({
        id: call.id,
        status: 'missed',
        endReason: 'timeout',
      });
    }
  },

  async 'marks a call as missed when the caller hangs up while it rings'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const call = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
    await bob.event('call:incoming');
    await alice.parley.calls.end(call.id);
    expect(await bob.event('call:missed')).toMatchObject({ id: call.id, endReason: 'cancelled' });
    expect(alice.seen('call:missed')).toEqual([]);
  },

  async 'marks a call as missed when the caller disconnects while it rings'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const call = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
    await bob.event('call:incoming');
    alice.close();
    expect(await bob.event('call:missed')).toMatchObject({ id: call.id, endReason: 'connection_lost' });
  },

  async 'ends a call when a party disconnects'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    await losesParty(alice, bob);
  },

  async 'keeps the call of a party that reconnects in time'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const call = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
    await bob.event('call:incoming');
    await bob.parley.calls.answer(call.id);
    // Sign in before the grace period starts, because on a busy machine a sign-in can take just as long.
    const reloaded = await harness.client(bob.account);
    bob.close();
    const away = { callId: call.id, walletAddress: bob.address };
    expect(await alice.event('call:participant:away')).toEqual({ ...away, isAway: true });
    expect(await reloaded.parley.calls.getActive()).toMatchObject([{ id: call.id, status: 'active' }]);
    await reloaded.parley.calls.rejoin(call.id);
    expect(await alice.event('call:participant:away', ({ isAway }) => !isAway)).toEqual({
      ...away,
      isAway: false,
    });
    // The grace period of another call's party starts later, and ends.
    const [carol, dave] = [await harness.client(), await harness.client()];
    await losesParty(carol, dave);
    expect(alice.seen('call:ended')).toEqual([]);
    await alice.parley.calls.end(call.id);
    await reloaded.event('call:ended');
  },

  async 'returns the same call when it is started again while it rings'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const start = () => alice.parley.calls.start({ to: bob.address, type: 'audio' });
    const [first, second] = await Promise.all([start(), start()]);
    const third = await start();
    // Another connection takes over the call, as after a reload.
    const reloaded = await harness.client(alice.account);
    const fourth = await reloaded.parley.calls.start({ to: bob.address, type: 'video' });
    expect(new Set([first, second, third, fourth].map(({ id }) => id)).size).toBe(1);
    alice.close();
    await bob.event('call:incoming');
    await bob.parley.calls.answer(first.id);
    expect(await reloaded.event('call:answered')).toMatchObject({ id: first.id });
    expect(bob.seen('call:incoming')).toHaveLength(1);
    await reloaded.parley.calls.end(first.id);
    await bob.event('call:ended');
  },

  async 'returns an answered call when it is started again after its device has lost the connection'(
    harness,
  ) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const start = (client = alice) => client.parley.calls.start({ to: bob.address, type: 'audio' });
    const call = await start();
    await bob.event('call:incoming');
    await bob.parley.calls.answer(call.id);
    expect(await start()).toMatchObject({ id: call.id, status: 'active' });
    const reloaded = await harness.client(alice.account);
    alice.close();
    await bob.event('call:participant:away', ({ isAway }) => isAway);
    expect(await start(reloaded)).toMatchObject({ id: call.id, status: 'active' });
    await bob.event('call:participant:away', ({ isAway }) => !isAway);
    expect(bob.seen('call:incoming')).toHaveLength(1);
    expect(bob.seen('call:participant:away').map(({ isAway }) => isAway)).toEqual([true, false]);
    // On a third device, while the second one talks, the wallet means another call.
    const third = await harness.client(alice.account);
    const other = await start(third);
    expect(other).toMatchObject({ status: 'ringing' });
    for (const { id } of [other, call]) await reloaded.parley.calls.end(id);
  },

  async 'merges two simultaneous calls of the same parties (glare)'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const [first, second] = await Promise.all([
      alice.parley.calls.start({ to: bob.address, type: 'audio' }),
      bob.parley.calls.start({ to: alice.address, type: 'audio' }),
    ]);
    expect(second.id).toBe(first.id);
    expect([first.direction, second.direction].sort()).toEqual(['incoming', 'outgoing']);
    const [earlier, later] = first.direction === 'outgoing' ? [first, second] : [second, first];
    expect(later.status).toBe('active');
    // The earlier call may be answered before its own request is, and is then active at once.
    const caller = earlier === first ? alice : bob;
    if (earlier.status !== 'active') await caller.event('call:answered');
    expect(await alice.parley.calls.getActive()).toMatchObject([{ id: first.id, status: 'active' }]);
    await alice.parley.calls.end(first.id);
  },

  async 'rings on a device that connects while a call rings'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const call = await alice.parley.calls.start({ to: bob.address, type: 'video' });
    const late = await harness.client(bob.account);
    expect(await late.event('call:incoming')).toMatchObject({ id: call.id, type: 'video' });
    await late.parley.calls.answer(call.id);
    await alice.event('call:answered');
    await late.parley.calls.end(call.id);
  },

  async 'lets any device of a party hang up'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const phone = await harness.client(alice.account);
    const call = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
    await bob.event('call:incoming');
    await bob.parley.calls.answer(call.id);
    await phone.parley.calls.end(call.id);
    await Promise.all([alice.event('call:ended'), bob.event('call:ended')]);
  },

  async 'rejects transitions that are not in the state table, and changes nothing'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const eve = await harness.client();
    const call = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
    await bob.event('call:incoming');
    await expect(alice.parley.calls.answer(call.id)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(bob.parley.calls.end(call.id)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(eve.parley.calls.answer(call.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(eve.parley.calls.end(call.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await bob.parley.calls.answer(call.id);
    await expect(bob.parley.calls.decline(call.id)).rejects.toMatchObject({ code: 'CONFLICT' });
    await bob.parley.calls.end(call.id);
    for (const attempt of [() => alice.parley.calls.end(call.id), () => bob.parley.calls.rejoin(call.id)]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'CONFLICT' });
    }
    await expect(alice.parley.calls.mute(call.id)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await alice.parley.calls.getHistory()).toMatchObject([{ id: call.id, status: 'completed' }]);
  },

  async 'hides the calls of a blocked caller, who sees a missed call'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    await bob.parley.calls.block(alice.address.toLowerCase());
    expect(await bob.parley.calls.getBlocked()).toEqual([alice.address]);
    const call = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
    expect(call.status).toBe('ringing');
    await expect(bob.parley.calls.answer(call.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await alice.event('call:missed')).toMatchObject({ id: call.id, endReason: 'timeout' });
    expect([bob.seen('call:incoming'), bob.seen('call:missed'), await bob.parley.calls.getHistory()]).toEqual(
      [[], [], []],
    );
    await bob.parley.calls.unblock(alice.address);
    await alice.parley.calls.start({ to: bob.address, type: 'audio' });
    await bob.event('call:incoming');
  },

  async 'lists the history newest first, with filters'(harness) {
    const [alice, bob, carol] = [await harness.client(), await harness.client(), await harness.client()];
    const completed = await alice.parley.calls.start({ to: bob.address, type: 'video' });
    await bob.event('call:incoming');
    await bob.parley.calls.answer(completed.id);
    await alice.parley.calls.end(completed.id);
    const declined = await carol.parley.calls.start({ to: alice.address, type: 'audio' });
    await alice.event('call:incoming');
    await alice.parley.calls.decline(declined.id);
    const missed = await alice.parley.calls.start({ to: carol.address, type: 'audio' });
    await alice.parley.calls.end(missed.id);

    const ids = async (query?: Parameters<typeof alice.parley.calls.getHistory>[0]) =>
      (await alice.parley.calls.getHistory(query)).map((record) => record.id);
    expect(await ids()).toEqual([missed.id, declined.id, completed.id]);
    expect(await ids({ status: 'completed' })).toEqual([completed.id]);
    expect(await ids({ status: 'declined' })).toEqual([declined.id]);
    expect(await ids({ status: 'missed' })).toEqual([missed.id]);
    expect(await ids({ direction: 'incoming' })).toEqual([declined.id]);
    expect(await ids({ with: carol.address.toLowerCase() })).toEqual([missed.id, declined.id]);
    expect(await ids({ limit: 1, offset: 1 })).toEqual([declined.id]);
    expect(await ids({ to: completed.startedAt ?? new Date(0) })).toEqual([completed.id]);
    expect(await ids({ from: declined.startedAt ?? new Date(0) })).toEqual([missed.id, declined.id]);
    expect(await ids({ from: new Date(Date.now() + 60_000) })).toEqual([]);
    const [record] = await bob.parley.calls.getHistory();
    expect(record).toMatchObject({ status: 'completed', direction: 'incoming', endReason: 'hangup' });
    expect(record?.answeredAt).toBeInstanceOf(Date);
  },

  async 'toggles the mute state of a call'(harness) {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const call = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
    await bob.event('call:incoming');
    await bob.parley.calls.answer(call.id);
    expect(await alice.parley.calls.toggleMute(call.id)).toBe(true);
    expect(await alice.parley.calls.toggleMute(call.id)).toBe(false);
    await alice.parley.calls.end(call.id);
  },
};

/** Calls `to`, who answers and disconnects; resolves when the call has ended for that reason. */
async function losesParty(from: TestClient, to: TestClient): Promise<void> {
  const call = await from.parley.calls.start({ to: to.address, type: 'audio' });
  await to.event('call:incoming');
  await to.parley.calls.answer(call.id);
  to.close();
  expect(await from.event('call:ended')).toMatchObject({ id: call.id, endReason: 'connection_lost' });
}
