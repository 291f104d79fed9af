import { isSignatureOf, signatureOf } from '../../platform/signature.ts';
import type { Keys } from '../../platform/keys.ts';

/**
 * Expiry times are rounded up to multiples of a sixth of the validity. So all URLs of a file that are signed within such a sixth are equal,
 * and browsers can cache the file.
 */
const stepsPerValidity = 6;

export interface SignedQuery {
  expires: string;
  signature: string;
}

/** The object key is part of the signature: when the bytes are replaced, earlier URLs become invalid. */
export interface SignedFile {
  id: string;
  objectKey: string;
  /** In seconds. */
  duration?: number | null;
}

/** Signs URLs of files. They are valid for a limited time, for everyone who has them. */
export class Addresses {
  readonly #base: string;
  readonly #keys: Keys;
  readonly #stepSeconds: number;

  constructor({ publicUrl, keys, seconds }: { publicUrl: string; keys: Keys; seconds: number }) {
    this.#base = `${publicUrl}/api/v1/media`;
    this.#keys = keys;
    this.#stepSeconds = Math.max(1, Math.round(seconds / stepsPerValidity));
  }

  /**
   * The URL is valid for at least the configured time and at most a sixth more. The duration of a recording is added, because a player
   * reads a file in parts, the last ones when it reaches them.
   */
  sign(file: SignedFile): string {
    const step = this.#stepSeconds;
    const steps = stepsPerValidity + Math.ceil((file.duration ?? 0) / step);
    const expires = String((Math.ceil(Date.now() / 1_000 / step) + steps) * step);
    const query = new URLSearchParams({ expires, signature: signatureOf(this.#keys, textOf(file, expires)) });
    return `${this.#base}/${file.id}?${query.toString()}`;
  }

  /** @returns the remaining seconds; 0 for an expired URL, null for a forged one */
  secondsLeft(file: SignedFile, { expires, signature }: SignedQuery): number | null {
    if (!isSignatureOf(this.#keys, textOf(file, expires), signature)) return null;
    return Math.max(0, Math.floor(Number(expires) - Date.now() / 1_000));
  }
}

const textOf = ({ id, objectKey }: SignedFile, expires: string) => `${id} ${objectKey} ${expires}`;
