import { createHmac } from 'node:crypto';
import type { Logger } from 'pino';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { randomBase62 } from '../../sdk/protocol/ids.ts';

/** Encrypts text. Text that was sealed for one place can only be unsealed for the same place. */
export interface Box {
  seal(text: string, place: string): Buffer;
  /** @throws Error for text that was sealed with another key or for another place */
  unseal(bytes: Buffer, place: string): string;
}

export interface StoredKey {
  keyHash: string;
  keySealed: Buffer;
}

const form = /^sk_[0-9A-Za-z]{32}$/;

/** Stream keys. A stream is found by its key's HMAC. The key is also stored encrypted, so that the host can read it again. */
export class StreamKeys {
  readonly #hashKey: Buffer;
  readonly #box: Box;
  readonly #log: Logger;

  constructor({ hashKey, box, log }: { hashKey: Buffer; box: Box; log: Logger }) {
    this.#hashKey = hashKey;
    this.#box = box;
    this.#log = log;
  }

  /** Creates a key of 190 bits. */
  create(streamId: string): StoredKey {
    const key = `sk_${randomBase62(32)}`;
    return { keyHash: this.#hash(key), keySealed: this.#box.seal(key, streamId) };
  }

  /** @throws ParleyError AUTHENTICATION_REQUIRED for text that does not have the form of a key */
  hashOf(key: string): string {
    if (!form.test(key)) throw noSuchKey();
    return this.#hash(key);
  }

  /**
   * Decrypts a stored key. Returns an empty string if SECRET_KEY has changed: the stream key then no longer works, and the host can reset
   * it.
   */
  read(streamId: string, sealed: Buffer): string {
    try {
      return this.#box.unseal(sealed, streamId);
    } catch {
      this.#log.warn({ streamId }, 'stream key unreadable: SECRET_KEY has changed');
      return '';
    }
  }

  #hash(key: string): string {
    return createHmac('sha256', this.#hashKey).update(key).digest('base64url');
  }
}

export const noSuchKey = () =>
  new ParleyError(
    'AUTHENTICATION_REQUIRED',
    'This stream key is not valid: it may have been reset, so copy it from the stream again.',
  );
