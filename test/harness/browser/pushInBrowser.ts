import type { CDPSession, Worker } from 'playwright-core';
import type { PushMessage } from '../../../sdk/protocol/notifications.ts';
import type { BrowserClient } from './browser.ts';
import type { BrowserSubscription } from '../services/PushService.ts';
import { until } from '../until.ts';

export interface ShownNotification {
  title: string;
  body: string;
  tag: string;
  requireInteraction: boolean;
  silent: boolean | null;
  data: PushMessage;
}

/** A page's service worker, controlled through Chromium's developer tools. */
export class PushBrowser {
  readonly #client: Pick<BrowserClient, 'page' | 'context'>;
  readonly #cdp: CDPSession;
  readonly #registrations = new Map<string, string>();
  /** State changes and errors of the workers, for the error message when a notification is missing. */
  readonly #history: string[] = [];

  static async attach(client: Pick<BrowserClient, 'page' | 'context'>): Promise<PushBrowser> {
    const cdp = await client.context.newCDPSession(client.page);
    const browser = new PushBrowser(client, cdp);
    await cdp.send('ServiceWorker.enable');
    return browser;
  }

  private constructor(client: Pick<BrowserClient, 'page' | 'context'>, cdp: CDPSession) {
    this.#client = client;
    this.#cdp = cdp;
    cdp.on('ServiceWorker.workerVersionUpdated', ({ versions }) => {
      for (const { versionId, status, runningStatus } of versions)
        this.#history.push(`version ${versionId}: ${status}, ${runningStatus}`);
    });
    cdp.on('ServiceWorker.workerErrorReported', ({ errorMessage }) =>
      this.#history.push(JSON.stringify(errorMessage)),
    );
    cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      for (const { registrationId, scopeURL } of registrations)
        this.#registrations.set(registrationId, new URL(scopeURL).origin);
    });
  }

  /** Delivers a message as the push service does; resolves when the worker has handled it. */
  deliver(message: unknown): Promise<void> {
    return this.deliverTogether([message]);
  }

  async deliverTogether(messages: unknown[]): Promise<void> {
    const { origin } = new URL(this.#client.page.url());
    const find = () => [...this.#registrations].find(([, each]) => each === origin)?.[0];
    const registrationId = await until(find, 'a service worker');
    await this.worker.evaluate(recordWhatHappens);
    const before = await this.worker.evaluate<number>('self.handled.length');
    this.#history.push(`${messages.length} pushes for registration ${registrationId}`);
    const send = (message: unknown) =>
      this.#cdp.send('ServiceWorker.deliverPushMessage', {
        origin,
        registrationId,
        data: JSON.stringify(message),
      });
    await Promise.all(messages.map(send));
    const handled = before + messages.length;
    await until(
      () => this.worker.evaluate(`self.handled.length >= ${handled}`),
      'the worker received the pushes',
    );
    // getNotifications() during showNotification() can make Chromium lose the notification.
    await this.worker.evaluate('Promise.all(self.handled)');
  }

  shown(): Promise<ShownNotification[]> {
    return this.#client.page.evaluate(async () => {
      const registrations = await navigator.serviceWorker.getRegistrations();
      const lists = await Promise.all(registrations.map((each) => each.getNotifications()));
      return lists.flat().map(({ title, body, tag, requireInteraction, silent, data }) => {
        return { title, body, tag, requireInteraction, silent, data: data as PushMessage };
      });
    });
  }

  /** Waits until exactly one notification is shown and has this title. */
  async waitForNotification(title: string): Promise<ShownNotification> {
    let shown: ShownNotification[] = [];
    const check = async () => {
      shown = await this.shown();
      return shown[0]?.title === title && shown.length === 1 ? shown[0] : null;
    };
    return until(check, `a notification “${title}”`).catch(async (error: Error) => {
      const seen = await this.worker.evaluate<string[]>('self.seen');
      throw new Error([error.message, JSON.stringify(shown), ...this.#history, ...seen].join('\n'));
    });
  }

  get worker(): Worker {
    const [worker] = this.#client.context.serviceWorkers();
    if (!worker) throw new Error('no service worker');
    return worker;
  }

  /** Simulates a click on the notification by dispatching the event in the worker, because nothing outside the browser can click it. */
  async click(): Promise<void> {
    await this.worker.evaluate(`(async () => {
      const [notification] = await self.registration.getNotifications();
      self.dispatchEvent(new NotificationEvent('notificationclick', { notification }));
    })()`);
  }
}

/** Runs in the worker and fills `self.seen` and `self.handled`. */
const recordWhatHappens = `(() => {
  if (self.seen) return;
  self.seen = ['permission: ' + Notification.permission];
  self.handled = [];
  const { waitUntil } = ExtendableEvent.prototype;
  ExtendableEvent.prototype.waitUntil = function (done) {
    this.done = done;
    return waitUntil.call(this, done);
  };
  self.addEventListener('push', (event) => {
    self.seen.push('a push, active: ' + Boolean(registration.active));
    self.handled.push(Promise.resolve(event.done).then(() => undefined, () => undefined));
  });
  const show = registration.showNotification.bind(registration);
  registration.showNotification = (...given) => {
    const shown = show(...given);
    shown.then(() => self.seen.push('shown: ' + given[0]), (error) => self.seen.push(String(error)));
    return shown;
  };
})()`;

/** Replaces the subscription that the browser would get from Google's push service with one of the fake push service. */
export async function subscribeInPage(
  { page }: Pick<BrowserClient, 'page'>,
  { target, serverKey }: BrowserSubscription,
): Promise<void> {
  await page.evaluate(
    ({ endpoint, keys, key }) => {
      const bytes = Uint8Array.from(atob(key.replaceAll('-', '+').replaceAll('_', '/')), (c) =>
        c.charCodeAt(0),
      );
      const subscription = {
        endpoint,
        options: { applicationServerKey: bytes.buffer, userVisibleOnly: true },
        toJSON: () => ({ endpoint, keys }),
        unsubscribe: () => Promise.resolve(true),
      } as unknown as PushSubscription;
      PushManager.prototype.getSubscription = () => Promise.resolve(subscription);
    },
    {
      endpoint: target.endpoint,
      keys: { p256dh: target.p256dh, auth: target.auth },
      key: serverKey,
    },
  );
}
