import { ParleyError } from '../../protocol/errors.ts';
import type { PushTarget } from '../../protocol/notifications.ts';

/** A service worker, by its URL or registration. */
export type ServiceWorkerSource = string | URL | ServiceWorkerRegistration;

const servedWorker = '/sdk/parley-push.js';

/** The page's service workers; undefined outside browsers, on insecure pages, and in browsers without service workers. */
export function serviceWorkers(): ServiceWorkerContainer | undefined {
  try {
    return (globalThis.navigator as Partial<Navigator> | undefined)?.serviceWorker;
  } catch {
    // In a sandboxed frame, even reading it is refused.
    return undefined;
  }
}

/**
 * Returns this browser's push subscription for the server's key. Creates it if there is none, or if the existing one is for another key.
 * @throws ParleyError PERMISSION_DENIED, NOT_FOUND (the browser has no Web Push, or the service worker could not be installed),
 * NETWORK_ERROR (the browser's push service cannot be reached)
 */
export async function subscribe(
  publicKey: string,
  source: ServiceWorkerSource = servedWorker,
): Promise<Extract<PushTarget, { service: 'web' }>> {
  const { pushManager } = await workerOf(source);
  const key = bytesOf(publicKey);
  const existing = await pushManager.getSubscription();
  const isCurrent = existing && sameBytes(existing.options.applicationServerKey, key);
  if (existing && !isCurrent) await existing.unsubscribe();
  const subscription = isCurrent ? existing : await makeSubscription(pushManager, key);
  const { endpoint, keys = {} } = subscription.toJSON();
  return { service: 'web', endpoint: endpoint ?? '', p256dh: keys.p256dh ?? '', auth: keys.auth ?? '' };
}

/** The endpoints of all push subscriptions of this browser and origin. */
export async function subscribedEndpoints(): Promise<string[]> {
  const registrations = (await serviceWorkers()?.getRegistrations()) ?? [];
  const subscriptions = await Promise.all(registrations.map((each) => each.pushManager?.getSubscription()));
  return subscriptions.flatMap((subscription) => (subscription ? [subscription.endpoint] : []));
}

async function workerOf(source: ServiceWorkerSource): Promise<ServiceWorkerRegistration> {
  const workers = serviceWorkers();
  if (!workers || typeof PushManager === 'undefined' || typeof Notification === 'undefined')
    throw new ParleyError(
      'NOT_FOUND',
      'This browser does not support Web Push here: open the page over https, on an iPhone from the home screen.',
    );
  if (Notification.permission !== 'granted')
    throw new ParleyError(
      'PERMISSION_DENIED',
      'Notifications are not allowed: call requestPermissions() first.',
    );
  const registration = isUrl(source) ? await workers.register(source).catch(notInstalled) : source;
  await activated(registration);
  return registration;
}

const isUrl = (source: ServiceWorkerSource): source is string | URL =>
  typeof source === 'string' || !('active' in source);

function notInstalled(cause: unknown): never {
  const message =
    'The service worker could not be installed: check its address and its script. Pages of another origin than the server’s pass their own: register({ serviceWorker }).';
  throw new ParleyError('NOT_FOUND', message, { cause });
}

/** Waits until the service worker is active, because the browser subscribes only an active one. */
async function activated({ installing, waiting, active }: ServiceWorkerRegistration): Promise<void> {
  const worker = active ? null : (waiting ?? installing);
  if (!worker) return;
  await new Promise<void>((resolve, reject) => {
    const check = () => {
      if (worker.state === 'activated') resolve();
      else if (worker.state === 'redundant')
        reject(new ParleyError('NOT_FOUND', 'The service worker could not be installed: check its script.'));
    };
    worker.addEventListener('statechange', check);
    check();
  });
}

async function makeSubscription(
  pushManager: PushManager,
  applicationServerKey: Uint8Array<ArrayBuffer>,
): Promise<PushSubscription> {
  try {
    return await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
  } catch (cause) {
    if ((cause as Error | null)?.name === 'NotAllowedError')
      throw new ParleyError(
        'PERMISSION_DENIED',
        'Notifications are not allowed: allow them in the browser’s settings.',
        { cause },
      );
    throw new ParleyError('NETWORK_ERROR', 'The browser’s push service cannot be reached: try again later.', {
      cause,
    });
  }
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function sameBytes(buffer: ArrayBuffer | null, bytes: Uint8Array): boolean {
  const other = new Uint8Array(buffer ?? new ArrayBuffer(0));
  return other.length === bytes.length && other.every((byte, index) => byte === bytes[index]);
}
