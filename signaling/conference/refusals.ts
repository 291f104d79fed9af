import { ParleyError } from '../../sdk/protocol/errors.ts';
import { roomOver } from '../media/MediaScope.ts';
import type { Verdict } from './admission.ts';

export const over = () =>
  new ParleyError('CONFLICT', 'The room has ended: create another one.', {
    reason: roomOver,
    details: [{ path: 'roomId', code: 'room_ended', message: 'the room has ended' }],
  });

export const replaced = () =>
  new ParleyError(
    'CONFLICT',
    'Another device of this wallet is in the room now: join again to use this one.',
  );

export const notInside = () => new ParleyError('NOT_FOUND', 'This device is not in the room: join it first.');

/** The error for a refused admission, with a code for programs. */
export function refusal(verdict: Extract<Verdict, 'removed' | 'locked' | 'full'>): ParleyError {
  const denied = (code: string, message: string) =>
    new ParleyError('ACCESS_DENIED', message, { details: [{ path: 'roomId', code, message }] });
  switch (verdict) {
    case 'removed':
      return denied('removed', 'A host has removed this wallet from the room: ask a host for an invitation.');
    case 'locked':
      return denied('room_locked', 'The room is locked: ask a host for an invitation.');
    case 'full':
      return full();
  }
}

export const full = () =>
  new ParleyError('ROOM_FULL', 'The room is full: try again when a participant has left.', {
    details: [
      { path: 'roomId', code: 'room_full', message: 'the room has as many participants as it allows' },
    ],
  });
