import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oneNode, type OneNode } from '../../harness/nodes/Harness.ts';
import { TestClient } from '../../harness/clients/TestClient.ts';
import { until } from '../../harness/until.ts';
import { tokenForger } from '../support.ts';

let harness: OneNode;

beforeAll(async () => {
  harness = await oneNode({ CALL_GRACE_SECONDS: '8', RATE_LIMIT_CALLS: '3', RATE_LIMIT_CALLED: '18' });
});

afterAll(() => harness?.close());

/**
 * A client whose token source returns tokens of one session, one after another.
 * @param lifetimes their lifetimes in seconds; at `null`, the source fails
 */
async function clientWithTokens(
  ...lifetimes: (number | null)[]
): Promise<{ client: TestClient; tokenRequests: () => number }> {
  const account = privateKeyToAccount(generatePrivateKey());
  const { parley } = await harness.client(account);
  const token = parley.session?.token ?? '';
  const forge = await tokenForger(harness.server.dataDir);
  let tokenRequests = 0;
  const client = TestClient.withTokens(harness.url(), account, () => {
    const lifetime = lifetimes[Math.min(tokenRequests++, lifetimes.length - 1)] ?? null;
    if (lifetime === null) return Promise.reject(new Error('backend unavailable'));
    return Promise.resolve(forge(token, { exp: Math.floor(Date.now() / 1_000) + lifetime }));
  });
  return { client, tokenRequests: () => tokenRequests };
}

/** Starts a call between two clients, one of which uses such a token source. */
async function startCall(...lifetimes: (number | null)[]) {
  const alice = await harness.client();
  const { client: bob, tokenRequests } = await clientWithTokens(...lifetimes);
  await bob.parley.calls.getActive();
  const { id: callId } = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
  await bob.event('call:incoming');
  await bob.parley.calls.answer(callId);
  return { alice, bob, tokenRequests, callId };
}

it('names its wallet, also with tokens of the app', async () => {
  const { client } = await clientWithTokens(3_600);
  expect(client.parley.session).toBeNull();
  expect(await client.parley.wallet()).toBe(client.address);
  client.close();
  const { parley, address } = await harness.client();
  expect(await parley.wallet()).toBe(address);
  await parley.signOut();
  expect(await parley.wallet()).toBeNull();
});

it('asks for a token again while the backend of the app is unavailable', async () => {
  const { client, tokenRequests } = await clientWithTokens(null, null, 3_600);
  expect(await client.parley.wallet()).toBe(client.address);
  expect(tokenRequests()).toBe(3);
  expect(client.seen('connection:changed').map(({ state }) => state)).toEqual(['connecting', 'connected']);
  client.close();
});

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('a token that expires during a call', () => {
  it('is renewed on the open connection beforehand', async () => {
    const { alice, bob, tokenRequests, callId } = await startCall(12, 3_600);
    // Longer than the first token is valid.
    await wait(12_500);
    expect(tokenRequests()).toBe(2);
    expect(bob.seen('connection:changed').map(({ state }) => state)).toEqual(['connecting', 'connected']);
    expect(await alice.parley.calls.getActive()).toMatchObject([{ id: callId, status: 'active' }]);
    await bob.parley.calls.end(callId);
    bob.close();
  });

  it('closes the connection but not the call if it cannot be renewed in time', async () => {
    const { alice, bob, callId } = await startCall(8, null, null, 3_600);
    await bob.event('connection:changed', ({ state }) => state === 'reconnecting');
    await until(() => bob.parley.state === 'connected', 'the client is connected again');
    // Longer than the grace period.
    await wait(9_000);
    expect(alice.seen('call:ended')).toEqual([]);
    expect(await bob.parley.calls.getActive()).toMatchObject([{ id: callId, status: 'active' }]);
    await bob.parley.calls.end(callId);
    bob.close();
  });
});

