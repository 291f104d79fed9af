import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oneNode, type OneNode } from '../../harness/Harness.ts';
import { PushService } from '../../harness/PushService.ts';
import type { TestClient } from '../../harness/TestClient.ts';
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
  // Every request was signed and encrypted as it has to be.
  expect(service?.problems).toEqual([]);
});

const register = (client: TestClient) => Device.register(harness.url(), client, service);

/** Bob, whose apps are closed, with so many browsers; and Alice. */
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

/** The caller gives up, and everybody who was told hears so. */
async function giveUp(from: TestClient, callId: string, ...devices: Pick<Device, 'subscription'>[]) {
  await from.parley.calls.end(callId);
  for (const { subscription } of devices)
    await subscription.push(({ id, outcome }) => id === callId && outcome === 'missed');
}

/** A call to somebody whose device is frozen: once that is told, so would have been whatever was offered before. */
async function patienceIsOver(): Promise<void> {
  const { alice, bob, device } = await bobIsAway();
  await device.connect(() => harness.server.log);
  const { id } = await call(alice, bob);
  await device.subscription.push();
  await giveUp(alice, id, device);
}

describe.concurrent('nobody is connected', () => {
  it('one push: who calls and how, encrypted, and no more; then that it was missed', async () => {
    const { alice, bob, subscription } = await bobIsAway();
    const startedAt = Date.now();
    const { id } = await call(alice, bob, 'video');
    const push = await subscription.push();
    expect(push.at - startedAt).toBeLessThan(3_000);
    const at = expect.any(String) as string;
    const content = { version: 1, kind: 'call', id, from: alice.address, to: bob.address, type: 'video', at };
    expect(push.message).toEqual(content);
    expect(push).toMatchObject({ urgency: 'high', subject: 'mailto:me@test.example' });
    expect(push.ttlSeconds).toBeGreaterThan(0);
    expect(push.ttlSeconds).toBeLessThanOrEqual(12);
    await alice.parley.calls.end(id);
    const outcome = await subscription.push((message) => message.outcome !== undefined);
    expect(outcome.message).toEqual({ ...content, outcome: 'missed' });
    // So that whichever is late replaces the other.
    expect(outcome.topic).toBe(push.topic);
    expect(subscription.requests).toHaveLength(2);
  });

  it('two browsers: one each', async () => {
    const { alice, bob, devices } = await bobIsAway(2);
    const { id } = await call(alice, bob);
    for (const { subscription } of devices) await subscription.push();
    await giveUp(alice, id, ...devices);
    for (const { subscription } of devices) expect(subscription.requests).toHaveLength(2);
  });

  it('answered on a device that came for it: the others hear so', async () => {
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

  it('not for calls, where the wallet wants none of these; all the same for what it wants', async () => {
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

  it('a browser that is gone (410) is asked once, and never again', async () => {
    const { alice, bob, devices } = await bobIsAway(2);
    const [gone, there] = devices.map(({ subscription }) => subscription);
    gone?.answers.push({ status: 410 });
    for (const expected of [1, 3]) {
      const { id } = await call(alice, bob);
      await until(() => there?.requests.length === expected, 'a push');
      await giveUp(alice, id, ...devices.slice(1));
    }
    expect(gone?.requests).toHaveLength(1);
    expect(there?.requests).toHaveLength(4);
  });

  it('a push service that is busy (429) gets it again, when it says; the other browser only once', async () => {
    const { alice, bob, devices } = await bobIsAway(2);
    const [busy, there] = devices.map(({ subscription }) => subscription);
    busy?.answers.push({ status: 429, headers: { 'retry-after': '1' } }, { status: 503 });
    await call(alice, bob);
    await busy?.push(undefined);
    const [first, second, third] = busy?.requests ?? [];
    expect([first, second, third].map((each) => each?.status)).toEqual([429, 503, 201]);
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1_000);
    expect(there?.requests.filter(({ message }) => !message.outcome)).toHaveLength(1);
  });

  it('none for a wallet that has blocked the caller', async () => {
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

  it('none to a browser that was signed out, or unregistered', async () => {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const [signedOut, unregistered] = [await register(bob), await register(bob)];
    const other = await harness.client(bob.account);
    const { subscription } = await register(other);
    const line = await connected(harness.url(), other.parley.session?.token ?? '');
    await ask(line, 'notifications.unregister', { address: unregistered.subscription.endpoint });
    line.disconnect();
    other.close();
    await bob.parley.signOut();
    const { id } = await call(alice, bob);
    await subscription.push();
    await giveUp(alice, id, { subscription });
    expect(signedOut.subscription.requests).toEqual([]);
    expect(unregistered.subscription.requests).toEqual([]);
  });
});

describe.concurrent('a device is connected', () => {
  it('and shows it: none', async () => {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const { subscription } = await register(bob);
    await call(alice, bob);
    await bob.event('call:incoming');
    await patienceIsOver();
    expect(subscription.requests).toEqual([]);
  });

  it('and was so before the wallet had any subscription, on another connection: none', async () => {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const tablet = await harness.client(bob.account);
    const { subscription } = await register(bob);
    bob.close();
    await call(alice, bob);
    await tablet.event('call:incoming');
    await patienceIsOver();
    expect(subscription.requests).toEqual([]);
  });

  it('and frozen: one after three seconds', async () => {
    const { alice, bob, device } = await bobIsAway();
    const line = await device.connect(() => harness.server.log);
    const incoming = next(line, 'call:incoming');
    const startedAt = Date.now();
    const { id } = await call(alice, bob);
    await incoming;
    const push = await device.subscription.push();
    expect(push.at - startedAt).toBeGreaterThanOrEqual(2_900);
    await giveUp(alice, id, device);
    expect(device.subscription.requests).toHaveLength(2);
  });

  it('and declines before: none', async () => {
    const { alice, bob, device } = await bobIsAway();
    const line = await device.connect(() => harness.server.log);
    const { id: declined } = await call(alice, bob);
    await ask(line, 'calls.decline', { callId: declined });
    const { id } = await call(alice, bob);
    await device.subscription.push();
    expect(device.subscription.requests.map(({ message }) => message.id)).toEqual([id]);
  });
});

describe('what can be registered', () => {
  it.each([
    ['http', { endpoint: 'http://push.example.com/x' }],
    ['an address in a private network', { endpoint: 'https://10.0.0.1/x' }],
    ['a key that is none', { p256dh: Buffer.alloc(65, 4).toString('base64url') }],
    ['a secret that is too short', { auth: 'AAAA' }],
  ])('not %s', async (_what, over) => {
    const bob = await harness.client();
    const line = await connected(harness.url(), bob.parley.session?.token ?? '');
    const { target } = service.subscribe('');
    const refused = ask(line, 'notifications.register', { ...target, ...over });
    await expect(refused).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('nothing of a service that is not configured', async () => {
    const bob = await harness.client();
    const refused = bob.parley.notifications.register({ fcm: 'a-token-of-android' });
    await expect(refused).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  it('ten devices of a wallet: the eleventh takes the place of the oldest', async () => {
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
