import { createHmac } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { randomBase62, toBase62 } from '../../../sdk/protocol/ids.ts';

const lead = 'svc_live_';
const randomLength = 32;
const checksumLength = 6;
const form = /^svc_live_[0-9A-Za-z]{38}$/;

/** `svc_live_`, 32 random characters (190 bits) and the CRC-32 of all characters before, as in GitHub's tokens. */
export function newSecret(): string {
  const body = lead + randomBase62(randomLength);
  return body + checksumOf(body);
}

/** Checks form and checksum. The server does so before it queries the database; secret scanners can do the same. */
export function looksLikeSecret(text: string): boolean {
  return form.test(text) && text.endsWith(checksumOf(text.slice(0, -checksumLength)));
}

/** The prefix by which lists and logs name the key. */
export const prefixOf = (secret: string) => secret.slice(0, lead.length + 6);

/** The hash of the secret, which the database stores. */
export const hashSecret = (secret: string, pepper: Buffer) =>
  createHmac('sha256', pepper).update(secret).digest('hex');

const checksumOf = (body: string) => toBase62(crc32(body)).padStart(checksumLength, '0');
