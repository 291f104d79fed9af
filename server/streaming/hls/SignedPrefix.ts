import { createHmac, timingSafeEqual } from 'node:crypto';

/** Signatures made within one step are equal, so a CDN keeps one copy of a file for all viewers. */
const stepSeconds = 600;
/** A signature is valid for at least one step and at most two. */
const stepsGood = 2;

/**
 * Signs a path prefix, so that an admitted viewer may fetch everything below it for a limited time. The signature is in the query and is
 * the same for all viewers, so a CDN may leave it out of its cache key, or verify it itself.
 */
export class SignedPrefix {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** @returns the query without its question mark */
  sign(prefix: string): string {
    const expires = (Math.floor(Date.now() / 1_000 / stepSeconds) + stepsGood) * stepSeconds;
    return `expires=${expires}&signature=${this.#signatureOf(prefix, String(expires))}`;
  }

  isValid(prefix: string, expires: unknown, signature: unknown): boolean {
    if (typeof expires !== 'string' || typeof signature !== 'string') return false;
    const [given, right] = [Buffer.from(signature), Buffer.from(this.#signatureOf(prefix, expires))];
    if (given.length !== right.length || !timingSafeEqual(given, right)) return false;
    return Number(expires) > Date.now() / 1_000;
  }

  #signatureOf(prefix: string, expires: string): string {
    return createHmac('sha256', this.#key).update(`${prefix}\n${expires}`).digest('base64url');
  }
}
