import type { CallStatus } from '../../sdk/protocol/calls.ts';

export type Party = 'caller' | 'callee';

/** Events that may change a call's state. */
export type CallEvent =
  | { type: 'answer' }
  | { type: 'decline'; reason: string }
  /** The call was not answered in time. */
  | { type: 'timeout' }
  /** A party hangs up. */
  | { type: 'end'; by: Party }
  /** A party's device has been away for too long. */
  | { type: 'gone'; party: Party }
  /** The server could not set the call up. */
  | { type: 'fail' }
  /** The call becomes a room. */
  | { type: 'move' };

type CallEventName = 'call:answered' | 'call:declined' | 'call:missed' | 'call:ended';

export interface Transition {
  status: CallStatus;
  endReason: string | null;
  /** Sent to the devices of both parties, except the one whose request caused it. */
  event: CallEventName;
}

/**
 * The state table of a call: from ringing to active, and to one of three final states.
 * @returns null if the event does not apply to the current state, which then stays the same
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
    case 'move':
      return null;
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
    case 'move':
      return { status: 'ended', endReason: 'moved', event: 'call:ended' };
    case 'answer':
    case 'decline':
    case 'timeout':
      return null;
  }
}
