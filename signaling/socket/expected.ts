import { noticedMs } from './createIo.ts';

/** Of a deadline for a device that is away. */
export interface Expected {
  /** The connection that it has lost. */
  socket: string;
  /** Nothing comes from it, and the connection is not closed yet. */
  isSilent?: boolean;
}

/** As if the connection would be closed only when Engine.IO notices: a device that is silent for a moment loses nothing. */
export const silentUntil = (graceMs: number) => new Date(Date.now() + noticedMs + graceMs);
