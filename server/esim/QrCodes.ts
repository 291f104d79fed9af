import type { RequestHandler } from 'express';
import { toBuffer } from 'qrcode';
import type { Keys } from '../../platform/keys.ts';
import { isSignatureOf, signatureOf } from '../../platform/signature.ts';
import { notFound } from '../http/errors.ts';

/** The base path of all QR codes. */
export const qrPath = '/qr/esim';
const lifetimeMs = 24 * 60 * 60_000;

/**
 * Serves activation codes as QR images. Their URLs are signed and valid for a day. So they need no credentials, and work in emails.
 * The signature is in the query, which is not logged.
 */
export class QrCodes {
  readonly #keys: Keys;
  readonly #publicUrl: string;

  constructor({ keys, publicUrl }: { keys: Keys; publicUrl: string }) {
    this.#keys = keys;
    this.#publicUrl = publicUrl;
  }

  urlOf(esimId: string): string {
    const expires = String(Date.now() + lifetimeMs);
    const query = new URLSearchParams({
      expires,
      signature: signatureOf(this.#keys, textOf(esimId, expires)),
    });
    return `${this.#publicUrl}${qrPath}/${esimId}.png?${query.toString()}`;
  }

  /** @param read returns the activation code of an eSIM, or null */
  handler(read: (esimId: string) => Promise<string | null>): RequestHandler {
    return async (request, response, next) => {
      const [, esimId] = /^\/(esm_[0-9A-Za-z]{24})\.png$/.exec(request.path) ?? [];
      const { expires, signature } = request.query;
      const isAllowed = request.method === 'GET' && this.#isValid(esimId, expires, signature);
      const text = isAllowed && esimId !== undefined ? await read(esimId) : null;
      if (text === null) {
        notFound(request, response, next);
        return;
      }
      const png = await toBuffer(text, { errorCorrectionLevel: 'M', margin: 4, scale: 8 });
      response.set('Cache-Control', 'private, no-store').type('png').send(png);
    };
  }

  #isValid(esimId: string | undefined, expires: unknown, signature: unknown): boolean {
    if (
      esimId === undefined ||
      typeof expires !== 'string' ||
      typeof signature !== 'string' ||
      !/^\d{13}$/.test(expires)
    )
      return false;
    if (!isSignatureOf(this.#keys, textOf(esimId, expires), signature)) return false;
    return Number(expires) > Date.now();
  }
}

const textOf = (esimId: string, expires: string) => `${esimId}/${expires}`;
