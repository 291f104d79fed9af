import type { WebhookDelivery } from '@parley/sdk';
import { atMoment, counted } from '../../ui/numbers.ts';

/** What the last attempt came to. */
export function describeResponse({ responseStatus, error, attempts }: WebhookDelivery): string {
  if (attempts === 0) return 'Not sent yet.';
  if (responseStatus !== null) return `Your server answered ${responseStatus}.`;
  return error ? `Your server did not answer: ${error}.` : 'Your server did not answer.';
}

/** How often, and when again. */
export function describeAttempts({ attempts, nextAttemptAt, status }: WebhookDelivery): string {
  const tried = counted(attempts, 'attempt');
  if (status === 'failed') return `${tried}; given up`;
  return nextAttemptAt && attempts > 0 ? `${tried}; next ${atMoment(nextAttemptAt)}` : tried;
}

export const deliveryStatus: Record<WebhookDelivery['status'], { color: string; label: string }> = {
  pending: { color: 'amber', label: 'waiting' },
  delivering: { color: 'amber', label: 'sending' },
  delivered: { color: 'pine', label: 'delivered' },
  failed: { color: 'brick', label: 'failed' },
};
