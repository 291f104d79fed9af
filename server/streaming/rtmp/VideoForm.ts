import { h264Size } from '../../../platform/internals/nodeMediaServer/h264Size.ts';
import { videoSize, type VideoSize } from '../../../sdk/protocol/media.ts';

/** One frame, as its FLV message describes it, in milliseconds. */
export interface InspectedFrame {
  dts: number;
  /** The delay from decoding to display. */
  shownAfter: number;
  isKey: boolean;
}

/** The maximum time between key frames. New viewers wait for the next one. */
const longestGroupMs = 4_000;
/** Allowance for jitter in a group of four seconds. */
const toleranceMs = 250;
/** A longer step is a jump of the publisher's clock. ffmpeg takes it for one, too. */
const longestStepMs = 10_000;
/** Profiles that browsers decode even if WebRTC has negotiated another one: baseline, main and high. */
const copiedProfiles = new Set([66, 77, 100]);

/**
 * Decides whether a publisher's H264 can be copied to browsers: it must have no B-frames (which WebRTC does not support), key frames at
 * short intervals, and a profile that browsers decode. A reason to encode it may appear at any time.
 */
export class VideoForm {
  #reason: string | null = null;
  #size: VideoSize | undefined;
  #frames = 0;
  #latest: Pick<InspectedFrame, 'dts' | 'shownAfter'> = { dts: -Infinity, shownAfter: 0 };
  #groupBegan: number | null = null;

  /** Why the video must be encoded; null if no reason has been found so far. */
  get reason(): string | null {
    return this.#reason;
  }

  /** Undefined while it is not known. */
  get size(): VideoSize | undefined {
    return this.#size;
  }

  /** The number of inspected frames. */
  get frames(): number {
    return this.#frames;
  }

  /** @param avcC the decoder configuration (ISO 14496-15) */
  begin(avcC: Buffer): void {
    const profile = avcC[1] ?? 0;
    if (!copiedProfiles.has(profile)) this.#reason ??= `profile ${profile}`;
    this.#size = videoSize.safeParse(h264Size(avcC)).data;
  }

  inspect({ dts, shownAfter, isKey }: InspectedFrame): void {
    this.#frames++;
    // A publisher's clock starts again at 0 after 2^32 ms, and with some when they repeat a file. That of a camera jumps when it is set.
    const isRestart = dts < this.#latest.dts || dts > this.#latest.dts + longestStepMs;
    const isBefore = dts + shownAfter < this.#latest.dts + this.#latest.shownAfter;
    // Without B-frames, frames arrive in display order.
    if (isBefore && !isRestart) this.#reason ??= 'B-frames';
    this.#latest = { dts, shownAfter };
    if (isKey || isRestart || this.#groupBegan === null) this.#groupBegan = dts;
    else if (dts - this.#groupBegan > longestGroupMs + toleranceMs)
      this.#reason ??= 'long groups of pictures';
  }
}
