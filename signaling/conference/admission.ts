import type { WireRoomSettings } from '../../sdk/protocol/conference.ts';

/** Where a wallet stands with a room: in it, in front of its door, not there, or thrown out. */
export type Standing = 'present' | 'waiting' | 'away' | 'removed';

interface Asking {
  settings: Pick<WireRoomSettings, 'locked' | 'waitingRoom'>;
  maxParticipants: number;
  /** How many are in it. */
  present: number;
  /** It is the one that created the room. */
  isCreator: boolean;
  /** null: it was never here. */
  standing: Standing | null;
  /** A host has invited it, or let it in once. */
  isInvited: boolean;
}

export type Verdict =
  /** It has a place already. */
  'return' | 'enter' | 'wait' | 'removed' | 'locked' | 'full';

/** Whether somebody comes in. An invitation opens locks and doors, but makes no room where there is none. */
export function admission(asking: Asking): Verdict {
  const { settings, standing, isCreator } = asking;
  if (standing === 'present') return 'return';
  if (standing === 'removed') return 'removed';
  if (!isCreator && !asking.isInvited) {
    if (settings.locked) return 'locked';
    if (settings.waitingRoom) return 'wait';
  }
  return asking.present < asking.maxParticipants ? 'enter' : 'full';
}
