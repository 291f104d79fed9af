import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Address } from '../../sdk/protocol/common.ts';
import { roomOver } from '../media/MediaScope.ts';
import type { StreamRow } from './tables.ts';

export const over = () =>
  new ParleyError('CONFLICT', 'The stream has ended.', {
    reason: roomOver,
    details: [{ path: 'streamId', code: 'stream_ended', message: 'the stream has ended' }],
  });

export const noSuchStream = () => new ParleyError('NOT_FOUND', 'There is no such stream.');

export const replaced = () =>
  new ParleyError('CONFLICT', 'Another device or program publishes this stream now.', {
    details: [{ path: 'streamId', code: 'replaced', message: 'another publishes now' }],
  });

export const notWatching = () =>
  new ParleyError('NOT_FOUND', 'This device does not watch the stream: watch it first.');

export const denied = (code: string, message: string) =>
  new ParleyError('ACCESS_DENIED', message, { details: [{ path: 'streamId', code, message }] });

export const banned = () => denied('banned', 'The host has put this wallet out of the stream.');

/** @throws ParleyError ACCESS_DENIED */
export function mustHost({ host }: StreamRow, wallet: Address): void {
  if (host !== wallet) throw denied('not_the_host', 'Only the stream’s host may do this.');
}
