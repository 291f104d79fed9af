import type { WireRoomSettings } from '../../sdk/protocol/conference.ts';

/** A membership's state: in the room, in its waiting room, not there, or removed by a host. */
export type Standing = 'present' | 'waiting' | 'away' | 'removed';

interface AdmissionRequest {
  settings: Pick<WireRoomSettings, 'locked' | 'waitingRoom'>;
  maxParticipants: number;
  /** The number of participants in the room. */
  present: number;
  /** The wallet created the room. */
  isCreator: boolean;
  /** Null when the wallet has never been a member. */
  standing: Standing | null;
  /** A host has invited the wallet, or admitted it before. */
  isInvited: boolean;
}

export type Verdict =
  /** It is in the room already. */
  'return' | 'enter' | 'wait' | 'removed' | 'locked' | 'full';

/** Decides on admission. An invitation passes lock and waiting room, but does not raise the capacity. */
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
