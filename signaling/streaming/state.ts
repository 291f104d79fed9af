import type { StreamStatus } from '../../sdk/protocol/streaming.ts';

/** What happens to a stream. */
export type StreamEvent =
  /** Media flows from its publisher. */
  | { type: 'flows' }
  /** Its host ends it. */
  | { type: 'end' }
  /** Its publisher did not come back within the reconnect window. */
  | { type: 'gone' };

export interface StreamStep {
  status: StreamStatus;
  endReason: 'ended' | 'gone' | null;
}

/** The whole life of a stream: idle, live, ended. Null where the event is not for this state: it changes nothing. */
export function next(status: StreamStatus, event: StreamEvent): StreamStep | null {
  if (status === 'ended') return null;
  switch (event.type) {
    case 'flows':
      return { status: 'live', endReason: null };
    case 'end':
      return { status: 'ended', endReason: 'ended' };
    case 'gone':
      // What never began waits for as long as its host likes.
      return status === 'live' ? { status: 'ended', endReason: 'gone' } : null;
  }
}
