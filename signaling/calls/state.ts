import type { CallStatus } from '../../sdk/protocol/calls.ts';

export type Party = 'caller' | 'callee';

/** What happens to a call. */
export type CallEvent =
  | { type: 'answer' }
  | { type: 'decline'; reason: string }
  /** Nobody answered in time. */
  | { type: 'timeout' }
  /** Somebody hangs up. */
  | { type: 'end'; by: Party }
  /** A party's device has been away for too long. */
  | { type: 'gone'; party: Party }
  /** The call could not be set up: the server's fault. */
  | { type: 'fail' };

type CallEventName = 'call:answered' | 'call:declined' | 'call:missed' | 'call:ended';

export interface Transition {
  status: CallStatus;
  endReason: string | null;
  /** What both parties' devices hear, but for the one that did it: its answer tells it. */
  event: CallEventName;
}

/**
 * The whole life of a call: from ringing to active, and to one of three ends. Null where the event is not for this state: it
 * changes nothing.
 */
export function next(status: CallStatus, event: CallEvent): Transition | null {
  switch (status) {
    case 'ringing':
      return whileRinging(event);
    case 'active':
      return whileActive(event);
    case 'ended':
    case 'missed':
    case 'declined':
      return null;
  }
}

function whileRinging(event: CallEvent): Transition | null {
  switch (event.type) {
    case 'answer':
      return { status: 'active', endReason: null, event: 'call:answered' };
    case 'decline':
      return { status: 'declined', endReason: event.reason, event: 'call:declined' };
    case 'timeout':
      return { status: 'missed', endReason: 'timeout', event: 'call:missed' };
    case 'end':
      return event.by === 'caller'
        ? { status: 'missed', endReason: 'cancelled', event: 'call:missed' }
        : null;
    case 'gone':
      return event.party === 'caller'
        ? { status: 'missed', endReason: 'connection_lost', event: 'call:missed' }
        : null;
    case 'fail':
      return { status: 'missed', endReason: 'failed', event: 'call:missed' };
  }
}

function whileActive(event: CallEvent): Transition | null {
  switch (event.type) {
    case 'end':
      return { status: 'ended', endReason: 'hangup', event: 'call:ended' };
    case 'gone':
      return { status: 'ended', endReason: 'connection_lost', event: 'call:ended' };
    case 'fail':
      return { status: 'ended', endReason: 'failed', event: 'call:ended' };
    case 'answer':
    case 'decline':
    case 'timeout':
      return null;
  }
}
