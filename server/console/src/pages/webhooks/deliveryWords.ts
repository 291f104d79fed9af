import type { WebhookDelivery } from '@parley/sdk';
import { atMoment, counted } from '../../ui/numbers.ts';

/** What the last attempt came to. */
export function whatCameBack({ responseStatus, error, attempts }: WebhookDelivery): string {
  if (attempts === 0) return 'Not tried yet.';
  if (responseStatus !== null) return `It answered ${responseStatus}.`;
  return error ? `There was no answer: ${error}.` : 'There was no answer.';
}

/** How often, and when again. */
export function attemptsOf({ attempts, nextAttemptAt, status }: WebhookDelivery): string {
  const tried = counted(attempts, 'attempt');
  if (status === 'failed') return `${tried}; given up`;
  return nextAttemptAt && attempts > 0 ? `${tried}; next ${atMoment(nextAttemptAt)}` : tried;
}

export const deliveryStatus: Record<WebhookDelivery['status'], { color: string; words: string }> = {
  pending: { color: 'amber', words: 'waits' },
  delivering: { color: 'amber', words: 'on its way' },
  delivered: { color: 'pine', words: 'delivered' },
  failed: { color: 'brick', words: 'failed' },
};
