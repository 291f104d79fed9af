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
export function describeError(what: string, error: unknown): Pick<Failure, 'code' | 'message' | 'hint'> {
  const { message } = error as Error;
  if (error instanceof ParleyError) {
    const { code, reason } = error;
    const setting = code === 'RATE_LIMIT_EXCEEDED' && limits.find(([name]) => what.startsWith(name))?.[1];
    return { code: reason, message, ...(setting ? { hint: `raise ${setting} on the server` } : {}) };
  }
  if (message === 'operation has timed out')
    return { code: 'no_answer', message: 'the server did not answer' };
  const { cause, name } = error as Error;
  const { code } = ((cause as object | undefined) ?? error) as { code?: unknown };
  const known = typeof code === 'string' ? code : name === 'TimeoutError' ? 'no_answer' : 'failed';
  return {
    code: known,
    message: firstLine(cause instanceof Error && cause.message ? cause.message : message),
  };
}

const firstLine = (text: string) => (text.split('\n')[0] ?? '').slice(0, 200);
