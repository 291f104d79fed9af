import type { RtpStream } from './rtp.ts';

/* RTCP packets of senders and receivers (RFC 3550, RFC 4585, and transport-wide congestion control). */

const types = { senderReport: 200, receiverReport: 201, transportFeedback: 205, payloadFeedback: 206 };
/** The number of seconds from 1900, the epoch of NTP, to 1970. */
const ntpEpoch = 2_208_988_800;

function packetOf(type: number, count: number, bodyBytes: number): Buffer {
  const packet = Buffer.alloc(4 + bodyBytes);
  packet[0] = 0x80 | count;
  packet[1] = type;
  packet.writeUInt16BE(bodyBytes / 4, 2);
  return packet;
}

/** @param timestamp the stream's current RTP timestamp */
export function senderReport(stream: RtpStream, timestamp: number): Buffer {
  const packet = packetOf(types.senderReport, 0, 24);
  const seconds = Date.now() / 1_000 + ntpEpoch;
  packet.writeUInt32BE(stream.ssrc, 4);
  packet.writeUInt32BE(Math.floor(seconds) >>> 0, 8);
  packet.writeUInt32BE(Math.floor((seconds % 1) * 2 ** 32) >>> 0, 12);
  packet.writeUInt32BE(timestamp >>> 0, 16);
  packet.writeUInt32BE(stream.packets >>> 0, 20);
  packet.writeUInt32BE(stream.bytes >>> 0, 24);
  return packet;
}

export interface ReceivedStream {
  ssrc: number;
  /** The highest sequence number so far, extended beyond 16 bits. */
  highest: number;
  lost: number;
}

const blocksPerReport = 31;

/** Builds receiver reports, with up to 31 streams per packet. */
export function receiverReports(from: number, streams: readonly ReceivedStream[]): Buffer {
  const packets: Buffer[] = [];
  for (let start = 0; start < streams.length; start += blocksPerReport) {
    const blocks = streams.slice(start, start + blocksPerReport);
    const packet = packetOf(types.receiverReport, blocks.length, 4 + blocks.length * 24);
    packet.writeUInt32BE(from, 4);
    for (const [index, { ssrc, highest, lost }] of blocks.entries()) {
      const at = 8 + index * 24;
      packet.writeUInt32BE(ssrc, at);
      packet.writeUIntBE(Math.max(0, lost), at + 5, 3);
      packet.writeUInt32BE(highest >>> 0, at + 8);
    }
    packets.push(packet);
  }
  return Buffer.concat(packets);
}

export interface Arrival {
  /** The transport-wide sequence number, extended beyond 16 bits. */
  sequence: number;
  /** The time of arrival in milliseconds. */
  at: number;
}

const [notReceived, smallDelta, largeDelta] = [0, 1, 2];
const symbolsPerChunk = 7;
const tickMs = 0.25;
const referenceMs = 64;

/**
 * Reports which packets arrived and when, for the sender's bandwidth estimate.
 * @param arrivals the arrivals, sorted by sequence number
 */
export function transportFeedback(from: number, count: number, arrivals: readonly Arrival[]): Buffer {
  const [first, last] = [arrivals[0], arrivals.at(-1)];
  if (!first || !last) return Buffer.alloc(0);
  const reference = Math.floor(first.at / referenceMs);
  const symbols = new Array<number>(last.sequence - first.sequence + 1).fill(notReceived);
  const deltas: number[] = [];
  let ticks = (reference * referenceMs) / tickMs;
  for (const { sequence, at } of arrivals) {
    const delta = Math.round(at / tickMs) - ticks;
    ticks += delta;
    const isSmall = delta >= 0 && delta <= 255;
    symbols[sequence - first.sequence] = isSmall ? smallDelta : largeDelta;
    if (isSmall) deltas.push(delta);
    else deltas.push((delta >> 8) & 0xff, delta & 0xff);
  }
  const chunks = Math.ceil(symbols.length / symbolsPerChunk);
  const bytes = Math.ceil((16 + chunks * 2 + deltas.length) / 4) * 4;
  const packet = packetOf(types.transportFeedback, 15, bytes);
  packet.writeUInt32BE(from, 4);
  packet.writeUInt16BE(first.sequence & 0xffff, 12);
  packet.writeUInt16BE(symbols.length, 14);
  packet.writeUIntBE(reference & 0xffffff, 16, 3);
  packet[19] = count & 0xff;
  for (let chunk = 0; chunk < chunks; chunk++) {
    // The chunk is a status vector with two bits per packet.
    let bits = 0xc000;
    for (let index = 0; index < symbolsPerChunk; index++)
      bits |= (symbols[chunk * symbolsPerChunk + index] ?? 0) << (12 - index * 2);
    packet.writeUInt16BE(bits, 20 + chunk * 2);
  }
  packet.set(deltas, 20 + chunks * 2);
  return packet;
}

/** The SSRCs for which a compound packet requests key frames, by a picture loss indication or a full intra request. */
export function keyFramesAskedFor(compound: Buffer): number[] {
  const ssrcs: number[] = [];
  for (let at = 0; at + 12 <= compound.length;) {
    const bytes = (compound.readUInt16BE(at + 2) + 1) * 4;
    const format = (compound[at] ?? 0) & 0x1f;
    if (compound[at + 1] === types.payloadFeedback) {
      if (format === 1) ssrcs.push(compound.readUInt32BE(at + 8));
      for (let entry = at + 12; format === 4 && entry + 8 <= at + bytes; entry += 8)
        ssrcs.push(compound.readUInt32BE(entry));
    }
    at += bytes;
  }
  return ssrcs;
}
