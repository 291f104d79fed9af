import { payloadOf } from './rtpPackets.ts';
import type { Passing } from './PacketRelay.ts';

/** An Opus frame of 20 ms without sound (RFC 6716). */
const silence = Buffer.from([0xf8, 0xff, 0xfe]);
const [ticksPerMs, frameTicks] = [48, 960];
/** Sound that comes later than this is missing. In silence, browsers send a packet every 400 ms (DTX). */
const missingMs = 600;
const senderReport = 200;

/**
 * Fills the gaps of an Opus track with silence, for example while a microphone is muted. Without it, ffmpeg would hold back the picture for
 * ten seconds each time, because it waits for the sound that belongs to it.
 */
export class SilenceFill implements Passing {
  readonly #ssrc: number;
  readonly #payloadType: number;
  /** The time of the last packet of the publisher, on the clock of what is sent, and when it arrived. */
  #last: { timestamp: number; at: number } | null = null;
  /** The sequence number and the time of what was sent last. */
  #sent = { sequence: 0, timestamp: 0 };
  /** What is added to the numbers of the publisher. */
  #shift = { sequence: 0, timestamp: 0 };
  #isFilling = false;
  /** Whether the publisher has sent sound. */
  #isHeard = false;

  constructor(ssrc: number, payloadType: number) {
    this.#ssrc = ssrc;
    this.#payloadType = payloadType;
  }

  readonly onPacket = (packet: Buffer): void => {
    if (payloadOf(packet) === null) return;
    const [sequence, timestamp] = [packet.readUInt16BE(2), packet.readUInt32BE(4)];
    const at = performance.now();
    if (this.#isFilling) {
      this.#shift.sequence = this.#sent.sequence + 1 - sequence;
      // Later, the clock of the publisher counts: after a stall of its network, its packets are late.
      if (!this.#isHeard) this.#shift.timestamp = this.#dueAt(at) - timestamp;
    }
    [this.#isHeard, this.#isFilling] = [true, false];
    this.#sent = {
      sequence: (sequence + this.#shift.sequence) & 0xffff,
      timestamp: (timestamp + this.#shift.timestamp) >>> 0,
    };
    this.#last = { timestamp: this.#sent.timestamp, at };
    packet.writeUInt16BE(this.#sent.sequence, 2);
    packet.writeUInt32BE(this.#sent.timestamp, 4);
  };

  readonly onReport = (packet: Buffer): void => {
    if (packet.length < 20 || packet.readUInt8(1) !== senderReport) return;
    packet.writeUInt32BE((packet.readUInt32BE(16) + this.#shift.timestamp) >>> 0, 16);
  };

  readonly add = (): Buffer[] => {
    const missing = (this.#dueAt(performance.now() - missingMs) - this.#sent.timestamp) | 0;
    const packets: Buffer[] = [];
    for (let ticks = frameTicks; ticks <= missing; ticks += frameTicks) packets.push(this.#frame());
    return packets;
  };

  /** The timestamp of sound of this moment. A microphone may be muted from the start. */
  #dueAt(at: number): number {
    this.#last ??= { timestamp: 0, at: performance.now() };
    return this.#last.timestamp + Math.floor((at - this.#last.at) * ticksPerMs);
  }

  #frame(): Buffer {
    this.#isFilling = true;
    this.#sent = {
      sequence: (this.#sent.sequence + 1) & 0xffff,
      timestamp: (this.#sent.timestamp + frameTicks) >>> 0,
    };
    const header = Buffer.alloc(12);
    header.writeUInt8(0x80, 0);
    header.writeUInt8(this.#payloadType, 1);
    header.writeUInt16BE(this.#sent.sequence, 2);
    header.writeUInt32BE(this.#sent.timestamp, 4);
    header.writeUInt32BE(this.#ssrc, 8);
    return Buffer.concat([header, silence]);
  }
}
