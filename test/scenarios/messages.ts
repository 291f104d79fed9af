import { expect } from 'vitest';
import type { Message } from '../../sdk/src/types.ts';
import type { Harness } from '../harness/nodes/Harness.ts';
import type { MessageQuery } from '../../sdk/src/messages.ts';
import type { TestClient } from '../harness/clients/TestClient.ts';
import { until } from '../harness/until.ts';
import { connected, newWallet, send, signIn } from '../integration/support.ts';

/* Scenarios for messages between two or three wallets, on one or several nodes. They check what the wallets' devices observe. */

/** Sends a text message. */
export const write = (from: TestClient, to: TestClient, content = 'hello'): Promise<Message> =>
  from.parley.messages.send({ to: to.address, content, type: 'text' });

/** Signs in `count` new wallets with one device each. */
export const people = (harness: Harness, count: number): Promise<TestClient[]> =>
  Promise.all(Array.from({ length: count }, () => harness.client()));

export const contents = (messages: Message[]) => messages.map(({ content }) => content);

export const messageScenarios: Record<string, (harness: Harness) => Promise<void>> = {
  async 'sends, delivers and reads a message'(harness) {
    const [alice, bob] = (await people(harness, 2)) as [TestClient, TestClient];
    const sending = write(alice, bob, 'Hello 👋');
    expect(alice.parley.messages.pending(bob.address)).toMatchObject([
      { content: 'Hello 👋', status: 'sending', from: alice.address },
    ]);
    const sent = await sending;
    expect(alice.parley.messages.pending()).toEqual([]);
    expect(sent).toMatchObject({
      from: alice.address,
      to: bob.address,
      type: 'text',
      status: 'sent',
      media: null,
      reactions: [],
      deletedAt: null,
    });
    expect(await bob.event('message:received')).toEqual(sent);
    const delivered = await alice.event('message:delivered');
    expect(delivered).toMatchObject({ messageId: sent.id, by: bob.address, from: alice.address });
    expect(delivered.at).toBeInstanceOf(Date);
    await bob.parley.messages.markAsRead(sent.id);
    const read = await alice.event('message:read');
    expect(read).toMatchObject({ ...sent, status: 'read', messageId: sent.id, by: bob.address });
    const [stored] = await alice.parley.messages.getMessages({ with: bob.address.toLowerCase() });
    expect(stored).toEqual({ ...sent, status: 'read' });
  },

  async 'notifies every device of both wallets once'(harness) {
    const [alice, bob] = (await people(harness, 2)) as [TestClient, TestClient];
    const [phone, tablet] = [await harness.client(alice.account), await harness.client(bob.account)];
    const sent = await write(alice, bob);
    await Promise.all([bob, tablet].map((device) => device.event('message:received')));
    expect(await phone.event('message:sent')).toEqual(sent);
    await Promise.all([alice, phone].map((device) => device.event('message:delivered')));
    await tablet.parley.messages.markAsRead(sent.id);
    // The reader's other device gets the event too, for its unread count.
    await Promise.all([alice, phone, bob].map((device) => device.event('message:read')));
    const last = await write(bob, alice, 'the last');
    for (const device of [alice, phone]) await device.event('message:received', ({ id }) => id === last.id);
    expect(alice.seen('message:sent')).toEqual([]);
    for (const device of [bob, tablet]) expect(device.seen('message:received')).toHaveLength(1);
    expect(phone.seen('message:sent')).toHaveLength(1);
  },

  async 'lets only the recipient mark a message and all earlier ones as read'(harness) {
    const [alice, bob, eve] = (await people(harness, 3)) as [TestClient, TestClient, TestClient];
    const sent: Message[] = [];
    for (const content of ['one', 'two', 'three']) sent.push(await write(alice, bob, content));
    const [, two, three] = sent as [Message, Message, Message];
    expect((await bob.parley.messages.getConversation(alice.address)).unreadCount).toBe(3);
    for (const device of [alice, eve]) {
      const code = device === alice ? 'ACCESS_DENIED' : 'NOT_FOUND';
      await expect(device.parley.messages.markAsRead(two.id)).rejects.toMatchObject({ code });
    }
    await bob.parley.messages.markAsRead(two.id);
    expect((await bob.parley.messages.getConversation(alice.address)).unreadCount).toBe(1);
    await alice.event('message:read', ({ messageId }) => messageId === two.id);
    const status = async () =>
      (await alice.parley.messages.getMessages({ with: bob.address })).map((message) => message.status);
    await alice.event('message:delivered', ({ messageId }) => messageId === three.id);
    expect(await status()).toEqual(['delivered', 'read', 'read']);
    // Marking an earlier message as read does not move the receipt back.
    await bob.parley.messages.markAsRead(three.id);
    await bob.parley.messages.markAsRead(two.id);
    expect(await status()).toEqual(['read', 'read', 'read']);
  },

  async 'lists conversations newest first with unread counts'(harness) {
    const [alice, bob, carol] = (await people(harness, 3)) as [TestClient, TestClient, TestClient];
    await write(alice, bob, 'to Bob');
    await write(carol, alice, 'from Carol');
    await write(carol, alice, 'again');
    const last = await write(bob, alice, 'from Bob');
    const listed = await alice.parley.messages.getConversations();
    expect(listed).toMatchObject([
      { with: bob.address, unreadCount: 1, lastMessage: { content: 'from Bob' }, updatedAt: last.timestamp },
      { with: carol.address, unreadCount: 2, lastMessage: { content: 'again' } },
    ]);
    const [second] = await alice.parley.messages.getConversations({ limit: 1, offset: 1 });
    expect(second?.id).toBe(listed[1]?.id);
    expect((await alice.parley.messages.getConversation(bob.address)).id).toBe(listed[0]?.id);
    const [bobsView] = await bob.parley.messages.getConversations();
    expect(bobsView).toMatchObject({ id: listed[0]?.id, with: alice.address, unreadCount: 1 });
    const empty = await bob.parley.messages.getConversation(carol.address);
    expect(empty).toMatchObject({ with: carol.address, lastMessage: null, unreadCount: 0, updatedAt: null });
    expect(empty.id).toMatch(/^cnv_/);
  },

  async 'pages by limit and offset, by time, or around a message'(harness) {
    const [alice, bob, carol] = (await people(harness, 3)) as [TestClient, TestClient, TestClient];
    // Send all messages at the same moment, to provoke equal timestamps.
    await Promise.all([1, 2, 3, 4, 5, 6, 7].map((number) => write(alice, bob, String(number))));
    const { messages } = bob.parley;
    const page = async (query: Partial<MessageQuery>) =>
      messages.getMessages({ with: alice.address, ...query });
    expect(contents(await page({}))).toEqual(['7', '6', '5', '4', '3', '2', '1']);
    expect(contents(await page({ limit: 3, offset: 2 }))).toEqual(['5', '4', '3']);
    expect(await page({ offset: 7 })).toEqual([]);
    const walked: string[] = [];
    for (let before: Date | undefined; ;) {
      const some = await page({ limit: 2, ...(before ? { before } : {}) });
      if (some.length === 0) break;
      walked.push(...contents(some));
      before = some.at(-1)?.timestamp;
    }
    expect(walked).toEqual(['7', '6', '5', '4', '3', '2', '1']);
    const [, , fifth] = await page({ limit: 3 });
    const around = (limit: number) => page({ around: fifth?.id ?? '', limit });
    expect(contents(await around(4))).toEqual(['7', '6', '5', '4']);
    expect(contents(await around(3))).toEqual(['6', '5', '4']);
    expect(contents(await around(1))).toEqual(['5']);
    await expect(page({ around: 'msg_4fT9qLx2VbN7cRk0HsWdJyAe' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(page({ around: fifth?.id ?? '', offset: 1 })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    const elsewhere = await write(alice, carol, 'elsewhere');
    await expect(page({ around: elsewhere.id })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(page({ limit: 101 })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(page({ offset: -1 })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  },

  async 'stores a reaction once per emoji and wallet, and removes it on request'(harness) {
    const [alice, bob, eve] = (await people(harness, 3)) as [TestClient, TestClient, TestClient];
    const { id } = await write(alice, bob);
    await bob.event('message:received');
    await bob.parley.messages.addReaction(id, '👍');
    await bob.parley.messages.addReaction(id, '👍');
    await alice.parley.messages.addReaction(id, '👍🏽');
    expect(await alice.event('message:reaction')).toMatchObject({
      messageId: id,
      emoji: '👍',
      from: bob.address,
      added: true,
    });
    const reactions = async () =>
      (await bob.parley.messages.getMessages({ with: alice.address }))[0]?.reactions;
    expect(await reactions()).toMatchObject([
      { emoji: '👍', from: bob.address, timestamp: expect.any(Date) as Date },
      { emoji: '👍🏽', from: alice.address },
    ]);
    await alice.parley.messages.removeReaction(id, '👍');
    await bob.parley.messages.removeReaction(id, '👍');
    await alice.event('message:reaction', ({ added }) => !added);
    expect(await reactions()).toMatchObject([{ emoji: '👍🏽' }]);
    expect(alice.seen('message:reaction')).toHaveLength(3);
    await expect(bob.parley.messages.addReaction(id, 'thumbs up')).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    await expect(eve.parley.messages.addReaction(id, '👍')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const ten = ['0️⃣', '1️⃣', '2️⃣', '3️⃣', '4️⃣', '5️⃣', '6️⃣', '7️⃣', '8️⃣', '9️⃣'];
    for (const emoji of ten) await bob.parley.messages.addReaction(id, emoji);
    await expect(bob.parley.messages.addReaction(id, '🔟')).rejects.toMatchObject({ code: 'CONFLICT' });
  },

  async 'hides a deleted message from the wallet that deleted it'(harness) {
    const [alice, bob, eve] = (await people(harness, 3)) as [TestClient, TestClient, TestClient];
    const tablet = await harness.client(bob.account);
    const { id } = await write(alice, bob);
    await expect(eve.parley.messages.delete(id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await bob.parley.messages.delete(id);
    await bob.parley.messages.delete(id);
    expect(await tablet.event('message:deleted')).toMatchObject({ messageId: id, forEveryone: false });
    expect(await bob.parley.messages.getMessages({ with: alice.address })).toEqual([]);
    expect(await bob.parley.messages.getConversations()).toEqual([]);
    await expect(bob.parley.messages.markAsRead(id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await alice.parley.messages.getMessages({ with: bob.address })).toMatchObject([{ id }]);
    await alice.parley.messages.delete(id);
    expect(await alice.parley.messages.getMessages({ with: bob.address })).toEqual([]);
    expect(alice.seen('message:deleted')).toMatchObject([{ forEveryone: false }]);
  },

  async 'lets only the sender delete for everyone, which leaves a tombstone'(harness) {
    const [alice, bob] = (await people(harness, 2)) as [TestClient, TestClient];
    const { id } = await write(alice, bob, 'a secret');
    await bob.parley.messages.addReaction(id, '😮');
    await expect(bob.parley.messages.delete(id, { forEveryone: true })).rejects.toMatchObject({
      code: 'ACCESS_DENIED',
    });
    await alice.parley.messages.delete(id, { forEveryone: true });
    for (const device of [alice, bob])
      expect(await device.event('message:deleted')).toMatchObject({ messageId: id, forEveryone: true });
    const [tombstone] = await bob.parley.messages.getMessages({ with: alice.address });
    expect(tombstone).toMatchObject({ id, content: '', reactions: [], media: null });
    expect(tombstone?.deletedAt).toBeInstanceOf(Date);
    expect((await bob.parley.messages.getConversation(alice.address)).unreadCount).toBe(0);
    await expect(bob.parley.messages.addReaction(id, '😮')).rejects.toMatchObject({ code: 'CONFLICT' });
    await alice.parley.messages.delete(id, { forEveryone: true });
    expect(alice.seen('message:deleted')).toHaveLength(1);
  },

  async 'does not deliver messages of a blocked sender, who sees them as sent'(harness) {
    const [alice, bob] = (await people(harness, 2)) as [TestClient, TestClient];
    const before = await write(alice, bob, 'before');
    await bob.event('message:received');
    await bob.parley.calls.block(alice.address);
    const blocked = await write(alice, bob, 'blocked');
    expect(blocked.status).toBe('sent');
    await alice.parley.messages.addReaction(before.id, '😠');
    await alice.parley.messages.setTyping(bob.address, true);
    await alice.parley.messages.setTyping(bob.address, false);
    await expect(bob.parley.messages.markAsRead(blocked.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await bob.parley.calls.unblock(alice.address);
    const after = await write(alice, bob, 'after');
    await bob.event('message:received', ({ id }) => id === after.id);
    await alice.event('message:delivered', ({ messageId }) => messageId === after.id);
    expect(contents(bob.seen('message:received'))).toEqual(['before', 'after']);
    expect([bob.seen('message:reaction'), bob.seen('typing:start')]).toEqual([[], []]);
    const bobsView = await bob.parley.messages.getMessages({ with: alice.address });
    expect(contents(bobsView)).toEqual(['after', 'before']);
    expect(bobsView.map(({ reactions }) => reactions)).toEqual([[], []]);
    expect(await bob.parley.messages.getConversation(alice.address)).toMatchObject({ unreadCount: 2 });
    const alicesView = await alice.parley.messages.getMessages({ with: bob.address });
    expect(alicesView.map(({ content, status }) => [content, status])).toEqual([
      ['after', 'delivered'],
      ['blocked', 'sent'],
      ['before', 'delivered'],
    ]);
    expect(alicesView[2]?.reactions).toMatchObject([{ emoji: '😠' }]);
  },

  async 'tells the wallets that see a reaction of its removal, although one has blocked the other since'(
    harness,
  ) {
    const [alice, bob] = (await people(harness, 2)) as [TestClient, TestClient];
    const { id } = await write(alice, bob);
    await alice.parley.messages.addReaction(id, '👍');
    await bob.event('message:reaction');
    await bob.parley.calls.block(alice.address);
    await alice.parley.messages.addReaction(id, '👎');
    await alice.parley.messages.removeReaction(id, '👍');
    expect(await bob.event('message:reaction', ({ added }) => !added)).toMatchObject({ emoji: '👍' });
    await bob.parley.calls.unblock(alice.address);
    await alice.parley.messages.removeReaction(id, '👎');
    await alice.parley.messages.addReaction(id, '🎉');
    await bob.event('message:reaction', ({ emoji }) => emoji === '🎉');
    expect(bob.seen('message:reaction').map(({ emoji }) => emoji)).toEqual(['👍', '👍', '🎉']);
  },

  async 'ends the typing state after 5 s without a renewal, and when the device disconnects'(harness) {
    const [alice, bob, carol] = (await people(harness, 3)) as [TestClient, TestClient, TestClient];
    const startedAt = Date.now();
    await alice.parley.messages.setTyping(bob.address, true);
    expect(await bob.event('typing:start')).toEqual({ from: alice.address });
    await carol.parley.messages.setTyping(bob.address, true);
    await bob.event('typing:start', ({ from }) => from === carol.address);
    carol.close();
    await bob.event('typing:stop', ({ from }) => from === alice.address);
    expect(Date.now() - startedAt).toBeGreaterThan(4_500);
    // Without the disconnect, Carol's 5 s would have ended after Alice's.
    expect(bob.seen('typing:stop').map(({ from }) => from)).toEqual([carol.address, alice.address]);
    await alice.parley.messages.setTyping(bob.address, true);
    await alice.parley.messages.setTyping(bob.address, false);
    const stops = () => bob.seen('typing:stop').filter(({ from }) => from === alice.address);
    await until(() => stops().length === 2, 'another typing:stop');
  },

  async 'ends the typing state of a wallet that is blocked while it types'(harness) {
    const [writer, reader] = [newWallet(), newWallet()];
    // Without the SDK, which hides renewals from the app.
    const device = async (wallet: typeof writer) =>
      connected(harness.url(), (await signIn(harness.url(), wallet)).token);
    const [from, to] = [await device(writer), await device(reader)];
    const seen: string[] = [];
    to.on('typing:start', () => seen.push('start')).on('typing:stop', () => seen.push('stop'));
    const type = () => send(from, 'messages.setTyping', { to: reader.address, typing: true });
    await type();
    await until(() => seen.length === 1, 'typing:start');
    expect(await send(to, 'calls.block', { address: writer.address })).toMatchObject({ ok: true });
    const ends = async () => (await type(), seen.includes('stop'));
    await until(ends, 'a renewal ends the typing state', 20_000, 200);
    expect(await type()).toMatchObject({ ok: true });
    await send(to, 'calls.getBlocked', {});
    expect(seen).toEqual(['start', 'stop']);
    for (const each of [from, to]) each.disconnect();
  },

  async 'limits the events of a typing state that is renewed constantly'(harness) {
    const people = [newWallet(), newWallet()] as const;
    const [writer, reader] = await Promise.all(
      people.map(async (wallet) => connected(harness.url(), (await signIn(harness.url(), wallet)).token)),
    );
    let starts = 0;
    let stops = 0;
    reader?.on('typing:start', () => starts++).on('typing:stop', () => stops++);
    const to = people[1].address;
    const startedAt = Date.now();
    for (let count = 0; count < 50; count++)
      if (writer)
        expect(await send(writer, 'messages.setTyping', { to, typing: count < 49 })).toMatchObject({
          ok: true,
        });
    const maxStarts = 1 + Math.floor((Date.now() - startedAt) / 2_000);
    await until(() => stops > 0, 'typing:stop');
    expect(starts).toBeGreaterThan(0);
    expect(starts).toBeLessThanOrEqual(maxStarts);
    for (const device of [writer, reader]) device?.disconnect();
  },

  async 'sends missed events to a reconnected device, in order and once'(harness) {
    const [alice, bob] = (await people(harness, 2)) as [TestClient, TestClient];
    const stored = new Map<string, string>();
    const storage = {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
      removeItem: (key: string) => void stored.delete(key),
    };
    const first = await harness.client(bob.account, storage);
    await write(alice, bob, '1');
    // The message may have been delivered to either of Bob's devices.
    await Promise.all([alice.event('message:delivered'), first.event('message:received')]);
    first.close();
    bob.close();
    for (const content of ['2', '3', '4']) await write(alice, bob, content);
    const [deleted] = await alice.parley.messages.getMessages({ with: bob.address, limit: 1, offset: 1 });
    await alice.parley.messages.delete(deleted?.id ?? '', { forEveryone: true });
    expect(alice.seen('message:delivered')).toHaveLength(1);
    const again = await harness.client(bob.account, storage);
    await again.event('message:deleted');
    // A message deleted in the meantime arrives in its current state.
    expect(contents(again.seen('message:received'))).toEqual(['2', '', '4']);
    await until(() => alice.seen('message:delivered').length === 2, 'delivered');
    // A new device gets only new events, and has to request earlier messages.
    const other = await harness.client(bob.account);
    await write(alice, bob, '5');
    await other.event('message:received');
    expect(contents(other.seen('message:received'))).toEqual(['5']);
    expect(await other.parley.messages.getConversation(alice.address)).toMatchObject({ unreadCount: 4 });
  },
};
