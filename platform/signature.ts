import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Keys } from './keys.ts';

/** The signature of a text (HMAC-SHA256, base64url). */
export const signatureOf = (keys: Keys, text: string): string => signed(keys()[0], text);

/** Whether this is the signature of the text. The comparison takes the same time for every signature. */
export function isSignatureOf(keys: Keys, text: string, signature: string): boolean {
  const given = Buffer.from(signature);
  return keys().some((key) => {
    const right = Buffer.from(signed(key, text));
    return given.length === right.length && timingSafeEqual(given, right);
  });
}

const signed = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest('base64url');
