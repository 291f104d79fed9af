import { randomBase62 } from '../../protocol/ids.ts';

/**
 * Creates a key for a method that takes an `idempotencyKey`. Keep the key until you know the outcome. If you repeat the request with the
 * same key within 24 hours, the server still runs it only once. Never throws.
 * @returns a random key of 24 letters and digits
 * @example
 * const idempotencyKey = newIdempotencyKey();
 * await client.sms.send({ to: '+12025550100', message: 'Your table is ready.' }, { idempotencyKey });
 */
export const newIdempotencyKey = (): string => randomBase62(24);
