import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventIn, launchChromium, leave, newContext, openClient } from '../harness/browser/browser.ts';
import { oneNode, type OneNode } from '../harness/nodes/Harness.ts';
import { PushService } from '../harness/services/PushService.ts';
import { PushBrowser, subscribeInPage } from '../harness/browser/pushInBrowser.ts';
import { until } from '../harness/until.ts';
import { Device } from '../integration/notifications/pushSupport.ts';

/*
 * Headless Chromium reaches no push service (pushManager.subscribe() fails), so the page gets a fake subscription. Everything else is the
 * browser's own: permission, worker, delivery to the worker, and notifications.
 */

const parties = {
  from: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  to: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
} as const;

let service: PushService;
let harness: OneNode;
let browser: Browser;

beforeAll(async () => {
  service = await PushService.start();
  harness = await oneNode({ ...service.settings, CALL_RING_SECONDS: '20' });
  browser = await launchChromium({ whole: true });
});

afterAll(async () => {
  await browser?.close();
  await harness?.close();
  await service?.close();
});

/** A signed-in page that may show notifications. */
async function openBob() {
  const bob = await openClient(browser, harness.url());
  await bob.context.grantPermissions(['notifications'], { origin: harness.url() });
  const serverKey = await serverKeyOf();
  const subscribe = async () => {
    const subscription = service.subscribe(serverKey);
    await subscribeInPage(bob, subscription);
    return subscription;
  };
  return { bob, subscribe, pushed: await PushBrowser.attach(bob) };
}

let serverKey: string | null = null;
async function serverKeyOf(): Promise<string> {
  if (serverKey) return serverKey;
  const client = await harness.client();
  const device = await Device.register(harness.url(), client, service);
  client.close();
  return (serverKey = device.subscription.serverKey);
}

/** Calls register() and returns the code of its error, or `registered`. */
const failure = (page: Awaited<ReturnType<typeof openClient>>['page']) =>
  page.evaluate(() =>
    window.parley.notifications.register().then(
      () => 'registered',
      (error: { code: string }) => error.code,
    ),
  );

it('asks for permission and registers nothing without it', async () => {
  const bob = await openClient(browser, harness.url());
  const ask = () => bob.page.evaluate(() => window.parley.notifications.requestPermissions());
  expect(await ask()).toBe(false);
  expect(await failure(bob.page)).toBe('PERMISSION_DENIED');
  await bob.context.grantPermissions(['notifications'], { origin: harness.url() });
  expect(await ask()).toBe(true);
  // The worker is installed; the error comes from the unreachable push service.
  expect(await failure(bob.page)).toBe('NETWORK_ERROR');
  await leave(bob);
});

it('shows a call and then a missed call while the app is closed; a click opens the page with the id of the call', async () => {
  const { bob, subscribe, pushed } = await openBob();
  const subscription = await subscribe();
  await bob.page.evaluate(() => window.parley.notifications.register());
  await bob.page.evaluate(() => window.parley.close());
  const alice = await harness.client();
  const { id } = await alice.parley.calls.start({ to: bob.address, type: 'video' });
  await pushed.deliver((await subscription.push()).message);
  const ringing = await pushed.waitForNotification('Incoming video call');
  const body = `${alice.address.slice(0, 6)}…${alice.address.slice(-4)}`;
  expect(ringing).toMatchObject({
    body,
    requireInteraction: true,
    silent: false,
    data: { id, kind: 'call' },
  });
  // A call tells the name of the caller. It is read for each push.
  await alice.parley.people.setProfile({ name: 'Alice' });
  await alice.parley.calls.end(id);
  await pushed.deliver((await subscription.push(({ outcome }) => outcome === 'missed')).message);
  const missed = await pushed.waitForNotification('Missed call');
  expect(missed).toMatchObject({ body: 'Alice', tag: ringing.tag, requireInteraction: false, silent: true });

  await bob.page.goto('about:blank');
  await pushed.worker.evaluate(
    'self.opened = []; self.clients.openWindow = async (url) => void self.opened.push(url)',
  );
  await pushed.click();
  await until(() => pushed.worker.evaluate('self.opened.length > 0'), 'a page');
  expect(await pushed.worker.evaluate('self.opened')).toEqual([`/?notification=call&id=${id}`]);
  await leave(bob);
});

it('passes a click to the open page and closes the notification of an ended call', async () => {
  const { bob, subscribe, pushed } = await openBob();
  const subscription = await subscribe();
  await bob.page.evaluate(() => {
    window.parley.on('notification:clicked', (payload) => window.seen.push({ name: 'clicked', payload }));
    // The page behaves as if frozen: it receives the call but does not confirm it.
    window.parley.notifications.seen = () => Promise.resolve();
    return window.parley.notifications.register();
  });
  const alice = await harness.client();
  const { id } = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
  const { message } = await subscription.push();
  await pushed.deliver(message);
  await pushed.waitForNotification('Incoming call');
  await pushed.click();
  expect(await eventIn(bob.page, 'clicked')).toMatchObject({ id, from: alice.address, type: 'audio' });

  await pushed.deliver(message);
  await pushed.waitForNotification('Incoming call');
  await alice.parley.calls.end(id);
  await eventIn(bob.page, 'call:missed');
  await until(async () => (await pushed.shown()).length === 0, 'no notification is shown');
  await leave(bob);
});

