import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address } from '../../../sdk/protocol/common.ts';
import { FcmServer } from '../../harness/services/FcmServer.ts';
import { oneNode, type OneNode } from '../../harness/nodes/Harness.ts';
import { until } from '../../harness/until.ts';
import { recording, tone } from '../files/mediaSupport.ts';
import { newWallet } from '../support.ts';
import { refused } from '../../scenarios/conference.ts';
import { peopleScenarios } from '../../scenarios/people.ts';

let harness: OneNode;
let fcm: FcmServer;

beforeAll(async () => {
  fcm = await FcmServer.start();
  harness = await oneNode({
    PUSH: 'fcm',
    FCM_SERVICE_ACCOUNT: JSON.stringify(fcm.serviceAccount),
    FCM_API_BASE: fcm.url,
    // Every scenario comes from the same network.
    RATE_LIMIT_UPLOADS: '1000',
  });
});
afterAll(async () => {
  await harness?.close();
  await fcm?.close();
});

// No two scenarios share a wallet, so they run concurrently.
describe.concurrent('names on one node', () => {
  it.each(Object.entries(peopleScenarios))('%s', (_name, scenario) => scenario(harness));
});

describe('names', () => {
  it.each([
    ['', 'empty'],
    ['   ', 'spaces only'],
    ['x'.repeat(51), 'too long'],
    ['Al\u202Eice', 'changes the direction of text'],
    ['Al\u200Bice', 'has an invisible character'],
    ['Al\nice', 'has two lines'],
    ['Al\u0007ice', 'has a control character'],
    ['\u200D', 'is invisible'],
    ['vitalik.ETH', 'looks like an ENS name'],
    ['0xAb58…', 'looks like an address'],
  ])('may not be %j: %s', async (name) => {
    const { parley } = await harness.client();
    expect((await refused(parley.people.setProfile({ name })))[0]).toBe('VALIDATION_ERROR');
    expect(await parley.people.profile()).toMatchObject({ name: null });
  });

  it('may be of any script, with emoji', async () => {
    const { parley } = await harness.client();
    for (const name of ['李雷', 'محمد', 'नमस्ते', 'Zoë 👩‍👩‍👧', 'می‌خواهم', 'O’Brien-Smith, Jr.'])
      expect(await parley.people.setProfile({ name })).toMatchObject({ name });
  });

  it('are told to the recipient of a voicemail', async () => {
    const [alice, bob] = [await harness.client(), await harness.client()];
    await alice.parley.people.setProfile({ name: 'Alice' });
    expect(await bob.parley.people.get([alice.address])).toMatchObject([{ name: null }]);
    await alice.parley.voicemail.record({ to: bob.address, file: await recording('a.wav', ...tone(1)) });
    await bob.event('person:updated');
    expect(await bob.parley.people.get([alice.address])).toMatchObject([{ name: 'Alice' }]);
  });

  it('are told to those to whom a wallet has written, not to those who wrote or who have blocked it', async () => {
    const clients = [await harness.client(), await harness.client(), await harness.client()];
    // By the address, so that the one who writes first sorts before one of the others, and after the other one.
    const [first, writer, last] = clients.sort((a, b) => (a.address < b.address ? -1 : 1));
    if (!first || !writer || !last) throw new Error('too few clients');
    for (const [person, name] of [
      [first, 'First'],
      [writer, 'Writer'],
      [last, 'Last'],
    ] as const)
      await person.parley.people.setProfile({ name });
    // Not by the SDK, which keeps what it has read until the event of the message arrives.
    const nameFor = async (viewer: (typeof clients)[number], { address }: { address: Address }) =>
      (await viewer.request('people.get', { addresses: [address] }))[0]?.name;
    const write = (from: (typeof clients)[number], { address }: { address: string }) =>
      from.parley.messages.send({ to: address, content: 'Hello', type: 'text' });
    for (const [other, name] of [
      [first, 'First'],
      [last, 'Last'],
    ] as const) {
      const names = async () => [await nameFor(other, writer), await nameFor(writer, other)];
      await other.parley.calls.block(writer.address);
      await write(writer, other);
      await other.parley.calls.unblock(writer.address);
      expect(await names()).toEqual([null, null]);
      await write(writer, other);
      expect(await names()).toEqual(['Writer', null]);
      await write(other, writer);
      expect(await names()).toEqual(['Writer', name]);
      const told = other.event('person:updated');
      await writer.parley.people.setProfile({ name: `Writer to ${name}` });
      await told;
      await writer.parley.people.setProfile({ name: 'Writer' });
    }
  });

  it('may be read of 5,000 wallets per minute', async () => {
    const client = await harness.client();
    const read = (n: number) =>
      client.parley.people.get(
        Array.from({ length: 100 }, (_, i) => `0x${(n * 100 + i).toString(16).padStart(40, '0')}`),
      );
    for (let n = 0; n < 50; n++) await read(n);
    expect((await refused(read(50)))[0]).toBe('RATE_LIMIT_EXCEEDED');
  });

  it('are in pushes as the recipient knows them', async () => {
    const [alice, bob, carol] = [await harness.client(), await harness.client(), await harness.client()];
    const pushesFrom = (from: string) =>
      fcm.received.filter(({ data }) => data['sender'] === from).map(({ data }) => data['fromName']);
    await bob.parley.people.saveContact(carol.address, 'Carol at work');
    await bob.parley.notifications.register({ fcm: 'the-token-of-an-android' });
    bob.close();
    await alice.parley.people.setProfile({ name: 'Alice' });
    await carol.parley.people.setProfile({ name: 'Carol' });
    const dave = await harness.client();
    for (const { parley } of [alice, carol, dave])
      await parley.messages.send({ to: bob.address, content: 'Hello', type: 'text' });
    await until(() => fcm.received.length === 3, 'three pushes');
    expect([alice, carol, dave].flatMap(({ address }) => pushesFrom(address))).toEqual([
      'Alice',
      'Carol at work',
      undefined,
    ]);
  });
});

describe('contacts', () => {
  it('are at most 5,000', async () => {
    const alice = await harness.client();
    await harness.query(
      `INSERT INTO saved_contacts (wallet, contact, name)
       SELECT $1, '0x' || lpad(to_hex(n), 40, '0'), 'Contact ' || n FROM generate_series(1, 4999) n`,
      [alice.address],
    );
    const { people } = alice.parley;
    const [last, tooMany] = [newWallet().address, newWallet().address];
    const outcomes = await Promise.allSettled(
      [last, tooMany].map((one) => people.saveContact(one, 'The last')),
    );
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect((await refused(people.saveContact(newWallet().address, 'One more')))[0]).toBe('CONFLICT');
    const saved = outcomes[0]?.status === 'fulfilled' ? last : tooMany;
    expect(await people.saveContact(saved, 'Changed')).toMatchObject({ name: 'Changed' });
    await people.removeContact(saved);
    await people.saveContact(newWallet().address, 'In its place');
  });

  it('refuse oneself, and cursors of other lists', async () => {
    const { address, parley } = await harness.client();
    expect((await refused(parley.people.saveContact(address, 'Me')))[0]).toBe('VALIDATION_ERROR');
    for (const cursor of ['x', 'WyJhIl0', 'bnVsbA'])
      expect((await refused(parley.people.contacts({ cursor })))[0]).toBe('VALIDATION_ERROR');
  });
});
