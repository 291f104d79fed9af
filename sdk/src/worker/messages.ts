import type { PushMessage } from '../../protocol/notifications.ts';

/* The messages between the service worker and the app's pages. */

export const clickedMessage = 'parley:clicked';
export const subscriptionChanged = 'parley:subscription-changed';

export type WorkerMessage =
  | { type: typeof clickedMessage; push: PushMessage }
  | { type: typeof subscriptionChanged };

export const closeMessage = 'parley:close';

export interface PageMessage {
  type: typeof closeMessage;
  tag: string;
}
