import { ParleyError } from '../../sdk/protocol/errors.ts';

const unreachableReason = 'media_node_unreachable';

/** The error for a media node that does not answer. The node may be dead or the network interrupted. */
export const unreachable = (cause?: unknown) =>
  new ParleyError(
    'SERVICE_UNAVAILABLE',
    'The media node of this room can’t be reached: try again in a moment.',
    {
      reason: unreachableReason,
      retryAfter: 1,
      cause,
    },
  );

/** Whether an error was created by `unreachable`, even if it came over a link between nodes. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof ParleyError && error.reason === unreachableReason;
