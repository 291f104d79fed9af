import { createECDH, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { privateKeyToAccount, generatePrivateKey } from 'viem/accounts';
import type { PrivateKeyAccount } from 'viem';
import { newId } from '../../../sdk/protocol/ids.ts';
import { deleteStatement } from '../../../sdk/protocol/statements.ts';
import { to as sampleNumber } from '../../integration/http/routeSamples.ts';
import { bearer, signedMessage } from '../../integration/support.ts';
import { idOf, walletOf } from './fill.ts';
import {
  change,
  last,
  list,
  read,
  seq,
  unused,
  write,
  writes,
  type Operation,
  type Session,
} from './Operation.ts';

const day = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
const ownNumber = encodeURIComponent('+12025000002');
const counterparty = encodeURIComponent('+12030000002');
const endpoint = `/webhooks/endpoints/${idOf('whk', 1)}`;
const oldVoicemail = unused('vm', 30);
const oldDelivery = unused('dlv', 30);
const pushTarget = {
  service: 'web',
  endpoint: 'https://push.example/device',
  p256dh: createECDH('prime256v1').generateKeys('base64url'),
  auth: randomBytes(16).toString('base64url'),
};
/** Where the last contacts begin. */
const lastContacts = Buffer.from(JSON.stringify(['name 95', 'contact95'])).toString('base64url');

/** A second of silence, as a WAV file. */
function silence(): Buffer {
  const header = Buffer.alloc(44);
  const bytes = 16_000;
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + bytes, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(8_000, 24);
  header.writeUInt32LE(16_000, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(bytes, 40);
  return Buffer.concat([header, Buffer.alloc(bytes)]);
}

/** Signs a message with a nonce of the server. */
async function sign({ anyone, url }: Session, account: PrivateKeyAccount, statement = 'Sign in.') {
  const { nonce } = await anyone('GET', '/auth/nonce');
  return signedMessage(url, account, { nonce: String(nonce), statement });
}

/** Signs in, renews the session and signs out. */
async function signInAndOut(session: Session, account: PrivateKeyAccount): Promise<unknown> {
  const { anyone } = session;
  const { refreshToken } = await anyone('POST', '/auth/verify', await sign(session, account));
  const renewed = await anyone('POST', '/auth/refresh', { refreshToken });
  return anyone('POST', '/auth/logout', { refreshToken: renewed.refreshToken });
}

/** Signs in to the dashboard with a new wallet. @returns the wallet, and the headers of its session */
async function signUp(session: Session) {
  const account = privateKeyToAccount(generatePrivateKey());
  const signed = await sign(session, account);
  const { token } = await session.anyone('POST', '/auth/verify', { ...signed, audience: 'dashboard' });
  return { account, headers: bearer(String(token)) };
}

/** Buys a number, and releases it after what is done with it. */
const withNumber = (
  name: string,
  path: string,
  body: object,
  run: (session: Session, numberId: string) => Promise<unknown> = () => Promise.resolve(),
): Operation =>
  writes(name, async (session) => {
    const { api } = session;
    const order = await api('POST', path, body);
    const read = () => api('GET', `/numbers/buy/status?orderId=${String(order.orderId)}`);
    let number = (await read()).number;
    for (; number === null; number = (await read()).number) await delay(20);
    const { id } = number as { id: string };
    await run(session, id);
    return api('POST', '/numbers/mine/release', { numberId: id });
  });

/** Accounts, their numbers, texts, webhooks and files, and what wallets do apart from rooms, calls and streams. */
export const accountOperations: Operation[] = [
  list('/account/subscription'),
  list(`/account/usage?from=${day(0)}&groupBy=key`),
  list(`/account/usage?from=${day(9)}&to=${day(2)}`),
  list('/account/export'),
  list('/account/deletion'),
  list('/account/identities'),
  last('/api-keys', seq),
  list('/api-keys/publishable'),
  last('/sms/inbox', seq),
  list(`/sms/rate?to=${encodeURIComponent(sampleNumber)}`),
  last('/numbers/mine/messages', seq),
  list(`/messaging/threads/${counterparty}?number=${ownNumber}`),
  last(`/messaging/threads/${counterparty}`, seq),
  list('/numbers/available?country=DE'),
  list('/numbers/available?country=US&type=local&areaCode=202'),
  list(`/numbers/mine/webhook?numberId=${idOf('num', 4)}`),
  list(`/numbers/mine/webhook?phoneNumber=${encodeURIComponent('+12025000004')}`),
  list(`/numbers/mine/webhook/deliveries?numberId=${idOf('num', 4)}`),
  list(`/numbers/mine/webhook/deliveries?phoneNumber=${encodeURIComponent('+12025000004')}`),
  last('/numbers/mine/webhook/deliveries', seq),
  last('/webhooks/endpoints', seq),
  list(endpoint),
  list(`/esim/orders/${idOf('ord', 2)}`),
  last('/operator/errors', seq),
  list(`/operator/quality/${idOf('call', 2)}?from=${day(0)}T00:00:00.000Z`),

  write('POST', '/numbers/mine/send', () => ({ from: '+12025000002', to: sampleNumber, message: 'Hello' })),
  withNumber(
    'POST /numbers/buy, its webhook, renewal, change and release',
    '/numbers/buy',
    { country: 'DE' },
    async ({ api }, numberId) => {
      await api('PUT', '/numbers/mine/webhook', { numberId, url: 'https://hooks.example' });
      await api('POST', '/numbers/mine/webhook/test', { numberId });
      await api('PUT', '/numbers/mine/webhook', { numberId, url: null });
      await api('PATCH', `/numbers/mine/${numberId}`, { autoRenew: true });
      return api('POST', '/numbers/mine/renew', { numberId });
    },
  ),
  withNumber('POST /numbers/buy/us', '/numbers/buy/us', {}),
  withNumber('POST /numbers/buy/intl', '/numbers/buy/intl', { country: 'DE' }),
  writes('POST and DELETE /webhooks/endpoints', async ({ api }) => {
    const body = { url: 'https://hooks.example', events: ['room.started'] };
    const { id } = await api('POST', '/webhooks/endpoints', body);
    return api('DELETE', `/webhooks/endpoints/${id}`);
  }),
  writes('POST /webhooks/deliveries/:id/replay', ({ api }) =>
    api('POST', `/webhooks/deliveries/${oldDelivery()}/replay`, {}),
  ),
  write('POST', '/leaksearch/search', () => ({ query: 'a@example.org', type: 'email' })),
  write('POST', '/leaksearch/search-with-credits', () => ({ query: 'a@example.org', type: 'email' })),
  writes('POST /verifications/start and check', async ({ api }) => {
    const to = `+1201555${Math.floor(1_000 + Math.random() * 9_000)}`;
    await api('POST', '/verifications/start', { to });
    return api('POST', '/verifications/check', { to, code: '000000' });
  }),
  writes('POST /api-keys/:id/rotate', async ({ dashboard }) => {
    const { id } = await dashboard('POST', '/api-keys', { name: 'a key' });
    const rotated = await dashboard('POST', `/api-keys/${id}/rotate`, {});
    await dashboard('DELETE', `/api-keys/${rotated.id}`);
    return dashboard('DELETE', `/api-keys/${id}`);
  }),
  writes('POST /operator/accounts/:id/credits', ({ dashboard }) =>
    dashboard('POST', `/operator/accounts/${idOf('acc', 9)}/credits`, { credits: 1, reason: 'A gift' }),
  ),
  writes('POST /operator/accounts/:id/block and unblock', async ({ dashboard }) => {
    await dashboard('POST', `/operator/accounts/${idOf('acc', 9)}/block`, { reason: 'Spam' });
    return dashboard('POST', `/operator/accounts/${idOf('acc', 9)}/unblock`, {});
  }),
  writes('POST /auth/verify, refresh and logout', (session) => signInAndOut(session, session.account)),
  writes('POST /auth/verify, refresh and logout of a new wallet', (session) =>
    signInAndOut(session, privateKeyToAccount(generatePrivateKey())),
  ),
  writes('DELETE /account and POST /account/restore', async (session) => {
    const { anyone } = session;
    const { account, headers } = await signUp(session);
    const { id } = await anyone('GET', '/account', undefined, headers);
    const proof = await sign(session, account, deleteStatement(id));
    await anyone('DELETE', '/account', { type: 'wallet', ...proof }, headers);
    return anyone('POST', '/account/restore', {}, headers);
  }),
  writes('POST /account/top-up and its payment', async ({ dashboard, customerPays }) => {
    const { url } = await dashboard('POST', '/account/top-up', { credits: 500 });
    return customerPays(String(url));
  }),
  // An account has one plan, so each call is of a new account.
  writes('POST and DELETE /account/subscription', async (session) => {
    const { anyone, customerPays } = session;
    const { headers } = await signUp(session);
    const { url } = await anyone('POST', '/account/subscription', { planId: 'team' }, headers);
    await customerPays(String(url));
    const read = () => anyone('GET', '/account/subscription', undefined, headers);
    while ((await read()).status === 'none') await delay(20);
    return anyone('DELETE', '/account/subscription', undefined, headers);
  }),
  writes('POST /media, and its download', async ({ dashboard }) => {
    const { id } = await dashboard('POST', '/media?as=file&name=notes', Buffer.from('Notes'));
    await dashboard('GET', `/media/${id}`);
    return dashboard('DELETE', `/media/uploads/${id}`);
  }),
  writes('POST, PATCH, GET and DELETE /media/uploads', async ({ dashboard }) => {
    const metadata = { 'Upload-Length': '5', 'Upload-Metadata': 'as ZmlsZQ==' };
    const { id } = await dashboard('POST', '/media/uploads', undefined, metadata);
    const sent = { 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' };
    await dashboard('PATCH', `/media/uploads/${id}`, Buffer.from('Notes'), sent);
    await dashboard('GET', `/media/uploads/${id}`);
    return dashboard('DELETE', `/media/uploads/${id}`);
  }),

  read('people.profile'),
  read('people.contacts', { cursor: lastContacts }, 'last page'),
  read('voicemail.get', { voicemailId: idOf('vm', 22) }),
  change('session.renew', ({ ask, token }) => ask('session.renew', { token })),
  change('messages.setTyping', ({ ask }) => ask('messages.setTyping', { to: walletOf(7), typing: true })),
  change('messages.addReaction and removeReaction', async ({ ask, peerWallet }) => {
    const messageId = newId('msg');
    await ask('messages.send', { id: messageId, to: peerWallet, content: 'Hello', type: 'text' });
    await ask('messages.addReaction', { messageId, emoji: '👍' });
    return ask('messages.removeReaction', { messageId, emoji: '👍' });
  }),
  change('notifications.register and unregister', async ({ ask }) => {
    await ask('notifications.register', pushTarget);
    return ask('notifications.unregister', { address: pushTarget.endpoint });
  }),
  change('notifications.seen', ({ ask, rows }) =>
    ask('notifications.seen', { kind: 'message', subject: idOf('msg', rows - 3) }),
  ),
  change('voicemail.record', async ({ ask, dashboard, peerWallet, peerHears }) => {
    const received = peerHears('voicemail:received');
    const { id: mediaId } = await dashboard('POST', '/media', silence());
    await ask('voicemail.record', { id: newId('vm'), mediaId, to: peerWallet });
    return received;
  }),
  change('voicemail.delete', ({ ask }) => ask('voicemail.delete', { voicemailId: oldVoicemail() })),
];
