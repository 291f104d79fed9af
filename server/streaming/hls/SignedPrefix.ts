import { isSignatureOf, signatureOf } from '../../../platform/signature.ts';
import type { Keys } from '../../../platform/keys.ts';

/** Signatures made within one step are equal, so a CDN keeps one copy of a file for all viewers. */
const stepSeconds = 600;
/** A signature is valid for at least one step and at most two. */
const stepsGood = 2;

/**
 * Signs a path prefix, so that an admitted viewer may fetch everything below it for a limited time. The signature is in the query and is
 * the same for all viewers, so a CDN may leave it out of its cache key, or verify it itself.
 */
export class SignedPrefix {
  readonly #keys: Keys;

  constructor(keys: Keys) {
    this.#keys = keys;
  }

  /** @returns the query without its question mark */
  sign(prefix: string): string {
    const expires = (Math.floor(Date.now() / 1_000 / stepSeconds) + stepsGood) * stepSeconds;
    return `expires=${expires}&signature=${signatureOf(this.#keys, `${prefix}\n${expires}`)}`;
  }

  isValid(prefix: string, expires: unknown, signature: unknown): boolean {
    if (typeof expires !== 'string' || typeof signature !== 'string') return false;
    return (
      isSignatureOf(this.#keys, `${prefix}\n${expires}`, signature) && Number(expires) > Date.now() / 1_000
    );
  }
}
