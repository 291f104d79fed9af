import type { PushKind, PushMessage, PushTarget } from '../protocol/notifications.ts';
import { ParleyError } from '../protocol/errors.ts';
import { pushTag } from '../protocol/pushTag.ts';
import type { Connection } from './connection/Connection.ts';
import { fromWire } from './connection/fromWire.ts';
import type { Listeners } from './connection/Listeners.ts';
import type { NotificationPreferences, ParleyEvents } from './types.ts';
import {
  serviceWorkers,
  subscribe,
  subscribedEndpoints,
  type ServiceWorkerSource,
} from './worker/webPush.ts';
import {
  clickedMessage,
  closeMessage,
  subscriptionChanged,
  type PageMessage,
  type WorkerMessage,
} from './worker/messages.ts';

/** Registers a browser. */
export interface RegisterWeb {
  /** The app's own service worker, by its URL or registration. It must import parley-push.js. @default '/sdk/parley-push.js' */
  serviceWorker?: ServiceWorkerSource;
}

/** Registers an app by its FCM token, for example on Android. */
export interface RegisterFcm {
  /** The FCM registration token, 16 to 2,000 characters. */
  fcm: string;
}

/** Registers an iPhone app by its APNs token. */
export interface RegisterApns {
  /** The device token of APNs or PushKit, in hexadecimal. */
  apns: string;
  /** `voip` for a PushKit token, which gets calls only. @default 'alert' */
  mode?: 'voip' | 'alert';
}

/** Push notifications, for devices on which the app is not connected: `client.notifications`. */
export class Notifications {
  readonly #connection: Connection;
  readonly #events: Listeners<ParleyEvents>;
  /** The endpoint of this page's subscription. */
  #endpoint: string | null = null;
  #registered: RegisterWeb | null = null;

  constructor(connection: Connection, events: Listeners<ParleyEvents>) {
    this.#connection = connection;
    this.#events = events;
    // Not at once: a client that is never used is never closed.
    connection.onState((state) => {
      if (state === 'connecting') serviceWorkers()?.addEventListener('message', this.#onMessage);
    });
  }

  /** @internal Stops listening to the page's service workers, which outlive this client. */
  readonly stop = (): void => {
    serviceWorkers()?.removeEventListener('message', this.#onMessage);
  };

  readonly #onMessage = ({ data }: MessageEvent<WorkerMessage | null>): void => {
    if (data?.type === clickedMessage) this.#events.emit('notification:clicked', fromWire(data.push));
    if (data?.type === subscriptionChanged && this.#registered)
      void this.register(this.#registered).catch(() => undefined);
  };

  /**
   * Asks the user for permission to show notifications, unless they have decided before. Never rejects.
   * @returns whether notifications may be shown; false if the browser does not support them
   */
  async requestPermissions(): Promise<boolean> {
    if (typeof Notification === 'undefined') return false;
    return (await Notification.requestPermission()) === 'granted';
  }

  /**
   * Registers this device for push notifications until the session ends. Call it each time the app starts, because the browser's
   * subscription or the token may have changed. A wallet keeps its ten latest registrations.
   * @param options the app's own service worker, or the FCM or APNs token. Default: this browser, with the server's service worker
   * @throws ParleyError PERMISSION_DENIED: notifications are not allowed: call requestPermissions() first
   * @throws ParleyError NOT_FOUND: the browser has no Web Push, or the service worker could not be installed
   * @throws ParleyError SERVICE_UNAVAILABLE: the server does not use this push service
   * @throws ParleyError VALIDATION_ERROR: the token does not have the form of one
   * @throws ParleyError NETWORK_ERROR: the server did not answer, or the browser's push service cannot be reached
   * @example if (await client.notifications.requestPermissions()) await client.notifications.register();
   */
  async register(options: RegisterWeb | RegisterFcm | RegisterApns = {}): Promise<void> {
    if ('fcm' in options) return this.#register({ service: 'fcm', token: options.fcm });
    if ('apns' in options)
      return this.#register({ service: 'apns', token: options.apns, mode: options.mode ?? 'alert' });
    const { publicKey } = await this.#connection.request('notifications.getServerKey', {});
    if (publicKey === null)
      throw new ParleyError(
        'SERVICE_UNAVAILABLE',
        'This server does not send Web Push. Its operator can enable it with the setting PUSH.',
      );
    const target = await subscribe(publicKey, options.serviceWorker);
    const former = this.#endpoint;
    await this.#register(target);
    this.#endpoint = target.endpoint;
    this.#registered = options;
    if (former && former !== target.endpoint) await this.#unregister(former);
  }

  /**
   * Stops push notifications to this device.
   * @param options the FCM or APNs token it was registered with. Default: this browser
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  async unregister(options: RegisterWeb | RegisterFcm | RegisterApns = {}): Promise<void> {
    if ('fcm' in options) return this.#unregister(options.fcm);
    if ('apns' in options) return this.#unregister(options.apns);
    this.#registered = null;
    // The browser's subscription stays: another wallet may be signed in on this page.
    const endpoints = this.#endpoint ? [this.#endpoint] : await subscribedEndpoints();
    for (const endpoint of endpoints) await this.#unregister(endpoint);
    this.#endpoint = null;
  }

  /**
   * Chooses the kinds of notifications that this wallet gets, on all its devices.
   * @param preferences true or false for each kind to change; kinds that are left out stay as they are. Initially, a wallet gets all kinds
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   * @example await client.notifications.setPreferences({ messages: false });
   */
  async setPreferences(preferences: NotificationPreferences): Promise<void> {
    await this.#connection.request('notifications.setPreferences', preferences);
  }

  /**
   * Reads which kinds of notifications this wallet gets.
   * @returns true or false for each kind
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  async getPreferences(): Promise<Required<NotificationPreferences>> {
    return this.#connection.request('notifications.getPreferences', {});
  }

  /**
   * @internal Reports that this device shows an event, so that the server sends no push for it.
   * @param kind what the event is about
   * @param subject the id of the call, message, voicemail or room
   */
  async seen(kind: PushKind, subject: string): Promise<void> {
    await this.#connection.request('notifications.seen', { kind, subject });
  }

  /** @internal Closes the notification that a push has shown on this device. */
  async close(shown: Pick<PushMessage, 'kind' | 'id' | 'from' | 'to'>): Promise<void> {
    const message: PageMessage = { type: closeMessage, tag: pushTag(shown) };
    for (const { active } of (await serviceWorkers()?.getRegistrations()) ?? []) active?.postMessage(message);
  }

  async #register(target: PushTarget): Promise<void> {
    await this.#connection.request('notifications.register', target);
  }

  async #unregister(address: string): Promise<void> {
    await this.#connection.request('notifications.unregister', { address });
  }
}
