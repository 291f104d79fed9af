const headerBytes = 12;
/** Types of H264 packets (RFC 6184). */
const aggregate = 24;
export const fragment = 28;

/** @returns the offset of the payload; null if the packet is not RTP */
export function payloadOf(packet: Buffer): number | null {
  if (packet.length < headerBytes || packet.readUInt8(0) >> 6 !== 2) return null;
  const first = packet.readUInt8(0);
  let at = headerBytes + 4 * (first & 0x0f);
  if (first & 0x10) {
    if (packet.length < at + 4) return null;
    at += 4 + 4 * packet.readUInt16BE(at + 2);
  }
  return at < packet.length ? at : null;
}

/** The ranges of the NAL units in a packet (RFC 6184). */
export function* unitsOf(packet: Buffer, payload: number): Generator<[number, number]> {
  if (typeOf(packet, payload) !== aggregate) {
    yield [payload, packet.length];
    return;
  }
  for (let at = payload + 1; at + 2 < packet.length;) {
    const end = at + 2 + packet.readUInt16BE(at);
    if (end > packet.length || end === at + 2) return;
    yield [at + 2, end];
    at = end;
  }
}

/** The type of a NAL unit; for a fragment, the type of the whole unit. */
export function typeOf(packet: Buffer, at: number): number {
  const type = packet.readUInt8(at) & 0x1f;
  return type === fragment && at + 1 < packet.length ? packet.readUInt8(at + 1) & 0x1f : type;
}
