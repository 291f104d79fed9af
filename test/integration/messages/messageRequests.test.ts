import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Socket } from 'socket.io-client';
import { newId } from '../../../sdk/protocol/ids.ts';
import type { WireMessage } from '../../../sdk/protocol/messages.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import { queryDatabase } from '../money/accountSupport.ts';
import { closeSockets, code, connected, newWallet, next, send, signIn } from '../support.ts';

/* Realtime requests about messages, sent without the SDK, because any client may send any request. */

let server: ServerProcess;
let alice: Socket;
let bob: Socket;
let eve: Socket;
const [aliceWallet, bobWallet, eveWallet] = [newWallet(), newWallet(), newWallet()];

beforeAll(async () => {
  server = await ServerProcess.start({ RATE_LIMIT_REALTIME: '2000' });
  const open = async (wallet: typeof aliceWallet) =>
    connected(server.url, (await signIn(server.url, wallet)).token);
  [alice, bob, eve] = [await open(aliceWallet), await open(bobWallet), await open(eveWallet)];
});
afterAll(async () => {
  closeSockets();
  await server?.dispose();
});

const text = (over: object = {}) => ({
  id: newId('msg'),
  to: bobWallet.address,
  content: 'hello',
  type: 'text',
  ...over,
});

async function answerOf<T>(from: Socket, name: string, payload: unknown): Promise<T> {
  const answer = await send(from, name, payload);
  if (!answer.ok) throw new Error(`${name}: ${answer.error.code} ${answer.error.message}`);
  return answer.data as T;
}

const sendText = (from: Socket, payload: object) =>
  answerOf<WireMessage & { sequence?: number }>(from, 'messages.send', payload);

it('limits how often a wallet begins to type', async () => {
  const codes: string[] = [];
  for (let times = 0; times < 80; times++)
    for (const typing of [true, false])
      codes.push(await code(eve, 'messages.setTyping', { to: bobWallet.address, typing }));
  expect(codes).toContain('RATE_LIMIT_EXCEEDED');
  expect(codes.filter((one) => one === 'ok').length).toBeGreaterThan(80);
});

it('counts changes of messages in large groups like messages to them', async () => {
  const strict = await ServerProcess.start({ RATE_LIMIT_MESSAGES: '40' });
  onTestFinished(() => strict.dispose());
  const writer = await connected(strict.url, (await signIn(strict.url, newWallet())).token);
  const groupId = newId('grp');
  await answerOf(writer, 'groups.create', { groupId, name: 'Everybody', members: [] });
  await queryDatabase(
    strict,
    `INSERT INTO group_members (wallet, group_id, role, standing, changed_at, seen)
     SELECT '0x' || lpad(to_hex(n), 40, '0'), $1, 'member', 'member', now(), '{(,)}' FROM generate_series(1, 99) AS n`,
    [groupId],
  );
  const { id: messageId } = await sendText(writer, text({ to: groupId }));
  const codes: string[] = [];
  for (let times = 0; times < 12; times++) {
    codes.push(await code(writer, 'messages.edit', { messageId, content: `edit ${times}` }));
    codes.push(await code(writer, 'messages.addReaction', { messageId, emoji: '👍' }));
  }
  expect(codes).toContain('ok');
  // Each counts at least four times. As another minute may begin meanwhile, twice the limit is tried.
  expect(codes).toContain('RATE_LIMIT_EXCEEDED');
});

