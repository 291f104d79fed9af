import { expect } from 'vitest';
import type { Harness } from '../harness/nodes/Harness.ts';
import type { TestClient } from '../harness/clients/TestClient.ts';
import { until } from '../harness/until.ts';
import { refused } from './conference.ts';

/** Scenarios for calls that become rooms, without media, on one or several nodes. */
export const movedCallScenarios: Record<string, (harness: Harness) => Promise<void>> = {
  async 'moves both parties into a room and invites the others'(harness) {
    const [alice, bob, carol] = [await harness.client(), await harness.client(), await harness.client()];
    const tablet = await harness.client(bob.account);
    const callId = await answered(alice, bob);
    await alice.parley.calls.mute(callId);
    // The callee may add people as well, and becomes the host.
    const room = await bob.parley.calls.addPeople(callId, [
      carol.address,
      carol.address.toLowerCase(),
      alice.address,
    ]);
    expect(room).toMatchObject({ host: bob.address, video: true, audio: true, maxParticipants: 100 });
    expect(room.settings).toMatchObject({ allowScreenShare: true, allowChat: true, locked: false });
    for (const client of [alice, bob])
      expect(await client.event('call:moved')).toMatchObject({ callId, room: { id: room.id } });
    const addresses = (client: TestClient) =>
      client.parley.conference
        .participants(room.id)
        .map(({ walletAddress, role }) => `${walletAddress} ${role}`)
        .sort();
    const both = [`${alice.address} participant`, `${bob.address} host`].sort();
    for (const client of [alice, bob])
      await until(() => addresses(client).join() === both.join(), 'both are in the room');
    expect(await carol.event('conference:invited')).toMatchObject({
      room: { id: room.id },
      from: bob.address,
    });
    await carol.parley.conference.join(room.id);
    await alice.event(
      'conference:participant:joined',
      ({ walletAddress }) => walletAddress === carol.address,
    );
    // Devices that are in the call move, and get neither its end nor an invitation. The others get the end.
    const over = { id: callId, status: 'ended', endReason: 'moved', movedTo: room.id };
    expect(await tablet.event('call:ended')).toMatchObject(over);
    for (const client of [alice, bob]) {
      expect(client.seen('call:ended')).toEqual([]);
      expect(client.seen('conference:invited')).toEqual([]);
      expect(await client.parley.calls.getActive()).toEqual([]);
      const [latest] = await client.parley.calls.getHistory();
      expect(latest).toMatchObject({ id: callId, status: 'completed', endReason: 'moved', movedTo: room.id });
    }
    expect(await refused(alice.parley.calls.addPeople(callId, [carol.address]))).toEqual([
      'CONFLICT',
      'moved',
    ]);
    expect(await refused(tablet.parley.calls.rejoin(callId))).toEqual(['CONFLICT', 'moved']);
    await bob.parley.conference.end(room.id);
  },

  async 'shows the parties with the names of their profiles'(harness) {
    const [alice, bob, carol] = [await harness.client(), await harness.client(), await harness.client()];
    await alice.parley.people.setProfile({ name: 'Alice' });
    await bob.parley.people.setProfile({ name: 'Bob' });
    const callId = await answered(alice, bob);
    const { id } = await alice.parley.calls.addPeople(callId, [carol.address]);
    const names = () => alice.parley.conference.participants(id).map(({ displayName }) => displayName);
    await until(() => names().length === 2, 'both are in the room');
    expect(names().sort()).toEqual(['Alice', 'Bob']);
    await alice.parley.conference.end(id);
  },

  async 'tells a party whose app knows no moves that the call is over, and invites it'(harness) {
    const [alice, bob, carol] = [await harness.client(), await harness.client(), await harness.client()];
    bob.parley.off('call:moved');
    const callId = await answered(alice, bob);
    const room = await alice.parley.calls.addPeople(callId, [carol.address]);
    expect(await bob.event('call:ended')).toMatchObject({ endReason: 'moved', movedTo: room.id });
    expect(await bob.event('conference:invited')).toMatchObject({
      room: { id: room.id },
      from: alice.address,
    });
    expect(bob.parley.conference.participants(room.id)).toEqual([]);
    await bob.parley.conference.join(room.id);
    await alice.event('conference:participant:joined', ({ walletAddress }) => walletAddress === bob.address);
    await alice.parley.conference.end(room.id);
  },

  async 'moves a call only once, when both parties add people at the same time'(harness) {
    const [alice, bob, carol] = [await harness.client(), await harness.client(), await harness.client()];
    const callId = await answered(alice, bob);
    const outcomes = await Promise.all(
      [alice, bob].map((client) =>
        client.parley.calls.addPeople(callId, [carol.address]).then(
          ({ id }) => id,
          ({ reason }: { reason: string }) => reason,
        ),
      ),
    );
    const room = outcomes.find((outcome) => outcome.startsWith('room_'));
    expect([...outcomes].sort()).toEqual(['moved', room].sort());
    for (const client of [alice, bob]) {
      expect((await client.event('call:moved')).room.id).toBe(room);
      await until(
        () => client.parley.conference.participants(room ?? '').length === 2,
        'both are in the room',
      );
    }
    await (outcomes[0] === room ? alice : bob).parley.conference.end(room ?? '');
  },

  async 'refuses to add people to a call that rings, is over or has other parties'(harness) {
    const [alice, bob, carol] = [await harness.client(), await harness.client(), await harness.client()];
    const { id } = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
    await bob.event('call:incoming');
    const add = (client: TestClient, addresses: string[] = [carol.address]) =>
      refused(client.parley.calls.addPeople(id, addresses));
    expect(await add(alice)).toEqual(['CONFLICT', 'conflict']);
    await bob.parley.calls.answer(id);
    await alice.event('call:answered');
    expect(await add(carol)).toEqual(['NOT_FOUND', 'not_found']);
    expect((await add(alice, [alice.address, bob.address]))[0]).toBe('VALIDATION_ERROR');
    expect((await add(alice, []))[0]).toBe('VALIDATION_ERROR');
    expect((await add(alice, ['0x12']))[0]).toBe('INVALID_ADDRESS');
    expect(await alice.parley.calls.getActive()).toMatchObject([{ id, status: 'active' }]);
    await alice.parley.calls.end(id);
    expect(await add(alice)).toEqual(['CONFLICT', 'call_over']);
    expect(carol.seen('conference:invited')).toEqual([]);
  },

  async 'invites a wallet that has blocked the inviter without notifying it'(harness) {
    const [alice, bob, carol] = [await harness.client(), await harness.client(), await harness.client()];
    const dave = await harness.client();
    await carol.parley.calls.block(alice.address);
    const callId = await answered(alice, bob);
    const room = await alice.parley.calls.addPeople(callId, [carol.address, dave.address]);
    await dave.event('conference:invited');
    expect(carol.seen('conference:invited')).toEqual([]);
    await carol.parley.conference.join(room.id);
    await alice.parley.conference.end(room.id);
  },
};

/** Alice calls Bob, who answers. @returns the call's id */
export async function answered(alice: TestClient, bob: TestClient): Promise<string> {
  const { id } = await alice.parley.calls.start({ to: bob.address, type: 'video' });
  await bob.event('call:incoming', (call) => call.id === id);
  await bob.parley.calls.answer(id);
  await alice.event('call:answered', (call) => call.id === id);
  return id;
}
