import type { PushKind, PushMessage, PushTarget } from '../protocol/notifications.ts';
import { ParleyError } from '../protocol/errors.ts';
import { pushTag } from '../protocol/pushTag.ts';
import type { Connection } from './connection/Connection.ts';
import { fromWire } from './connection/fromWire.ts';
import type { Listeners } from './connection/Listeners.ts';
import type { NotificationPreferences, ParleyEvents } from './types.ts';
import { endpointsHere, serviceWorkers, subscribe, type ServiceWorkerSource } from './worker/webPush.ts';
import {
  clickedMessage,
  closeMessage,
  subscriptionChanged,
  type PageMessage,
  type WorkerMessage,
} from './worker/messages.ts';

/** A page in a browser. */
interface RegisterWeb {
  /** The app's own worker, which imports parley-push.js: its address or registration. @default '/sdk/parley-push.js' */
  serviceWorker?: ServiceWorkerSource;
}

/** An Android app: the token of FCM. */
interface RegisterFcm {
  fcm: string;
}

/** An iPhone's app: the token of APNs. */
interface RegisterApns {
  apns: string;
  /** `voip` for PushKit's token, which is told of calls alone. @default 'alert' */
  mode?: 'voip' | 'alert';
}

/** What a device is told while no app of the wallet is connected: `client.notifications`. */
export class Notifications {
  readonly #connection: Connection;
  /** The endpoint of this page's subscription. */
  #endpoint: string | null = null;
  #registered: RegisterWeb | null = null;

  constructor(connection: Connection, events: Listeners<ParleyEvents>) {
    this.#connection = connection;
    serviceWorkers()?.addEventListener('message', ({ data }: MessageEvent<WorkerMessage | null>) => {
      if (data?.type === clickedMessage) events.emit('notification:clicked', fromWire(data.push));
      if (data?.type === subscriptionChanged && this.#registered)
        void this.register(this.#registered).catch(() => undefined);
    });
  }

  /** Asks the user, where nobody has yet. @returns whether notifications may be shown; false too where the browser has none */
  async requestPermissions(): Promise<boolean> {
    if (typeof Notification === 'undefined') return false;
    return (await Notification.requestPermission()) === 'granted';
  }

  /**
   * This device is told of what happens while no app of the wallet is connected, until the session ends. Call it at every start:
   * it renews what has changed, and costs little where nothing has.
   * @throws ParleyError PERMISSION_DENIED (ask with requestPermissions first), NOT_FOUND (the browser has no Web Push),
   * SERVICE_UNAVAILABLE (the server does not send there)
   * @example if (await client.notifications.requestPermissions()) await client.notifications.register();
   */
  async register(options: RegisterWeb | RegisterFcm | RegisterApns = {}): Promise<void> {
    if ('fcm' in options) return this.#tell({ service: 'fcm', token: options.fcm });
    if ('apns' in options)
      return this.#tell({ service: 'apns', token: options.apns, mode: options.mode ?? 'alert' });
    const { publicKey } = await this.#connection.request('notifications.getServerKey', {});
    if (publicKey === null)
      throw new ParleyError('SERVICE_UNAVAILABLE', 'This server sends no Web Push: see its setting PUSH.');
    const target = await subscribe(publicKey, options.serviceWorker);
    const former = this.#endpoint;
    await this.#tell(target);
    this.#endpoint = target.endpoint;
    this.#registered = options;
    if (former && former !== target.endpoint) await this.#forget(former);
  }

  /** This device is told no more. @param options.fcm, options.apns the token it was registered with; none for a page */
  async unregister(options: RegisterWeb | RegisterFcm | RegisterApns = {}): Promise<void> {
    if ('fcm' in options) return this.#forget(options.fcm);
    if ('apns' in options) return this.#forget(options.apns);
    this.#registered = null;
    // The browser's subscription stays: another wallet may be signed in here.
    const endpoints = this.#endpoint ? [this.#endpoint] : await endpointsHere();
    for (const endpoint of endpoints) await this.#forget(endpoint);
    this.#endpoint = null;
  }

  /** What this wallet wants to be told of, on all its devices; what is left out stays as it is. At first everything. */
  async setPreferences(preferences: NotificationPreferences): Promise<void> {
    await this.#connection.request('notifications.setPreferences', preferences);
  }

  async getPreferences(): Promise<Required<NotificationPreferences>> {
    return this.#connection.request('notifications.getPreferences', {});
  }

  /** This device shows it: no push has to go out. The SDK says so itself as soon as it hears of something. */
  async seen(kind: PushKind, subject: string): Promise<void> {
    await this.#connection.request('notifications.seen', { kind, subject });
  }

  /** Has what a push has shown on this device taken away, by the worker that showed it. */
  async close(shown: Pick<PushMessage, 'kind' | 'id' | 'from' | 'to'>): Promise<void> {
    const message: PageMessage = { type: closeMessage, tag: pushTag(shown) };
    for (const { active } of (await serviceWorkers()?.getRegistrations()) ?? []) active?.postMessage(message);
  }

  async #tell(target: PushTarget): Promise<void> {
    await this.#connection.request('notifications.register', target);
  }

  async #forget(address: string): Promise<void> {
    await this.#connection.request('notifications.unregister', { address });
  }
}
