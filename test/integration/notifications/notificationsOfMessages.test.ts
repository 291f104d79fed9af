import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { oneNode, type OneNode } from '../../harness/Harness.ts';
import { PushService } from '../../harness/PushService.ts';
import { until } from '../../harness/until.ts';
import { queryDatabase } from '../money/accountSupport.ts';
import { recording, tone } from '../rooms/mediaSupport.ts';
import { Device } from './pushSupport.ts';
import { closeSockets, next } from '../support.ts';

/* Messages and voicemails wake devices that are away, once, and never say what is in them. */

let service: PushService;
let harness: OneNode;

beforeAll(async () => {
  service = await PushService.start();
  harness = await oneNode(service.settings);
});
afterEach(() => expect(service.problems).toEqual([]));
afterAll(async () => {
  // Not after each: those that run beside it need theirs.
  closeSockets();
  await harness?.close();
  await service?.close();
});

/** Bob, whose apps are closed, with a browser that can be woken; and Alice. */
async function bobIsAway() {
  const [alice, bob] = [await harness.client(), await harness.client()];
  const device = await Device.register(harness.url(), bob, service);
  bob.close();
  const write = (content: string) => alice.parley.messages.send({ to: bob.address, content, type: 'text' });
  return { alice, bob, device, ...device, write };
}

const pushesOf = (subject: string) =>
  queryDatabase(harness.server, `SELECT FROM due WHERE kind = 'push' AND subject LIKE '%' || $1`, [subject]);

describe.concurrent('a message', () => {
  it('to nobody’s device wakes a browser: who wrote and which, not what', async () => {
    const { alice, bob, subscription, write } = await bobIsAway();
    const { id } = await write('the secret words');
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
    expect(JSON.stringify(push)).not.toContain('secret words');
    await until(async () => (await pushesOf(id)).length === 0, 'nothing is left of it');
    expect(subscription.requests).toHaveLength(1);
  });

  it('that a device has taken within three seconds wakes nobody', async () => {
    const { bob, subscription, write } = await bobIsAway();
    const tablet = await harness.client(bob.account);
    const { id } = await write('hello');
    await tablet.event('message:received', (message) => message.id === id);
    await until(async () => (await pushesOf(id)).length === 0, 'it was looked at');
    expect(subscription.requests).toEqual([]);
  });

  it('to a device that is connected and frozen wakes the browser after three seconds', async () => {
    const { device, write } = await bobIsAway();
    const line = await device.connect(() => harness.server.log);
    const received = next(line, 'message:received');
    const startedAt = Date.now();
    await write('hello');
    await received;
    expect((await device.subscription.push()).at - startedAt).toBeGreaterThanOrEqual(2_900);
  });

  it('of somebody who is blocked, or whom no notification is wanted of, wakes nobody', async () => {
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
  it('wakes a browser, and is told to a device that comes later, once', async () => {
    const { alice, bob, subscription } = await bobIsAway();
    const kept = new Map<string, string>();
    const storage = {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
      removeItem: (key: string) => void kept.delete(key),
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
