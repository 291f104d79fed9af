import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '../../../sdk/protocol/ids.ts';
import { to as sampleNumber } from '../../integration/http/routeSamples.ts';
import { idOf, timeOf, walletOf } from './fill.ts';

/** What the operations run with. */
export interface Session {
  /** Sends a request with a key that has all scopes. @throws Error if it is refused */
  api: (method: string, path: string, body?: object) => Promise<Record<string, unknown>>;
  /** The same with the session of the dashboard, which is an operator's. */
  dashboard: (method: string, path: string, body?: object) => Promise<Record<string, unknown>>;
  /** Sends a request over the socket of the heavy wallet. @throws Error if it is refused */
  ask: (name: string, payload?: object) => Promise<unknown>;
  /** Makes a scheduled job due, and waits until it has run. */
  runJob: (kind: string) => Promise<void>;
  rows: number;
}

export interface Operation {
  name: string;
  group: 'lists over HTTP' | 'writes over HTTP' | 'lists by socket' | 'writes by socket' | 'periodic work';
  run: (session: Session) => Promise<unknown>;
}

/** Reads a list as a client does: the first page, and with `deep` the last one by its cursor. */
const list = (path: string): Operation => ({
  name: `GET ${path}`,
  group: 'lists over HTTP',
  run: ({ api }) => api('GET', path),
});
const own = (path: string): Operation => ({
  name: `GET ${path}`,
  group: 'lists over HTTP',
  run: ({ dashboard }) => dashboard('GET', path),
});
const last = (path: string, cursor: (rows: number) => string): Operation => ({
  name: `GET ${path}, last page`,
  group: 'lists over HTTP',
  run: ({ api, dashboard, rows }) =>
    (/^.(operator|audit|account.payments)/.test(path) ? dashboard : api)(
      'GET',
      `${path}${path.includes('?') ? '&' : '?'}cursor=${Buffer.from(`v1:${cursor(rows)}`).toString('base64url')}`,
    ),
});
const write = (method: string, path: string, body: () => object = () => ({})): Operation => ({
  name: `${method} ${path}`,
  group: 'writes over HTTP',
  run: ({ api }) => api(method, path, body()),
});
const read = (name: string, payload: object = {}, note = ''): Operation => ({
  name: `${name}${note && `, ${note}`}`,
  group: 'lists by socket',
  run: ({ ask }) => ask(name, payload),
});
const change = (name: string, run: Operation['run']): Operation => ({ name, group: 'writes by socket', run });

/** A place with 120 older rows in every table, so that the page is full: the heavy account has at least half of them. */
const place = (rows: number) => `${timeOf(120, rows)}:${idOf('x', rows)}`;
const seq = () => '60';
const number = '+12025550190';
const peer = walletOf(1);
const usual = walletOf(7);
const day = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
const room = (rows: number) => idOf('room', rows / 5);
const message = (text: string) => ({ id: newId('msg'), to: usual, content: text, type: 'text' });

/** A message that was just sent, and what is done with it. */
const ofMessage = (name: string, more: object = {}) =>
  change(name, async ({ ask }) => {
    const sent = message('A message');
    await ask('messages.send', sent);
    return ask(name, { messageId: sent.id, ...more });
  });

