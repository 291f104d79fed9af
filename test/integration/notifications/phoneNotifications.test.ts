import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApnsServer } from '../../harness/services/ApnsServer.ts';
import { FcmServer } from '../../harness/services/FcmServer.ts';
import { oneNode, type OneNode } from '../../harness/nodes/Harness.ts';
import { until } from '../../harness/until.ts';
import { Parley } from '../../../sdk/src/Parley.ts';

let fcm: FcmServer;
let apns: ApnsServer;
let harness: OneNode;

beforeAll(async () => {
  [fcm, apns] = [await FcmServer.start(), await ApnsServer.start()];
  const { key, keyId, teamId, topic } = apns.account;
  harness = await oneNode({
    CALL_RING_SECONDS: '20',
    PUSH: 'fcm,apns',
    FCM_SERVICE_ACCOUNT: JSON.stringify(fcm.serviceAccount),
    FCM_API_BASE: fcm.url,
    APNS_KEY: key,
    APNS_KEY_ID: keyId,
    APNS_TEAM_ID: teamId,
    APNS_TOPIC: topic,
    APNS_API_BASE: apns.url,
  });
});
afterAll(async () => {
  await harness?.close();
  await fcm?.close();
  await apns?.close();
});

const tokenOf = (device: string) => Buffer.from(device.padEnd(32)).toString('hex');
/** The pushes to an APNs token: push type and outcome of the call. */
const pushesTo = (device: string) =>
  apns.received
    .filter(({ token }) => token === tokenOf(device))
    .map(({ headers, body }) => [headers['apns-push-type'], body.parley.outcome]);

it('notifies phones of a call by FCM, PushKit and alert, and of its outcome by FCM and alert', async () => {
  const [alice, bob] = [await harness.client(), await harness.client()];
  const tablet = await harness.client(bob.account);
  await bob.parley.notifications.register({ fcm: 'the-token-of-an-android' });
  await bob.parley.notifications.register({ apns: tokenOf('voip'), mode: 'voip' });
  await bob.parley.notifications.register({ apns: tokenOf('alert') });
  await tablet.parley.notifications.register({ apns: tokenOf('tablet') });
  // Web Push is not configured, so it has no server key.
  await expect(bob.parley.notifications.register()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  bob.close();
  tablet.close();
  const { id } = await alice.parley.calls.start({ to: bob.address, type: 'video' });
  await until(
    () => fcm.received.length === 1 && pushesTo('voip').length === 1 && pushesTo('tablet').length === 1,
    'the call',
  );
  await alice.parley.calls.end(id);
  await until(() => fcm.received.length === 2, 'the outcome');
  await until(() => pushesTo('alert').length === 1 && pushesTo('tablet').length === 2, 'the outcome');
  expect(fcm.received.map(({ data }) => [data.kind, data.id, data.outcome])).toEqual([
    ['call', id, undefined],
    ['call', id, 'missed'],
  ]);
  expect(pushesTo('voip')).toEqual([['voip', undefined]]);
  expect(pushesTo('alert')).toEqual([['alert', 'missed']]);
  expect(pushesTo('tablet')).toEqual([
    ['alert', undefined],
    ['alert', 'missed'],
  ]);
});

it('drops a token that the service rejects as unregistered, and sends nothing to a token that the wallet removed', async () => {
  const [alice, bob] = [await harness.client(), await harness.client()];
  await bob.parley.notifications.register({ apns: tokenOf('gone') });
  await bob.parley.notifications.register({ apns: tokenOf('left') });
  await bob.parley.notifications.register({ fcm: 'another-token-of-android' });
  await bob.parley.notifications.unregister({ apns: tokenOf('left') });
  bob.close();
  apns.answers.push({ status: 410, reason: 'Unregistered' });
  const pushesToBob = () => fcm.received.filter(({ token }) => token === 'another-token-of-android').length;
  for (const expected of [1, 3]) {
    const { id } = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
    await until(() => pushesToBob() === expected, 'the call');
    await alice.parley.calls.end(id);
    await until(() => pushesToBob() === expected + 1, 'its outcome');
  }
  expect(pushesTo('gone')).toEqual([['alert', undefined]]);
  expect(pushesTo('left')).toEqual([]);
});

it.each(['answered', 'declined'])(
  'does not tell the phone that has %s a call what it has done',
  async (outcome) => {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const tablet = await harness.client(bob.account);
    const named = (device: string) => `the-token-of-the-${device}-that-${outcome}`;
    await bob.parley.notifications.register({ fcm: named('android') });
    await bob.parley.notifications.register({ apns: tokenOf(`voip ${outcome}`), mode: 'voip' });
    await bob.parley.notifications.register({ apns: tokenOf(`alert ${outcome}`) });
    await tablet.parley.notifications.register({ fcm: named('tablet') });
    const sessionToken = bob.parley.session?.token ?? '';
    bob.close();
    tablet.close();
    const told = (device: string) =>
      fcm.received.filter(({ token }) => token === named(device)).map(({ data }) => data.outcome);
    const { id } = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
    await until(() => told('android').length === 1 && told('tablet').length === 1, 'the call');
    await until(() => pushesTo(`voip ${outcome}`).length === 1, 'the call');
    const woken = new Parley({ apiKey: '', baseUrl: harness.url(), sessionToken });
    if (outcome === 'answered') await woken.calls.answer(id);
    else await woken.calls.decline(id);
    await until(() => told('tablet').length === 2, 'the outcome');
    woken.close();
    // By the time of a later push, those of this call have arrived.
    await alice.parley.calls.end(id).catch(() => undefined);
    await alice.parley.calls.start({ to: bob.address, type: 'audio' });
    await until(() => told('tablet').length === 3, 'the next call');
    expect(told('tablet')).toEqual([undefined, outcome, undefined]);
    expect(told('android').filter(Boolean)).toEqual([]);
    expect(pushesTo(`alert ${outcome}`)).toEqual([]);
  },
);
