/* RTP as a browser sends it, without a codec: headers, extensions and payload descriptors are valid, and the rest is filler. */

/** The ids of header extensions. They are those that mediasoup's routers prefer, so that no mapping is needed. */
export const extensionIds = { mid: 1, absoluteSendTime: 4, transportSequence: 5, audioLevel: 6 };

export interface RtpStream {
  readonly ssrc: number;
  readonly payloadType: number;
  readonly mid: string;
  /** Timestamp ticks per second. */
  readonly clockRate: number;
  sequence: number;
  packets: number;
  bytes: number;
}

interface PacketOptions {
  timestamp: number;
  marker: boolean;
  /** The sequence number over all packets of the transport. */
  transportSequence: number;
  /** The audio level in dBov, from -127 to 0; null for video. */
  audioLevel: number | null;
  payload: Buffer;
}

const headerBytes = 12;

/** Builds the next packet of a stream. */
export function nextPacket(stream: RtpStream, options: PacketOptions): Buffer {
  const { timestamp, marker, payload } = options;
  const extensions = extensionsOf(stream, options);
  const packet = Buffer.alloc(headerBytes + extensions.length + payload.length);
  packet[0] = 0x90;
  packet[1] = (marker ? 0x80 : 0) | stream.payloadType;
  packet.writeUInt16BE(stream.sequence, 2);
  packet.writeUInt32BE(timestamp >>> 0, 4);
  packet.writeUInt32BE(stream.ssrc, 8);
  extensions.copy(packet, headerBytes);
  payload.copy(packet, headerBytes + extensions.length);
  stream.sequence = (stream.sequence + 1) & 0xffff;
  stream.packets++;
  stream.bytes += payload.length;
  return packet;
}

/** Builds the header extensions, in the one-byte form of RFC 8285. */
function extensionsOf(stream: RtpStream, { transportSequence, audioLevel }: PacketOptions): Buffer {
  const sendTime = Math.floor((performance.now() / 1_000) * 2 ** 18) & 0xffffff;
  const { mid, absoluteSendTime, transportSequence: sequence, audioLevel: level } = extensionIds;
  const elements = [
    element(mid, Buffer.from(stream.mid)),
    element(absoluteSendTime, [sendTime >> 16, (sendTime >> 8) & 0xff, sendTime & 0xff]),
    element(sequence, [(transportSequence >> 8) & 0xff, transportSequence & 0xff]),
    ...(audioLevel === null ? [] : [element(level, [-audioLevel | (audioLevel > -60 ? 0x80 : 0)])]),
  ].flat();
  const words = Math.ceil(elements.length / 4);
  const block = Buffer.alloc(4 + words * 4);
  block.writeUInt16BE(0xbede, 0);
  block.writeUInt16BE(words, 2);
  block.set(elements, 4);
  return block;
}

const element = (id: number, data: Iterable<number>): number[] => {
  const bytes = [...data];
  return [(id << 4) | (bytes.length - 1), ...bytes];
};

interface FrameOptions {
  isKey: boolean;
  isFirst: boolean;
  pictureId: number;
  bytes: number;
  isFlat: boolean;
}

/** Builds one packet's part of a VP8 frame: the payload descriptor of RFC 7741 and filler. */
export function vp8Payload({ isKey, isFirst, pictureId, bytes, isFlat }: FrameOptions): Buffer {
  const payload = Buffer.alloc(Math.max(bytes, 8), 0xa5);
  payload[0] = 0x80 | (isFirst ? 0x10 : 0);
  // The descriptor has a picture id of 15 bits and, unless the video is flat, TL0PICIDX and temporal layer 0.
  payload[1] = isFlat ? 0x80 : 0xe0;
  payload.writeUInt16BE(0x8000 | (pictureId & 0x7fff), 2);
  payload[4] = pictureId & 0xff;
  payload[5] = 0;
  // The lowest bit of the frame's first byte is 0 for key frames.
  payload[isFlat ? 4 : 6] = isKey ? 0x10 : 0x11;
  return payload;
}

export interface ReadRtp {
  ssrc: number;
  sequence: number;
  /** Null if the packet does not contain it. */
  transportSequence: number | null;
  /** The sending time in units of 2^-18 seconds, in 24 bits; null if the packet does not contain it. */
  sendTime: number | null;
}

/** Whether a packet is RTCP, which shares the transport with RTP and is recognised by its packet types (RFC 5761). */
export const isRtcp = (packet: Buffer): boolean => (packet[1] ?? 0) >= 192 && (packet[1] ?? 0) <= 223;

export function readRtp(packet: Buffer): ReadRtp {
  const read: ReadRtp = {
    ssrc: packet.readUInt32BE(8),
    sequence: packet.readUInt16BE(2),
    transportSequence: null,
    sendTime: null,
  };
  const first = packet[0] ?? 0;
  if ((first & 0x10) === 0) return read;
  const start = headerBytes + (first & 0x0f) * 4;
  const end = start + 4 + packet.readUInt16BE(start + 2) * 4;
  for (let at = start + 4; at < end;) {
    const head = packet[at] ?? 0;
    // Zero bytes are padding.
    if (head === 0) {
      at++;
      continue;
    }
    const id = head >> 4;
    if (id === extensionIds.transportSequence) read.transportSequence = packet.readUInt16BE(at + 1);
    if (id === extensionIds.absoluteSendTime) read.sendTime = packet.readUIntBE(at + 1, 3);
    at += 2 + (head & 0x0f);
  }
  return read;
}
