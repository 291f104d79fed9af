import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oneNode, type OneNode } from '../../harness/nodes/Harness.ts';
import { PushService } from '../../harness/services/PushService.ts';
import { until } from '../../harness/until.ts';
import { queryDatabase } from '../money/accountSupport.ts';
import { Device } from './pushSupport.ts';
import { closeSockets } from '../support.ts';

let service: PushService;
let harness: OneNode;

beforeAll(async () => {
  service = await PushService.start();
  harness = await oneNode({ ...service.settings, CALL_RING_SECONDS: '40', CALL_GRACE_SECONDS: '30' });
});
afterAll(async () => {
  closeSockets();
  await harness?.close();
  await service?.close();
});

const query = (text: string) => queryDatabase(harness.server, text);

/** Kills the server with SIGKILL and restarts it, as a service manager does. */
async function crash(): Promise<void> {
  await harness.server.kill();
  await harness.server.start();
}

async function bobWithBrowser() {
  const [alice, bob] = [await harness.client(), await harness.client()];
  const device = await Device.register(harness.url(), bob, service);
  bob.close();
  return { alice, bob, device, ...device };
}

describe('kill -9 of the server', () => {
  it('between the start of a call and its push: sends one push', async () => {
    const { alice, bob, device, subscription } = await bobWithBrowser();
    await device.connect(() => harness.server.log);
    const { id } = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
    await crash();
    expect((await subscription.push()).message).toMatchObject({ id });
    await alice.parley.calls.end(id);
    await subscription.push(({ outcome }) => outcome === 'missed');
    expect(subscription.requests).toHaveLength(2);
  });

  it('while a push is being sent: sends only the outcome afterwards', async () => {
    const { alice, bob, subscription } = await bobWithBrowser();
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    subscription.answers.push({ status: 201, after: held });
    const { id } = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
    await until(() => subscription.requests.length === 1, 'the push is on its way');
    await crash();
    release();
    // The killed process holds a lease on the push. End it now instead of waiting.
    await query(`UPDATE due SET lease_until = NULL WHERE kind = 'push' AND subject LIKE '%${id}'`);
    const retried = () => query(`SELECT FROM due WHERE subject LIKE '%${id}' AND payload->>'attempts' = '1'`);
    await until(async () => (await retried()).length === 1, 'the push is tried again');
    await alice.parley.calls.end(id);
    const outcome = await subscription.push((message) => message.outcome === 'missed');
    expect(outcome.message).toMatchObject({ id });
    expect(subscription.requests).toHaveLength(2);
  });

  it('while the push service is busy: retries', async () => {
    const { alice, bob, subscription } = await bobWithBrowser();
    subscription.answers.push({ status: 429, headers: { 'retry-after': '4' } });
    const { id } = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
    await until(() => subscription.requests.length === 1, 'the push was refused');
    await until(
      () => harness.server.logged('push sent').some(({ subject }) => subject === id),
      'the refusal is stored',
    );
    await crash();
    expect((await subscription.push()).message).toMatchObject({ id });
    await alice.parley.calls.end(id);
    await subscription.push(({ outcome }) => outcome === 'missed');
    expect(subscription.requests).toHaveLength(3);
  });
});
