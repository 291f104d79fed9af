import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Whether a request has this secret as its bearer token. The comparison takes the same time for every token. */
export function hasBearerSecret({ headers }: IncomingMessage, secret: string): boolean {
  return timingSafeEqual(hash(headers.authorization ?? ''), hash(`Bearer ${secret}`));
}

/** Compares hashes, because a comparison in constant time needs values of the same length. */
const hash = (text: string) => createHash('sha256').update(text).digest();
