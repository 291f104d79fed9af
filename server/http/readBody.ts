import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import express, { type Request, type Response } from 'express';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { hasBody } from './hasBody.ts';

const hashes = new WeakMap<IncomingMessage, string>();
const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');
const hashOfNothing = sha256('');

const json = express.json({
  type: () => true,
  limit: '100kb',
  inflate: false,
  verify: (request, _response, bytes, encoding) => {
    if (!request.headers['content-type'] && bytes.length > 0) throw notJson();
    if (encoding === 'utf-8' && !isUtf8(bytes)) throw notUtf8();
    const { 'idempotency-key': key, 'payment-signature': payment } = request.headers;
    if (key !== undefined || payment !== undefined) hashes.set(request, sha256(bytes));
  },
});

/** Otherwise the characters of another encoding would be replaced without a word, and a text sent and charged with the replacements. */
const notUtf8 = () =>
  new ParleyError('VALIDATION_ERROR', 'The request body is not UTF-8. Encode its text as UTF-8.', {
    reason: 'invalid_json',
  });

const notJson = () =>
  new ParleyError('VALIDATION_ERROR', 'Send the body as application/json.', {
    reason: 'unsupported_media_type',
  });

const bytes = express.raw({ type: () => true, limit: '1mb', inflate: false });

/** Reads the body, if there is one, into request.body, as JSON or (`raw`) as bytes. */
export async function readBody(request: Request, response: Response, raw = false): Promise<void> {
  if (!hasBody(request)) return;
  const { 'content-type': type, 'transfer-encoding': encoding } = request.headers;
  // Some programs and proxies send a request without a body in chunks, of which there are none: only its end shows that.
  const mayBeEmpty = encoding !== undefined && !type;
  if (!raw && !mayBeEmpty && !request.is('application/json')) throw notJson();
  // Some programs write utf8. The parser knows only the registered name.
  if (!raw) request.headers['content-type'] = type?.replace(/(charset="?)utf8/i, '$1utf-8');
  await new Promise<void>((resolve, reject) => {
    (raw ? bytes : json)(request, response, (error?: unknown) => {
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- answerError converts errors of Express
      if (error) reject(error);
      else resolve();
    });
  });
}

/** SHA-256 of the raw body of a request with an Idempotency-Key or a payment. */
export const bodyHashOf = (request: Request) => hashes.get(request) ?? hashOfNothing;