/** Every list, with each filter that an index has to serve, and every write whose cost could depend on the rows that are there. */
export const operations: Operation[] = [
  list('/account'),
  list('/account/credits'),
  list(`/account/usage?from=${day(0)}`),
  list('/account/history'),
  list('/account/history?type=debit'),
  list('/account/history?type=refund'),
  list('/account/history?type=credit'),
  last('/account/history', seq),
  own('/account/payments'),
  last('/account/payments', seq),
  own('/audit-logs'),
  own('/audit-logs?action=api_key.created'),
  own('/audit-logs?action=request'),
  own('/audit-logs?hide=session_reads'),
  own('/audit-logs?keyPrefix=pk_2'),
  own('/audit-logs?keyPrefix=none'),
  own(`/audit-logs?from=${day(200)}&to=${day(190)}`),
  last('/audit-logs', seq),
  own('/api-keys'),
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
  {
    name: 'GET /rooms/:id/messages',
    group: 'lists over HTTP',
    run: ({ api, rows }) => api('GET', `/rooms/${room(rows)}/messages`),
  },
  {
    name: 'GET /rooms/:id/tokens',
    group: 'lists over HTTP',
    run: ({ api, rows }) => api('GET', `/rooms/${room(rows)}/tokens`),
  },
  {
    name: 'GET /rooms/:id/participants',
    group: 'lists over HTTP',
    run: ({ api, rows }) => api('GET', `/rooms/${room(rows)}/participants`),
  },
  list('/streams'),
  list('/streams?status=idle'),
  list('/streams?status=live'),
  last('/streams', place),
  list('/esim/orders'),
  last('/esim/orders', seq),
  list('/sms/inbox'),
  list(`/sms/inbox?from=${encodeURIComponent('+12030000003')}`),
  list(`/sms/inbox?since=${day(1)}`),
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
  list(`/numbers/mine/messages?since=${day(1)}`),
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
  own('/operator/overview'),
  own('/operator/accounts'),
  own('/operator/accounts?blocked=true'),
  own('/operator/accounts?blocked=false'),
  own(`/operator/accounts?find=${walletOf(0)}`),
  own('/operator/accounts?find=nobody@example.org'),
  last('/operator/accounts', place),
  own('/operator/errors'),
  own('/operator/errors?requestId=req5'),
  own('/operator/payments'),
  own('/operator/payments?status=failed'),
  own('/operator/payments?status=settling'),
  own(`/operator/payments?payer=${walletOf(0)}`),
  last('/operator/payments', seq),
  own(`/operator/quality/${idOf('call', 2)}`),

  write('POST', '/sms/send', () => ({ to: sampleNumber, message: 'Your table is ready.' })),
  write('POST', '/messaging/send', () => ({ to: sampleNumber, message: 'Your table is ready.' })),
  write('POST', '/lookup', () => ({ phoneNumber: sampleNumber })),
  write('POST', '/verifications/start', () => ({
    to: `+1201555${Math.floor(1_000 + Math.random() * 9_000)}`,
  })),
  write('POST', '/esim/checkout', () => ({ packageId: 'eu-1gb' })),
  write('POST', '/rooms', () => ({ name: 'Stand-up' })),
  {
    name: 'POST /streams and its end',
    group: 'writes over HTTP',
    async run({ api }) {
      const { id } = await api('POST', '/streams', { title: 'A stream', isPublic: false });
      return api('POST', `/streams/${String(id)}/end`, {});
    },
  },
  {
    name: 'POST /rooms, its messages, tokens, change and end',
    group: 'writes over HTTP',
    async run({ api }) {
      const { id } = await api('POST', '/rooms', { name: 'Stand-up' });
      const path = `/rooms/${String(id)}`;
      await api('POST', `${path}/messages`, { content: 'Hello' });
      await api('POST', `${path}/tokens`, { identity: 'alice' });
      await api('PATCH', path, { name: 'Retrospective' });
      return api('POST', `${path}/end`, {});
    },
  },
  write('POST', `/webhooks/endpoints/${idOf('whk', 1)}/test`),
  write('PATCH', `/webhooks/endpoints/${idOf('whk', 2)}`, () => ({ description: 'x', disabled: true })),
  {
    name: 'POST /api-keys and its end',
    group: 'writes over HTTP',
    async run({ dashboard }) {
      const { id } = await dashboard('POST', '/api-keys', { name: 'a key' });
      return dashboard('DELETE', `/api-keys/${String(id)}`);
    },
  },

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
  {
    name: 'conference.getChat',
    group: 'lists by socket',
    run: ({ ask, rows }) => ask('conference.getChat', { roomId: room(rows) }),
  },
  {
    name: 'conference.get',
    group: 'lists by socket',
    run: ({ ask, rows }) => ask('conference.get', { roomId: room(rows) }),
  },
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
  read('people.contacts'),
  read('people.get', { addresses: [peer, usual] }),
  read('voicemail.getAll'),
  read('voicemail.getAll', { unreadOnly: true }, 'unread'),
  read('streaming.list'),
  read('streaming.list', { host: null }, 'own'),
  read('streaming.list', { host: null, status: 'ended' }, 'own, ended'),
  read('recordings.list'),
  read('recordings.list', { kind: 'stream' }, 'streams'),
  read('recordings.list', { roomId: idOf('room', 40) }, 'of a room'),
  {
    name: 'session.catchUp',
    group: 'lists by socket',
    run: ({ ask, rows }) => ask('session.catchUp', { after: rows - 100 }),
  },
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
    const call = (await ask('calls.start', { to: usual, type: 'audio' })) as { id: string };
    return ask('calls.end', { callId: call.id });
  }),
  change('calls.block and calls.unblock', async ({ ask }) => {
    await ask('calls.block', { address: walletOf(0) });
    return ask('calls.unblock', { address: walletOf(0) });
  }),
  change('conference.create, join, chat, leave and end', async ({ ask }) => {
    const { id: roomId } = (await ask('conference.create', { name: 'Room', maxParticipants: 10 })) as {
      id: string;
    };
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
    const { id } = (await ask('streaming.create', { title: 'A stream', isPublic: true })) as { id: string };
    return ask('streaming.end', { streamId: id });
  }),
  change('voicemail.markAsRead', ({ ask }) => ask('voicemail.markAsRead', { voicemailId: idOf('vm', 2) })),
  change('notifications.setPreferences', ({ ask }) => ask('notifications.setPreferences', { calls: true })),

  // With nothing to do: no row is old enough.
  { name: 'removal of old rows', group: 'periodic work', run: ({ runJob }) => runJob('retention') },
  { name: 'sums of the usage', group: 'periodic work', run: ({ runJob }) => runJob('usage') },
  { name: 'removal of old events', group: 'periodic work', run: ({ runJob }) => runJob('events.thin') },
  { name: 'ten seconds without requests', group: 'periodic work', run: () => delay(10_000) },
];

/** The number that texts of the pool come from. */
export const poolNumber = number;
