import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Socket } from 'socket.io-client';
import { newId } from '../../../sdk/protocol/ids.ts';
import type { WireMessage } from '../../../sdk/protocol/messages.ts';
import { ServerProcess } from '../../harness/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import { queryDatabase } from '../money/accountSupport.ts';
import { closeSockets, code, connected, newWallet, next, send, signIn } from '../support.ts';

/* What a client of one's own making can ask for, and what it is told. */

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

describe('the same message again', () => {
  it('is answered with the one that was stored', async () => {
    const message = text();
    const { sequence, ...first } = await sendText(alice, message);
    expect(sequence).toBeGreaterThan(0);
    expect(await sendText(alice, message)).toEqual(first);
    expect(await sendText(alice, { ...message, to: bobWallet.address.toLowerCase() })).toEqual(first);
  });

  it('is stored once, however many come at once', async () => {
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

  it('with other content, to somebody else, or of somebody else, is a CONFLICT', async () => {
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

  it('is no conflict once it was deleted, and stays deleted', async () => {
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

describe('what a message may be', () => {
  it.each<[string, object]>([
    ['empty', { content: '' }],
    ['too long', { content: 'x'.repeat(10_001) }],
    ['too long, in emoji', { content: '👋'.repeat(10_001) }],
    ['a zero character', { content: 'a\0b' }],
    ['an id of its own form', { id: 'mine' }],
    ['another type', { type: 'file' }],
    ['a picture without a file', { type: 'image', content: 'look' }],
    ['a text with a file', { mediaId: newId('msg') }],
    ['an unknown field', { status: 'read' }],
    ['to oneself', { to: aliceWallet.address }],
  ])('not: %s', async (_what, over) => {
    expect(await code(alice, 'messages.send', text(over))).toBe('VALIDATION_ERROR');
  });

  it('not: to no address', async () => {
    expect(await code(alice, 'messages.send', text({ to: '0x12' }))).toBe('INVALID_ADDRESS');
  });

  it('10,000 characters, whatever each takes; half a character becomes a whole one', async () => {
    for (const content of ['x'.repeat(10_000), '👋'.repeat(10_000), '\n"\\\u2028 {}{,}NULL'])
      expect((await sendText(alice, text({ content }))).content).toBe(content);
    const half = text({ content: 'a\ud83d' });
    expect((await sendText(alice, half)).content).toBe('a\ufffd');
    expect((await sendText(alice, half)).content).toBe('a\ufffd');
  });

  it('no file that nobody uploaded', async () => {
    const picture = text({ type: 'image', content: '', mediaId: newId('med') });
    expect(await code(alice, 'messages.send', picture)).toBe('NOT_FOUND');
  });
});

describe('other people’s messages', () => {
  it('don’t exist: nothing is read, acknowledged or changed by a third wallet', async () => {
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
    // Nobody is told whether it exists; it is just not marked.
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

describe('what a device has missed', () => {
  it('comes in pages, in order', async () => {
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
    // Of those that come at the same moment on one connection, too, the order is kept.
    expect(events.map(({ payload }) => payload.content)).toEqual(
      Array.from({ length: many }, (_, index) => String(index)),
    );
    expect(await code(device, 'session.catchUp', { after: -1 })).toBe('VALIDATION_ERROR');
  });

  it('is lost after EVENT_DAYS, and from a database that is older than the device; it is told so', async () => {
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
    await until(async () => (await left()).length === 1, 'thinned out');
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
    // It will be looked at again.
    await until(
      async () =>
        (await queryDatabase(server, "SELECT FROM due WHERE kind = 'events.thin' AND due_at > now()")).length,
      'the next turn',
    );
    const conversation = { with: aliceWallet.address };
    expect(await answerOf(device, 'messages.getConversation', conversation)).toMatchObject({
      unreadCount: 3,
    });
  });
});

it('typing is told again while it is renewed, and to nobody else', async () => {
  const heard = next(bob, 'typing:start');
  const request = { to: bobWallet.address, typing: true };
  await answerOf(alice, 'messages.setTyping', request);
  expect(await heard).toEqual({ from: aliceWallet.address });
  let isToldAgain = false;
  bob.once('typing:start', () => (isToldAgain = true));
  await until(async () => {
    await answerOf(alice, 'messages.setTyping', request);
    return isToldAgain;
  }, 'a renewal is told');
  expect(await code(alice, 'messages.setTyping', { to: aliceWallet.address, typing: true })).toBe(
    'VALIDATION_ERROR',
  );
});
