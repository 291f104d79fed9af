import type { RoomStatus } from '../../sdk/protocol/conference.ts';

/** Events that may change a room's state. */
export type RoomEvent =
  /** A participant enters. */
  | { type: 'join' }
  /** A host ends the room. */
  | { type: 'end' }
  /** The room has been empty for too long. */
  | { type: 'empty' }
  /** The room has reached its maximum duration. */
  | { type: 'expire' }
  /** The room is a breakout, and the breakouts or their parent end. */
  | { type: 'breakouts' };

export interface RoomStep {
  status: RoomStatus;
  endReason: 'ended' | 'empty' | 'max_duration' | 'breakouts_ended' | null;
}

/**
 * The state table of a room: waiting, active, ended.
 * @returns null if the event does not apply to the current state, which then stays the same
 */
export function next(status: RoomStatus, event: RoomEvent): RoomStep | null {
  if (status === 'ended') return null;
  switch (event.type) {
    case 'join':
      return { status: 'active', endReason: null };
    case 'end':
      return { status: 'ended', endReason: 'ended' };
    case 'empty':
      return { status: 'ended', endReason: 'empty' };
    case 'expire':
      return status === 'active' ? { status: 'ended', endReason: 'max_duration' } : null;
    case 'breakouts':
      return { status: 'ended', endReason: 'breakouts_ended' };
  }
}
