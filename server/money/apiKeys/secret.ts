import { createHmac } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { randomBase62, toBase62 } from '../../../sdk/protocol/ids.ts';

const lead = 'svc_live_';
const randomLength = 32;
const checksumLength = 6;
const form = /^svc_live_[0-9A-Za-z]{38}$/;

/** `svc_live_`, 32 random characters (190 bits) and the CRC-32 of everything before it, as in GitHub's tokens. */
export function newSecret(): string {
  const body = lead + randomBase62(randomLength);
  return body + checksumOf(body);
}

/** Checks the form and the checksum. The server does this before it queries the database, and secret scanners can do the same. */
export function looksLikeSecret(text: string): boolean {
  return form.test(text) && text.endsWith(checksumOf(text.slice(0, -checksumLength)));
}

/** The prefix that identifies the key in lists and logs. */
export const prefixOf = (secret: string) => secret.slice(0, lead.length + 6);

/** The hash of a secret. The database stores only this. */
export const hashSecret = (secret: string, pepper: Buffer) =>
  createHmac('sha256', pepper).update(secret).digest('hex');

const checksumOf = (body: string) => toBase62(crc32(body)).padStart(checksumLength, '0');
