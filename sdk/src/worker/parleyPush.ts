import type { PushMessage } from '../../protocol/notifications.ts';
import { pushTag } from '../../protocol/pushTag.ts';
import { notificationOf, type PushSettings } from './notificationOf.ts';
import {
  clickedMessage,
  closeMessage,
  subscriptionChanged,
  type PageMessage,
  type WorkerMessage,
} from './messages.ts';
import type { ExtendableEvent, WorkerScope } from './WorkerScope.ts';

/*
 * The service worker that shows push notifications: `/sdk/parley-push.js`. An app that has its own service worker imports this one into it:
 * `self.parleyPush = { texts: { call: '…' } }; importScripts('/sdk/parley-push.js')`.
 */

const worker = self as unknown as WorkerScope & { parleyPush?: PushSettings };

worker.addEventListener('push', (event) => {
  const push = readPush(event.data);
  if (push) event.waitUntil(inTurn(() => show(push)));
});

// A page of the app asks to close a notification that is no longer current.
worker.addEventListener('message', (event) => {
  const { type, tag } = (event.data ?? {}) as Partial<PageMessage>;
  if (type === closeMessage && typeof tag === 'string') event.waitUntil(inTurn(() => close(tag)));
});

worker.addEventListener('notificationclick', (event) => {
  const push = event.notification?.data as PushMessage | undefined;
  if (push?.version !== 1) return;
  event.notification?.close();
  event.waitUntil(openApp(push));
});

// The browser has changed or ended the subscription. An open page registers the new one immediately. If no page is open, the app registers
// it at its next start.
worker.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(subscribeAgain(event)));

let last = Promise.resolve();
/** Runs tasks one after another. In Chromium, a list of the notifications may lack one that is being shown at the same time. */
function inTurn(work: () => Promise<void>): Promise<void> {
  const done = last.then(work);
  last = done.catch(() => undefined);
  return done;
}

/** @returns null for a push that is not from Parley, for example from the app's own server */
function readPush(data: ExtendableEvent['data']): PushMessage | null {
  try {
    const push = data?.json() as Partial<PushMessage> | undefined;
    return push?.version === 1 && push.kind && push.id ? (push as PushMessage) : null;
  } catch {
    return null;
  }
}

async function show(push: PushMessage): Promise<void> {
  const tag = pushTag(push);
  if (push.outcome && push.outcome !== 'missed') {
    await close(tag);
    const pages = await windows();
    // Browsers require a notification for every push, unless a page is visible.
    if (pages.some(({ visibilityState }) => visibilityState === 'visible')) return;
  }
  const { title, options } = notificationOf(push, worker.parleyPush ?? {});
  await worker.registration.showNotification(title, { ...options, tag, data: push });
}

async function close(tag: string): Promise<void> {
  const shown = await worker.registration.getNotifications({ tag });
  shown.forEach((notification) => notification.close());
}

async function openApp(push: PushMessage): Promise<void> {
  const pages = await windows();
  const page = pages.find(({ visibilityState }) => visibilityState === 'visible') ?? pages[0];
  if (page) {
    page.postMessage({ type: clickedMessage, push } satisfies WorkerMessage);
    await page.focus();
    return;
  }
  const { url = (of: PushMessage) => `/?notification=${of.kind}&id=${of.id}` } = worker.parleyPush ?? {};
  await worker.clients.openWindow(url(push));
}

async function subscribeAgain({ oldSubscription, newSubscription }: ExtendableEvent): Promise<void> {
  const { pushManager } = worker.registration;
  const applicationServerKey = oldSubscription?.options.applicationServerKey ?? null;
  if (!newSubscription && applicationServerKey)
    await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
  for (const page of await windows()) page.postMessage({ type: subscriptionChanged } satisfies WorkerMessage);
}

const windows = () => worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
