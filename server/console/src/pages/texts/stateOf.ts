import type { TextMessage } from '@parley/sdk';

/** How far a text has got, in words; and why no further. */
export function stateOf({ direction, status, errorCode, errorMessage }: TextMessage): {
  words: string;
  why: string | null;
} {
  if (direction === 'inbound') return { words: '', why: null };
  if (status !== 'failed') return { words: words[status], why: null };
  if (errorCode === 'unknown_outcome') {
    const why = 'The carrier’s answer was lost. The message may have arrived, so it is not sent again.';
    return { words: 'status unknown', why };
  }
  return { words: 'not delivered', why: errorMessage ?? 'The carrier gave no reason.' };
}

const words: Record<Exclude<TextMessage['status'], 'failed'>, string> = {
  queued: 'queued',
  sending: 'sending',
  sent: 'sent',
  delivered: 'delivered',
  received: '',
};