it('shows all simultaneous notifications while others are closed', async () => {
  const { bob, subscribe, pushed } = await openBob();
  await subscribe();
  await bob.page.evaluate(() => window.parley.notifications.register());
  const ended = { version: 1, ...parties, at: new Date().toISOString(), kind: 'call' as const, id: 'call_1' };
  const voicemail = (at: number) => ({ ...ended, kind: 'voicemail' as const, id: `vm_${at}` });
  const answered = { ...ended, outcome: 'answered' };
  for (let at = 0; at < 30; at += 3) {
    const [one, two, three] = [at, at + 1, at + 2].map(voicemail);
    const closing = bob.page.evaluate(async (shown) => {
      for (let times = 0; times < 50; times++) await window.parley.notifications.close(shown);
    }, ended);
    await pushed.deliverTogether([answered, one, two, answered, three]);
    await closing;
  }
  const ids = (await pushed.shown()).map(({ data }) => data.id);
  expect(ids.sort()).toEqual(Array.from({ length: 30 }, (_, at) => `vm_${at}`).sort());
  await leave(bob);
});

it('registers a changed subscription and removes the former one', async () => {
  const { bob, subscribe, pushed } = await openBob();
  const former = await subscribe();
  const unregistered = () => harness.server.logged('notifications.unregister').length;
  const before = unregistered();
  await bob.page.evaluate(() => window.parley.notifications.register());
  const current = await subscribe();
  await pushed.worker.evaluate("self.dispatchEvent(new Event('pushsubscriptionchange'))");
  await until(() => unregistered() > before, 'the former subscription is removed');
  await bob.page.evaluate(() => window.parley.close());
  const alice = await harness.client();
  const { id } = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
  await current.push();
  await alice.parley.calls.end(id);
  expect(former.requests).toEqual([]);
  await leave(bob);
});

it('replaces a subscription that was made with another server key', async () => {
  const { bob, subscribe } = await openBob();
  const { target, serverKey: key } = await subscribe();
  const used = await bob.page.evaluate(async (endpoint) => {
    const current = await PushManager.prototype.getSubscription();
    const calls: string[] = [];
    PushManager.prototype.getSubscription = () =>
      Promise.resolve({
        options: { applicationServerKey: new Uint8Array(65).buffer },
        unsubscribe: () => Promise.resolve(calls.push('unsubscribed') > 0),
      } as unknown as PushSubscription);
    PushManager.prototype.subscribe = (options) => {
      const bytes = new Uint8Array(options?.applicationServerKey as ArrayBuffer);
      calls.push(`${options?.userVisibleOnly} ${btoa(String.fromCharCode(...bytes))} ${endpoint}`);
      return Promise.resolve(current as PushSubscription);
    };
    await window.parley.notifications.register();
    return calls;
  }, target.endpoint);
  const inBase64 = Buffer.from(key, 'base64url').toString('base64');
  expect(used).toEqual(['unsubscribed', `true ${inBase64} ${target.endpoint}`]);
  await leave(bob);
});

it('runs the push worker inside an app’s own worker, with custom texts, and ignores other pushes', async () => {
  const app = await startApp(`${harness.url()}/sdk/parley-push.js`);
  const context = await newContext(browser);
  await context.grantPermissions(['notifications'], { origin: app.url });
  const page = await context.newPage();
  await page.goto(app.url);
  await page.evaluate(async () => {
    await navigator.serviceWorker.register('/worker.js');
    await navigator.serviceWorker.ready;
  });
  const pushed = await PushBrowser.attach({ page, context });
  await pushed.deliver({ of: 'the app itself' });
  const message = { version: 1, id: 'msg_1', ...parties, at: new Date().toISOString() };
  await pushed.deliver({ ...message, kind: 'message' });
  expect(await pushed.waitForNotification('Neue Nachricht')).toMatchObject({ body: 'Alice' });
  // All messages of one sender share a notification.
  await pushed.deliver({ ...message, kind: 'message', id: 'msg_2' });
  await until(async () => (await pushed.shown())[0]?.data.id === 'msg_2', 'the next message');
  expect(await pushed.shown()).toHaveLength(1);
  // Texts that the app does not define are English.
  await pushed.deliver({ ...message, kind: 'voicemail', id: 'vm_1' });
  await until(
    async () => (await pushed.shown()).some(({ title }) => title === 'New voicemail'),
    'a voicemail',
  );
  await context.close();
  await app.close();
});

it('serves the worker with a header that allows it to control the whole origin', async () => {
  const { headers } = await fetch(`${harness.url()}/sdk/parley-push.js`);
  expect(headers.get('service-worker-allowed')).toBe('/');
  expect(headers.get('content-type')).toMatch(/javascript/);
});

/** An app on another origin. */
async function startApp(pushWorker: string): Promise<{ url: string; close: () => Promise<void> }> {
  const worker = `self.parleyPush = { texts: { message: 'Neue Nachricht' }, nameOf: () => 'Alice' };
    importScripts('${pushWorker}');`;
  const server: Server = createServer((request, response) => {
    const isWorker = request.url === '/worker.js';
    response.setHeader('Content-Type', isWorker ? 'text/javascript' : 'text/html');
    response.end(isWorker ? worker : '<!doctype html><title>An app</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
