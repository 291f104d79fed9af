import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oneNode, type OneNode } from '../../harness/nodes/Harness.ts';
import { PushService } from '../../harness/services/PushService.ts';
import type { TestClient } from '../../harness/clients/TestClient.ts';
import { until } from '../../harness/until.ts';
import { ask, Device } from './pushSupport.ts';
import { closeSockets, connected, next } from '../support.ts';

let service: PushService;
let harness: OneNode;

beforeAll(async () => {
  service = await PushService.start();
  harness = await oneNode({
    ...service.settings,
    CALL_RING_SECONDS: '12',
    VAPID_SUBJECT: 'mailto:me@test.example',
  });
});
afterAll(async () => {
  closeSockets();
  await harness?.close();
  await service?.close();
  // Every request was signed and encrypted correctly.
  expect(service?.problems).toEqual([]);
});

const register = (client: TestClient) => Device.register(harness.url(), client, service);

/** Creates Alice and Bob. Bob's apps are closed, and he has this many registered browsers. */
async function bobIsAway(browsers = 1) {
  const [alice, bob] = [await harness.client(), await harness.client()];
  const devices = [];
  for (let index = 0; index < browsers; index++) devices.push(await register(bob));
  bob.close();
  const [device] = devices as [Device];
  return { alice, bob, device, devices, ...device };
}

const call = (from: TestClient, to: TestClient, type: 'audio' | 'video' = 'audio') =>
  from.parley.calls.start({ to: to.address, type });

/** Lets the caller give up, and waits until every device that got a push for the call gets one for the missed call. */
async function giveUp(from: TestClient, callId: string, ...devices: Pick<Device, 'subscription'>[]) {
  await from.parley.calls.end(callId);
  for (const { subscription } of devices)
    await subscription.push(({ id, outcome }) => id === callId && outcome === 'missed');
}

/** Calls a wallet whose device is frozen, and waits for the push. By then, any push offered earlier would have arrived too. */
async function waitForLaterPush(): Promise<void> {
  const { alice, bob, device } = await bobIsAway();
  await device.connect(() => harness.server.log);
  const { id } = await call(alice, bob);
  await device.subscription.push();
  await giveUp(alice, id, device);
}

describe.concurrent('without a connected device', () => {
  it('sends one encrypted push with caller and type, then one for the missed call', async () => {
    const { alice, bob, subscription } = await bobIsAway();
    const { id } = await call(alice, bob, 'video');
    const push = await subscription.push();
    const at = expect.any(String) as string;
    const content = { version: 1, kind: 'call', id, from: alice.address, to: bob.address, type: 'video', at };
    expect(push.message).toEqual(content);
    expect(push).toMatchObject({ urgency: 'high', subject: 'mailto:me@test.example' });
    expect(push.ttlSeconds).toBeGreaterThan(0);
    expect(push.ttlSeconds).toBeLessThanOrEqual(12);
    await alice.parley.calls.end(id);
    const outcome = await subscription.push((message) => message.outcome !== undefined);
    expect(outcome.message).toEqual({ ...content, outcome: 'missed' });
    // Both have the same topic, so that the later push replaces the earlier one.
    expect(outcome.topic).toBe(push.topic);
    expect(subscription.requests).toHaveLength(2);
  });

  it('sends the outcome of a call only once the push of the call was answered, which it could overtake', async () => {
    const { alice, bob, subscription } = await bobIsAway();
    let isAnswered = false;
    const slowly = delay(2_000).then(() => (isAnswered = true));
    subscription.answers.push({ status: 201, after: slowly });
    const { id } = await call(alice, bob);
    await subscription.push();
    await alice.parley.calls.end(id);
    await subscription.push(({ outcome }) => outcome === 'missed');
    expect(isAnswered).toBe(true);
  });

  it('sends one push to each of two browsers', async () => {
    const { alice, bob, devices } = await bobIsAway(2);
    const { id } = await call(alice, bob);
    for (const { subscription } of devices) await subscription.push();
    await giveUp(alice, id, ...devices);
    for (const { subscription } of devices) expect(subscription.requests).toHaveLength(2);
  });

  it('notifies the other browsers when a newly connected device answers', async () => {
    const { alice, bob, devices } = await bobIsAway(2);
    const { id } = await call(alice, bob);
    await Promise.all(devices.map(({ subscription }) => subscription.push()));
    const phone = await harness.client(bob.account);
    await phone.event('call:incoming');
    await phone.parley.calls.answer(id);
    const [first, second] = devices.map(({ subscription }) => subscription);
    for (const each of [first, second]) await each?.push(({ outcome }) => outcome === 'answered');
    await alice.parley.calls.end(id);
    await phone.event('call:ended');
    expect(first?.requests).toHaveLength(2);
  });

  it('sends no push for calls while the wallet has turned them off', async () => {
    const { alice, bob, subscription } = await bobIsAway();
    const tablet = await harness.client(bob.account);
    expect(await tablet.parley.notifications.getPreferences()).toEqual({
      calls: true,
      messages: true,
      voicemails: true,
      conferenceInvites: true,
    });
    await tablet.parley.notifications.setPreferences({ messages: false });
    await tablet.parley.notifications.setPreferences({ calls: false });
    expect(await tablet.parley.notifications.getPreferences()).toMatchObject({
      calls: false,
      messages: false,
    });
    tablet.close();
    const unwanted = await call(alice, bob);
    await alice.parley.calls.end(unwanted.id);
    const again = await harness.client(bob.account);
    await again.parley.notifications.setPreferences({ calls: true });
    again.close();
    const { id } = await call(alice, bob);
    await subscription.push();
    await giveUp(alice, id, { subscription });
    expect(subscription.requests.map(({ message }) => message.id)).toEqual([id, id]);
  });

  const google =
    'credentials in the authorization header do not correspond to the credentials used to create the';
  it.each([
    ['410', { status: 410 }],
    ['Google’s refusal of its key', { status: 403, body: `the VAPID ${google} subscriptions.\n` }],
    ['Mozilla’s', { status: 401, body: '{"code":401,"errno":109,"message":"VAPID public key mismatch"}' }],
    ['Apple’s', { status: 403, body: '{"reason":"VapidPkHashMismatch"}' }],
  ])('drops a subscription that the push service answers with %s', async (_what, answer) => {
    const { alice, bob, devices } = await bobIsAway(2);
    const [expired, working] = devices.map(({ subscription }) => subscription);
    expired?.answers.push(answer);
    for (const expected of [1, 3]) {
      const { id } = await call(alice, bob);
      await until(() => working?.requests.length === expected, 'a push');
      await giveUp(alice, id, ...devices.slice(1));
    }
    expect(expired?.requests).toHaveLength(1);
    expect(working?.requests).toHaveLength(4);
  });

  it('retries after a 429 when its Retry-After has passed, only for the browser concerned', async () => {
    const { alice, bob, devices } = await bobIsAway(2);
    const [busy, working] = devices.map(({ subscription }) => subscription);
    busy?.answers.push({ status: 429, headers: { 'retry-after': '1' } }, { status: 503 });
    await call(alice, bob);
    await busy?.push(undefined);
    const [first, second, third] = busy?.requests ?? [];
    expect([first, second, third].map((each) => each?.status)).toEqual([429, 503, 201]);
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1_000);
    expect(working?.requests.filter(({ message }) => !message.outcome)).toHaveLength(1);
  });

  it('sends no push for a blocked caller', async () => {
    const [alice, bob, carol] = [await harness.client(), await harness.client(), await harness.client()];
    const { subscription } = await register(bob);
    await bob.parley.calls.block(alice.address);
    bob.close();
    await call(alice, bob);
    const { id } = await call(carol, bob);
    await subscription.push();
    await giveUp(carol, id, { subscription });
    expect(subscription.requests.map(({ message }) => message.id)).toEqual([id, id]);
  });

  it('sends no push to a browser that signed out or unregistered', async () => {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const [signedOut, unregistered] = [await register(bob), await register(bob)];
    const other = await harness.client(bob.account);
    const { subscription } = await register(other);
    const socket = await connected(harness.url(), other.parley.session?.token ?? '');
    await ask(socket, 'notifications.unregister', { address: unregistered.subscription.endpoint });
    socket.disconnect();
    other.close();
    await bob.parley.signOut();
    const { id } = await call(alice, bob);
    await subscription.push();
    await giveUp(alice, id, { subscription });
    expect(signedOut.subscription.requests).toEqual([]);
    expect(unregistered.subscription.requests).toEqual([]);
  });
});

