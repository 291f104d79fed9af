/* What the worker uses of a service worker's scope: TypeScript's library for workers and its one for pages don't go together. */

export interface ExtendableEvent {
  waitUntil(done: Promise<unknown>): void;
  /** Of a push. */
  data?: { json(): unknown } | null;
  /** Of a click. */
  notification?: Notification;
  /** Of a change of the subscription. */
  oldSubscription?: PushSubscription | null;
  newSubscription?: PushSubscription | null;
}

/** Of a page of this origin: anything. */
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