describe('a repeated message', () => {
  it('is answered with the stored message', async () => {
    const message = text();
    const { sequence, ...first } = await sendText(alice, message);
    expect(sequence).toBeGreaterThan(0);
    expect(await sendText(alice, message)).toEqual(first);
    expect(await sendText(alice, { ...message, to: bobWallet.address.toLowerCase() })).toEqual(first);
  });

  it('is stored once, even by simultaneous requests', async () => {
    const message = text();
    const other = await connected(server.url, (await signIn(server.url, aliceWallet)).token);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => sendText(index % 2 ? alice : other, message)),
    );
    expect(new Set(answers.map(({ timestamp }) => timestamp)).size).toBe(1);
    expect(answers.filter(({ sequence }) => sequence !== undefined)).toHaveLength(1);
    const rows = await queryDatabase(
      server,
      `SELECT count(*) FROM wallet_events WHERE payload->>'messageId' = '${message.id}'`,
    );
    expect(rows).toEqual([{ count: '2' }]);
  });

  it('is a CONFLICT with other content, another recipient or another sender', async () => {
    const message = text();
    await sendText(alice, message);
    const to = eveWallet.address;
    expect(await code(alice, 'messages.send', { ...message, content: 'other' })).toBe('CONFLICT');
    expect(await code(alice, 'messages.send', { ...message, to })).toBe('CONFLICT');
    expect(await code(eve, 'messages.send', message)).toBe('CONFLICT');
    expect(await code(bob, 'messages.send', { ...message, to: aliceWallet.address })).toBe('CONFLICT');
    const page = { with: aliceWallet.address, limit: 1 };
    expect(await answerOf(bob, 'messages.getMessages', page)).toMatchObject([{ content: 'hello' }]);
  });

  it('is answered with the stored message also when it would be refused now', async () => {
    await answerOf(bob, 'people.saveContact', { address: aliceWallet.address, name: 'Alice' });
    const groupId = newId('grp');
    await answerOf(alice, 'groups.create', { groupId, name: 'Dinner', members: [bobWallet.address] });
    const first = await sendText(alice, text({ to: groupId }));
    const reply = text({ to: groupId, replyTo: first.id });
    const { id, timestamp } = await sendText(bob, reply);
    await answerOf(bob, 'messages.delete', { messageId: first.id });
    expect(await sendText(bob, reply)).toMatchObject({ id, timestamp });
    await answerOf(alice, 'groups.remove', { groupId, walletAddress: bobWallet.address });
    expect(await sendText(bob, reply)).toMatchObject({ id, timestamp });
    expect(await code(bob, 'messages.send', { ...reply, content: 'other' })).toBe('ACCESS_DENIED');
    expect(await code(bob, 'messages.send', text({ to: groupId }))).toBe('ACCESS_DENIED');
    expect(await code(eve, 'messages.send', reply)).toBe('NOT_FOUND');
  });

  it('stays deleted, and is no conflict, after its deletion', async () => {
    const message = text();
    await sendText(alice, message);
    await answerOf(alice, 'messages.delete', { messageId: message.id, forEveryone: true });
    expect(await sendText(alice, message)).toMatchObject({
      content: '',
      deletedAt: expect.any(String) as string,
    });
    const rows = await queryDatabase(
      server,
      `SELECT content FROM wallet_messages WHERE id = '${message.id}'`,
    );
    expect(rows).toEqual([{ content: '' }]);
  });
});

describe('a message', () => {
  it.each<[string, object]>([
    ['empty', { content: '' }],
    ['too long', { content: 'x'.repeat(10_001) }],
    ['too long, in emoji', { content: '👋'.repeat(10_001) }],
    ['a zero character', { content: 'a\0b' }],
    ['an id in another format', { id: 'mine' }],
    ['another type', { type: 'file' }],
    ['an image without a file', { type: 'image', content: 'look' }],
    ['a text with a file', { mediaId: newId('msg') }],
    ['an unknown field', { status: 'read' }],
    ['to the sender', { to: aliceWallet.address }],
  ])('is rejected: %s', async (_name, over) => {
    expect(await code(alice, 'messages.send', text(over))).toBe('VALIDATION_ERROR');
  });

  it('is rejected: to a malformed address', async () => {
    expect(await code(alice, 'messages.send', text({ to: '0x12' }))).toBe('INVALID_ADDRESS');
  });

  it('may have 10,000 characters of any size; half a surrogate pair becomes U+FFFD', async () => {
    for (const content of ['x'.repeat(10_000), '👋'.repeat(10_000), '\n"\\\u2028 {}{,}NULL'])
      expect((await sendText(alice, text({ content }))).content).toBe(content);
    const half = text({ content: 'a\ud83d' });
    expect((await sendText(alice, half)).content).toBe('a\ufffd');
    expect((await sendText(alice, half)).content).toBe('a\ufffd');
  });

  it('is rejected: with an unknown file', async () => {
    const image = text({ type: 'image', content: '', mediaId: newId('med') });
    expect(await code(alice, 'messages.send', image)).toBe('NOT_FOUND');
  });
});

