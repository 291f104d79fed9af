import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Address } from '../../sdk/protocol/common.ts';
import { roomOver } from '../media/MediaScope.ts';
import type { StreamRow } from './tables.ts';

export const over = () =>
  new ParleyError('CONFLICT', 'The stream has ended: create another one.', {
    reason: roomOver,
    details: [{ path: 'streamId', code: 'stream_ended', message: 'the stream has ended' }],
  });

export const noSuchStream = () => new ParleyError('NOT_FOUND', 'There is no such stream: check its id.');

export const replaced = () =>
  new ParleyError(
    'CONFLICT',
    'Another device or program publishes this stream now: publish again to replace it.',
    {
      details: [{ path: 'streamId', code: 'replaced', message: 'another device or program publishes now' }],
    },
  );

export const notWatching = () =>
  new ParleyError('NOT_FOUND', 'This device is not watching the stream: watch it first.');

export const denied = (code: string, message: string) =>
  new ParleyError('ACCESS_DENIED', message, { details: [{ path: 'streamId', code, message }] });

export const banned = () =>
  denied('banned', 'The host has banned this wallet from the stream: ask the host to lift the ban.');

/** @throws ParleyError ACCESS_DENIED */
export function mustHost({ host }: StreamRow, wallet: Address): void {
  if (host !== wallet)
    throw denied('not_the_host', 'Only the host of the stream may do this: sign in as the host.');
}
