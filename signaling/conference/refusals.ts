import type { MoveReason } from '../../sdk/protocol/breakouts.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Reason } from '../../sdk/protocol/reasons.ts';
import type { Verdict } from './admission.ts';

export const over = () =>
  new ParleyError('CONFLICT', 'The room has ended: create another one.', { reason: 'room_ended' });

export const replaced = () =>
  new ParleyError(
    'CONFLICT',
    'Another device of this wallet is in the room now: join again to use this one.',
    { reason: 'replaced' },
  );

export const notInside = () => new ParleyError('NOT_FOUND', 'This device is not in the room: join it first.');

export const noSuchRoom = () =>
  new ParleyError('NOT_FOUND', 'There is no such room: check its id.', { extra: { resource: 'room' } });

export const noSuchParticipant = () =>
  new ParleyError('NOT_FOUND', 'There is no such participant in this room: load its participants again.', {
    extra: { resource: 'participant' },
  });

/** The answer to a device that claims a membership from which it was moved. */
export const moved = (movedTo: string, movedBy: MoveReason) =>
  new ParleyError('CONFLICT', 'A host has moved this participant to another room: join that one.', {
    reason: 'moved',
    extra: { movedTo, movedBy },
  });

/** The error for a refused admission. */
export function refusal(verdict: Extract<Verdict, 'removed' | 'locked' | 'full'>): ParleyError {
  switch (verdict) {
    case 'removed':
      return denied('removed', 'A host has removed this wallet from the room: ask a host for an invitation.');
    case 'locked':
      return denied('room_locked', 'The room is locked: ask a host for an invitation.');
    case 'full':
      return full();
  }
}

export const notAHost = () => denied('not_a_host', 'Only a host of this room may do this: ask a host.');

export const otherRoom = () =>
  denied('other_room', 'The participant token is for another room: ask your host for one for this room.');

export const notGranted = () =>
  denied('not_granted', 'Your participant token does not allow this: ask your host for one that does.');

export const full = () =>
  new ParleyError('ROOM_FULL', 'The room is full: try again when a participant has left.');

export const denied = (reason: Reason, message: string) =>
  new ParleyError('ACCESS_DENIED', message, { reason });
