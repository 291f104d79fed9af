import { ParleyError } from '@parley/sdk';
import { explain, type Problem } from '../ui/explain.ts';

type Said = readonly [title: string, advice: string];

/** Refusals by what they name. */
const byDetail: Record<string, Said> = {
  token_needed: [
    'This stream is private',
    'The link to it has a token in it, which this one lacks. Ask its host for the whole link.',
  ],
  token_void: [
    'This link has run out',
    'A link to a private stream is good for a day. Ask its host for a new one.',
  ],
  banned: ['The host has put you out', 'You can’t watch this stream or write beside it any more.'],
  other_network: [
    'This stream is on another network',
    'Its gate is on chains this console is not signed in to.',
  ],
  stream_ended: ['This stream is over', 'Nothing more can be done with it: make a new one.'],
  replaced: [
    'Somebody else sends now',
    'Another device or program sends this stream, and this one no longer does.',
  ],
  not_the_host: ['This is the host’s', 'Only whoever made the stream can do this.'],
};

/** Why something about a stream did not work, in words. */
export function explainStream(error: unknown): Problem {
  const problem = explain(error);
  if (!(error instanceof ParleyError)) return problem;
  const said =
    error.details?.map(({ code }) => byDetail[code]).find((one) => one !== undefined) ??
    (error.code === 'NOT_FOUND' && !(error.cause instanceof DOMException)
      ? (['There is no such stream', 'The link may be incomplete: copy it again as a whole.'] as const)
      : null);
  return said ? { ...problem, title: said[0], advice: said[1], canRetry: false } : problem;
}

/** Whoever closes the browser's question which screen to share knows that they did. */
export const isOwnRefusal = (error: unknown): boolean =>
  error instanceof ParleyError &&
  error.code === 'PERMISSION_DENIED' &&
  error.cause instanceof DOMException &&
  error.cause.message.includes('denied by user');