describe.concurrent('with a connected device', () => {
  it('sends no push when the device shows the call', async () => {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const { subscription } = await register(bob);
    await call(alice, bob);
    await bob.event('call:incoming');
    await waitForLaterPush();
    expect(subscription.requests).toEqual([]);
  });

  it('sends no push when the device connected before the wallet had a subscription', async () => {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const tablet = await harness.client(bob.account);
    const { subscription } = await register(bob);
    bob.close();
    await call(alice, bob);
    await tablet.event('call:incoming');
    await waitForLaterPush();
    expect(subscription.requests).toEqual([]);
  });

  it('sends a push after three seconds when the device is frozen', async () => {
    const { alice, bob, device } = await bobIsAway();
    const socket = await device.connect(() => harness.server.log);
    const incoming = next(socket, 'call:incoming');
    const startedAt = Date.now();
    const { id } = await call(alice, bob);
    await incoming;
    const push = await device.subscription.push();
    expect(push.at - startedAt).toBeGreaterThanOrEqual(2_900);
    await giveUp(alice, id, device);
    expect(device.subscription.requests).toHaveLength(2);
  });

  it('sends no push when the device declines the call first', async () => {
    const { alice, bob, device } = await bobIsAway();
    const socket = await device.connect(() => harness.server.log);
    const { id: declined } = await call(alice, bob);
    await ask(socket, 'calls.decline', { callId: declined });
    const { id } = await call(alice, bob);
    await device.subscription.push();
    expect(device.subscription.requests.map(({ message }) => message.id)).toEqual([id]);
  });
});

describe('registration', () => {
  it.each([
    ['an http endpoint', { endpoint: 'http://push.example.com/x' }],
    ['an address in a private network', { endpoint: 'https://10.0.0.1/x' }],
    ['an invalid key', { p256dh: Buffer.alloc(65, 4).toString('base64url') }],
    ['a secret that is too short', { auth: 'AAAA' }],
  ])('rejects %s', async (_what, over) => {
    const bob = await harness.client();
    const socket = await connected(harness.url(), bob.parley.session?.token ?? '');
    const { target } = service.subscribe('');
    const refused = ask(socket, 'notifications.register', { ...target, ...over });
    await expect(refused).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('rejects a token of a service that is not configured', async () => {
    const bob = await harness.client();
    const refused = bob.parley.notifications.register({ fcm: 'a-token-of-android' });
    await expect(refused).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  it('replaces the oldest of ten devices with the eleventh', async () => {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const devices = [];
    for (let index = 0; index < 11; index++) devices.push(await register(bob));
    bob.close();
    const [oldest, ...others] = devices.map(({ subscription }) => subscription);
    await call(alice, bob);
    for (const each of others) await each.push();
    expect(oldest?.requests).toEqual([]);
  });
});
