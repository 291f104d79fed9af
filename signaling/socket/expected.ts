import { noticedMs } from './createIo.ts';

/** A deadline for a device that is away to come back. */
export interface Expected {
  /** The connection that was lost. */
  socket: string;
  /** The device has gone silent, but its connection is not closed yet. */
  isSilent?: boolean;
}

/** Counts from the time at which Engine.IO would close the connection, so that a short silence costs a device nothing. */
export const silentUntil = (graceMs: number) => new Date(Date.now() + noticedMs + graceMs);
