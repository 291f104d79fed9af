import { expect } from 'vitest';
import { newId } from '../../sdk/protocol/ids.ts';
import type { Group, Message } from '../../sdk/src/types.ts';
import type { TestClient } from '../harness/clients/TestClient.ts';
import type { Harness } from '../harness/nodes/Harness.ts';
import { newWallet } from '../integration/support.ts';
import { contents, people } from './messages.ts';

/* Scenarios for groups of wallets that write to each other, on one or several nodes. */

const post = (from: TestClient, group: Group, content: string): Promise<Message> =>
  from.parley.messages.send({ to: group.id, content, type: 'text' });

const read = async (client: TestClient, group: Group) =>
  contents(await client.parley.messages.getMessages({ with: group.id }));

const standings = async (client: TestClient, group: Group) => {
  const { members } = await client.parley.groups.get(group.id);
  return Object.fromEntries(members.map(({ walletAddress, standing }) => [walletAddress, standing]));
};

/** Creates a group of these wallets, which all know the first one, so that they are members at once. */
export async function groupOf(...members: TestClient[]): Promise<Group> {
  const [first, ...others] = members as [TestClient, ...TestClient[]];
  for (const other of others) await other.parley.people.saveContact(first.address, 'Friend');
  return first.parley.groups.create({ name: 'Dinner', members: others.map(({ address }) => address) });
}

