import { spokenDuration } from '../core/format.ts';
import type { Words } from '../words/english.ts';
import type { CallSummary } from './callState.ts';

/** Describes how a call ended, from the point of view of this page's user. */
export function describeSummary(
  { outcome, reason, direction, seconds }: CallSummary,
  words: Words['calls'],
): { title: string; detail: string } {
  switch (outcome) {
    case 'ended':
      return {
        title: reason === 'connection_lost' ? words.connectionLost : words.ended,
        detail: seconds === null ? '' : spokenDuration(seconds),
      };
    case 'declined':
      if (reason === 'busy') return { title: words.busy, detail: words.busyDetail };
      return {
        title: words.declined,
        detail: reason && reason !== 'declined' ? words.declinedWith(reason) : '',
      };
    case 'missed':
      if (reason === 'cancelled') return { title: words.cancelled, detail: '' };
      return { title: direction === 'incoming' ? words.missed : words.noAnswer, detail: '' };
  }
}
