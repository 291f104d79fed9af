import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { verifyWebhook } from '../../../sdk/src/index.ts';
import type { WireWebhookDelivery } from '../../../sdk/protocol/webhooks.ts';
import type { WireNumber } from '../../../server/telephony/numbers/toWire.ts';
import { WebhookReceiver, verify } from '../../harness/services/WebhookReceiver.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import { api, newCustomer, newKey, queryDatabase, roomySettings } from '../money/accountSupport.ts';
import { grant, PhoneUser } from './telephonySupport.ts';
import { bearer } from '../support.ts';

/* Webhooks from a real server to receivers on this machine. */

interface SetWebhook {
  numberId: string;
  url: string | null;
  events: string[];
  secret?: string;
  createdAt: string;
  updatedAt: string;
}

let certificate: Awaited<ReturnType<typeof generate>>;
let folder: string;
let server: ServerProcess;
let alice: PhoneUser;
let bob: PhoneUser;
let hers: WireNumber;
let his: WireNumber;
const receivers: WebhookReceiver[] = [];

const newUser = async () => {
  const user = await PhoneUser.create(() => server.url);
  await grant(server, user, 5_000);
  return user;
};
const newReceiver = async () => {
  const receiver = await WebhookReceiver.start();
  receivers.push(receiver);
  return receiver;
};
const put = async (user: PhoneUser, body: object) => {
  const reply = await user.ask('PUT', '/numbers/mine/webhook', body);
  if (reply.status !== 200) throw new Error(reply.text);
  return reply.body as unknown as SetWebhook;
};
const deliveries = async (user: PhoneUser, query = '') =>
  (await user.get<{ data: WireWebhookDelivery[] }>(`/numbers/mine/webhook/deliveries${query}`)).data;
const settled = (user: PhoneUser, id: string) =>
  until(async () => {
    const found = (await deliveries(user)).find((each) => each.id === id);
    return found?.settledAt ? found : null;
  }, `${id} is settled`);
const send = (message: string) =>
  alice.post<{ id: string }>('/numbers/mine/send', { to: his.phoneNumber, message });
const test = (user: PhoneUser, { id: numberId }: WireNumber) =>
  user.post<{ id: string }>('/numbers/mine/webhook/test', { numberId });

