import { createHmac, timingSafeEqual } from 'node:crypto';

/** Addresses made within the same sixth of their life are the same, so that a browser has use for its cache. */
const stepsPerLife = 6;

export interface SignedQuery {
  expires: string;
  signature: string;
}

/** Where its bytes lie is part of it: when others take their place, what was signed before leads nowhere. */
export interface SignedFile {
  id: string;
  objectKey: string;
}

/** Addresses of files that are good for a while, whoever has them. */
export class Addresses {
  readonly #base: string;
  readonly #key: Buffer;
  readonly #stepSeconds: number;

  constructor({ publicUrl, key, seconds }: { publicUrl: string; key: Buffer; seconds: number }) {
    this.#base = `${publicUrl}/api/v1/media`;
    this.#key = key;
    this.#stepSeconds = Math.max(1, Math.round(seconds / stepsPerLife));
  }

  /** Good for at least its seconds, and at most a sixth more. */
  sign(file: SignedFile): string {
    const step = this.#stepSeconds;
    const expires = String((Math.ceil(Date.now() / 1_000 / step) + stepsPerLife) * step);
    const query = new URLSearchParams({ expires, signature: this.#signatureOf(file, expires) });
    return `${this.#base}/${file.id}?${query.toString()}`;
  }

  /** @returns the seconds it is still good for: none for one that has expired; null for a forged one */
  secondsLeft(file: SignedFile, { expires, signature }: SignedQuery): number | null {
    const [given, right] = [Buffer.from(signature), Buffer.from(this.#signatureOf(file, expires))];
    if (given.length !== right.length || !timingSafeEqual(given, right)) return null;
    return Math.max(0, Math.floor(Number(expires) - Date.now() / 1_000));
  }

  #signatureOf({ id, objectKey }: SignedFile, expires: string): string {
    return createHmac('sha256', this.#key).update(`${id} ${objectKey} ${expires}`).digest('base64url');
  }
}
