import { createHmac, timingSafeEqual } from 'node:crypto';

/** The signature of a text (HMAC-SHA256, base64url). */
export const signatureOf = (key: Buffer, text: string): string =>
  createHmac('sha256', key).update(text).digest('base64url');

/** Whether this is the signature of the text. The comparison takes the same time for every signature. */
export function isSignatureOf(key: Buffer, text: string, signature: string): boolean {
  const [given, right] = [Buffer.from(signature), Buffer.from(signatureOf(key, text))];
  return given.length === right.length && timingSafeEqual(given, right);
}
