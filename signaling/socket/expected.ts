import { noticedMs } from './createIo.ts';

/** What is stored with the deadline by which a device that is away must come back. */
export interface Expected {
  /** The connection that was lost or has gone silent. */
  socket: string;
  /** Whether the device has gone silent, but its connection is not closed yet. */
  isSilent?: boolean;
}

/**
 * The deadline for a device that goes silent now. The grace period counts from the time at which Engine.IO would close the connection, so
 * that a short silence costs the device nothing.
 */
export const silentUntil = (graceMs: number) => new Date(Date.now() + noticedMs + graceMs);
