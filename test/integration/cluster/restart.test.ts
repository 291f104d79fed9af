import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oneNode, type OneNode } from '../../harness/nodes/Harness.ts';

let harness: OneNode;

beforeAll(async () => {
  harness = await oneNode({ CALL_RING_SECONDS: '6', CALL_GRACE_SECONDS: '10' });
});

afterAll(() => harness?.close());

/** Kills the server and restarts it, as a service manager does. */
async function crash(): Promise<void> {
  await harness.server.kill();
  // Later calls ring for longer than a start takes on a busy machine.
  await harness.server.start({ CALL_RING_SECONDS: '60' });
}

describe('kill -9 of the server', () => {
  it('marks a ringing call as missed at its original deadline', async () => {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const call = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
    await crash();
    const upAt = Date.now();
    const missed = await bob.event('call:missed');
    expect(missed).toMatchObject({ id: call.id, endReason: 'timeout' });
    const endedAt = missed.endedAt?.getTime() ?? 0;
    expect(endedAt - (call.startedAt?.getTime() ?? 0)).toBeGreaterThanOrEqual(6_000);
    // The new ring time of a minute does not apply to it.
    expect(endedAt - upAt).toBeLessThan(30_000);
    await alice.event('call:missed');
    expect(await alice.parley.calls.getActive()).toEqual([]);
  });

  it('leaves a ringing call answerable', async () => {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const call = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
    await bob.event('call:incoming');
    await crash();
    // If the caller reconnects only after this, it still learns that the call was answered.
    await bob.parley.calls.answer(call.id);
    expect(await alice.event('call:answered')).toMatchObject({ id: call.id, status: 'active' });
    await alice.parley.calls.end(call.id);
    await bob.event('call:ended');
  });

  it('keeps a call whose parties reconnect and ends one whose party does not', async () => {
    const [alice, bob, carol] = [await harness.client(), await harness.client(), await harness.client()];
    const kept = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
    await bob.event('call:incoming');
    await bob.parley.calls.answer(kept.id);
    const lost = await carol.parley.calls.start({ to: bob.address, type: 'audio' });
    await bob.event('call:incoming', ({ id }) => id === lost.id);
    await bob.parley.calls.answer(lost.id);
    await harness.server.kill();
    carol.close();
    await harness.server.start();
    expect(await bob.event('call:ended', ({ id }) => id === lost.id)).toMatchObject({
      endReason: 'connection_lost',
    });
    expect(await alice.parley.calls.getActive()).toMatchObject([{ id: kept.id, status: 'active' }]);
    await alice.parley.calls.end(kept.id);
    await bob.event('call:ended', ({ id }) => id === kept.id);
  });

  it('reports a call that ended while the devices were disconnected', async () => {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const call = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
    await bob.event('call:incoming');
    await bob.parley.calls.answer(call.id);
    await harness.server.kill();
    // Hung up while the server is down: the SDK repeats the request when it reconnects.
    await expect(alice.parley.calls.end(call.id)).rejects.toMatchObject({ code: 'NETWORK_ERROR' });
    await harness.server.start();
    expect(await bob.event('call:ended')).toMatchObject({
      id: call.id,
      status: 'ended',
      endReason: 'hangup',
    });
  });
});
