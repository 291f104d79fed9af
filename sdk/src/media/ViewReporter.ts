import type { WireView } from '../../protocol/media.ts';
import type { MediaSession } from './MediaSession.ts';
import type { MediaTrack, Watched } from '../types.ts';

/** The size at which a view shows a video. */
export interface VideoSize {
  /** In device pixels. */
  width: number;
  /** In device pixels. */
  height: number;
  /** Whether a user can see the view. */
  isVisible: boolean;
}

/** A view that shows a video. */
export interface VideoView {
  /**
   * Reports another size or visibility. May be called often: sizes are sent to the server at most five times a second. Never throws.
   * @param size the size in device pixels, and whether the view is visible
   */
  update(size: VideoSize): void;
  /** Ends the view. If no other view shows the video, it is then sent at full size again. Never throws. */
  close(): void;
}

interface Viewed {
  video: Watched;
  /** Returns the current size. */
  size: () => VideoSize;
}

/** The delay of a report. While a window is being resized, sizes change continuously, and only the last one is reported. */
const settleMs = 200;
/** The delay before a failed report is repeated. */
const retryMs = 2_000;
/** Relative changes of a size up to this are not reported. */
const tolerance = 0.1;
/** The largest side that the server accepts. */
const maxSide = 16_384;

/**
 * Reports the size and visibility of the views that show remote videos to the server. The server sends the layer that fits, and nothing for
 * a hidden video. A video without a view is sent at full size.
 */
export class ViewReporter {
  readonly #sessions: () => Iterable<MediaSession>;
  readonly #views = new Set<Viewed>();
  /** The last reports, by consumer id. */
  readonly #reported = new Map<string, WireView>();
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(sessions: () => Iterable<MediaSession>) {
    this.#sessions = sessions;
  }

  /** Adds a view whose size the app reports. */
  view(video: Watched, size: VideoSize): VideoView {
    let current = size;
    const close = this.add(video, () => current);
    return {
      update: (next) => {
        current = next;
        this.refresh();
      },
      close,
    };
  }

  /** Adds a view. @param size returns its size at any time @returns a function that removes it */
  add(video: Watched, size: () => VideoSize): () => void {
    const viewed: Viewed = { video, size };
    this.#views.add(viewed);
    this.refresh();
    return () => {
      if (this.#views.delete(viewed)) this.refresh();
    };
  }

  /** Schedules a report. Called when the size or visibility of a view, or the consumer of a video, has changed. */
  refresh(): void {
    if (this.#views.size === 0 && this.#reported.size === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#report();
    }, settleMs);
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#views.clear();
    this.#reported.clear();
  }

  #report(): void {
    const present = new Set<string>();
    for (const session of this.#sessions()) {
      const views: WireView[] = [];
      for (const [consumerId, track] of session.presented) {
        present.add(consumerId);
        const view = track.track.kind === 'video' ? this.#viewOf(consumerId, track) : null;
        if (view && !isSame(this.#reported.get(consumerId), view)) views.push(view);
      }
      for (const view of views) this.#reported.set(view.consumerId, view);
      // The app gets no error, because a video of the wrong size is acceptable until the next report.
      if (views.length > 0) {
        session.view(views).catch(() => {
          for (const { consumerId } of views) this.#reported.delete(consumerId);
          setTimeout(() => this.refresh(), retryMs);
        });
      }
    }
    for (const consumerId of this.#reported.keys())
      if (!present.has(consumerId)) this.#reported.delete(consumerId);
  }

  /** The largest size at which a video is shown; the full size if its views were closed; null if it never had one. */
  #viewOf(consumerId: string, track: MediaTrack): WireView | null {
    const showing = [...this.#views].filter(({ video }) => isOf(video, track));
    // Stored by participant instead of by track, because after a recovery the same video has another track.
    const { participant, source } = track;
    for (const viewed of showing) viewed.video = { participant: participant.walletAddress, source };
    if (showing.length === 0) {
      return this.#reported.has(consumerId)
        ? { consumerId, isVisible: true, width: maxSide, height: maxSide }
        : null;
    }
    const sizes = showing.map(({ size }) => shownSize(size()));
    const largest = sizes.reduce((best, size) => (size.height > best.height ? size : best));
    return { consumerId, ...largest };
  }
}

function isOf(video: Watched, { track, participant, source }: MediaTrack): boolean {
  if ('kind' in video) return video === track;
  const wanted = video.participant.toLowerCase();
  const isParticipant = [participant.id, participant.walletAddress].some((id) => id.toLowerCase() === wanted);
  return isParticipant && video.source === source;
}

/** The size as the server accepts it; zero if the view is not visible. */
function shownSize({ width, height, isVisible }: VideoSize): VideoSize {
  if (!isVisible || !(width > 0 && height > 0)) return { isVisible: false, width: 0, height: 0 };
  const pixels = (side: number) => Math.min(maxSide, Math.max(1, Math.round(side)));
  return { isVisible: true, width: pixels(width), height: pixels(height) };
}

function isSame(reported: WireView | undefined, view: WireView): boolean {
  if (!reported || reported.isVisible !== view.isVisible) return false;
  const isNear = (one: number, other: number) => Math.abs(one - other) <= tolerance * Math.max(one, other);
  return !view.isVisible || (isNear(reported.width, view.width) && isNear(reported.height, view.height));
}
