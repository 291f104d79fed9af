import { expect } from 'vitest';
import sharp from 'sharp';
import type { Address } from '../../sdk/protocol/common.ts';
import type { WirePerson } from '../../sdk/protocol/people.ts';
import type { TestClient } from '../harness/clients/TestClient.ts';
import type { Harness } from '../harness/nodes/Harness.ts';
import { until } from '../harness/until.ts';
import { download, picture, recording, tone } from '../integration/files/mediaSupport.ts';
import { newWallet } from '../integration/support.ts';
import { refused } from './conference.ts';
import { people as some, write } from './messages.ts';

/* Scenarios for names and images of wallets, on one or several nodes. */

/** What the server tells a wallet about another one now, without the cache of the SDK. */
async function seen(by: TestClient, wallet: { address: Address }): Promise<WirePerson> {
  const [person] = await by.request('people.get', { addresses: [wallet.address] });
  return person as WirePerson;
}
const nameSeen = async (by: TestClient, wallet: { address: Address }) => (await seen(by, wallet)).profileName;

/** A wallet with the name Alice, and others. */
async function aliceAnd(harness: Harness, others: number): Promise<TestClient[]> {
  const all = await some(harness, 1 + others);
  await (all[0] as TestClient).parley.people.setProfile({ name: ' Alice ' });
  return all;
}

