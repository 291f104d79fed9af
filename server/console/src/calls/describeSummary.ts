import { spokenDuration } from '@parley/react';
import type { CallSummary } from './callState.ts';

/** Describes how a call ended, from the point of view of this page's user. */
export function describeSummary({ outcome, reason, direction, seconds }: CallSummary): {
  title: string;
  detail: string;
} {
  switch (outcome) {
    case 'ended':
      return {
        title: reason === 'connection_lost' ? 'The connection was lost' : 'Call ended',
        detail: seconds === null ? '' : spokenDuration(seconds),
      };
    case 'declined':
      return declined(reason);
    case 'missed':
      if (reason === 'cancelled') return { title: 'Call cancelled', detail: '' };
      if (direction === 'incoming') return { title: 'Missed call', detail: '' };
      return { title: 'No answer', detail: '' };
  }
}

function declined(reason: string | null) {
  if (reason === 'busy') return { title: 'Busy', detail: 'in another call' };
  const own = reason && reason !== 'declined' ? `“${reason}”` : '';
  return { title: 'Call declined', detail: own };
}
