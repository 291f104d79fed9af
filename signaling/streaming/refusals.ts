import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { PartyId } from '../../sdk/protocol/party.ts';
import type { Reason } from '../../sdk/protocol/reasons.ts';
import type { StreamRow } from './tables.ts';

export const over = () =>
  new ParleyError('CONFLICT', 'The stream has ended: create another one.', { reason: 'stream_ended' });

export const noSuchStream = () => new ParleyError('NOT_FOUND', 'There is no such stream: check its id.');

export const replaced = () =>
  new ParleyError(
    'CONFLICT',
    'Another device or program publishes this stream now: publish again to replace it.',
    { reason: 'replaced' },
  );

export const otherStream = () =>
  denied('other_room', 'The participant token is for another stream: ask your host for one for this stream.');

export const notWatching = () =>
  new ParleyError('NOT_FOUND', 'This device is not watching the stream: watch it first.');

export const denied = (reason: Reason, message: string) =>
  new ParleyError('ACCESS_DENIED', message, { reason });

export const banned = () =>
  denied('banned', 'The host has banned this wallet from the stream: ask the host to lift the ban.');

/** @throws ParleyError ACCESS_DENIED */
export function mustHost({ host }: StreamRow, wallet: PartyId): void {
  if (host !== wallet)
    throw denied('not_the_host', 'Only the host of the stream may do this: sign in as the host.');
}
