import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ApnsServer } from '../../test/harness/services/ApnsServer.ts';
import { ApnsDriver } from './ApnsDriver.ts';
import { callPush } from '../../test/harness/services/pushTokens.ts';

let apns: ApnsServer;
let driver: ApnsDriver;
const token = 'ab'.repeat(32);
const alert = { service: 'apns', token, mode: 'alert' } as const;
const voip = { service: 'apns', token, mode: 'voip' } as const;

beforeAll(async () => {
  apns = await ApnsServer.start();
});
beforeEach(() => {
  driver = new ApnsDriver({ ...apns.account, baseUrl: apns.url });
  apns.received.length = 0;
});
afterEach(() => driver.close());
afterAll(() => apns?.close());

it('sends a call to PushKit as data on the VoIP topic', async () => {
  const push = callPush();
  expect(await driver.send(voip, push)).toEqual({ state: 'sent' });
  expect(apns.received).toMatchObject([
    {
      token,
      headers: {
        'apns-push-type': 'voip',
        'apns-topic': 'org.example.app.voip',
        'apns-priority': '10',
        'apns-expiration': String(Math.floor(push.expiresAt.getTime() / 1_000)),
        'apns-collapse-id': push.topic,
      },
      body: { aps: {}, parley: push.message },
    },
  ]);
});

it('sends alerts with title, sender and sound, and call outcomes without sound', async () => {
  await driver.send(alert, callPush({ kind: 'message' }));
  await driver.send(alert, callPush({ outcome: 'missed' }));
  const [message, missed] = apns.received;
  expect(message?.headers).toMatchObject({ 'apns-push-type': 'alert', 'apns-topic': 'org.example.app' });
  const body = callPush().message.from;
  expect(message?.body.aps).toMatchObject({ alert: { title: 'New message', body }, sound: 'default' });
  expect(missed?.body.aps).toMatchObject({ alert: { title: 'Missed call', body } });
  expect(missed?.body.aps).not.toHaveProperty('sound');
});

it('uses one connection and one token, and connects again when the connection ends', async () => {
  const before = apns.connections;
  await Promise.all(Array.from({ length: 5 }, () => driver.send(alert, callPush())));
  expect(apns.connections - before).toBe(1);
  expect(new Set(apns.received.map(({ headers }) => headers.authorization)).size).toBe(1);
  apns.sendGoaway();
  // The first push may be sent before the GOAWAY arrives, and then it may fail. So only the second one has to succeed.
  const outcomes = [await driver.send(alert, callPush()), await driver.send(alert, callPush())];
  expect(outcomes.at(-1)).toEqual({ state: 'sent' });
  expect(apns.connections - before).toBe(2);
});

it('makes a new token after the clock was set', async () => {
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ['Date'] });
  const hourMs = 3_600_000;
  for (const ms of [0, hourMs, -2 * hourMs]) {
    vi.setSystemTime(Date.now() + ms);
    expect(await driver.send(alert, callPush())).toEqual({ state: 'sent' });
  }
  expect(new Set(apns.received.map(({ headers }) => headers.authorization)).size).toBe(3);
});

it.each([
  [410, 'Unregistered', { state: 'gone' }],
  [400, 'BadDeviceToken', { state: 'gone' }],
  [400, 'DeviceTokenNotForTopic', { state: 'gone' }],
  [400, 'PayloadEmpty', { state: 'failed', why: '400 PayloadEmpty' }],
  [429, 'TooManyRequests', { state: 'later' }],
  [503, 'ServiceUnavailable', { state: 'later' }],
  [403, 'ExpiredProviderToken', { state: 'later' }],
])('maps the answer of APNs: %i %s', async (status, reason, outcome) => {
  apns.answers.push({ status, reason });
  expect(await driver.send(alert, callPush())).toMatchObject(outcome);
});

it('retries later if APNs has not begun to process a push', async () => {
  apns.answers.push('refused');
  expect(await driver.send(alert, callPush())).toMatchObject({ state: 'later' });
});

it('retries later if APNs cannot be reached', async () => {
  const unreachable = new ApnsDriver({ ...apns.account, baseUrl: 'http://127.0.0.1:9' });
  expect(await unreachable.send(alert, callPush())).toMatchObject({ state: 'later' });
});

describe('a connection that a firewall has forgotten', () => {
  it.each(['discards', 'resets'] as const)(
    'is replaced before the next push if it %s packets',
    async (how) => {
      const { baseUrl, forget } = await firewall();
      driver = new ApnsDriver({ ...apns.account, baseUrl, quietMs: 0 });
      const before = apns.connections;
      const send = () => driver.send(alert, callPush());
      expect(await send()).toEqual({ state: 'sent' });
      expect(await send()).toEqual({ state: 'sent' });
      expect(apns.connections - before).toBe(1);
      forget(how);
      expect(await Promise.all([send(), send()])).toEqual([{ state: 'sent' }, { state: 'sent' }]);
      expect(apns.connections - before).toBe(2);
      expect(apns.received).toHaveLength(4);
    },
  );

  it('is replaced after the first push without an answer', async () => {
    const { baseUrl, forget } = await firewall();
    driver = new ApnsDriver({ ...apns.account, baseUrl });
    const send = () => driver.send(alert, callPush());
    expect(await send()).toEqual({ state: 'sent' });
    forget('discards');
    // It may have been sent, so it is not repeated.
    expect(await send()).toMatchObject({ state: 'failed' });
    expect(await send()).toEqual({ state: 'sent' });
  });
});

/** A firewall before APNs. `forget` ends its memory of the present connections: it discards their packets, or answers them with a reset. */
async function firewall() {
  const clients = new Set<Socket>();
  const port = Number(new URL(apns.url).port);
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    clients.add(client);
    for (const socket of [client, upstream]) socket.on('error', () => undefined);
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const client of clients) client.destroy();
    server.close();
  });
  const forget = (how: 'discards' | 'resets') => {
    for (const client of clients) {
      client.unpipe();
      client.on('data', () => how === 'resets' && client.resetAndDestroy()).resume();
    }
  };
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, forget };
}
