import { createDecipheriv, createECDH, hkdfSync, type ECDH } from 'node:crypto';

/** A browser's secrets for one subscription. */
export class PushKeys {
  readonly #curve: ECDH = createECDH('prime256v1');
  readonly #auth: Buffer;

  constructor(auth: Buffer) {
    this.#auth = auth;
    this.#curve.generateKeys();
  }

  get p256dh(): string {
    return this.#curve.getPublicKey('base64url');
  }

  get auth(): string {
    return this.#auth.toString('base64url');
  }

  /** Decrypts a message (RFC 8291 and RFC 8188) with Node's own functions, not with the library that encrypted it. */
  decrypt(body: Buffer): string {
    const salt = body.subarray(0, 16);
    const recordSize = body.readUInt32BE(16);
    const idLength = body.readUInt8(20);
    const sender = body.subarray(21, 21 + idLength);
    const record = body.subarray(21 + idLength);
    if (record.length > recordSize) throw new Error('more than one record');
    const shared = this.#curve.computeSecret(sender);
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.#curve.getPublicKey(), sender]);
    const secret = derive(shared, this.#auth, info, 32);
    const key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
    const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
    const cipher = createDecipheriv('aes-128-gcm', key, nonce);
    cipher.setAuthTag(record.subarray(-16));
    const padded = Buffer.concat([cipher.update(record.subarray(0, -16)), cipher.final()]);
    const end = padded.lastIndexOf(2);
    if (end < 0 || padded.subarray(end + 1).some((byte) => byte !== 0)) throw new Error('bad padding');
    return padded.subarray(0, end).toString();
  }
}

const derive = (secret: Buffer, salt: Buffer, info: Buffer, length: number) =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, length));
