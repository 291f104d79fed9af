import type { PushMessage } from '../../protocol/notifications.ts';

/* What the service worker tells the app's pages. */

export const clickedMessage = 'parley:clicked';
export const subscriptionChanged = 'parley:subscription-changed';

export type WorkerMessage =
  { type: typeof clickedMessage; push: PushMessage } | { type: typeof subscriptionChanged };
