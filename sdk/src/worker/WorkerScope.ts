/* The parts of a service worker's scope that parley-push.js uses. TypeScript's libraries for workers and for pages cannot be combined. */

export interface ExtendableEvent {
  waitUntil(done: Promise<unknown>): void;
  /** Only in a `push` event. */
  data?: { json(): unknown } | null;
  /** Only in a `notificationclick` event. */
  notification?: Notification;
  /** Only in a `pushsubscriptionchange` event. */
  oldSubscription?: PushSubscription | null;
  newSubscription?: PushSubscription | null;
}

/** A message from any page of this origin. Its content is not trusted. */
export interface MessageFromPage extends Pick<ExtendableEvent, 'waitUntil'> {
  data: unknown;
}

interface WindowClient {
  visibilityState: DocumentVisibilityState;
  focus(): Promise<unknown>;
  postMessage(message: unknown): void;
}

export interface WorkerScope {
  registration: ServiceWorkerRegistration;
  clients: {
    matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<WindowClient[]>;
    openWindow(url: string): Promise<unknown>;
  };
  addEventListener(
    name: 'push' | 'notificationclick' | 'pushsubscriptionchange',
    handler: (event: ExtendableEvent) => void,
  ): void;
  addEventListener(name: 'message', handler: (event: MessageFromPage) => void): void;
}
