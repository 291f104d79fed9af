import { createHmac, timingSafeEqual } from 'node:crypto';

/** Signatures made within the same step are the same: a CDN keeps one copy of a file, whoever asks. */
const stepSeconds = 600;
/** Good for at least one step, and at most two. */
const stepsGood = 2;

/**
 * Signs what lies under a path: whoever was let in may fetch all of it for a while. It stands in the query, and is the same for
 * everybody, so that a CDN may leave it out of the key of its cache, or check it itself.
 */
export class SignedPrefix {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** @returns the query, without its question mark */
  sign(prefix: string): string {
    const expires = (Math.floor(Date.now() / 1_000 / stepSeconds) + stepsGood) * stepSeconds;
    return `expires=${expires}&signature=${this.#signatureOf(prefix, String(expires))}`;
  }

  isGood(prefix: string, expires: unknown, signature: unknown): boolean {
    if (typeof expires !== 'string' || typeof signature !== 'string') return false;
    const [given, right] = [Buffer.from(signature), Buffer.from(this.#signatureOf(prefix, expires))];
    if (given.length !== right.length || !timingSafeEqual(given, right)) return false;
    return Number(expires) > Date.now() / 1_000;
  }

  #signatureOf(prefix: string, expires: string): string {
    return createHmac('sha256', this.#key).update(`${prefix}\n${expires}`).digest('base64url');
  }
}
