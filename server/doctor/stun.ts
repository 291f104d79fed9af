import { createHmac, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import ipaddr from 'ipaddr.js';

/* STUN messages (RFC 8489) as far as the doctor needs them: it tries media ports and TURN servers as a client does. */

const cookie = 0x2112a442;
const headerBytes = 20;

/** The types of messages. */
export const types = {
  binding: 0x0001,
  bindingAnswer: 0x0101,
  allocate: 0x0003,
  refresh: 0x0004,
  createPermission: 0x0008,
  send: 0x0016,
  data: 0x0017,
} as const;

export const attributes = {
  username: 0x0006,
  integrity: 0x0008,
  errorCode: 0x0009,
  lifetime: 0x000d,
  peerAddress: 0x0012,
  data: 0x0013,
  realm: 0x0014,
  nonce: 0x0015,
  relayedAddress: 0x0016,
  requestedTransport: 0x0019,
  priority: 0x0024,
  fingerprint: 0x8028,
} as const;

export type Attribute = [type: number, value: Buffer];

export interface StunMessage {
  type: number;
  id: Buffer;
  attributes: Map<number, Buffer>;
}

interface Options {
  id?: Buffer;
  /** Signs the message (MESSAGE-INTEGRITY). */
  key?: Buffer | string;
  /** Whether the message ends with a checksum, as messages to media ports do. @default false */
  fingerprint?: boolean;
}

export function encode(
  type: number,
  given: Attribute[],
  { id = randomBytes(12), key, fingerprint = false }: Options = {},
): { id: Buffer; bytes: Buffer } {
  let body = Buffer.concat(given.map(attribute));
  // Signature and checksum each cover a header whose length includes them.
  const before = (bytes: number) => Buffer.concat([header(type, body.length + bytes, id), body]);
  const add = (of: number, value: Buffer) => (body = Buffer.concat([body, attribute([of, value])]));
  if (key !== undefined) add(attributes.integrity, createHmac('sha1', key).update(before(24)).digest());
  if (fingerprint) {
    const value = Buffer.alloc(4);
    value.writeUInt32BE((crc32(before(8)) ^ 0x5354554e) >>> 0);
    add(attributes.fingerprint, value);
  }
  return { id, bytes: before(0) };
}

/** @returns null if these bytes are no complete STUN message */
export function decode(bytes: Buffer): StunMessage | null {
  const length = stunLength(bytes);
  if (length === null || bytes.length < length) return null;
  const found = new Map<number, Buffer>();
  for (let at = headerBytes; at + 4 <= length;) {
    const size = bytes.readUInt16BE(at + 2);
    found.set(bytes.readUInt16BE(at), bytes.subarray(at + 4, at + 4 + size));
    at += 4 + padded(size);
  }
  return { type: bytes.readUInt16BE(0), id: bytes.subarray(8, headerBytes), attributes: found };
}

/** The length of the message that these bytes begin with; null if it is not known yet, or if this is no STUN message. */
export function stunLength(bytes: Buffer): number | null {
  if (bytes.length < headerBytes || bytes.readUInt32BE(4) !== cookie) return null;
  return headerBytes + bytes.readUInt16BE(2);
}

/**
 * An address and a port as XOR-PEER-ADDRESS and the like have them.
 * @param id the id of the message
 */
export function xorAddress(address: string, port: number, id: Buffer): Buffer {
  const plain = ipaddr.parse(address).toByteArray();
  const head = Buffer.alloc(8);
  head[1] = plain.length === 4 ? 1 : 2;
  head.writeUInt16BE(port ^ (cookie >>> 16), 2);
  head.writeUInt32BE(cookie, 4);
  const mask = Buffer.concat([head.subarray(4), id]);
  return Buffer.concat([
    head.subarray(0, 4),
    Buffer.from(plain.map((byte, at) => byte ^ mask.readUInt8(at))),
  ]);
}

/** The number of an error, such as 401; null in an answer without an error. */
export function errorOf({ attributes: found }: StunMessage): number | null {
  const value = found.get(attributes.errorCode);
  return value ? (value[2] ?? 0) * 100 + (value[3] ?? 0) : null;
}

function header(type: number, length: number, id: Buffer): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16BE(type, 0);
  bytes.writeUInt16BE(length, 2);
  bytes.writeUInt32BE(cookie, 4);
  return Buffer.concat([bytes, id]);
}

function attribute([type, value]: Attribute): Buffer {
  const bytes = Buffer.alloc(4 + padded(value.length));
  bytes.writeUInt16BE(type, 0);
  bytes.writeUInt16BE(value.length, 2);
  value.copy(bytes, 4);
  return bytes;
}

const padded = (length: number) => Math.ceil(length / 4) * 4;
