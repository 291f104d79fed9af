/** One picture, as its message in FLV says. Milliseconds. */
export interface Picture {
  dts: number;
  /** When it is to be shown, after it was sent. */
  shownAfter: number;
  isKey: boolean;
}

/** Viewers who come in wait for the next key frame. */
const longestGroupMs = 4_000;
/** Frames come when they come: a group of four seconds is no longer than that. */
const toleranceMs = 250;
/** Browsers decode these whatever WebRTC calls them: baseline, main and high. */
const copiedProfiles = new Set([66, 77, 100]);

/**
 * Whether a publisher's H264 can go to browsers as it is: without B-frames, which WebRTC does not know, in groups that are short,
 * and in a profile that browsers decode. What turns out later turns out later.
 */
export class VideoForm {
  #reason: string | null = null;
  #pictures = 0;
  #lastShown = -Infinity;
  #groupBegan: number | null = null;

  /** Why it has to be encoded anew; null as long as there is no reason to. */
  get reason(): string | null {
    return this.#reason;
  }

  /** Pictures that were looked at. */
  get pictures(): number {
    return this.#pictures;
  }

  /** @param avcC what an H264 decoder begins with (ISO 14496-15) */
  begin(avcC: Buffer): void {
    const profile = avcC[1] ?? 0;
    if (!copiedProfiles.has(profile)) this.#reason ??= `profile ${profile}`;
  }

  look({ dts, shownAfter, isKey }: Picture): void {
    this.#pictures++;
    const shown = dts + shownAfter;
    // Without B-frames pictures are shown in the order they come in.
    if (shown < this.#lastShown) this.#reason ??= 'B-frames';
    this.#lastShown = shown;
    if (isKey || this.#groupBegan === null) this.#groupBegan = dts;
    else if (dts - this.#groupBegan > longestGroupMs + toleranceMs)
      this.#reason ??= 'long groups of pictures';
  }
}
