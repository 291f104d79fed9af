import type { StreamStatus } from '../../sdk/protocol/streaming.ts';

/** Events that may change a stream's state. */
export type StreamEvent =
  /** Media flows from its publisher. */
  | { type: 'flows' }
  /** The host ends the stream. */
  | { type: 'end' }
  /** The publisher did not come back within the reconnect window. */
  | { type: 'gone' };

export interface StreamStep {
  status: StreamStatus;
  endReason: 'ended' | 'gone' | null;
}

/**
 * The state table of a stream: idle, live, ended.
 * @returns null if the event does not apply to the current state, which then stays the same
 */
export function next(status: StreamStatus, event: StreamEvent): StreamStep | null {
  if (status === 'ended') return null;
  switch (event.type) {
    case 'flows':
      return { status: 'live', endReason: null };
    case 'end':
      return { status: 'ended', endReason: 'ended' };
    case 'gone':
      // A stream that has never been live stays idle for as long as its host likes.
      return status === 'live' ? { status: 'ended', endReason: 'gone' } : null;
  }
}
