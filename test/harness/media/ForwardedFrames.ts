import { isRtcp } from '../../bench/rooms/rtp.ts';
import { payloadTypes } from '../../bench/rooms/BenchParticipant.ts';

interface Frame {
  pictureId: number | null;
  /** TL0PICIDX, which counts the frames of the base layer. */
  baseIndex: number | null;
  temporalLayer: number;
  isKey: boolean;
  /** The bytes after the payload descriptor. */
  data: Buffer;
}

interface Stream {
  sequence: number;
  frame: Frame;
}

const headerBytes = 12;

export interface FrameNumbers {
  /** Whether the video lacks temporal layers, so that no index counts the frames of the base layer. @default false */
  withoutTemporalLayers?: boolean;
  /** Whether frames lack picture ids, so that decoders use the packets' sequence numbers. @default false */
  withoutPictureIds?: boolean;
}

/**
 * Checks the VP8 frames that are forwarded to a viewer, packet by packet, for gaps that a decoder could not detect.
 * Decoders identify a frame by its picture id: each frame's id must directly follow its predecessor's, even when the layer changes.
 */
export class ForwardedFrames {
  /** Descriptions of the errors found. */
  readonly problems: string[] = [];
  frames = 0;
  keyFrames = 0;
  readonly #streams = new Map<number, Stream>();
  readonly #onFrame: (ssrc: number, frame: Frame) => void;
  readonly #withoutTemporalLayers: boolean;
  readonly #withoutPictureIds: boolean;

  constructor(
    onFrame: (ssrc: number, frame: Frame) => void = () => undefined,
    { withoutTemporalLayers = false, withoutPictureIds = false }: FrameNumbers = {},
  ) {
    this.#onFrame = onFrame;
    this.#withoutTemporalLayers = withoutTemporalLayers;
    this.#withoutPictureIds = withoutPictureIds;
  }

  take(packet: Buffer): void {
    if (isRtcp(packet) || ((packet[1] ?? 0) & 0x7f) !== payloadTypes.vp8) return;
    const [sequence, ssrc] = [packet.readUInt16BE(2), packet.readUInt32BE(8)];
    const last = this.#streams.get(ssrc);
    if (last && sequence !== ((last.sequence + 1) & 0xffff))
      this.problems.push(`sequence number ${sequence} after ${last.sequence}`);
    const frame = frameStartingIn(packet);
    if (frame) this.#takeFrame(ssrc, frame, last?.frame ?? null);
    const current = frame ?? last?.frame;
    if (current) this.#streams.set(ssrc, { sequence, frame: current });
    else this.problems.push('the stream starts in the middle of a frame');
  }

  #takeFrame(ssrc: number, frame: Frame, last: Frame | null): void {
    this.frames++;
    if (frame.isKey) this.keyFrames++;
    if (!last && !frame.isKey) this.problems.push('the stream starts without a key frame');
    if (this.#withoutPictureIds) {
      if (frame.pictureId !== null) this.problems.push('a frame with a picture id');
      this.#onFrame(ssrc, frame);
      return;
    }
    if (frame.pictureId === null || (frame.baseIndex === null && !this.#withoutTemporalLayers))
      this.problems.push('a frame without picture id or base index');
    if (last && this.#withoutTemporalLayers) {
      // A key frame depends on no earlier frame, but its id must not look older than the last one.
      const isLater = (((frame.pictureId ?? 0) - (last.pictureId ?? 0)) & 0x7fff) < 0x4000;
      if (frame.isKey ? !isLater : frame.pictureId !== next(last.pictureId, 15))
        this.problems.push(`picture id ${frame.pictureId} after ${last.pictureId}`);
    } else if (last) {
      if (frame.pictureId !== next(last.pictureId, 15))
        this.problems.push(`picture id ${frame.pictureId} after ${last.pictureId}`);
      const expected = frame.temporalLayer === 0 ? next(last.baseIndex, 8) : last.baseIndex;
      if (frame.baseIndex !== expected)
        this.problems.push(`base index ${frame.baseIndex} after ${last.baseIndex}`);
    }
    this.#onFrame(ssrc, frame);
  }
}

const next = (value: number | null, bits: number) => (value === null ? null : (value + 1) % 2 ** bits);

/** The frame that starts with this packet (RFC 7741); null if the packet continues one. */
function frameStartingIn(packet: Buffer): Frame | null {
  const first = packet[0] ?? 0;
  let start = headerBytes + (first & 0x0f) * 4;
  if (first & 0x10) start += 4 + packet.readUInt16BE(start + 2) * 4;
  const payload = packet.subarray(start);
  const head = payload[0] ?? 0;
  const isStart = (head & 0x10) !== 0 && (head & 0x07) === 0;
  if (!isStart) return null;
  let at = 1;
  const extensions = (head & 0x80) === 0 ? 0 : (payload[at++] ?? 0);
  const frame: Frame = { pictureId: null, baseIndex: null, temporalLayer: 0, isKey: false, data: payload };
  if (extensions & 0x80) {
    const isLong = ((payload[at] ?? 0) & 0x80) !== 0;
    frame.pictureId = isLong ? payload.readUInt16BE(at) & 0x7fff : (payload[at] ?? 0);
    at += isLong ? 2 : 1;
  }
  if (extensions & 0x40) frame.baseIndex = payload[at++] ?? 0;
  if (extensions & 0x30) frame.temporalLayer = (payload[at++] ?? 0) >> 6;
  frame.data = payload.subarray(at);
  frame.isKey = ((frame.data[0] ?? 1) & 0x01) === 0;
  return frame;
}
