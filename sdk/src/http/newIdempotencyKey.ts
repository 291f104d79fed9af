import { randomBase62 } from '../../protocol/ids.ts';

/**
 * Makes a key for a method that takes an `idempotencyKey`. Keep it until you know the outcome, and repeat the request with the same
 * key: the server carries it out once.
 * @example
 * const idempotencyKey = newIdempotencyKey();
 * await client.sms.send({ to, text }, { idempotencyKey });
 */
export const newIdempotencyKey = (): string => randomBase62(24);
