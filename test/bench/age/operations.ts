import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '../../../sdk/protocol/ids.ts';
import { to as sampleNumber } from '../../integration/http/routeSamples.ts';
import { accountOperations } from './accountOperations.ts';
import { idOf, walletOf } from './fill.ts';
import { liveOperations } from './liveOperations.ts';
import {
  change,
  last,
  latestRoom,
  list,
  place,
  read,
  readAt,
  seq,
  write,
  writes,
  type Operation,
} from './Operation.ts';

const number = '+12025550190';
const peer = walletOf(1);
const usual = walletOf(7);
const day = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
const message = (text: string) => ({ id: newId('msg'), to: usual, content: text, type: 'text' });

/** A message that was just sent, and what is done with it. */
const ofMessage = (name: string, more: object = {}) =>
  change(name, async ({ ask }) => {
    const sent = message('A message');
    await ask('messages.send', sent);
    return ask(name, { messageId: sent.id, ...more });
  });

/** What a server does that nobody uses. */
const idling: Operation = {
  name: 'ten seconds without requests',
  group: 'periodic work',
  countsAll: true,
  run: () => delay(10_000),
};

/** The server writes the rows of many requests together, up to a second later (AuditLog.ts). */
const auditing: Operation = {
  name: 'ten requests and their rows in the audit log',
  group: 'periodic work',
  countsAll: true,
  run: async ({ api }) => {
    for (let request = 0; request < 10; request++) await api('GET', '/account');
    await delay(1_500);
  },
};

/**
 * Every list, with each filter that an index has to serve, and every write whose cost could depend on the rows that are there.
 * operations.test.ts finds requests, routes and filters that are missing, and notMeasured.ts names those that are left out.
 */
