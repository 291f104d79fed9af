import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inFront, NetworkProxy } from '../../harness/nodes/NetworkProxy.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { TestClient } from '../../harness/clients/TestClient.ts';
import { until } from '../../harness/until.ts';

let server: ServerProcess;
let network: NetworkProxy;
const clients: TestClient[] = [];

beforeAll(async () => {
  server = await ServerProcess.start(({ port }) => ({ PUBLIC_URL: `http://${inFront}:${port}` }));
  network = await NetworkProxy.create([server.ports.port], []);
});

afterAll(async () => {
  for (const client of clients) client.close();
  network?.close();
  await server?.dispose();
});

/** Signs in Alice, who connects over the network that the tests cut, and Bob, who does not. */
async function both(): Promise<[TestClient, TestClient]> {
  const alice = await TestClient.signIn(`http://${inFront}:${server.ports.port}`);
  const bob = await TestClient.signIn(server.url);
  clients.push(alice, bob);
  return [alice, bob];
}

/** Runs `action` while Alice is disconnected. */
async function whileDisconnected(alice: TestClient, action: () => Promise<unknown>): Promise<void> {
  network.cut();
  network.changeNetwork();
  await alice.event('connection:changed', ({ state }) => state === 'reconnecting');
  await action();
  network.restore();
}

describe('a device that reconnects', () => {
  it('learns that its call was answered', async () => {
    const [alice, bob] = await both();
    const { id } = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
    await bob.event('call:incoming');
    await whileDisconnected(alice, () => bob.parley.calls.answer(id));
    expect(await alice.event('call:answered')).toMatchObject({ id, status: 'active' });
    await alice.parley.calls.end(id);
    expect(alice.seen('call:answered')).toHaveLength(1);
  });

  it('learns that its call was declined', async () => {
    const [alice, bob] = await both();
    const { id } = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
    await bob.event('call:incoming');
    await whileDisconnected(alice, () => bob.parley.calls.decline(id, { reason: 'busy' }));
    expect(await alice.event('call:declined')).toMatchObject({ id, status: 'declined', endReason: 'busy' });
  });

  it('learns that its call has ended', async () => {
    const [alice, bob] = await both();
    const { id } = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
    await bob.event('call:incoming');
    await bob.parley.calls.answer(id);
    await alice.event('call:answered');
    await whileDisconnected(alice, () => bob.parley.calls.end(id));
    expect(await alice.event('call:ended')).toMatchObject({ id, status: 'ended', endReason: 'hangup' });
  });

  it('learns that another device of its wallet has taken over the call', async () => {
    const [alice, bob] = await both();
    const { id } = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
    await bob.event('call:incoming');
    await bob.parley.calls.answer(id);
    const phone = await TestClient.signIn(server.url, alice.account);
    clients.push(phone);
    await whileDisconnected(alice, () => phone.parley.calls.rejoin(id));
    expect(await alice.event('media:replaced')).toEqual({ scope: 'call', id });
    expect(phone.seen('media:replaced')).toEqual([]);
    // When the reconnected device closes, the call stays with the other device.
    alice.close();
    expect(await phone.parley.calls.getActive()).toMatchObject([{ id, status: 'active' }]);
    await phone.parley.calls.end(id);
    await bob.event('call:ended');
  });

  it('ends its call as soon as the rate limit allows if the server refused the hang-up', async () => {
    const [alice, bob] = await both();
    const { id } = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
    await bob.event('call:incoming');
    await bob.parley.calls.answer(id);
    await alice.event('call:answered');
    const refused = async () => {
      const asked = await Promise.allSettled(
        Array.from({ length: 60 }, () => alice.parley.calls.getActive()),
      );
      return asked.some(({ status }) => status === 'rejected');
    };
    await until(refused, 'too many requests');
    await expect(alice.parley.calls.end(id)).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    expect(await bob.event('call:ended')).toMatchObject({ id, endReason: 'hangup' });
  });

  it('receives an incoming call', async () => {
    const [alice, bob] = await both();
    await whileDisconnected(alice, () => bob.parley.calls.start({ to: alice.address, type: 'audio' }));
    const { id } = await alice.event('call:incoming');
    await alice.parley.calls.answer(id);
    await bob.event('call:answered');
    await bob.parley.calls.end(id);
    await alice.event('call:ended');
  });
});

describe('a silent device with an open connection', () => {
  it('is shown as away to present and joining participants until it sends again', async () => {
    const [alice, bob] = await both();
    const { id } = await bob.parley.conference.create({ name: 'Silent', maxParticipants: 3 });
    for (const client of [bob, alice]) await client.parley.conference.join(id);
    const isAlice = ({ walletAddress }: { walletAddress: string }) => walletAddress === alice.address;
    const aliceSeenBy = ({ parley }: TestClient) => parley.conference.participants(id).find(isAlice);
    const carol = await TestClient.signIn(server.url);
    clients.push(carol);
    network.cut();
    const participantId = aliceSeenBy(bob)?.id;
    expect(await bob.event('conference:participant:away')).toEqual({
      roomId: id,
      participantId,
      isAway: true,
    });
    // The connection is still open.
    expect(alice.parley.state).toBe('connected');
    await carol.parley.conference.join(id);
    expect(aliceSeenBy(carol)).toMatchObject({ isAway: true });
    network.restore();
    const isBack = ({ isAway }: { isAway: boolean }) => !isAway;
    for (const client of [bob, carol]) {
      await client.event('conference:participant:away', isBack);
      expect(aliceSeenBy(client)?.isAway ?? false).toBe(false);
    }
    expect(alice.seen('connection:changed').map(({ state }) => state)).not.toContain('reconnecting');
    await bob.parley.conference.end(id);
  });

  it('is shown as away to the other party of its call, even without media', async () => {
    const [alice, bob] = await both();
    const { id } = await bob.parley.calls.start({ to: alice.address, type: 'audio' });
    await alice.event('call:incoming');
    await alice.parley.calls.answer(id);
    await bob.event('call:answered');
    network.cut();
    expect(await bob.event('call:participant:away')).toMatchObject({ callId: id, isAway: true });
    // The connection is still open.
    expect(alice.parley.state).toBe('connected');
    network.restore();
    await bob.event('call:participant:away', ({ isAway }) => !isAway);
    expect(alice.seen('connection:changed').map(({ state }) => state)).not.toContain('reconnecting');
    await bob.parley.calls.end(id);
  });
});