beforeAll(async () => {
  certificate = await generate([{ name: 'commonName', value: 'localhost' }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
  folder = await mkdtemp(join(tmpdir(), 'parley-hooks-'));
  await writeFile(join(folder, 'ca.pem'), certificate.cert);
  server = await ServerProcess.start({
    ...roomySettings,
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    WEBHOOK_TIMEOUT_SECONDS: '30',
    WEBHOOK_RETRY_SECONDS: '1,1',
    NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
  });
  [alice, bob] = [await newUser(), await newUser()];
  hers = await alice.buy({ country: 'US' });
  his = await bob.buy({ country: 'GB', type: 'mobile' });
});
afterEach(async () => {
  await put(alice, { numberId: hers.id, url: null });
  await put(bob, { numberId: his.id, url: null });
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});
afterAll(async () => {
  await server?.dispose();
  await rm(folder, { recursive: true, force: true });
});

describe('the term of a number', () => {
  const setExpiry = (expires: string) =>
    queryDatabase(
      server,
      `UPDATE phone_numbers SET auto_renew = false, expires_at = now() + $2::interval WHERE id = $1`,
      [hers.id, expires],
    );
  const makeDue = (kind: string) =>
    queryDatabase(server, `UPDATE due SET due_at = now() WHERE kind = $1 AND subject = $2`, [kind, hers.id]);

  it('causes webhooks before and after it ends', async () => {
    const receiver = await newReceiver();
    const { secret = '' } = await put(alice, { numberId: hers.id, url: receiver.url });
    await setExpiry('1 day');
    await makeDue('number.warning');
    const [expiring] = await receiver.wait(1, 'number.expiring');
    expect(verify(secret, expiring as never)).toMatchObject({ data: { id: hers.id, status: 'active' } });
    await setExpiry('-1 second');
    await makeDue('number.end');
    const [expired] = await receiver.wait(1, 'number.expired');
    const webhook = { url: receiver.url, events: expect.any(Array) as string[] };
    expect(expired?.body.data).toMatchObject({ id: hers.id, status: 'expired', webhook });
    await alice.post('/numbers/mine/renew', { numberId: hers.id });
  });

  it('causes a webhook three days before it ends, even if the clock of the node says that it is too early', async () => {
    const receiver = await newReceiver();
    await put(alice, { numberId: hers.id, url: receiver.url });
    await setExpiry('3 days 1 second');
    await makeDue('number.warning');
    await receiver.wait(1, 'number.expiring');
  });
});

it('is set once with an Idempotency-Key, and each answer has its secret', async () => {
  const { url } = await newReceiver();
  const key = { 'Idempotency-Key': 'an answer that is lost' };
  const set = () => alice.ask('PUT', '/numbers/mine/webhook', { numberId: hers.id, url }, key);
  const [first, again] = [await set(), await set()];
  expect(first.body).toMatchObject({ url, secret: expect.stringMatching(/^whsec_/) as string });
  expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
});

it('delivers over HTTPS only if the certificate matches the host', async () => {
  const requests: string[] = [];
  const secure = createServer({ key: certificate.private, cert: certificate.cert }, (request, response) => {
    requests.push(String(request.headers.host));
    response.writeHead(200).end();
  });
  secure.listen(0, '127.0.0.1');
  await once(secure, 'listening');
  const { port } = secure.address() as AddressInfo;
  await put(alice, { numberId: hers.id, url: `https://localhost:${port}/hook` });
  expect(await settled(alice, (await test(alice, hers)).id)).toMatchObject({ status: 'delivered' });
  expect(requests).toEqual([`localhost:${port}`]);
  await put(alice, { numberId: hers.id, url: `https://other.localhost:${port}/hook` });
  const { id } = await test(alice, hers);
  await until(async () => (await deliveries(alice)).find((each) => each.id === id)?.attempts, 'an attempt');
  const [refused] = await deliveries(alice, `?numberId=${hers.id}&limit=1`);
  expect(refused).toMatchObject({ id, error: 'ERR_TLS_CERT_ALTNAME_INVALID', responseStatus: null });
  expect(requests).toHaveLength(1);
  secure.closeAllConnections();
  secure.close();
});

describe('a webhook', () => {
  it('reports a text to sender and recipient, signed according to Standard Webhooks', async () => {
    const [toAlice, toBob] = [await newReceiver(), await newReceiver()];
    const { secret: hersSecret = '' } = await put(alice, { numberId: hers.id, url: toAlice.url });
    const { secret: hisSecret = '' } = await put(bob, { phoneNumber: his.phoneNumber, url: toBob.url });
    const { id } = await send('hello webhook');
    const [received] = await toBob.wait(1, 'message.received');
    const [delivered] = await toAlice.wait(1, 'message.delivered');
    const [sent] = await toAlice.wait(1, 'message.sent');
    if (!received || !delivered || !sent) throw new Error('fewer than three deliveries arrived');
    for (const [secret, each] of [
      [hisSecret, received],
      [hersSecret, delivered],
      [hersSecret, sent],
    ] as const)
      expect(verify(secret, each)).toEqual(each.body);
    expect(() => verify(hersSecret, received)).toThrow();
    expect(received.body).toEqual({
      type: 'message.received',
      timestamp: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) as string,
      data: (await bob.messages('?limit=1'))[0],
    });
    expect(delivered.body.data).toEqual(await alice.message(id));
    expect(received.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': expect.stringMatching(/^evt_[0-9A-Za-z]{24}$/) as string,
    });
    const event = await verifyWebhook(received.text, received.headers, hisSecret);
    expect(event).toMatchObject({ type: 'message.received', data: { message: 'hello webhook' } });
    expect(event.timestamp).toBeInstanceOf(Date);
    await expect(verifyWebhook(received.text, received.headers, hersSecret)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      reason: 'invalid_signature',
    });
  });

  it('returns its secret once, stores it encrypted, and keeps it when the URL changes', async () => {
    const receiver = await newReceiver();
    const first = await put(alice, { numberId: hers.id, url: receiver.url });
    expect(first).toEqual({
      numberId: hers.id,
      url: receiver.url,
      events: expect.arrayContaining(['message.received', 'number.expired', 'webhook.test']) as string[],
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) as string,
      createdAt: first.updatedAt,
      updatedAt: expect.stringMatching(/Z$/) as string,
    });
    const url = `${receiver.url}/second`;
    const second = await put(alice, { numberId: hers.id, url, events: ['message.failed', 'message.failed'] });
    expect(second).toEqual({
      ...first,
      url,
      events: ['message.failed'],
      secret: undefined,
      updatedAt: second.updatedAt,
    });
    const [number] = (await alice.get<{ data: WireNumber[] }>('/numbers/mine')).data;
    expect(number?.webhook).toEqual({ url, events: ['message.failed'] });
    const state = await alice.get(`/numbers/mine/webhook?numberId=${hers.id}`);
    expect(state).toEqual({
      ...second,
      secret: undefined,
      disabledAt: null,
      previousSecretUntil: null,
      setByKey: expect.objectContaining({ status: 'active' }) as object,
    });
    const tested = await test(alice, hers);
    const [event] = await receiver.wait(1);
    expect(event?.path).toBe('/hook/second');
    expect(verify(first.secret ?? '', event as never)).toMatchObject({ type: 'webhook.test' });
    expect(await settled(alice, tested.id)).toMatchObject({ status: 'delivered', responseStatus: 204 });
    const rows = await queryDatabase(server, `SELECT secret::text FROM webhooks`);
    const plain = Buffer.from(first.secret ?? '').toString('hex');
    expect(JSON.stringify(rows)).not.toContain(plain);
    expect(server.log).not.toContain(first.secret);
  });

  it('signs with both secrets during a rotation', async () => {
    const receiver = await newReceiver();
    const old = await put(alice, { numberId: hers.id, url: receiver.url });
    const next = await put(alice, { numberId: hers.id, url: receiver.url, rotateSecret: true });
    expect(next.secret).toMatch(/^whsec_/);
    expect(next.secret).not.toBe(old.secret);
    await test(alice, hers);
    const [event] = await receiver.wait(1);
    if (!event) throw new Error('no delivery arrived');
    expect(String(event.headers['webhook-signature']).split(' ')).toHaveLength(2);
    for (const secret of [old.secret ?? '', next.secret ?? '']) {
      expect(verify(secret, event)).toEqual(event.body);
      await expect(verifyWebhook(event.text, event.headers, secret)).resolves.toBeDefined();
    }
    await queryDatabase(server, `UPDATE webhooks SET previous_secret_until = now() WHERE number_id = $1`, [
      hers.id,
    ]);
    await test(alice, hers);
    const [, after] = await receiver.wait(2);
    expect(String(after?.headers['webhook-signature']).split(' ')).toHaveLength(1);
    expect(() => verify(old.secret ?? '', after as never)).toThrow();
    expect(verify(next.secret ?? '', after as never)).toBeDefined();
  });

  it('gets only the selected events, plus test events', async () => {
    const receiver = await newReceiver();
    await put(alice, { numberId: hers.id, url: receiver.url, events: ['message.delivered'] });
    const { id } = await send('filtered');
    await alice.reached(id, 'delivered');
    await test(alice, hers);
    await receiver.wait(1, 'webhook.test');
    await receiver.wait(1, 'message.delivered');
    expect(receiver.received).toHaveLength(2);
  });

  it('appears in the audit log when it changes', async () => {
    const before = await queryDatabase(server, `SELECT id FROM audit_log WHERE action = 'webhook.changed'`);
    await put(alice, { numberId: hers.id, url: 'http://localhost:9/x' });
    await put(alice, { numberId: hers.id, url: null });
    const after = await queryDatabase(
      server,
      `SELECT actor_type, method, path FROM audit_log WHERE action = 'webhook.changed'`,
    );
    expect(after).toHaveLength(before.length + 2);
    expect(after.at(-1)).toEqual({
      actor_type: 'api_key',
      method: 'PUT',
      path: '/api/v1/numbers/mine/webhook',
    });
  });

  it('is not accessible to other accounts', async () => {
    const url = 'http://127.0.0.1:9/';
    expect(await bob.refusal('PUT', '/numbers/mine/webhook', { numberId: hers.id, url })).toEqual([
      404,
      'not_found',
    ]);
    expect(await bob.refusal('GET', `/numbers/mine/webhook?numberId=${hers.id}`)).toEqual([404, 'not_found']);
    expect(await bob.refusal('GET', `/numbers/mine/webhook/deliveries?numberId=${hers.id}`)).toEqual([
      404,
      'not_found',
    ]);
    expect((await deliveries(bob)).filter(({ numberId }) => numberId === hers.id)).toEqual([]);
    expect(await alice.refusal('POST', '/numbers/mine/webhook/test', { numberId: hers.id })).toEqual([
      404,
      'not_found',
    ]);
  });

  it.each([
    ['', 'invalid_url'],
    ['hooks.example', 'invalid_url'],
    ['ftp://hooks.example/', 'invalid_url'],
    ['javascript:alert(1)', 'invalid_url'],
    ['https://', 'invalid_url'],
    ['https://user:secret@hooks.example/', 'invalid_url'],
    ['https://10.0.0.1/', 'url_not_allowed'],
    ['https://169.254.169.254/latest/meta-data/', 'url_not_allowed'],
    ['https://[::ffff:192.168.1.1]/', 'url_not_allowed'],
    ['https://metadata.google.internal/', 'url_not_allowed'],
    ['https://printer.local/', 'url_not_allowed'],
    ['https://intranet/', 'url_not_allowed'],
  ])('cannot be %s: %s', async (url, error) => {
    const reply = await alice.ask('PUT', '/numbers/mine/webhook', { numberId: hers.id, url });
    expect([reply.status, reply.body.error]).toEqual([422, error]);
    expect(reply.body.details).toMatchObject([{ path: 'url', code: error }]);
  });

  it('of a released number can only be removed', async () => {
    const number = await alice.buy({ country: 'US' });
    await put(alice, { numberId: number.id, url: 'http://127.0.0.1:9/' });
    await alice.post('/numbers/mine/release', { numberId: number.id });
    const body = { numberId: number.id, url: 'http://127.0.0.1:9/' };
    expect(await alice.refusal('PUT', '/numbers/mine/webhook', body)).toEqual([409, 'number_released']);
    expect(await put(alice, { ...body, url: null })).toMatchObject({ url: null, events: [] });
  });
});

