import { afterAll, afterEach, beforeAll, expect, it, onTestFinished } from 'vitest';
import { keyScopes } from '../../../sdk/protocol/http.ts';
import { webhookEventTypes } from '../../../sdk/protocol/webhookEvents.ts';
import { Parley } from '../../../sdk/src/Parley.ts';
import { verifyWebhook } from '../../../sdk/src/index.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { verify, WebhookReceiver } from '../../harness/services/WebhookReceiver.ts';
import { until } from '../../harness/until.ts';
import {
  api,
  connectDatabase,
  newCustomer,
  newKey,
  queryDatabase,
  roomySettings,
  type Customer,
} from '../money/accountSupport.ts';
import { holdWrites } from '../money/holdWrites.ts';
import { bearer } from '../support.ts';

/* The webhook endpoints of accounts, through the SDK and a real server. */

interface User {
  customer: Customer;
  client: Parley;
  keyId: string;
  headers: Record<string, string>;
}

let server: ServerProcess;
let alice: User;
let bob: User;
const receivers: WebhookReceiver[] = [];

async function newUser(): Promise<User> {
  const customer = await newCustomer(server.url);
  const { id: keyId, secret } = await newKey(server.url, customer, { scopes: keyScopes });
  const client = new Parley({ baseUrl: server.url, auth: { apiKey: secret } });
  return { customer, client, keyId, headers: bearer(secret) };
}
async function newReceiver(): Promise<WebhookReceiver> {
  const receiver = await WebhookReceiver.start();
  receivers.push(receiver);
  return receiver;
}

beforeAll(async () => {
  server = await ServerProcess.start({
    ...roomySettings,
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    WEBHOOK_RETRY_SECONDS: '1,1',
    SIGNUP_CREDITS: '5000',
  });
  [alice, bob] = [await newUser(), await newUser()];
});
afterEach(async () => {
  for (const { client } of [alice, bob])
    for (const { id } of (await client.webhooks.list()).data) await client.webhooks.remove(id);
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});
afterAll(async () => {
  alice?.client.close();
  bob?.client.close();
  await server?.dispose();
});

