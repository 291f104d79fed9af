import { ParleyError } from '../../../sdk/protocol/errors.ts';
import { LoadError } from './describeError.ts';

/** The error that a refused HTTP request got from the server, or from a proxy, which may send anything. */
export function httpErrorOf(status: number, text: string): Error {
  try {
    const { error, message } = JSON.parse(text) as { error?: string; message: string };
    if (status === 429) return new ParleyError('RATE_LIMIT_EXCEEDED', message);
    return new LoadError(error ?? `http_${status}`, message);
  } catch {
    return new LoadError(`http_${status}`, `HTTP ${status}`);
  }
}
