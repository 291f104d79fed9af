import type { Message } from '@parley/sdk';
import { expect, it } from 'vitest';
import {
  countedReactions,
  joined,
  peerOf,
  startsOfRuns,
  withEdit,
  withMessage,
  withoutMessage,
  withReaction,
  withReceipt,
} from './chatState.ts';

const message = (second: number, more: Partial<Message> = {}) =>
  ({
    id: `msg_${second}`,
    from: '0xa',
    to: '0xb',
    content: `${second}`,
    status: 'sent',
    reactions: [],
    timestamp: new Date(second * 1_000),
    media: null,
    deletedAt: null,
    replyTo: null,
    editedAt: null,
    ...more,
  }) as Message;
const statuses = (messages: Message[]) => messages.map(({ status }) => status);
const ids = (messages: Message[]) => messages.map(({ timestamp }) => timestamp.getTime() / 1_000);

it('inserts a message once, in order, and never lowers its status', () => {
  const known = [message(3, { status: 'read' }), message(1)];
  expect(ids(withMessage(known, message(2)))).toEqual([3, 2, 1]);
  const again = withMessage(known, message(3));
  expect(ids(again)).toEqual([3, 1]);
  expect(again[0]?.status).toBe('read');
});

it('applies a receipt to the message and to earlier ones by the same sender', () => {
  const known = [message(3), message(2), message(1, { from: '0xb' })];
  const receipt = { messageId: 'msg_2', conversationId: 'cnv_1', from: '0xa', by: '0xb' };
  expect(statuses(withReceipt(known, receipt, 'read', '0xa'))).toEqual(['sent', 'read', 'sent']);
});

it('marks own messages in a group when all members have them, and those of others when this wallet has read them elsewhere', () => {
  const to = { to: 'grp_1' } as const;
  const known = [message(4, to), message(3, to), message(2, { ...to, from: '0xc' }), message(1, to)];
  const byBob = { messageId: 'msg_4', conversationId: 'grp_1', from: '0xa', by: '0xb' };
  // Bob has read all, and somebody else only the first.
  const marks = { allDeliveredUntil: message(3).timestamp, allReadUntil: message(1).timestamp };
  const some = withReceipt(known, { ...byBob, ...marks }, 'read', '0xa');
  expect(statuses(some)).toEqual(['sent', 'delivered', 'sent', 'read']);
  const all = { allDeliveredUntil: message(4).timestamp, allReadUntil: message(4).timestamp };
  expect(statuses(withReceipt(some, { ...byBob, ...all }, 'read', '0xa'))).toEqual([
    ...['read', 'read', 'sent', 'read'],
  ]);
  const elsewhere = { ...byBob, ...all, conversationId: 'grp_2' };
  expect(statuses(withReceipt(known, elsewhere, 'read', '0xa'))).toEqual(statuses(known));
  const byMe = { ...byBob, messageId: 'msg_3' };
  expect(statuses(withReceipt(known, byMe, 'read', '0xb'))).toEqual(['sent', 'read', 'read', 'read']);
});

it('puts each message into the chat with the other wallet, or of its group', () => {
  expect(peerOf(message(1), '0xa')).toBe('0xb');
  expect(peerOf(message(1), '0xb')).toBe('0xa');
  expect(peerOf(message(1, { to: 'grp_1' }), '0xa')).toBe('grp_1');
  expect(peerOf(message(1, { to: 'grp_1' }), '0xb')).toBe('grp_1');
});

it('finds where runs of messages by one sender begin, which a day also does', () => {
  const nextDay = 48 * 3_600;
  const known = [message(nextDay), message(3), message(2), message(1, { from: '0xb' })];
  expect([...startsOfRuns(known)]).toEqual([`msg_${nextDay}`, 'msg_2', 'msg_1']);
});

it('keeps one reaction per emoji and person', () => {
  const change = {
    messageId: 'msg_1',
    emoji: '👍',
    from: '0xb' as const,
    added: true,
    at: new Date(),
  };
  const [twice] = withReaction(withReaction([message(1)], change), change);
  expect(countedReactions(twice as Message, '0xb')).toEqual([{ emoji: '👍', count: 1, isOwn: true }]);
  const [taken] = withReaction([twice as Message], { ...change, added: false });
  expect(taken?.reactions).toEqual([]);
});

it('keeps an empty entry for a message deleted for everyone and removes one deleted for me', () => {
  const known = [message(2), message(1)];
  const deletion = { messageId: 'msg_1', at: new Date() };
  expect(withoutMessage(known, { ...deletion, forEveryone: true })[1]).toMatchObject({ content: '' });
  expect(ids(withoutMessage(known, { ...deletion, forEveryone: false }))).toEqual([2]);
});

it('joins a newly read page to the known messages, or replaces them if there may be a gap', () => {
  const known = [message(5), message(4), message(3), message(2)];
  // Message 5 arrived while the page was being read, and message 3 was deleted on another device.
  expect(joined([message(4), message(2.5)], known)).toMatchObject({ joins: true });
  expect(ids(joined([message(4), message(2.5)], known).messages)).toEqual([5, 4, 2.5, 2]);
  expect(ids(joined([message(9), message(8)], known).messages)).toEqual([9, 8]);
});

it('shows an edited and a deleted message also where it is quoted', () => {
  const quote = { id: 'msg_1', from: '0xa', content: 'before', type: 'text' } as const;
  const known = [message(2, { replyTo: quote }), message(1, { status: 'read', content: 'before' })];
  const editedAt = new Date();
  const edited = withEdit(known, message(1, { content: 'after', editedAt }));
  expect(edited[1]).toMatchObject({ content: 'after', editedAt, status: 'read' });
  expect(edited[0]?.replyTo?.content).toBe('after');
  const deleted = withoutMessage(edited, { messageId: 'msg_1', forEveryone: true, at: new Date() });
  expect(deleted[0]?.replyTo?.content).toBe('');
});
