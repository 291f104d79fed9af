import { createSecretKey, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';

/**
 * A key that may be replaced while the server runs: what was signed or sealed with any of the keys is accepted, and the first one signs and
 * seals. There are two keys during a rotation of SECRET_KEY, otherwise one.
 */
export type Keys = () => readonly [Buffer, ...Buffer[]];

/** A key that is not replaced. */
export const onlyKey =
  (key: Buffer): Keys =>
  () => [key];

/**
 * Tries the keys until one works.
 * @param attempt throws with a wrong key
 * @param isWrongKey whether an error may be due to the key. Others are thrown immediately
 * @throws the error of the first key, if none works
 */
export function withAnyKey<T>(
  keys: Keys,
  attempt: (key: Buffer) => T,
  isWrongKey: (error: unknown) => boolean = () => true,
): T {
  const errors: unknown[] = [];
  for (const key of keys()) {
    try {
      return attempt(key);
    } catch (error) {
      if (!isWrongKey(error)) throw error;
      errors.push(error);
    }
  }
  throw errors[0];
}

/** Verifies a JWT with any of the keys. @throws the errors of jwt.verify() */
export function verifyJwt(keys: Keys, token: string, options: jwt.VerifyOptions): unknown {
  const isWrongKey = (error: unknown) => error instanceof Error && error.message === 'invalid signature';
  return withAnyKey(keys, (key) => jwt.verify(token, keyObjectOf(key), options), isWrongKey);
}

const keyObjects = new WeakMap<Buffer, KeyObject>();

/** The key as a KeyObject, because jsonwebtoken would try to parse raw bytes as a public key each time. */
export function keyObjectOf(key: Buffer): KeyObject {
  const known = keyObjects.get(key) ?? createSecretKey(key);
  keyObjects.set(key, known);
  return known;
}