it('is created, read, changed and removed, and shows its secret once', async () => {
  const { webhooks } = alice.client;
  const receiver = await newReceiver();
  const { secret = '', ...created } = await webhooks.create({ url: receiver.url, description: 'ledger' });
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(created).toEqual({
    id: expect.stringMatching(/^whk_[0-9A-Za-z]{24}$/) as string,
    url: receiver.url,
    events: [...webhookEventTypes],
    description: 'ledger',
    disabledAt: null,
    previousSecretUntil: null,
    setByKey: { id: alice.keyId, prefix: expect.any(String) as string, status: 'active' },
    createdAt: expect.any(Date) as Date,
    updatedAt: expect.any(Date) as Date,
  });
  const { id } = created;
  expect(await webhooks.get(id)).toEqual(created);
  expect((await webhooks.list()).data).toEqual([created]);
  const rows = await queryDatabase(server, `SELECT secret::text FROM webhook_endpoints`);
  expect(JSON.stringify(rows)).not.toContain(Buffer.from(secret).toString('hex'));
  const events = ['room.ended', 'room.ended'] as const;
  const changed = await webhooks.update(id, { events: [...events], rotateSecret: true });
  expect(changed).toMatchObject({ events: ['room.ended'], url: receiver.url, description: 'ledger' });
  expect(changed.previousSecretUntil).toBeInstanceOf(Date);
  // Test events are sent whatever the types, and for a day both secrets sign.
  const tested = await webhooks.test(id);
  const [event] = await receiver.wait(1);
  if (!event) throw new Error('no delivery arrived');
  for (const each of [secret, changed.secret ?? '']) expect(verify(each, event)).toEqual(event.body);
  const verified = await verifyWebhook(event.text, event.headers, secret);
  expect(verified).toEqual({
    id: tested.eventId,
    type: 'webhook.test',
    timestamp: expect.any(Date) as Date,
    subjectId: null,
    sequence: null,
    data: { endpointId: id },
  });
  expect(event.headers['webhook-id']).toBe(tested.eventId);
  const [delivery] = await until(async () => {
    const { data } = await webhooks.deliveries(id, { status: 'delivered' });
    return data.length > 0 ? data : null;
  }, 'the test event is delivered');
  expect(delivery).toMatchObject({ id: tested.id, endpointId: id, attempts: 1, responseStatus: 204 });
  const again = await webhooks.replay(tested.id);
  expect(again).toMatchObject({ eventId: tested.eventId, status: 'pending' });
  const [, repeated] = await receiver.wait(2);
  expect(repeated?.text).toBe(event.text);
  // A transaction that began earlier may still hide the event.
  const listed = await until(async () => {
    const { data } = await webhooks.events({ type: 'webhook.test' });
    return data.length > 0 ? data : null;
  }, 'the event is listed');
  expect(listed.map((each) => each.id)).toEqual([tested.eventId]);
  expect(await webhooks.remove(id)).toEqual({ id });
  await expect(webhooks.get(id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(webhooks.replay(tested.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(server.log).not.toContain(secret);
});

it('does not exist for other accounts', async () => {
  const { id } = await alice.client.webhooks.create({ url: (await newReceiver()).url });
  const { id: deliveryId } = await alice.client.webhooks.test(id);
  const { webhooks } = bob.client;
  for (const ask of [
    () => webhooks.get(id),
    () => webhooks.update(id, { disabled: true }),
    () => webhooks.remove(id),
    () => webhooks.test(id),
    () => webhooks.deliveries(id),
    () => webhooks.replay(deliveryId),
  ])
    await expect(ask()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect((await webhooks.list()).data).toEqual([]);
  expect((await webhooks.events()).data).toEqual([]);
  expect(await alice.client.webhooks.get(id)).toMatchObject({ disabledAt: null });
});

it('refuses addresses inside the network, the 21st endpoint, and unknown events', async () => {
  const { webhooks } = alice.client;
  for (const [url, reason] of [
    ['not a url', 'invalid_url'],
    ['ftp://example.org/', 'invalid_url'],
    ['https://user:secret@example.org/', 'invalid_url'],
    ['https://10.0.0.1/', 'url_not_allowed'],
  ] as const) {
    await expect(webhooks.create({ url })).rejects.toMatchObject({ reason });
  }
  const created = await Promise.allSettled(
    Array.from({ length: 22 }, () => webhooks.create({ url: 'https://example.org/hook' })),
  );
  expect(created.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
  await expect(webhooks.create({ url: 'https://example.org/hook' })).rejects.toMatchObject({
    code: 'CONFLICT',
  });
  const { data, nextCursor } = await webhooks.list({ limit: 15 });
  expect([data.length, (await webhooks.list({ cursor: nextCursor ?? '' })).data.length]).toEqual([15, 5]);
  const after = `evt_${'0'.repeat(24)}`;
  await expect(webhooks.events({ after })).rejects.toMatchObject({ reason: 'event_not_kept' });
  const [one] = data;
  await expect(webhooks.update(one?.id ?? '', { url: 'https://10.0.0.1/' })).rejects.toMatchObject({
    reason: 'url_not_allowed',
  });
});

it('creates one endpoint for one idempotency key', async () => {
  const once = { ...alice.headers, 'Idempotency-Key': 'endpoint' };
  const create = () =>
    api(server.url, 'POST', '/webhooks/endpoints', once, { url: 'https://example.org/hook' });
  const [first, second] = [await create(), await create()];
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(second.body).toEqual(first.body);
  expect((await alice.client.webhooks.list()).data).toHaveLength(1);
});

it('gets the events of texts and numbers, also of the pool, besides the webhook of the number', async () => {
  const { numbers, sms, webhooks } = alice.client;
  const [ofAccount, ofNumber] = [await newReceiver(), await newReceiver()];
  const { id, secret = '' } = await webhooks.create({ url: ofAccount.url });
  const number = (await numbers.buy({ country: 'US' })).number;
  if (!number) throw new Error('the number was not bought at once');
  const { secret: own = '' } = await numbers.setWebhook({ numberId: number.id, url: ofNumber.url });
  const toOwn = await sms.send({ to: number.phoneNumber, message: 'from the pool' });
  const [received] = await ofAccount.wait(1, 'message.received');
  const [delivered] = await ofAccount.wait(1, 'message.delivered');
  const [byNumber] = await ofNumber.wait(1, 'message.received');
  if (!received || !delivered || !byNumber) throw new Error('fewer than three deliveries arrived');
  expect(delivered.body.data).toMatchObject({ id: toOwn.id, message: 'from the pool' });
  expect(verify(secret, received)).toMatchObject({ subjectId: null, sequence: null });
  expect(verify(own, byNumber)).toEqual({
    type: 'message.received',
    timestamp: expect.any(String) as string,
    data: received.body.data,
  });
  await ofAccount.wait(1, 'number.activated');
  await ofAccount.wait(1, 'message.sent');
  const types = async () => new Set((await webhooks.events()).data.map(({ type }) => type as string));
  const arrived = ofAccount.received.map(({ body }) => body.type);
  const isListed = async () => {
    const listed = await types();
    return arrived.every((type) => listed.has(type));
  };
  await until(isListed, 'all delivered events are listed');
  // Each list has only its own deliveries.
  const ofNumbers = (await numbers.webhookDeliveries()).data;
  expect(ofNumbers.map(({ type }) => type)).toEqual(['message.received']);
  expect((await webhooks.deliveries(id)).data.every(({ endpointId }) => endpointId === id)).toBe(true);
});

it('is written to the audit log, and removed with the key that set it', async () => {
  const { customer } = alice;
  const setter = await newKey(server.url, customer, { scopes: ['webhooks:write'] });
  const client = new Parley({ baseUrl: server.url, auth: { apiKey: setter.secret } });
  const { id: endpointId, url } = await client.webhooks.create({ url: 'https://example.org/hook' });
  await client.webhooks.update(endpointId, { description: 'other' });
  const revoke = (query = '') =>
    api(server.url, 'DELETE', `/api-keys/${setter.id}${query}`, customer.dashboard);
  expect((await revoke()).body).toMatchObject({
    endpoints: [{ endpointId, url, isRemoved: false }],
    webhooks: [],
  });
  expect(await alice.client.webhooks.get(endpointId)).toMatchObject({ setByKey: { status: 'revoked' } });
  expect((await revoke('?webhooks=remove')).body).toMatchObject({
    endpoints: [{ endpointId, url, isRemoved: true }],
  });
  await expect(alice.client.webhooks.get(endpointId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const audit = await api(
    server.url,
    'GET',
    `/audit-logs?action=webhook.changed&keyPrefix=${setter.prefix}`,
    customer.dashboard,
  );
  expect((audit.body.data as { method: string }[]).map(({ method }) => method)).toEqual([
    'DELETE',
    'PATCH',
    'POST',
  ]);
  client.close();
});

it('is removed with the key that is just setting it', async () => {
  const { customer } = alice;
  const { id, secret } = await newKey(server.url, customer, { scopes: ['webhooks:write'] });
  const database = await connectDatabase(server);
  onTestFinished(() => database.end());
  const held = await holdWrites(database, { write: 'INSERT ON webhook_endpoints' });
  const hook = { url: 'https://example.org/hook' };
  const creating = api(server.url, 'POST', '/webhooks/endpoints', bearer(secret), hook);
  await until(async () => (await held()) === 1, 'the endpoint is being created');
  let isRevoked = false;
  const revoking = api(server.url, 'DELETE', `/api-keys/${id}?webhooks=remove`, customer.dashboard).finally(
    () => (isRevoked = true),
  );
  const waiting = `SELECT FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted`;
  await until(
    async () => isRevoked || (await queryDatabase(server, waiting)).length === 1,
    'the revocation is over, or waits for the endpoint',
  );
  await database.query('SELECT pg_advisory_unlock(7)');
  expect((await creating).status).toBe(201);
  expect((await revoking).status).toBe(200);
  expect((await alice.client.webhooks.list()).data).toEqual([]);
});

it('logs no errors and no secrets', () => {
  expect(server.log).not.toMatch(/"level":50/);
  expect(server.log).not.toMatch(/whsec_|webhook-signature/);
});
