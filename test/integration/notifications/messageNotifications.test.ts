import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { oneNode, type OneNode } from '../../harness/nodes/Harness.ts';
import { PushService } from '../../harness/services/PushService.ts';
import { until } from '../../harness/until.ts';
import { queryDatabase } from '../money/accountSupport.ts';
import { recording, tone } from '../files/mediaSupport.ts';
import { ask, Device, openApp, retryOf } from './pushSupport.ts';
import { closeSockets, connected, next } from '../support.ts';

/* Messages and voicemails wake disconnected devices once. The push never contains their content. */

let service: PushService;
let harness: OneNode;

beforeAll(async () => {
  service = await PushService.start();
  harness = await oneNode(service.settings);
});
afterEach(() => expect(service.problems).toEqual([]));
afterAll(async () => {
  // Not in afterEach, because other tests still running need their sockets.
  closeSockets();
  await harness?.close();
  await service?.close();
});

/** Creates Alice and Bob. Bob's apps are closed, and his browser is subscribed to push. */
async function bobIsAway() {
  const [alice, bob] = [await harness.client(), await harness.client()];
  const device = await Device.register(harness.url(), bob, service);
  bob.close();
  const write = (content: string) => alice.parley.messages.send({ to: bob.address, content, type: 'text' });
  return { alice, bob, device, ...device, write };
}

const pushesOf = (subject: string) =>
  queryDatabase(harness.server, `SELECT FROM due WHERE kind = 'push' AND subject LIKE '%' || $1`, [subject]);

const { tried, tryAgain } = retryOf(() => harness.server);

describe.concurrent('a message', () => {
  it('sends a push with sender and id, without the text', async () => {
    const { alice, bob, subscription, write } = await bobIsAway();
    const { id } = await write('the secret text');
    const push = await subscription.push();
    const at = expect.any(String) as string;
    expect(push.message).toEqual({
      version: 1,
      kind: 'message',
      id,
      from: alice.address,
      to: bob.address,
      at,
    });
    expect(Math.abs(Date.now() - Date.parse(push.message.at))).toBeLessThan(30_000);
    expect(JSON.stringify(push)).not.toContain('secret text');
    await until(async () => (await pushesOf(id)).length === 0, 'its job is removed');
    expect(subscription.requests).toHaveLength(1);
  });

  it('sends a push with the group, for its messages and for an invitation to it', async () => {
    const { alice, bob, subscription, write } = await bobIsAway();
    const { id: groupId } = await alice.parley.groups.create({ name: 'Dinner', members: [bob.address] });
    const group = { id: groupId, name: 'Dinner' };
    const common = { from: alice.address, to: bob.address, group };
    expect((await subscription.push()).message).toMatchObject({ kind: 'group', id: groupId, ...common });
    const back = await harness.client(bob.account);
    await back.parley.groups.join(groupId);
    back.close();
    const toAll = await alice.parley.messages.send({ to: groupId, content: 'for all', type: 'text' });
    const toBob = await write('only for Bob');
    const pushOf = (id: string) => subscription.push((message) => message.id === id);
    expect((await pushOf(toAll.id)).message).toMatchObject({ kind: 'message', ...common });
    expect((await pushOf(toBob.id)).message).not.toHaveProperty('group');
  });

  it('sends no push once the recipient has blocked the sender', async () => {
    const { alice, bob, subscription, write } = await bobIsAway();
    subscription.answers.push({ status: 429, headers: { 'retry-after': '600' } });
    const { id } = await write('hello');
    await tried(id);
    const raw = await connected(harness.url(), bob.parley.session?.token ?? '');
    await ask(raw, 'calls.block', { address: alice.address });
    raw.disconnect();
    await tryAgain(id);
    await until(async () => (await pushesOf(id)).length === 0, 'its job has run');
    expect(subscription.requests).toHaveLength(1);
  });

  it('sends no push when a device confirms the message within three seconds', async () => {
    const { bob, subscription, write } = await bobIsAway();
    const tablet = await openApp(harness, bob.account);
    const { id } = await write('hello');
    await tablet.event('message:received', (message) => message.id === id);
    await until(async () => (await pushesOf(id)).length === 0, 'its job has run');
    expect(subscription.requests).toEqual([]);
  });

  it('sends a push after three seconds when the connected device is frozen', async () => {
    const { device, write } = await bobIsAway();
    const socket = await device.connect(() => harness.server.log);
    const received = next(socket, 'message:received');
    const startedAt = Date.now();
    await write('hello');
    await received;
    expect((await device.subscription.push()).at - startedAt).toBeGreaterThanOrEqual(2_900);
  });

  it('sends no push for a blocked sender or while message notifications are off', async () => {
    const { alice, bob, subscription, write } = await bobIsAway();
    const tablet = await harness.client(bob.account);
    await tablet.parley.calls.block(alice.address);
    tablet.close();
    const blocked = await write('hello');
    const again = await harness.client(bob.account);
    await again.parley.calls.unblock(alice.address);
    await again.parley.notifications.setPreferences({ messages: false });
    again.close();
    const unwanted = await write('hello again');
    for (const { id } of [blocked, unwanted]) expect(await pushesOf(id)).toEqual([]);
    const last = await harness.client(bob.account);
    await last.parley.notifications.setPreferences({ messages: true });
    last.close();
    const { id } = await write('the last');
    await subscription.push();
    expect(subscription.requests.map(({ message }) => message.id)).toEqual([id]);
  });
});

describe.concurrent('a voicemail', () => {
  it.each(['markAsRead', 'delete'] as const)('sends no push after %s', async (change) => {
    const { alice, bob, subscription } = await bobIsAway();
    subscription.answers.push({ status: 429, headers: { 'retry-after': '600' } });
    const file = await recording('voice.webm', ...tone(1), '-c:a', 'libopus');
    const { id } = await alice.parley.voicemail.record({ to: bob.address, file });
    await tried(id);
    const tablet = await harness.client(bob.account);
    await tablet.parley.voicemail[change](id);
    await tryAgain(id);
    await until(async () => (await pushesOf(id)).length === 0, 'its job has run');
    expect(subscription.requests).toHaveLength(1);
  });

  it('sends a push, and one event to a device that connects later', async () => {
    const { alice, bob, subscription } = await bobIsAway();
    const stored = new Map<string, string>();
    const storage = {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
      removeItem: (key: string) => void stored.delete(key),
    };
    const before = await harness.client(bob.account, storage);
    await before.parley.messages.getConversations();
    before.close();
    const file = await recording('voice.webm', ...tone(1), '-c:a', 'libopus');
    const { id } = await alice.parley.voicemail.record({ to: bob.address, file });
    expect((await subscription.push()).message).toMatchObject({ kind: 'voicemail', id, from: alice.address });
    const later = await harness.client(bob.account, storage);
    expect(await later.event('voicemail:received')).toMatchObject({ id, from: alice.address, isRead: false });
    later.close();
    const again = await harness.client(bob.account, storage);
    await again.parley.voicemail.delete(id);
    const second = await alice.parley.voicemail.record({ to: bob.address, file });
    await again.event('voicemail:received', (voicemail) => voicemail.id === second.id);
    expect(again.seen('voicemail:received')).toHaveLength(1);
  });
});
