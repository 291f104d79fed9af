import { ParleyError, type AnyReason } from '@parley/sdk';
import { explain, type Problem } from '../ui/explain.ts';

type Explanation = readonly [title: string, advice: string];

/** Explanations by the reason. */
const reasons: Partial<Record<AnyReason, Explanation>> = {
  token_needed: [
    'This stream is private',
    'This link lacks the access token. Ask the host for the complete link.',
  ],
  token_void: [
    'This link has expired',
    'Links to private streams are valid for one day. Ask the host for a new one.',
  ],
  banned: ['The host removed you', 'You can no longer watch this stream or write in its chat.'],
  other_network: [
    'This stream is on another network',
    'Its conditions use chains that your session does not cover. Ask the host for a stream on this network.',
  ],
  stream_ended: ['This stream has ended', 'An ended stream cannot be changed. Create a new one.'],
  replaced: [
    'Another sender took over',
    'Another device or program is sending this stream now. Go live again to take it back.',
  ],
  not_the_host: ['Only the host can do this', 'Sign in with the wallet that created the stream.'],
};

/** Explains why an action on a stream failed. */
export function explainStream(error: unknown): Problem {
  const problem = explain(error);
  if (!(error instanceof ParleyError)) return problem;
  const explanation =
    reasons[error.reason] ??
    (error.code === 'NOT_FOUND' && !(error.cause instanceof DOMException)
      ? (['Stream not found', 'The link may be incomplete. Copy the whole link again.'] as const)
      : null);
  return explanation
    ? { ...problem, title: explanation[0], advice: explanation[1], canRetry: false }
    : problem;
}

/** Whether the user dismissed the browser's screen picker. This is not reported as an error. */
export const isOwnRefusal = (error: unknown): boolean =>
  error instanceof ParleyError &&
  error.code === 'PERMISSION_DENIED' &&
  error.cause instanceof DOMException &&
  error.cause.message.includes('denied by user');
