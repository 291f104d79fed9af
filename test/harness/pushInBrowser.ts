import type { CDPSession, Worker } from 'playwright-core';
import type { PushMessage } from '../../sdk/protocol/notifications.ts';
import type { BrowserClient } from './browser.ts';
import type { BrowserSubscription } from './PushService.ts';
import { until } from './until.ts';

export interface ShownNotification {
  title: string;
  body: string;
  tag: string;
  requireInteraction: boolean;
  silent: boolean | null;
  data: PushMessage;
}

/** A page's service worker, as Chromium's developer tools reach it. */
export class PushedBrowser {
  readonly #client: Pick<BrowserClient, 'page' | 'context'>;
  readonly #cdp: CDPSession;
  readonly #registrations = new Map<string, string>();
  /** What happened to the workers, for the one who has to find out why nothing is shown. */
  readonly #history: string[] = [];

  static async attach(client: Pick<BrowserClient, 'page' | 'context'>): Promise<PushedBrowser> {
    const cdp = await client.context.newCDPSession(client.page);
    const browser = new PushedBrowser(client, cdp);
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

  /** What the push service would hand to the browser; resolves when its worker is done with it. */
  deliver(message: unknown): Promise<void> {
    return this.deliverAtOnce([message]);
  }

  async deliverAtOnce(messages: unknown[]): Promise<void> {
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
    await until(() => this.worker.evaluate(`self.handled.length >= ${handled}`), 'the worker has them');
    // Chromium, asked for what is shown while something is being shown, may forget that.
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

  /** Once exactly one is shown, of this title. */
  async shows(title: string): Promise<ShownNotification> {
    let shown: ShownNotification[] = [];
    const look = async () => {
      shown = await this.shown();
      return shown[0]?.title === title && shown.length === 1 ? shown[0] : null;
    };
    return until(look, `a notification “${title}”`).catch(async (error: Error) => {
      const seen = await this.worker.evaluate<string[]>('self.seen');
      throw new Error([error.message, JSON.stringify(shown), ...this.#history, ...seen].join('\n'));
    });
  }

  get worker(): Worker {
    const [worker] = this.#client.context.serviceWorkers();
    if (!worker) throw new Error('no service worker');
    return worker;
  }

  /** As if the user had: nothing from outside can click for him, so the worker is handed the event. */
  async click(): Promise<void> {
    await this.worker.evaluate(`(async () => {
      const [notification] = await self.registration.getNotifications();
      self.dispatchEvent(new NotificationEvent('notificationclick', { notification }));
    })()`);
  }
}

/** Runs in the worker, for `self.seen` and `self.handled`. */
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

/** Puts a subscription of our push service in the place of what the page's browser can't get from Google's. */
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
