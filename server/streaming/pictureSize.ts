import { h264SizeOf } from '../../platform/internals/nodeMediaServer/h264Size.ts';
import { payloadOf, typeOf, unitsOf } from './rtpPackets.ts';

export interface PictureSize {
  width: number;
  height: number;
}

const parameterSet = 7;
/** Sizes may differ by this factor because they are rounded, and still have the same shape. */
const shapeTolerance = 1.05;

/** Whether one is a scaled version of the other, and not turned or cut. */
export function hasShape(size: PictureSize, shape: PictureSize): boolean {
  const factor = (size.width * shape.height) / (size.height * shape.width);
  return factor < shapeTolerance && factor > 1 / shapeTolerance;
}

/** The size that has the long side of the larger one, and the shape of the second one. */
export function shaped(size: PictureSize, shape: PictureSize): PictureSize {
  const long = Math.max(shape.width, shape.height);
  const factor = Math.max(size.width, size.height, long) / long;
  return { width: Math.round(shape.width * factor), height: Math.round(shape.height * factor) };
}

/**
 * The size of the picture that begins with this RTP packet. Publishers do not always tell it, and it changes when a phone is turned.
 * @param mimeType in lower case
 * @returns null if the packet does not have it, as most of them
 */
export function pictureSize(mimeType: string, packet: Buffer): PictureSize | null {
  const at = payloadOf(packet);
  if (at === null) return null;
  try {
    const size = readers[mimeType]?.(packet, at) ?? null;
    return size && size.width > 0 && size.height > 0 ? size : null;
  } catch {
    // The packet is shorter than it says.
    return null;
  }
}

type Read = (packet: Buffer, at: number) => PictureSize | null;
const readers: Partial<Record<string, Read>> = {
  'video/vp8': readVp8,
  'video/vp9': readVp9,
  'video/h264': readH264,
};

/** A key frame begins with its size (RFC 7741, RFC 6386). */
function readVp8(packet: Buffer, at: number): PictureSize | null {
  const first = packet.readUInt8(at++);
  if (first & 0x80) {
    const has = packet.readUInt8(at++);
    if (has & 0x80) at += packet.readUInt8(at) & 0x80 ? 2 : 1;
    if (has & 0x40) at++;
    if (has & 0x30) at++;
  }
  const beginsPicture = (first & 0x17) === 0x10;
  const isKey =
    beginsPicture && (packet.readUInt8(at) & 1) === 0 && packet.readUIntBE(at + 3, 3) === 0x9d012a;
  if (!isKey) return null;
  return { width: packet.readUInt16LE(at + 6) & 0x3fff, height: packet.readUInt16LE(at + 8) & 0x3fff };
}

/** The scalability structure before a key frame lists the sizes of the layers, the largest one last (RFC 9628). */
function readVp9(packet: Buffer, at: number): PictureSize | null {
  const has = packet.readUInt8(at++);
  if (!(has & 0x02)) return null;
  const isFlexible = (has & 0x10) !== 0;
  if (has & 0x80) at += packet.readUInt8(at) & 0x80 ? 2 : 1;
  if (has & 0x20) at += isFlexible ? 1 : 2;
  if (isFlexible && has & 0x40) while (packet.readUInt8(at++) & 1);
  const structure = packet.readUInt8(at++);
  if (!(structure & 0x10)) return null;
  const last = at + 4 * (structure >> 5);
  return { width: packet.readUInt16BE(last), height: packet.readUInt16BE(last + 2) };
}

function readH264(packet: Buffer, at: number): PictureSize | null {
  for (const [begin, end] of unitsOf(packet, at))
    if (typeOf(packet, begin) === parameterSet) return h264SizeOf(packet.subarray(begin, end));
  return null;
}
