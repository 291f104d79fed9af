import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { Failure } from './Measures.ts';

/** Which settings limit an operation, by the beginning of its name. */
const limits: [what: string, settings: string][] = [
  ['sign in', 'RATE_LIMIT_AUTH'],
  ['sign out', 'RATE_LIMIT_AUTH'],
  ['connect', 'MAX_CONNECTIONS_PER_NETWORK'],
  ['create room', 'RATE_LIMIT_ROOMS or RATE_LIMIT_NETWORK_FACTOR'],
  ['create stream', 'RATE_LIMIT_STREAMS or RATE_LIMIT_NETWORK_FACTOR'],
  ['join', 'RATE_LIMIT_JOINS or RATE_LIMIT_NETWORK_FACTOR'],
  ['call', 'RATE_LIMIT_CALLS, RATE_LIMIT_CALLED or RATE_LIMIT_NETWORK_FACTOR'],
  ['watch', 'RATE_LIMIT_JOINS or RATE_LIMIT_NETWORK_FACTOR'],
  ['WHEP', 'RATE_LIMIT_WHEP'],
  ['message', 'RATE_LIMIT_MESSAGES or RATE_LIMIT_NETWORK_FACTOR'],
  ['HTTP', 'RATE_LIMIT_READS or RATE_LIMIT_NETWORK_FACTOR'],
  ['API key', 'RATE_LIMIT_WRITES or RATE_LIMIT_NETWORK_FACTOR'],
];

/** Something that the generator itself finds wrong. */
export class LoadError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Describes an error in one line: a code by which equal errors are counted, and a message. */
export function describeError(what: string, thrown: unknown): Pick<Failure, 'code' | 'message' | 'hint'> {
  const error = explanationOf(thrown as Error & { code?: unknown });
  const { message, name, code } = error;
  if (error instanceof ParleyError) {
    const setting = code === 'RATE_LIMIT_EXCEEDED' && limits.find(([start]) => what.startsWith(start))?.[1];
    return { code: error.reason, message, ...(setting ? { hint: `raise ${setting} on the server` } : {}) };
  }
  if (message === 'operation has timed out')
    return { code: 'no_answer', message: 'the server did not answer' };
  if (message.startsWith('transport not open'))
    return { code: 'not_connected', message, hint: 'let UDP pass to the media ports of the server' };
  const known = typeof code === 'string' ? code : name === 'TimeoutError' ? 'no_answer' : 'failed';
  return { code: known, message: firstLine(message || known) };
}

/** fetch and the SDK wrap the error of the network, which says more. That a wait was aborted says nothing. */
const explanationOf = (error: Error & { code?: unknown }): Error & { code?: unknown } =>
  error.cause instanceof Error && error.cause.name !== 'AbortError' ? explanationOf(error.cause) : error;

const firstLine = (text: string) => (text.split('\n')[0] ?? '').slice(0, 200);