describe('other people’s messages', () => {
  it('cannot be read, acknowledged or changed by a third wallet', async () => {
    const message = text({ content: 'between us' });
    await sendText(alice, message);
    const messageId = message.id;
    for (const [name, payload] of [
      ['messages.markAsRead', { messageId }],
      ['messages.addReaction', { messageId, emoji: '👍' }],
      ['messages.removeReaction', { messageId, emoji: '👍' }],
      ['messages.delete', { messageId }],
      ['messages.delete', { messageId, forEveryone: true }],
    ] as const)
      expect([name, await code(eve, name, payload)]).toEqual([name, 'NOT_FOUND']);
    // The answer does not reveal whether the message exists, and the message is not marked.
    expect(await code(eve, 'messages.acknowledge', { messageIds: [messageId] })).toBe('ok');
    expect(await code(alice, 'messages.acknowledge', { messageIds: [messageId] })).toBe('ok');
    for (const peer of [aliceWallet, bobWallet])
      expect(await answerOf(eve, 'messages.getMessages', { with: peer.address })).toEqual([]);
    expect(await answerOf(eve, 'messages.getConversations', {})).toEqual([]);
    const page = { with: bobWallet.address, limit: 1 };
    expect(await answerOf(alice, 'messages.getMessages', page)).toMatchObject([
      { content: 'between us', status: 'sent' },
    ]);
    expect(await answerOf(eve, 'session.catchUp', { after: 0 })).toMatchObject({ events: [], latest: 0 });
  });
});

describe('missed events', () => {
  it('come in pages, in order', async () => {
    const wallet = newWallet();
    const many = 130;
    for (let sent = 0; sent < many; sent += 10)
      await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          sendText(alice, text({ to: wallet.address, content: String(sent + index) })),
        ),
      );
    const device = await connected(server.url, (await signIn(server.url, wallet)).token);
    type Page = { events: { sequence: number; event: string; payload: WireMessage }[]; latest: number };
    const pages: Page[] = [];
    for (let after = 0; after < many; after = pages.at(-1)?.events.at(-1)?.sequence ?? many)
      pages.push(await answerOf<Page>(device, 'session.catchUp', { after }));
    expect(pages.map(({ events }) => events.length)).toEqual([100, 30]);
    const events = pages.flatMap((page) => page.events);
    expect(events.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: many }, (_, index) => index + 1),
    );
    // Simultaneous messages of one connection keep their order as well.
    expect(events.map(({ payload }) => payload.content)).toEqual(
      Array.from({ length: many }, (_, index) => String(index)),
    );
    expect(await code(device, 'session.catchUp', { after: -1 })).toBe('VALIDATION_ERROR');
  });

  it('are reported as lost after EVENT_DAYS, and if the device asks for a number the database has not reached', async () => {
    const wallet = newWallet();
    for (const content of ['1', '2', '3']) await sendText(alice, text({ to: wallet.address, content }));
    const device = await connected(server.url, (await signIn(server.url, wallet)).token);
    const ofWallet = `WHERE wallet = '${wallet.address}'`;
    await queryDatabase(
      server,
      `UPDATE wallet_events SET created_at = now() - interval '31 days' ${ofWallet} AND sequence < 3`,
    );
    await queryDatabase(server, "UPDATE due SET due_at = now() WHERE kind = 'events.thin'");
    const left = () => queryDatabase(server, `SELECT sequence FROM wallet_events ${ofWallet}`);
    await until(async () => (await left()).length === 1, 'old events are removed');
    for (const after of [0, 1, 99])
      expect(await answerOf(device, 'session.catchUp', { after })).toEqual({
        events: [],
        latest: 3,
        isLost: true,
      });
    expect(await answerOf(device, 'session.catchUp', { after: 2 })).toMatchObject({
      events: [{ sequence: 3, payload: { content: '3' } }],
      isLost: false,
    });
    // The job is scheduled again.
    await until(
      async () =>
        (await queryDatabase(server, "SELECT FROM due WHERE kind = 'events.thin' AND due_at > now()")).length,
      'the next run is scheduled',
    );
    const conversation = { with: aliceWallet.address };
    expect(await answerOf(device, 'messages.getConversation', conversation)).toMatchObject({
      unreadCount: 3,
    });
  });
});

it('repeats the typing event while typing is renewed, and rejects typing to oneself', async () => {
  const started = next(bob, 'typing:start');
  const request = { to: bobWallet.address, typing: true };
  await answerOf(alice, 'messages.setTyping', request);
  expect(await started).toEqual({ from: aliceWallet.address });
  let isRepeated = false;
  bob.once('typing:start', () => (isRepeated = true));
  await until(async () => {
    await answerOf(alice, 'messages.setTyping', request);
    return isRepeated;
  }, 'a renewal is sent');
  expect(await code(alice, 'messages.setTyping', { to: aliceWallet.address, typing: true })).toBe(
    'VALIDATION_ERROR',
  );
});
