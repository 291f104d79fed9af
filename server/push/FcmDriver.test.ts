import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FcmServer, fcmError } from '../../test/harness/services/FcmServer.ts';
import { freePorts } from '../../test/harness/nodes/ports.ts';
import { FcmDriver } from './FcmDriver.ts';
import { callPush } from '../../test/harness/services/pushTokens.ts';

let fcm: FcmServer;
let driver: FcmDriver;
const device = { service: 'fcm', token: 'device-token-of-android' } as const;

/** FCM's answer for a token in a wrong form. */
const invalidToken = {
  error: {
    ...fcmError('INVALID_ARGUMENT', 'INVALID_ARGUMENT').error,
    message: 'The registration token is not a valid FCM registration token',
  },
};

beforeAll(async () => {
  fcm = await FcmServer.start();
});
beforeEach(() => {
  driver = new FcmDriver({ account: fcm.serviceAccount, baseUrl: fcm.url });
  fcm.received.length = 0;
});
afterAll(() => fcm?.close());

it('sends a call as urgent data, which FCM keeps only while the call rings', async () => {
  const push = callPush();
  expect(await driver.send(device, push)).toEqual({ state: 'sent' });
  const { from: sender, ...message } = push.message;
  expect(fcm.received).toEqual([
    {
      token: device.token,
      data: { ...message, version: '1', sender },
      android: { priority: 'HIGH', ttl: '30s' },
    },
  ]);
});

it('sends a group as JSON, since FCM refuses data that are not strings', async () => {
  const group = { id: 'grp_000000000000000000000000', name: 'Climbers' } as const;
  expect(await driver.send(device, callPush({ kind: 'message', group }))).toEqual({ state: 'sent' });
  expect(fcm.received[0]?.data['group']).toBe(JSON.stringify(group));
});

it('requests one token for concurrent pushes, and another when it has expired', async () => {
  const before = fcm.tokens;
  await Promise.all(Array.from({ length: 5 }, () => driver.send(device, callPush())));
  expect(fcm.tokens - before).toBe(1);
  fcm.endTokens();
  expect(await driver.send(device, callPush())).toMatchObject({ state: 'later' });
  expect(await driver.send(device, callPush())).toEqual({ state: 'sent' });
});

describe('answers of FCM', () => {
  it.each([
    [404, fcmError('NOT_FOUND', 'UNREGISTERED'), { state: 'gone' }],
    [403, fcmError('PERMISSION_DENIED', 'SENDER_ID_MISMATCH'), { state: 'gone' }],
    [404, fcmError('NOT_FOUND'), { state: 'failed' }],
    [400, fcmError('INVALID_ARGUMENT', 'INVALID_ARGUMENT'), { state: 'failed' }],
    [400, invalidToken, { state: 'gone' }],
    [503, fcmError('UNAVAILABLE', 'UNAVAILABLE'), { state: 'later', afterSeconds: null }],
  ])('maps %i %j to an outcome', async (status, body, outcome) => {
    fcm.answers.push({ status, body });
    expect(await driver.send(device, callPush())).toMatchObject(outcome);
  });

  it('retries after Retry-After, in seconds or as a date', async () => {
    const body = fcmError('RESOURCE_EXHAUSTED', 'QUOTA_EXCEEDED');
    const date = new Date(Date.now() + 60_000).toUTCString();
    fcm.answers.push({ status: 429, body, headers: { 'retry-after': '7' } });
    fcm.answers.push({ status: 429, body, headers: { 'retry-after': date } });
    expect(await driver.send(device, callPush())).toMatchObject({ state: 'later', afterSeconds: 7 });
    const second = await driver.send(device, callPush());
    expect(second).toMatchObject({ state: 'later', afterSeconds: expect.closeTo(60, -1) as number });
  });

  it('retries later if FCM cannot be reached', async () => {
    const account = { ...fcm.serviceAccount };
    await driver.send(device, callPush());
    const unusedUrl = `http://127.0.0.1:${await freePorts()}`;
    const unreachable = new FcmDriver({ account, baseUrl: unusedUrl });
    expect(await unreachable.send(device, callPush())).toMatchObject({ state: 'later' });
    const noTokens = new FcmDriver({
      account: { ...account, token_uri: `${unusedUrl}/token` },
      baseUrl: fcm.url,
    });
    expect(await noTokens.send(device, callPush())).toMatchObject({ state: 'later' });
  });

  it('retries later if the connection to FCM is never made', async () => {
    // It accepts connections, and leaves the TLS handshake unanswered.
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const late = new FcmDriver({ account: fcm.serviceAccount, baseUrl: `https://127.0.0.1:${port}` });
    expect(await late.send(device, callPush())).toMatchObject({ state: 'later' });
    silent.close();
  });
});
