import type { RoomStatus } from '../../sdk/protocol/conference.ts';

/** What happens to a room. */
export type RoomEvent =
  /** Somebody comes in. */
  | { type: 'join' }
  /** A host ends it. */
  | { type: 'end' }
  /** Nobody has been in it for as long as it waits. */
  | { type: 'empty' }
  /** It has lasted as long as it may. */
  | { type: 'expire' };

export interface RoomStep {
  status: RoomStatus;
  endReason: 'ended' | 'empty' | 'max_duration' | null;
}

/** The whole life of a room: waiting, active, ended. Null where the event is not for this state: it changes nothing. */
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
  }
}
