import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Reason } from '../../sdk/protocol/reasons.ts';

export const over = () =>
  new ParleyError('CONFLICT', 'The stream has ended: create another one.', { reason: 'stream_ended' });

export const noSuchStream = () =>
  new ParleyError('NOT_FOUND', 'There is no such stream: check its id.', { extra: { resource: 'stream' } });

/** The error for a publisher that another one has replaced, and for a guest's device whose token another device uses now. */
export const replaced = () =>
  new ParleyError(
    'CONFLICT',
    'Another device or program has taken over here: publish or watch again to replace it.',
    { reason: 'replaced' },
  );

export const notWatching = () =>
  new ParleyError('NOT_FOUND', 'This device is not watching the stream: watch it first.');

export const denied = (reason: Reason, message: string) =>
  new ParleyError('ACCESS_DENIED', message, { reason });

export const banned = () =>
  denied('banned', 'The host has banned you from the stream: ask the host to lift the ban.');

export const notGranted = () =>
  denied('not_granted', 'Your participant token does not allow this: ask your host for one that does.');
