import type { WireRoomSettings } from '../../sdk/protocol/conference.ts';

/** A membership's state: in the room, in its waiting room, not there, or removed by a host. */
export type Standing = 'present' | 'waiting' | 'away' | 'removed';

interface AdmissionRequest {
  settings: Pick<WireRoomSettings, 'locked' | 'waitingRoom'>;
  maxParticipants: number;
  /** The number of participants in the room. */
  present: number;
  /** Whether the wallet created the room. */
  isCreator: boolean;
  /** Null when the wallet has never been a member. */
  standing: Standing | null;
  /** Whether a host has invited the wallet, or has admitted it before. */
  isInvited: boolean;
}

export type Verdict =
  /** `return`: the wallet is already in the room. */
  'return' | 'enter' | 'wait' | 'removed' | 'locked' | 'full';

/** Decides on admission. An invited wallet may enter despite a lock and without waiting, but not if the room is full. */
export function admission(request: AdmissionRequest): Verdict {
  const { settings, standing, isCreator } = request;
  if (standing === 'present') return 'return';
  if (standing === 'removed') return 'removed';
  if (!isCreator && !request.isInvited) {
    if (settings.locked) return 'locked';
    if (settings.waitingRoom) return 'wait';
  }
  return request.present < request.maxParticipants ? 'enter' : 'full';
}