describe('a sign-out', () => {
  it('closes every connection of the session, with the reason', async () => {
    const alice = await harness.client();
    const token = alice.parley.session?.token ?? '';
    const tablet = TestClient.withTokens(harness.url(), alice.account, () => Promise.resolve(token));
    await tablet.parley.calls.getActive();
    await alice.parley.signOut();
    const closed = await tablet.event('connection:changed', ({ state }) => state === 'closed');
    expect(closed.error).toMatchObject({ code: 'AUTHENTICATION_REQUIRED' });
    await expect(tablet.parley.calls.getActive()).rejects.toMatchObject({ code: 'AUTHENTICATION_REQUIRED' });
    expect(alice.parley.session).toBeNull();
  });

  it('can be followed by a sign-in on the same client', async () => {
    const alice = await harness.client();
    await alice.parley.signOut();
    await alice.parley.signIn(alice.account);
    expect(await alice.parley.calls.getActive()).toEqual([]);
  });
});

describe('limits on calls', () => {
  it('bound how often a wallet may call', async () => {
    const [alice, bob] = [await harness.client(), await harness.client()];
    for (let index = 0; index < 3; index++) {
      const { id } = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
      await alice.parley.calls.end(id);
    }
    const refused = alice.parley.calls.start({ to: bob.address, type: 'audio' });
    await expect(refused).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    const error = (await refused.catch((thrown: unknown) => thrown)) as { retryAfter?: number };
    expect(error.retryAfter).toBeGreaterThan(0);
    expect(error.retryAfter).toBeLessThanOrEqual(60);
  });

  it('do not count calls of blocked wallets against contacts', async () => {
    const [bob, friend] = [await harness.client(), await harness.client()];
    await bob.parley.messages.send({ to: friend.address, content: 'Hello', type: 'text' });
    const outcomes: string[] = [];
    for (let index = 0; index < 2; index++) {
      const eve = await harness.client();
      await bob.parley.calls.block(eve.address);
      for (let call = 0; call < 3; call++) {
        const started = eve.parley.calls.start({ to: bob.address, type: 'audio' });
        outcomes.push(
          await started.then(
            () => 'rings',
            (error: { code: string }) => error.code,
          ),
        );
      }
    }
    // The number of calls that the strangers on one network may make together.
    expect(outcomes).toEqual([...Array<string>(5).fill('rings'), 'RATE_LIMIT_EXCEEDED']);
    await friend.parley.calls.start({ to: bob.address, type: 'audio' });
    expect((await bob.event('call:incoming')).from).toBe(friend.address);
  });

  it('bound how often a wallet may be called, reserve a share for contacts, and do not reveal a block', async () => {
    const [bob, friend, blocked] = [await harness.client(), await harness.client(), await harness.client()];
    const formerFriend = await harness.client();
    const outcomeOf = (client: TestClient) =>
      client.parley.calls.start({ to: bob.address, type: 'audio' }).then(
        () => 'rings',
        (error: { code: string }) => error.code,
      );
    for (const { address } of [friend, formerFriend])
      await bob.parley.messages.send({ to: address, content: 'Hello', type: 'text' });
    await bob.parley.calls.block(blocked.address);
    await bob.parley.calls.block(formerFriend.address);
    // Strangers on one network share a quarter of the 18 calls, whether they are blocked or not.
    expect(await outcomeOf(blocked)).toBe('rings');
    const strangers = await Promise.all(Array.from({ length: 6 }, () => harness.client()));
    const outcomes: string[] = [];
    for (const stranger of strangers) outcomes.push(await outcomeOf(stranger));
    expect(outcomes).toEqual([
      ...Array<string>(4).fill('rings'),
      ...Array<string>(2).fill('RATE_LIMIT_EXCEEDED'),
    ]);
    expect(await outcomeOf(blocked)).toBe('RATE_LIMIT_EXCEEDED');
    // An error would reveal to the former contact that it is blocked.
    expect(await outcomeOf(formerFriend)).toBe('rings');
    expect(await outcomeOf(friend)).toBe('rings');
  });
});
