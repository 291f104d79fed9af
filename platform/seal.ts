import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { withAnyKey, type Keys } from './keys.ts';

const algorithm = 'aes-256-gcm';
const nonceLength = 12;
const tagLength = 16;

/**
 * Encrypts a text with AES-256-GCM.
 * @param keys each has 32 bytes
 * @param place names the object that the text belongs to. It is additional authenticated data, so unseal needs the same value
 */
export function seal(text: string, keys: Keys, place: string): Buffer {
  const [key] = keys();
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(place));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** @throws Error when the key or place differs or a byte was changed */
export const unseal = (bytes: Buffer, keys: Keys, place: string): string =>
  withAnyKey(keys, (key) => unsealWith(bytes, key, place));

function unsealWith(bytes: Buffer, key: Buffer, place: string): string {
  const tag = bytes.subarray(nonceLength, nonceLength + tagLength);
  const cipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceLength), {
    authTagLength: tagLength,
  });
  cipher.setAAD(Buffer.from(place)).setAuthTag(tag);
  return Buffer.concat([cipher.update(bytes.subarray(nonceLength + tagLength)), cipher.final()]).toString();
}

/** Seals and unseals with the keys of one purpose. */
export const sealerFor = (keys: Keys) => ({
  seal: (text: string, place: string) => seal(text, keys, place),
  unseal: (bytes: Buffer, place: string) => unseal(bytes, keys, place),
});
