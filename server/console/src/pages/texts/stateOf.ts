import type { TextMessage } from '@parley/sdk';

/** The delivery state of a text and, if the delivery failed, the reason. */
export function stateOf({ direction, status, errorCode, errorMessage }: TextMessage): {
  label: string;
  why: string | null;
} {
  if (direction === 'inbound') return { label: '', why: null };
  if (status !== 'failed') return { label: labels[status], why: null };
  if (errorCode === 'unknown_outcome') {
    const why = 'The carrier’s answer was lost. The message may have arrived, so it is not sent again.';
    return { label: 'status unknown', why };
  }
  return { label: 'not delivered', why: errorMessage ?? 'The carrier gave no reason.' };
}

const labels: Record<Exclude<TextMessage['status'], 'failed'>, string> = {
  queued: 'queued',
  sending: 'sending',
  sent: 'sent',
  delivered: 'delivered',
  received: '',
};
