import type { WebhookDelivery } from '@parley/sdk';
import { atMoment, counted } from '../../ui/numbers.ts';
import type { Status } from '../../ui/StatusBadge.tsx';

/** Describes the result of a delivery's last attempt. */
export function describeResponse({ responseStatus, error, attempts }: WebhookDelivery): string {
  if (attempts === 0) return 'Not sent yet.';
  if (responseStatus !== null) return `Your server answered ${responseStatus}.`;
  return error ? `Your server did not answer: ${error}.` : 'Your server did not answer.';
}

/** Describes how many attempts there were and when the next one is. */
export function describeAttempts({ attempts, nextAttemptAt, status }: WebhookDelivery): string {
  const tried = counted(attempts, 'attempt');
  if (status === 'failed') return `${tried}; no more retries`;
  return nextAttemptAt && attempts > 0 ? `${tried}; next ${atMoment(nextAttemptAt)}` : tried;
}

export const deliveryStatus: Record<WebhookDelivery['status'], Status> = {
  pending: { color: 'amber', label: 'waiting' },
  delivering: { color: 'amber', label: 'sending' },
  delivered: { color: 'pine', label: 'delivered' },
  failed: { color: 'brick', label: 'failed' },
};
