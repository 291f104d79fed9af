import { createHmac } from 'node:crypto';
import type { Logger } from 'pino';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { randomBase62 } from '../../sdk/protocol/ids.ts';

/** Encrypts; what was sealed for one place opens for no other. */
export interface Box {
  seal(text: string, place: string): Buffer;
  /** @throws Error for what another key has sealed, or for another place */
  unseal(bytes: Buffer, place: string): string;
}

export interface StoredKey {
  keyHash: string;
  keySealed: Buffer;
}

const form = /^sk_[0-9A-Za-z]{32}$/;

/** The keys streams are published with: found by their HMAC, and kept sealed, so that their hosts can read them again. */
export class StreamKeys {
  readonly #hashKey: Buffer;
  readonly #box: Box;
  readonly #log: Logger;

  constructor({ hashKey, box, log }: { hashKey: Buffer; box: Box; log: Logger }) {
    this.#hashKey = hashKey;
    this.#box = box;
    this.#log = log;
  }

  /** 190 bits. */
  create(streamId: string): StoredKey {
    const key = `sk_${randomBase62(32)}`;
    return { keyHash: this.#hash(key), keySealed: this.#box.seal(key, streamId) };
  }

  /** @throws ParleyError AUTHENTICATION_REQUIRED for what is no key at all */
  hashOf(key: string): string {
    if (!form.test(key)) throw noSuchKey();
    return this.#hash(key);
  }

  /** Empty where SECRET_KEY is another than it was: then it is of no use to anybody, and can be reset. */
  read(streamId: string, sealed: Buffer): string {
    try {
      return this.#box.unseal(sealed, streamId);
    } catch {
      this.#log.warn({ streamId }, 'a stream’s key was sealed with another SECRET_KEY');
      return '';
    }
  }

  #hash(key: string): string {
    return createHmac('sha256', this.#hashKey).update(key).digest('base64url');
  }
}

export const noSuchKey = () =>
  new ParleyError('AUTHENTICATION_REQUIRED', 'This is no stream’s key: it may have been reset.');