export const groupScenarios: Record<string, (harness: Harness) => Promise<void>> = {
  async 'adds contacts at once, invites strangers, and shows each what was written while it was a member'(
    harness,
  ) {
    const [alice, bob, carol] = (await people(harness, 3)) as [TestClient, TestClient, TestClient];
    await bob.parley.people.saveContact(alice.address, 'Alice');
    const group = await alice.parley.groups.create({
      name: ' Dinner ',
      members: [bob.address, carol.address.toLowerCase(), alice.address],
    });
    expect(group).toMatchObject({
      name: 'Dinner',
      standing: 'member',
      role: 'admin',
      invitedBy: null,
      memberCount: 2,
    });
    expect(group.members).toEqual([
      { walletAddress: alice.address, role: 'admin', standing: 'member' },
      { walletAddress: bob.address, role: 'member', standing: 'member' },
      { walletAddress: carol.address, role: 'member', standing: 'invited' },
    ]);
    expect(await bob.event('group:updated')).toMatchObject({ id: group.id, standing: 'member' });
    const invited = await carol.event('group:updated');
    expect(invited).toMatchObject({ name: 'Dinner', standing: 'invited', invitedBy: alice.address });
    const sent = await post(alice, group, 'for two');
    expect(sent).toMatchObject({ from: alice.address, to: group.id, status: 'sent' });
    expect(await bob.event('message:received')).toEqual(sent);
    expect(await carol.parley.messages.getConversations()).toMatchObject([
      { id: group.id, with: group.id, group: { standing: 'invited' }, lastMessage: null, unreadCount: 0 },
    ]);
    expect(await read(carol, group)).toEqual([]);
    await expect(post(carol, group, 'too early')).rejects.toMatchObject({ code: 'ACCESS_DENIED' });

    await carol.parley.groups.join(group.id);
    await alice.event('group:updated', ({ memberCount }) => memberCount === 3);
    await post(bob, group, 'for three');
    await carol.event('message:received', ({ content }) => content === 'for three');
    expect(await read(carol, group)).toEqual(['for three']);

    await carol.parley.groups.leave(group.id);
    await alice.event('group:updated', ({ memberCount }) => memberCount === 2);
    await post(alice, group, 'for two again');
    await expect(post(carol, group, 'too late')).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
    await expect(carol.parley.groups.join(group.id)).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
    // It learns nothing more of the group.
    await alice.parley.groups.rename(group.id, 'Surprise for Carol');
    const left = { name: 'Dinner', memberCount: 0 };
    expect(await carol.parley.groups.get(group.id)).toMatchObject({ ...left, members: [] });
    expect(await carol.parley.messages.getConversations()).toMatchObject([{ group: left }]);

    // A wallet that has left is only invited, even by a contact.
    await carol.parley.people.saveContact(alice.address, 'Alice');
    await alice.parley.groups.add(group.id, [carol.address]);
    expect(await standings(alice, group)).toMatchObject({ [carol.address]: 'invited' });
    expect(await carol.parley.groups.get(group.id)).toMatchObject({
      name: 'Surprise for Carol',
      memberCount: 2,
    });
    await carol.parley.groups.join(group.id);
    await post(alice, group, 'for three again');
    expect(await read(carol, group)).toEqual(['for three again', 'for three']);
    expect(await read(bob, group)).toEqual(['for three again', 'for two again', 'for three', 'for two']);
    expect(carol.seen('message:received').map(({ content }) => content)).not.toContain('for two again');
  },

  async 'adds a wallet that has left or declined only after it joins, however often a contact adds it'(
    harness,
  ) {
    const [alice, bob, carol] = (await people(harness, 3)) as [TestClient, TestClient, TestClient];
    const group = await groupOf(alice, bob);
    await alice.parley.groups.add(group.id, [carol.address]);
    await Promise.all([bob.parley.groups.leave(group.id), carol.parley.groups.leave(group.id)]);
    await carol.parley.people.saveContact(alice.address, 'Alice');
    const others = [bob.address, carol.address];
    const invited = { [bob.address]: 'invited', [carol.address]: 'invited' };
    await alice.parley.groups.add(group.id, others);
    await alice.parley.groups.add(group.id, others);
    expect(await standings(alice, group)).toMatchObject(invited);
    for (const other of others) await alice.parley.groups.remove(group.id, other);
    await alice.parley.groups.add(group.id, others);
    expect(await standings(alice, group)).toMatchObject(invited);
    await Promise.all([bob.parley.groups.join(group.id), carol.parley.groups.join(group.id)]);
    expect(await standings(alice, group)).toMatchObject({
      [bob.address]: 'member',
      [carol.address]: 'member',
    });
  },

  async 'adds a wallet at once that a stranger has only invited before'(harness) {
    const [alice, bob, carol] = (await people(harness, 3)) as [TestClient, TestClient, TestClient];
    const group = await groupOf(alice, bob);
    await alice.parley.groups.add(group.id, [carol.address]);
    await carol.parley.people.saveContact(bob.address, 'Bob');
    await bob.parley.groups.add(group.id, [carol.address]);
    expect(await standings(alice, group)).toMatchObject({ [carol.address]: 'member' });
  },

  async 'counts a message as delivered or read when all members have it'(harness) {
    const [alice, bob, carol] = (await people(harness, 3)) as [TestClient, TestClient, TestClient];
    const group = await groupOf(alice, bob, carol);
    const first = await post(alice, group, 'one');
    const second = await post(bob, group, 'two');
    const statusOf = async (reader: TestClient, { id }: Message) =>
      (await reader.parley.messages.getMessages({ with: group.id })).find((each) => each.id === id)?.status;
    await alice.event(
      'message:delivered',
      ({ allDeliveredUntil = 0 }) => allDeliveredUntil >= first.timestamp,
    );
    for (const reader of [bob, carol])
      await reader.event('message:received', ({ id }) => id === first.id || id === second.id);
    const unread = async (reader: TestClient) =>
      (await reader.parley.messages.getConversation(group.id)).unreadCount;
    expect(await unread(carol)).toBe(2);
    expect(await unread(bob)).toBe(1);

    // One mark covers messages of two senders, and each of them learns of it.
    await carol.parley.messages.markAsRead(second.id);
    expect(await unread(carol)).toBe(0);
    expect(await alice.event('message:read')).toMatchObject({
      ...{ messageId: first.id, by: carol.address, from: alice.address, conversationId: group.id },
      status: 'delivered',
    });
    await bob.event('message:read', ({ messageId, by }) => messageId === second.id && by === carol.address);
    expect(await carol.event('message:read')).toMatchObject({ messageId: second.id });
    expect(await statusOf(alice, first)).toBe('delivered');
    expect(await statusOf(carol, first)).toBe('read');

    await bob.parley.messages.markAsRead(first.id);
    await alice.event(
      'message:read',
      ({ by, allReadUntil = 0 }) => by === bob.address && allReadUntil >= first.timestamp,
    );
    expect(await statusOf(alice, first)).toBe('read');
    await expect(alice.parley.messages.markAsRead(first.id)).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
    // A member that leaves is no longer waited for.
    const third = await post(alice, group, 'three');
    await bob.parley.messages.markAsRead(third.id);
    await carol.parley.groups.leave(group.id);
    expect(await statusOf(alice, third)).toBe('read');
  },

  async 'replies, edits, reacts, deletes, finds and shows who is typing in a group'(harness) {
    const [alice, bob, carol] = (await people(harness, 3)) as [TestClient, TestClient, TestClient];
    const group = await groupOf(alice, bob);
    const early = await post(alice, group, 'an early pineapple');
    await carol.parley.people.saveContact(alice.address, 'Alice');
    await alice.parley.groups.add(group.id, [carol.address]);
    const reply = await bob.parley.messages.send({
      to: group.id,
      content: 'a reply',
      type: 'text',
      replyTo: early.id,
    });
    expect(reply.replyTo?.content).toBe('an early pineapple');
    expect((await alice.event('message:received')).replyTo?.content).toBe('an early pineapple');
    // Carol was no member yet when the first message was written.
    const seen = await carol.event('message:received');
    expect(seen.replyTo).toMatchObject({ id: early.id, content: '' });
    const [stored] = await carol.parley.messages.getMessages({ with: group.id });
    expect(stored?.replyTo?.content).toBe('');
    await expect(carol.parley.messages.addReaction(early.id, '👍')).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });

    await carol.parley.messages.addReaction(reply.id, '👍');
    for (const each of [alice, bob])
      expect(await each.event('message:reaction')).toMatchObject({
        messageId: reply.id,
        from: carol.address,
      });
    await bob.parley.messages.edit(reply.id, 'a better reply about mangoes');
    for (const each of [alice, carol])
      expect(await each.event('message:edited')).toMatchObject({ content: 'a better reply about mangoes' });
    await expect(alice.parley.messages.edit(reply.id, 'mine')).rejects.toMatchObject({
      code: 'ACCESS_DENIED',
    });

    const found = async (client: TestClient, query: string) =>
      contents((await client.parley.messages.search({ query, with: group.id })).data);
    expect(await found(carol, 'mango')).toEqual(['a better reply about mangoes']);
    expect(await found(bob, 'pineapple')).toEqual(['an early pineapple']);
    expect(await found(carol, 'pineapple')).toEqual([]);

    await carol.parley.messages.delete(reply.id);
    expect(await read(carol, group)).toEqual([]);
    expect(await found(carol, 'mango')).toEqual([]);
    expect(await read(alice, group)).toEqual(['a better reply about mangoes', 'an early pineapple']);
    await bob.parley.messages.delete(reply.id, { forEveryone: true });
    for (const each of [alice, carol])
      await each.event(
        'message:deleted',
        ({ messageId, forEveryone }) => messageId === reply.id && forEveryone,
      );
    expect(await read(alice, group)).toEqual(['', 'an early pineapple']);

    await alice.parley.messages.setTyping(group.id, true);
    for (const each of [bob, carol])
      expect(await each.event('typing:start')).toEqual({ from: alice.address, group: group.id });
    await post(alice, group, 'done');
    for (const each of [bob, carol])
      expect(await each.event('typing:stop')).toEqual({ from: alice.address, group: group.id });
    // Members tell each other their names.
    await bob.parley.people.setProfile({ name: 'Bob' });
    await carol.event('person:updated', ({ walletAddress }) => walletAddress === bob.address);
    const [person] = await carol.parley.people.get([bob.address]);
    expect(person?.profileName).toBe('Bob');
  },

  async 'lets admins rename the group, remove members and name other admins'(harness) {
    const [alice, bob, carol, eve] = (await people(harness, 4)) as [
      TestClient,
      TestClient,
      TestClient,
      TestClient,
    ];
    const group = await groupOf(alice, bob, carol);
    const denied = { code: 'ACCESS_DENIED' };
    await expect(bob.parley.groups.rename(group.id, 'Mine')).rejects.toMatchObject(denied);
    await expect(bob.parley.groups.remove(group.id, carol.address)).rejects.toMatchObject(denied);
    await expect(bob.parley.groups.setRole(group.id, bob.address, 'admin')).rejects.toMatchObject(denied);
    for (const ask of [
      () => eve.parley.groups.get(group.id),
      () => eve.parley.groups.rename(group.id, 'Mine'),
      () => eve.parley.groups.add(group.id, [eve.address]),
      () => eve.parley.groups.join(group.id),
      () => eve.parley.groups.leave(group.id),
      () => eve.parley.messages.send({ to: group.id, content: 'hello', type: 'text' }),
      () => eve.parley.messages.getMessages({ with: group.id }),
      () => eve.parley.messages.getConversation(group.id),
      () => eve.parley.messages.setTyping(group.id, true),
    ])
      await expect(ask()).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(
      eve.request('groups.create', { groupId: group.id, name: 'Mine', members: [] }),
    ).rejects.toMatchObject({ code: 'CONFLICT' });
    // A request whose answer was lost is repeated.
    const again = await alice.request('groups.create', { groupId: group.id, name: 'Dinner', members: [] });
    expect(again).toMatchObject({ id: group.id, memberCount: 3 });

    await alice.parley.groups.rename(group.id, 'Lunch');
    await carol.event('group:updated', ({ name }) => name === 'Lunch');
    await expect(alice.parley.groups.setRole(group.id, alice.address, 'member')).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    const before = await post(carol, group, 'before');
    await alice.parley.groups.remove(group.id, carol.address);
    await carol.event('group:updated', ({ standing }) => standing === 'removed');
    await post(alice, group, 'after');
    expect(await read(carol, group)).toEqual(['before']);
    await expect(carol.parley.messages.edit(before.id, 'changed')).rejects.toMatchObject(denied);
    await carol.parley.messages.delete(before.id, { forEveryone: true });
    expect(await read(bob, group)).toEqual(['after', '']);

    // Without an admin, the first member becomes one.
    await alice.parley.groups.leave(group.id);
    await bob.event('group:updated', ({ role }) => role === 'admin');
    await bob.parley.groups.add(group.id, [eve.address]);
    await eve.event('group:updated', ({ standing }) => standing === 'invited');
    await bob.parley.groups.remove(group.id, eve.address);
    await eve.event('group:updated', ({ standing }) => standing === 'removed');
    await expect(eve.parley.groups.join(group.id)).rejects.toMatchObject(denied);
    expect(await eve.parley.messages.getConversations()).toEqual([]);
    expect(await eve.parley.messages.getConversation(group.id)).toMatchObject({
      group: { id: group.id, name: 'Lunch', standing: 'removed' },
      lastMessage: null,
    });
  },

  async 'makes the first wallet that joins an admin when all members have left'(harness) {
    const [alice, bob, carol] = (await people(harness, 3)) as [TestClient, TestClient, TestClient];
    const { id } = await alice.parley.groups.create({
      name: 'Dinner',
      members: [bob.address, carol.address],
    });
    await alice.parley.groups.leave(id);
    await Promise.all([bob.parley.groups.join(id), carol.parley.groups.join(id)]);
    const { members } = await bob.parley.groups.get(id);
    expect(members).toMatchObject([{ role: 'admin' }, { role: 'member' }]);
    const admin = members[0]?.walletAddress === bob.address ? bob : carol;
    await admin.parley.groups.rename(id, 'Lunch');
  },

  async 'gives a group that has no admin one when somebody joins'(harness) {
    const [alice, bob, carol] = (await people(harness, 3)) as [TestClient, TestClient, TestClient];
    const { id } = await groupOf(alice, bob);
    await alice.parley.groups.add(id, [carol.address]);
    // Earlier versions left groups like this.
    await harness.query(`UPDATE group_members SET role = 'member' WHERE group_id = $1`, [id]);
    await carol.parley.groups.join(id);
    const { members } = await carol.parley.groups.get(id);
    expect(members.map(({ walletAddress, role }) => [walletAddress, role])).toEqual([
      [alice.address, 'admin'],
      [bob.address, 'member'],
      [carol.address, 'member'],
    ]);
  },

  async 'tells an invited wallet of its invitation, and of nothing else until it joins'(harness) {
    const [alice, bob, carol] = (await people(harness, 3)) as [TestClient, TestClient, TestClient];
    const { id } = await alice.parley.groups.create({ name: 'Dinner', members: [bob.address] });
    for (const name of ['Lunch', 'Brunch']) await alice.parley.groups.rename(id, name);
    await carol.parley.people.saveContact(alice.address, 'Alice');
    await alice.parley.groups.add(id, [carol.address]);
    // An event after those.
    await alice.parley.messages.send({ to: bob.address, content: 'Will you join?', type: 'text' });
    await bob.event('message:received');
    expect(bob.seen('group:updated')).toHaveLength(1);
    expect(await bob.parley.groups.get(id)).toMatchObject({ name: 'Brunch', standing: 'invited' });
    await bob.parley.groups.join(id);
    await alice.parley.groups.rename(id, 'Lunch');
    await bob.event('group:updated', ({ name }) => name === 'Lunch');
  },

  async 'counts the wallets of a new group once, however often its creation is repeated'(harness) {
    const alice = await harness.client();
    const members = Array.from({ length: 99 }, () => newWallet().address);
    const request = { groupId: newId('grp'), name: 'Climbers', members };
    // A wallet may add 200 others per minute.
    for (let times = 0; times < 3; times++)
      expect(await alice.request('groups.create', request)).toMatchObject({ id: request.groupId });
    const { members: stored } = await alice.parley.groups.get(request.groupId);
    expect(stored).toHaveLength(100);
  },

  async 'limits how often a wallet is told of withdrawn invitations'(harness) {
    const [alice, bob] = (await people(harness, 2)) as [TestClient, TestClient];
    const { id } = await alice.parley.groups.create({ name: 'Spam', members: [] });
    for (let times = 0; times < 12; times++) {
      await alice.parley.groups.add(id, [bob.address]);
      await alice.parley.groups.remove(id, bob.address);
    }
    // An event after those.
    await alice.parley.messages.send({ to: bob.address, content: 'Hello', type: 'text' });
    await bob.event('message:received');
    // One sender may tell a wallet of ten invitations per minute, and another minute may begin meanwhile.
    expect(bob.seen('group:updated').length).toBeLessThanOrEqual(20);
  },

  async 'does not tell a wallet of invitations by wallets that it has blocked'(harness) {
    const [alice, bob] = (await people(harness, 2)) as [TestClient, TestClient];
    await bob.parley.people.saveContact(alice.address, 'Alice');
    await bob.parley.calls.block(alice.address);
    const group = await alice.parley.groups.create({ name: 'Spam', members: [bob.address] });
    // Alice cannot tell that she is blocked.
    expect(await standings(alice, group)).toEqual({ [alice.address]: 'member', [bob.address]: 'invited' });
    expect(await bob.parley.messages.getConversations()).toEqual([]);
    for (const ask of [() => bob.parley.groups.get(group.id), () => bob.parley.groups.join(group.id)])
      await expect(ask()).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await bob.parley.calls.unblock(alice.address);
    await bob.parley.groups.join(group.id);
    expect(bob.seen('group:updated').map(({ standing }) => standing)).not.toContain('invited');
  },

  async 'does not tell a wallet when a wallet that it has blocked takes an invitation back'(harness) {
    const [alice, bob] = (await people(harness, 2)) as [TestClient, TestClient];
    await bob.parley.calls.block(alice.address);
    const group = await alice.parley.groups.create({ name: 'Spam', members: [bob.address] });
    await alice.parley.groups.remove(group.id, bob.address);
    expect(await standings(alice, group)).toEqual({ [alice.address]: 'member' });
    await expect(bob.parley.groups.get(group.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const friend = await harness.client();
    const shown = await friend.parley.groups.create({ name: 'Dinner', members: [bob.address] });
    await bob.event('group:updated', ({ id }) => id === shown.id);
    expect(bob.seen('group:updated').map(({ id }) => id)).not.toContain(group.id);
  },

  async 'leaves a former member its messages when a member that it has blocked invites it again'(harness) {
    const [alice, bob, carol] = (await people(harness, 3)) as [TestClient, TestClient, TestClient];
    const group = await groupOf(alice, bob, carol);
    await post(alice, group, 'old');
    await carol.parley.groups.leave(group.id);
    await carol.parley.calls.block(bob.address);
    await post(carol, await groupOf(carol, alice), 'newer');
    await bob.parley.groups.add(group.id, [carol.address]);
    // Bob cannot tell that he is blocked.
    expect(await standings(bob, group)).toMatchObject({ [carol.address]: 'invited' });
    expect(await read(carol, group)).toEqual(['old']);
    expect(await carol.parley.groups.get(group.id)).toMatchObject({ standing: 'left', members: [] });
    expect(await carol.parley.messages.getConversations()).toMatchObject([
      { lastMessage: { content: 'newer' } },
      { id: group.id, group: { standing: 'left' }, lastMessage: { content: 'old' } },
    ]);
    await expect(carol.parley.groups.join(group.id)).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
    await carol.parley.calls.unblock(bob.address);
    await carol.parley.groups.join(group.id);
  },

  async 'keeps an invitation when a member that the invited wallet has blocked adds it again'(harness) {
    const [alice, bob, carol] = (await people(harness, 3)) as [TestClient, TestClient, TestClient];
    await carol.parley.calls.block(bob.address);
    const group = await groupOf(alice, bob);
    await alice.parley.groups.add(group.id, [carol.address]);
    await carol.event('group:updated', ({ standing }) => standing === 'invited');
    await bob.parley.groups.add(group.id, [carol.address]);
    // Bob cannot tell that he is blocked.
    expect(await standings(bob, group)).toMatchObject({ [carol.address]: 'invited' });
    expect(await carol.parley.messages.getConversations()).toMatchObject([{ id: group.id }]);
    expect(await carol.parley.groups.get(group.id)).toMatchObject({
      standing: 'invited',
      invitedBy: alice.address,
    });
    await carol.parley.groups.join(group.id);
    await bob.event('group:updated', ({ memberCount }) => memberCount === 3);
  },

  async 'delivers what a member missed while it was away'(harness) {
    const [alice, bob] = (await people(harness, 2)) as [TestClient, TestClient];
    const group = await groupOf(alice, bob);
    await bob.event('group:updated');
    const { account } = bob;
    bob.parley.close();
    await post(alice, group, 'one');
    await alice.parley.groups.rename(group.id, 'Breakfast');
    const back = await harness.client(account);
    expect(await back.parley.messages.getConversations()).toMatchObject([
      { with: group.id, group: { name: 'Breakfast' }, lastMessage: { content: 'one' }, unreadCount: 1 },
    ]);
  },
};
