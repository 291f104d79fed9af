import { isRtcp } from '../bench/rooms/rtp.ts';
import { payloadTypes } from '../bench/rooms/BenchParticipant.ts';

interface Frame {
  pictureId: number | null;
  /** TL0PICIDX: counts the frames of the base layer. */
  baseIndex: number | null;
  temporalLayer: number;
  isKey: boolean;
  /** What follows the payload descriptor. */
  data: Buffer;
}

interface Stream {
  sequence: number;
  frame: Frame;
}

const headerBytes = 12;

export interface PayloadTypes {
  /** Without temporal layers: then nothing counts the frames of the base layer. */
  isFlat?: boolean;
  /** Without any numbers: decoders go by those of the packets. */
  isUnnumbered?: boolean;
}

/**
 * Follows the frames of VP8 pictures that are forwarded to a viewer, packet by packet, and notes what a decoder could not know as missing.
 * Decoders take the picture id for a frame's identity: each frame has to have the one after its predecessor's, through all changes of layer.
 */
export class ForwardedFrames {
  /** What was wrong, in words. */
  readonly problems: string[] = [];
  frames = 0;
  keyFrames = 0;
  readonly #streams = new Map<number, Stream>();
  readonly #onFrame: (ssrc: number, frame: Frame) => void;
  readonly #isFlat: boolean;
  readonly #isUnnumbered: boolean;

  constructor(
    onFrame: (ssrc: number, frame: Frame) => void = () => undefined,
    { isFlat = false, isUnnumbered = false }: PayloadTypes = {},
  ) {
    this.#onFrame = onFrame;
    this.#isFlat = isFlat;
    this.#isUnnumbered = isUnnumbered;
  }

  take(packet: Buffer): void {
    if (isRtcp(packet) || ((packet[1] ?? 0) & 0x7f) !== payloadTypes.vp8) return;
    const [sequence, ssrc] = [packet.readUInt16BE(2), packet.readUInt32BE(8)];
    const last = this.#streams.get(ssrc);
    if (last && sequence !== ((last.sequence + 1) & 0xffff))
      this.problems.push(`sequence number ${sequence} after ${last.sequence}`);
    const frame = beginningOf(packet);
    if (frame) this.#takeFrame(ssrc, frame, last?.frame ?? null);
    const current = frame ?? last?.frame;
    if (current) this.#streams.set(ssrc, { sequence, frame: current });
    else this.problems.push('a stream begins in the middle of a frame');
  }

  #takeFrame(ssrc: number, frame: Frame, last: Frame | null): void {
    this.frames++;
    if (frame.isKey) this.keyFrames++;
    if (!last && !frame.isKey) this.problems.push('a stream begins without a key frame');
    if (this.#isUnnumbered) {
      if (frame.pictureId !== null) this.problems.push('a frame with a picture id');
      this.#onFrame(ssrc, frame);
      return;
    }
    if (frame.pictureId === null || (frame.baseIndex === null && !this.#isFlat))
      this.problems.push('a frame without picture id or base index');
    if (last && this.#isFlat) {
      // A key frame needs none before it, and is not to be taken for one that may still wait.
      const isLater = (((frame.pictureId ?? 0) - (last.pictureId ?? 0)) & 0x7fff) < 0x4000;
      if (frame.isKey ? !isLater : frame.pictureId !== next(last.pictureId, 15))
        this.problems.push(`picture ${frame.pictureId} after ${last.pictureId}`);
    } else if (last) {
      if (frame.pictureId !== next(last.pictureId, 15))
        this.problems.push(`picture ${frame.pictureId} after ${last.pictureId}`);
      const expected = frame.temporalLayer === 0 ? next(last.baseIndex, 8) : last.baseIndex;
      if (frame.baseIndex !== expected)
        this.problems.push(`base frame ${frame.baseIndex} after ${last.baseIndex}`);
    }
    this.#onFrame(ssrc, frame);
  }
}

const next = (value: number | null, bits: number) => (value === null ? null : (value + 1) % 2 ** bits);

/** The frame that begins with this packet (RFC 7741); null where it goes on. */
function beginningOf(packet: Buffer): Frame | null {
  const first = packet[0] ?? 0;
  let start = headerBytes + (first & 0x0f) * 4;
  if (first & 0x10) start += 4 + packet.readUInt16BE(start + 2) * 4;
  const payload = packet.subarray(start);
  const head = payload[0] ?? 0;
  const isBeginning = (head & 0x10) !== 0 && (head & 0x07) === 0;
  if (!isBeginning) return null;
  let at = 1;
  const has = (head & 0x80) === 0 ? 0 : (payload[at++] ?? 0);
  const frame: Frame = { pictureId: null, baseIndex: null, temporalLayer: 0, isKey: false, data: payload };
  if (has & 0x80) {
    const isLong = ((payload[at] ?? 0) & 0x80) !== 0;
    frame.pictureId = isLong ? payload.readUInt16BE(at) & 0x7fff : (payload[at] ?? 0);
    at += isLong ? 2 : 1;
  }
  if (has & 0x40) frame.baseIndex = payload[at++] ?? 0;
  if (has & 0x30) frame.temporalLayer = (payload[at++] ?? 0) >> 6;
  frame.data = payload.subarray(at);
  frame.isKey = ((frame.data[0] ?? 1) & 0x01) === 0;
  return frame;
}
