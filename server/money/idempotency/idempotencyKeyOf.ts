import type { IncomingMessage } from 'node:http';
import { ParleyError } from '../../../sdk/protocol/errors.ts';

/**
 * The Idempotency-Key of a request; null without one.
 * @throws ParleyError VALIDATION_ERROR (invalid_request), also for an empty key: a program whose key is not set would get the answers of its
 *   earlier requests
 */
export function idempotencyKeyOf({ headers }: IncomingMessage): string | null {
  const key = headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && /^[\x20-\x7e]{1,255}$/.test(key)) return key;
  const message = 'The Idempotency-Key is not valid. Use 1 to 255 printable ASCII characters.';
  throw new ParleyError('VALIDATION_ERROR', message, { reason: 'invalid_request' });
}