it('records which key set a webhook, and removes the webhook with the key on request', async () => {
  const customer = await newCustomer(server.url);
  const setter = await newKey(server.url, customer, { scopes: ['numbers:buy', 'numbers:read'] });
  const byKey: Record<string, string> = bearer(setter.secret);
  const call = (method: string, path: string, body?: object, headers = byKey) =>
    api(server.url, method, path, headers, body);
  const { number } = (await call('POST', '/numbers/buy', { country: 'US' })).body as { number: WireNumber };
  const numberId = number.id;
  const url = 'https://hooks.example/texts';
  expect((await call('PUT', '/numbers/mine/webhook', { numberId, url })).status).toBe(200);
  const state = async () => {
    const reply = await call(
      'GET',
      `/numbers/mine/webhook?numberId=${numberId}`,
      undefined,
      customer.dashboard,
    );
    return reply.status === 200 ? reply.body.setByKey : reply.status;
  };
  const { id, prefix } = setter;
  expect(await state()).toEqual({ id, prefix, status: 'active' });
  const revoke = (query = '') => call('DELETE', `/api-keys/${id}${query}`, undefined, customer.dashboard);
  const revoked = await revoke();
  expect(revoked.body).toMatchObject({ status: 'revoked', webhooks: [{ numberId, url, isRemoved: false }] });
  expect(await state()).toEqual({ id, prefix, status: 'revoked' });
  const removed = await revoke('?webhooks=remove');
  expect(removed.body).toMatchObject({ webhooks: [{ numberId, url, isRemoved: true }] });
  expect(await state()).toBe(404);
  const audit = await call('GET', `/audit-logs?action=webhook.changed`, undefined, customer.dashboard);
  expect(audit.body.data).toMatchObject([
    { actor: { type: 'session', prefix }, method: 'DELETE' },
    { actor: { type: 'api_key', prefix }, method: 'PUT' },
  ]);
  // A webhook set in a dashboard session belongs to no key.
  await call('PUT', '/numbers/mine/webhook', { numberId, url }, customer.dashboard);
  expect(await state()).toBeNull();
});