export const operations: Operation[] = [
  list('/account'),
  list('/account/credits'),
  list(`/account/usage?from=${day(0)}`),
  list('/account/history'),
  list('/account/history?type=debit'),
  list('/account/history?type=refund'),
  list('/account/history?type=credit'),
  last('/account/history', seq),
  list('/account/payments'),
  last('/account/payments', seq),
  list('/audit-logs'),
  list('/audit-logs?action=api_key.created'),
  list('/audit-logs?action=request'),
  list('/audit-logs?hide=session_reads'),
  list('/audit-logs?keyPrefix=pk_2'),
  list('/audit-logs?keyPrefix=none'),
  list(`/audit-logs?from=${day(200)}&to=${day(190)}`),
  last('/audit-logs', seq),
  list('/api-keys'),
  list('/calls'),
  list('/calls?status=declined'),
  list('/calls?status=missed'),
  list('/calls?status=active'),
  last('/calls', place),
  list(`/calls/${idOf('call', 2)}`),
  list(`/calls/${idOf('call', 2)}/quality`),
  list('/recordings'),
  list('/recordings?status=failed'),
  list('/recordings?status=recording'),
  list('/recordings?kind=stream'),
  list(`/recordings?roomId=${idOf('room', 40)}`),
  last('/recordings', place),
  list('/rooms'),
  list('/rooms?status=ended'),
  list('/rooms?status=active'),
  last('/rooms?status=ended', place),
  list((rows) => `/rooms/${latestRoom(rows)}/messages`, 'GET /rooms/:id/messages'),
  list((rows) => `/rooms/${latestRoom(rows)}/tokens`, 'GET /rooms/:id/tokens'),
  list((rows) => `/rooms/${latestRoom(rows)}/participants`, 'GET /rooms/:id/participants'),
  list('/streams'),
  list('/streams?status=idle'),
  list('/streams?status=live'),
  last('/streams', place),
  list('/esim/orders'),
  last('/esim/orders', seq),
  list('/sms/inbox'),
  list(`/sms/inbox?from=${encodeURIComponent('+12030000003')}`),
  list(`/sms/inbox?since=${day(4)}`),
  list(`/sms/inbox?since=${day(299)}`),
  list(`/sms/${idOf('msg', 2)}`),
  list('/numbers/mine'),
  list('/numbers/mine?status=active'),
  list('/numbers/mine?status=expired'),
  last('/numbers/mine', seq),
  list('/numbers/mine/messages'),
  list('/numbers/mine/messages?direction=inbound'),
  list('/numbers/mine/messages?direction=outbound'),
  list(`/numbers/mine/messages?number=${encodeURIComponent('+12025000002')}`),
  list(`/numbers/mine/messages?with=${encodeURIComponent('+12030000003')}`),
  list(`/numbers/mine/messages?since=${day(4)}`),
  list('/messaging/threads'),
  list(`/messaging/threads?number=${encodeURIComponent('+12025000002')}`),
  last('/messaging/threads', seq),
  list(`/messaging/threads/${encodeURIComponent('+12030000002')}`),
  list('/webhooks/endpoints'),
  list(`/webhooks/endpoints/${idOf('whk', 1)}/deliveries`),
  list(`/webhooks/endpoints/${idOf('whk', 1)}/deliveries?status=failed`),
  list(`/webhooks/endpoints/${idOf('whk', 1)}/deliveries?status=pending`),
  last(`/webhooks/endpoints/${idOf('whk', 1)}/deliveries`, seq),
  list('/numbers/mine/webhook/deliveries'),
  list('/numbers/mine/webhook/deliveries?status=failed'),
  list('/webhooks/events'),
  list('/webhooks/events?order=latest'),
  list('/webhooks/events?type=room.ended'),
  list('/webhooks/events?order=latest&type=room.ended'),
  list(`/webhooks/events?subjectId=${idOf('room', 5)}`),
  list(`/webhooks/events?after=${idOf('evt', 500)}`),
  list('/operator/overview'),
  list('/operator/accounts'),
  list('/operator/accounts?blocked=true'),
  list('/operator/accounts?blocked=false'),
  list(`/operator/accounts?find=${walletOf(0)}`),
  list('/operator/accounts?find=nobody@example.org'),
  last('/operator/accounts', place),
  list('/operator/errors'),
  list('/operator/errors?requestId=req5'),
  list('/operator/payments'),
  list('/operator/payments?status=failed'),
  list('/operator/payments?status=settling'),
  list(`/operator/payments?payer=${walletOf(0)}`),
  last('/operator/payments', seq),
  list(`/operator/quality/${idOf('call', 2)}`),

  write('POST', '/sms/send', () => ({ to: sampleNumber, message: 'Your table is ready.' })),
  write('POST', '/messaging/send', () => ({ to: sampleNumber, message: 'Your table is ready.' })),
  write('POST', '/lookup', () => ({ phoneNumber: sampleNumber })),
  write('POST', '/verifications/start', () => ({
    to: `+1201555${Math.floor(1_000 + Math.random() * 9_000)}`,
  })),
  write('POST', '/esim/checkout', () => ({ packageId: 'eu-1gb' })),
  write('POST', '/rooms', () => ({ name: 'Stand-up' })),
  writes('POST /streams and its end', async ({ api }) => {
    const { id } = await api('POST', '/streams', { title: 'A stream', isPublic: false });
    return api('POST', `/streams/${String(id)}/end`, {});
  }),
  writes('POST /rooms, its messages, tokens, change and end', async ({ api }) => {
    const { id } = await api('POST', '/rooms', { name: 'Stand-up' });
    const path = `/rooms/${String(id)}`;
    await api('POST', `${path}/messages`, { content: 'Hello' });
    await api('POST', `${path}/tokens`, { identity: 'alice' });
    await api('PATCH', path, { name: 'Retrospective' });
    return api('POST', `${path}/end`, {});
  }),
  write('POST', `/webhooks/endpoints/${idOf('whk', 1)}/test`),
  write('PATCH', `/webhooks/endpoints/${idOf('whk', 2)}`, () => ({ description: 'x', disabled: true })),
  writes('POST /api-keys and its end', async ({ dashboard }) => {
    const { id } = await dashboard('POST', '/api-keys', { name: 'a key' });
    return dashboard('DELETE', `/api-keys/${String(id)}`);
  }),

  read('calls.getHistory'),
  read('calls.getHistory', { status: 'completed' }, 'completed'),
  read('calls.getHistory', { status: 'declined' }, 'declined'),
  read('calls.getHistory', { status: 'missed' }, 'missed'),
  read('calls.getHistory', { direction: 'incoming' }, 'incoming'),
  read('calls.getHistory', { direction: 'outgoing' }, 'outgoing'),
  read('calls.getHistory', { with: usual }, 'with a wallet'),
  read(
    'calls.getHistory',
    { from: `${day(200)}T00:00:00.000Z`, to: `${day(190)}T00:00:00.000Z` },
    'of ten days',
  ),
  read('calls.getHistory', { offset: 3_000 }, 'offset 3,000'),
  read('calls.getActive'),
  read('calls.getBlocked'),
  read('conference.list'),
  read('conference.list', { status: 'ended' }, 'ended'),
  read('conference.list', { status: 'ended', offset: 900 }, 'ended, offset 900'),
  read('conference.past'),
  readAt('conference.getChat', (rows) => ({ roomId: latestRoom(rows) })),
  readAt('conference.get', (rows) => ({ roomId: latestRoom(rows) })),
  read('messages.getConversations', { limit: 50 }),
  read('messages.getConversations', { limit: 50, offset: 50 }, 'last page'),
  read('messages.getConversation', { with: peer }),
  read('messages.getMessages', { with: peer }),
  read('messages.getMessages', { with: peer, before: `${day(250)}T00:00:00.000Z` }, 'early ones'),
  read('messages.getMessages', { with: peer, offset: 3_000 }, 'offset 3,000'),
  read('messages.getMessages', { with: peer, around: idOf('msg', 30) }, 'around one'),
  read('messages.getMessages', { with: walletOf(0) }, 'of nobody'),
  read('messages.search', { query: 'zebras' }, 'rare word'),
  read('messages.search', { query: 'dinner' }, 'frequent word'),
  read('messages.search', { query: 'nothing' }, 'no match'),
  read('messages.search', { query: 'dinner', with: usual }, 'frequent word in a conversation'),
  {
    name: 'messages.search, frequent word, next page',
    group: 'lists by socket',
    async run({ ask }) {
      const { nextCursor } = await ask('messages.search', { query: 'dinner' });
      return ask('messages.search', { query: 'dinner', cursor: nextCursor });
    },
  },
  read('people.contacts'),
  read('people.get', { addresses: [peer, usual] }),
  read('voicemail.getAll'),
  read('voicemail.getAll', { offset: 400 }, 'offset 400'),
  read('voicemail.getAll', { unreadOnly: true }, 'unread'),
  read('streaming.list'),
  read('streaming.list', { status: 'ended' }, 'ended'),
  read('streaming.list', { host: null }, 'of all'),
  read('recordings.list'),
  read('recordings.list', { kind: 'stream' }, 'streams'),
  read('recordings.list', { roomId: idOf('room', 40) }, 'of a room'),
  readAt('session.catchUp', (rows) => ({ after: rows - 100 })),
  read('notifications.getPreferences'),

  change('messages.send', ({ ask }) => ask('messages.send', message('A message'))),
  change('messages.send, to a new wallet', ({ ask }) =>
    ask('messages.send', {
      ...message('A message'),
      to: walletOf(10_000_000 + Math.floor(Math.random() * 1e6)),
    }),
  ),
  ofMessage('messages.edit', { content: 'Another message' }),
  ofMessage('messages.addReaction', { emoji: '👍' }),
  ofMessage('messages.delete', { forEveryone: true }),
  change('messages.markAsRead', async ({ ask, rows }) =>
    ask('messages.markAsRead', { messageId: idOf('msg', rows - 3) }),
  ),
  change('messages.acknowledge', ({ ask, rows }) =>
    ask('messages.acknowledge', { messageIds: [idOf('msg', rows - 3)] }),
  ),
  change('messages.search, after a message', async ({ ask }) => {
    await ask('messages.send', message('A message'));
    return ask('messages.search', { query: 'message' });
  }),
  change('calls.start and calls.end', async ({ ask }) => {
    const call = await ask('calls.start', { to: usual, type: 'audio' });
    return ask('calls.end', { callId: call.id });
  }),
  change('calls.block and calls.unblock', async ({ ask }) => {
    await ask('calls.block', { address: walletOf(0) });
    return ask('calls.unblock', { address: walletOf(0) });
  }),
  change('conference.create, join, chat, leave and end', async ({ ask }) => {
    const { id: roomId } = await ask('conference.create', { name: 'Room', maxParticipants: 10 });
    await ask('conference.join', { roomId });
    await ask('conference.sendChat', { roomId, content: 'Hello' });
    await ask('conference.leave', { roomId });
    return ask('conference.end', { roomId });
  }),
  change('groups.create, rename and messages.send', async ({ ask }) => {
    const groupId = newId('grp');
    await ask('groups.create', { groupId, name: 'Friends', members: [usual, peer] });
    await ask('groups.rename', { groupId, name: 'Old friends' });
    return ask('messages.send', { ...message('Hello'), to: groupId });
  }),
  change('people.setProfile', ({ ask }) => ask('people.setProfile', { name: `Name ${Math.random()}` })),
  change('people.saveContact and removeContact', async ({ ask }) => {
    await ask('people.saveContact', { address: usual, name: 'Friend' });
    return ask('people.removeContact', { address: usual });
  }),
  change('streaming.create and streaming.end', async ({ ask }) => {
    const { id } = await ask('streaming.create', { title: 'A stream', isPublic: true });
    return ask('streaming.end', { streamId: id });
  }),
  change('voicemail.markAsRead', ({ ask }) => ask('voicemail.markAsRead', { voicemailId: idOf('vm', 2) })),
  change('notifications.setPreferences', ({ ask }) => ask('notifications.setPreferences', { calls: true })),

  ...accountOperations,
  ...liveOperations,

  // With nothing to do: no row is old enough.
  { name: 'removal of old rows', group: 'periodic work', run: ({ runJob }) => runJob('retention') },
  { name: 'sums of the usage', group: 'periodic work', run: ({ runJob }) => runJob('usage') },
  { name: 'removal of old events', group: 'periodic work', run: ({ runJob }) => runJob('events.thin') },
  auditing,
  idling,
];

/** The number that texts of the pool come from. */
export const poolNumber = number;