export const peopleScenarios: Record<string, (harness: Harness) => Promise<void>> = {
  async 'tells a profile to the wallets that it has written to, called or answered, and not to strangers'(
    harness,
  ) {
    const [alice, bob, carol, dave] = (await aliceAnd(harness, 3)) as [
      TestClient,
      TestClient,
      TestClient,
      TestClient,
    ];
    expect(await nameSeen(alice, alice)).toBe('Alice');
    expect(await seen(bob, alice)).toEqual({
      walletAddress: alice.address,
      name: null,
      profileName: null,
      contactName: null,
      ensName: null,
      avatarUrl: null,
    });
    // Anyone can write to Alice, call her, and save her as a contact.
    await write(bob, alice);
    await bob.parley.people.saveContact(alice.address, 'A');
    const call = await bob.parley.calls.start({ to: alice.address, type: 'audio' });
    await alice.event('call:incoming');
    expect(await nameSeen(bob, alice)).toBeNull();
    await alice.parley.calls.answer(call.id);
    expect(await nameSeen(bob, alice)).toBe('Alice');
    await alice.parley.calls.end(call.id);
    await write(alice, carol);
    expect(await nameSeen(carol, alice)).toBe('Alice');
    const other = await alice.parley.calls.start({ to: dave.address, type: 'audio' });
    expect(await nameSeen(dave, alice)).toBe('Alice');
    await alice.parley.calls.end(other.id);
  },

  async 'tells a profile to saved contacts and to the participants of a room while they are in it'(harness) {
    const [alice, bob, carol] = (await aliceAnd(harness, 2)) as [TestClient, TestClient, TestClient];
    await alice.parley.people.saveContact(bob.address, 'Bob');
    expect(await nameSeen(bob, alice)).toBe('Alice');
    await alice.parley.people.removeContact(bob.address);
    expect(await nameSeen(bob, alice)).toBeNull();
    const { id } = await alice.parley.conference.create({ name: 'Monday', maxParticipants: 10 });
    await alice.parley.conference.join(id);
    expect(await nameSeen(carol, alice)).toBeNull();
    await carol.parley.conference.join(id);
    expect(await nameSeen(carol, alice)).toBe('Alice');
    await carol.parley.conference.leave(id);
    expect(await nameSeen(carol, alice)).toBeNull();
  },

  async 'does not tell a profile to wallets that are blocked'(harness) {
    const [alice, bob] = (await aliceAnd(harness, 1)) as [TestClient, TestClient];
    await write(alice, bob);
    await alice.parley.calls.block(bob.address);
    expect(await nameSeen(bob, alice)).toBeNull();
    await alice.parley.people.setProfile({ name: 'Alice B.' });
    await alice.parley.calls.unblock(bob.address);
    expect(await nameSeen(bob, alice)).toBe('Alice B.');
    await alice.parley.people.setProfile({ name: 'Alice C.' });
    // Bob got an event of the second change only.
    await until(
      async () => (await bob.parley.people.get([alice.address]))[0]?.name === 'Alice C.',
      'Bob is told',
    );
    // On a cluster, another node may pass the event on a moment later than it answers.
    await until(() => bob.seen('person:updated').length > 0, 'Bob gets the event');
    expect(bob.seen('person:updated')).toEqual([{ walletAddress: alice.address }]);
  },

  async 'tells devices when a profile changes, or a name becomes known'(harness) {
    const [alice, bob, carol] = (await aliceAnd(harness, 2)) as [TestClient, TestClient, TestClient];
    const phone = await harness.client(alice.account);
    const nameFor = async (client: TestClient) => (await client.parley.people.get([alice.address]))[0]?.name;
    expect([await nameFor(bob), await nameFor(carol), await nameFor(phone)]).toEqual([null, null, 'Alice']);
    await write(alice, bob);
    await bob.event('person:updated', ({ walletAddress }) => walletAddress === alice.address);
    expect(await nameFor(bob)).toBe('Alice');
    const before = bob.seen('person:updated').length;
    const profile = await alice.parley.people.setProfile({ name: 'Alice B.' });
    expect(profile).toEqual({ walletAddress: alice.address, name: 'Alice B.', avatarUrl: null });
    await until(() => bob.seen('person:updated').length > before, 'Bob hears of the change');
    await phone.event('person:updated');
    expect([await nameFor(bob), await nameFor(carol), await nameFor(phone)]).toEqual([
      'Alice B.',
      null,
      'Alice B.',
    ]);
    expect(carol.seen('person:updated')).toEqual([]);
    await alice.parley.people.setProfile({ name: null });
    expect(await phone.parley.people.profile()).toMatchObject({ name: null });
    expect(await nameSeen(bob, alice)).toBeNull();
  },

  async 'keeps contacts for one wallet and all its devices, sorted by name'(harness) {
    const [alice, bob] = (await aliceAnd(harness, 1)) as [TestClient, TestClient];
    const phone = await harness.client(bob.account);
    await phone.parley.people.get([alice.address]);
    await write(alice, bob);
    const others = [newWallet(), newWallet(), newWallet()] as const;
    const { people } = bob.parley;
    for (const [index, name] of ['zoe', 'Anna', 'Ömer'].entries())
      await people.saveContact((others[index] as (typeof others)[0]).address, name);
    expect(await people.saveContact(alice.address.toLowerCase(), 'My sister')).toEqual({
      walletAddress: alice.address,
      name: 'My sister',
    });
    await phone.event('person:updated', ({ walletAddress }) => walletAddress === alice.address);
    expect(await seen(phone, alice)).toMatchObject({
      name: 'My sister',
      contactName: 'My sister',
      profileName: 'Alice',
    });
    // The first page ends within the list, and a contact that is saved meanwhile shifts nothing.
    const first = await people.contacts({ limit: 2 });
    expect(first.data.map(({ name }) => name)).toEqual(['Anna', 'My sister']);
    await people.saveContact(newWallet().address, 'Abel');
    const rest = await phone.parley.people.contacts({ limit: 2, cursor: first.nextCursor as string });
    expect(rest.data.map(({ name }) => name).sort()).toEqual(['zoe', 'Ömer'].sort());
    expect(rest).toMatchObject({ hasMore: false, nextCursor: null });
    await people.saveContact(alice.address, 'Sis');
    await people.removeContact(others[0].address);
    const names = (await people.contacts()).data.map(({ name }) => name);
    expect(names).toEqual(['Abel', 'Anna', 'Sis', 'Ömer']);
    expect(await people.get([alice.address, others[0].address])).toMatchObject([
      { name: 'Sis' },
      { name: null },
    ]);
    expect((await alice.parley.people.contacts()).data).toEqual([]);
    expect(await seen(alice, others[1])).toMatchObject({ contactName: null });
  },

  async 'stores the middle of an image as a small square, and deletes the one before'(harness) {
    const [alice, bob] = (await aliceAnd(harness, 1)) as [TestClient, TestClient];
    await write(alice, bob);
    const { people, media } = alice.parley;
    const [first, second] = [
      await media.upload(await picture({ width: 500, height: 300 })),
      await media.upload(await picture({ width: 40, height: 90 }, 'jpeg')),
    ];
    const { avatarUrl, name } = await people.setProfile({ avatarId: first.id });
    expect(name).toBe('Alice');
    const told = await seen(bob, alice);
    expect(told.avatarUrl).toBe(avatarUrl);
    const { status, headers, bytes } = await download(avatarUrl as string);
    expect([status, headers.get('content-type')]).toEqual([200, 'image/webp']);
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp', width: 256, height: 256 });
    // The same request again, as after a lost answer.
    expect(await people.setProfile({ avatarId: first.id })).toMatchObject({ avatarUrl });
    await people.setProfile({ avatarId: second.id });
    expect((await seen(bob, alice)).avatarUrl).not.toBe(avatarUrl);
    await until(async () => (await download(avatarUrl as string)).status === 404, 'the first image is gone');
    await people.setProfile({ avatarId: null });
    expect(await seen(bob, alice)).toMatchObject({ avatarUrl: null, name: 'Alice' });
  },

  async 'refuses files that are not an unused image of the wallet'(harness) {
    const [alice, bob] = (await aliceAnd(harness, 1)) as [TestClient, TestClient];
    const { people, media } = alice.parley;
    const sound = await media.upload(await recording('tone.wav', ...tone(1)));
    expect((await refused(people.setProfile({ name: 'Changed', avatarId: sound.id })))[0]).toBe(
      'VALIDATION_ERROR',
    );
    const foreign = await bob.parley.media.upload(await picture());
    const sent = await media.upload(await picture());
    await alice.request('messages.send', {
      id: `msg_${alice.address.slice(2, 26)}`,
      to: bob.address,
      content: '',
      type: 'image',
      mediaId: sent.id,
    });
    for (const { id } of [foreign, sent])
      expect((await refused(people.setProfile({ name: 'Changed', avatarId: id })))[0]).toBe('NOT_FOUND');
    expect(await people.profile()).toMatchObject({ name: 'Alice', avatarUrl: null });
    // The refused files are as they were.
    expect(await bob.parley.people.setProfile({ avatarId: foreign.id })).toMatchObject({ name: null });
  },

  async 'names a participant by its profile if the app gives no name'(harness) {
    const [alice, bob] = (await aliceAnd(harness, 1)) as [TestClient, TestClient];
    const { id } = await bob.parley.conference.create({ name: 'Monday', maxParticipants: 10 });
    await bob.parley.conference.join(id);
    await alice.parley.conference.join(id);
    const joined = await bob.event('conference:participant:joined');
    expect(joined.displayName).toBe('Alice');
    await alice.parley.conference.sendChat(id, 'hello');
    expect((await bob.event('conference:chat:message')).sender.displayName).toBe('Alice');
    await alice.parley.conference.leave(id);
    await alice.parley.people.setProfile({ name: 'Alice B.' });
    await alice.parley.conference.join(id);
    await bob.event('conference:participant:joined', ({ displayName }) => displayName === 'Alice B.');
    await alice.parley.conference.leave(id);
    await alice.parley.conference.join({ roomId: id, displayName: 'A guest' });
    await bob.event('conference:participant:joined', ({ displayName }) => displayName === 'A guest');
  },
};
