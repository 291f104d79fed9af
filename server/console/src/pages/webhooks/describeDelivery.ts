import type { EndpointDelivery } from '@parley/sdk';
import { atMoment, counted } from '../../ui/numbers.ts';
import type { Status } from '../../ui/StatusBadge.tsx';

/** A delivery to an endpoint or to the webhook of a number. */
export type Delivery = Omit<EndpointDelivery, 'endpointId' | 'eventId' | 'requestBody'>;

/** Describes the result of a delivery's last attempt. */
export function describeResponse({ responseStatus, error, attempts }: Delivery): string {
  if (attempts === 0) return 'Not sent yet.';
  if (responseStatus !== null) return `Your server answered ${responseStatus}.`;
  return error ? `Your server did not answer: ${error}.` : 'Your server did not answer.';
}

/** Describes how many attempts there were and when the next one is. */
export function describeAttempts({ attempts, nextAttemptAt, status }: Delivery): string {
  const tried = counted(attempts, 'attempt');
  if (status === 'failed') return `${tried}; no more retries`;
  return nextAttemptAt && attempts > 0 ? `${tried}; next ${atMoment(nextAttemptAt)}` : tried;
}

export const deliveryStatus: Record<Delivery['status'], Status> = {
  pending: { color: 'amber', label: 'waiting' },
  delivering: { color: 'amber', label: 'sending' },
  delivered: { color: 'pine', label: 'delivered' },
  failed: { color: 'brick', label: 'failed' },
};
