import { ParleyError } from '../../sdk/protocol/errors.ts';
import { roomOver } from '../media/MediaScope.ts';
import type { Verdict } from './admission.ts';

export const over = () =>
  new ParleyError('CONFLICT', 'The room is over.', {
    reason: roomOver,
    details: [{ path: 'roomId', code: 'room_ended', message: 'the room is over' }],
  });

export const replaced = () =>
  new ParleyError('CONFLICT', 'Another device of this wallet has taken its place in the room.');

export const notInside = () => new ParleyError('NOT_FOUND', 'This device is not in the room: join it first.');

/** Why somebody is not let in, for people and for programs. */
export function refusal(verdict: Extract<Verdict, 'removed' | 'locked' | 'full'>): ParleyError {
  const denied = (code: string, message: string) =>
    new ParleyError('ACCESS_DENIED', message, { details: [{ path: 'roomId', code, message }] });
  switch (verdict) {
    case 'removed':
      return denied('removed', 'A host has sent this wallet away: it comes in again when it is invited.');
    case 'locked':
      return denied('room_locked', 'The room is locked: only who is invited comes in.');
    case 'full':
      return full();
  }
}

export const full = () =>
  new ParleyError('ROOM_FULL', 'The room is full.', {
    details: [{ path: 'roomId', code: 'room_full', message: 'as many are in it as may be' }],
  });
