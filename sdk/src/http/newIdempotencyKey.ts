import { randomBase62 } from '../../protocol/ids.ts';

/**
 * Creates a key for a method that takes an `idempotencyKey`. Keep it until you know the outcome, and repeat the request with the same
 * key: within 24 hours the server runs it once.
 * @example
 * const idempotencyKey = newIdempotencyKey();
 * await client.sms.send({ to, text }, { idempotencyKey });
 */
export const newIdempotencyKey = (): string => randomBase62(24);
