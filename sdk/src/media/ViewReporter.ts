import type { WireView } from '../../protocol/media.ts';
import type { MediaSession } from './MediaSession.ts';
import type { MediaTrack, Watched } from '../types.ts';

interface Attached {
  element: Element;
  video: Watched;
  /** CSS pixels. */
  width: number;
  height: number;
  isOnScreen: boolean;
}

/** The delay of a report. While a window is being resized, sizes change continuously, and only the last one is reported. */
const settleMs = 200;
/** The delay before a failed report is repeated. */
const retryMs = 2_000;
/** Relative changes of a size up to this are not reported. */
const tolerance = 0.1;
/** The events after which the sizes are checked again. `resize` on a video element means that its video has new dimensions. */
const changeEvents = ['visibilitychange', 'enterpictureinpicture', 'leavepictureinpicture', 'resize'];
/** The assumed size of a picture-in-picture window. */
const pictureInPicture = { width: 640, height: 360 };

/**
 * Observes the elements that show remote videos, and reports their size and visibility to the server. The server sends the layer that fits,
 * and nothing for a hidden video. A video without an attached element is sent at full size.
 */
export class ViewReporter {
  readonly #sessions: () => Iterable<MediaSession>;
  readonly #attached = new Map<Element, Attached>();
  /** The last reports, by consumer id. */
  readonly #reported = new Map<string, WireView>();
  #resizes: ResizeObserver | null = null;
  #intersections: IntersectionObserver | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(sessions: () => Iterable<MediaSession>) {
    this.#sessions = sessions;
  }

  /** Observes an element. @returns a function that detaches it. If no other element shows the video, it is then sent at full size again */
  attach(element: Element, video: Watched): () => void {
    this.#startObserving();
    const box = element.getBoundingClientRect();
    const attached: Attached = { element, video, width: box.width, height: box.height, isOnScreen: true };
    this.#attached.set(element, attached);
    this.#resizes?.observe(element);
    this.#intersections?.observe(element);
    this.refresh();
    return () => {
      if (this.#attached.get(element) !== attached) return;
      this.#attached.delete(element);
      this.#resizes?.unobserve(element);
      this.#intersections?.unobserve(element);
      this.refresh();
    };
  }

  /** Schedules a report. Called when the size or visibility of an element, or the consumer of a video, has changed. */
  refresh(): void {
    if (this.#attached.size === 0 && this.#reported.size === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#report();
    }, settleMs);
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#resizes?.disconnect();
    this.#intersections?.disconnect();
    this.#attached.clear();
    this.#reported.clear();
    if (this.#resizes)
      for (const name of changeEvents) document.removeEventListener(name, this.#onChange, true);
    this.#resizes = this.#intersections = null;
  }

  #startObserving(): void {
    if (this.#resizes) return;
    this.#resizes = new ResizeObserver((entries) => {
      for (const { target, contentRect } of entries)
        this.#update(target, { width: contentRect.width, height: contentRect.height });
    });
    this.#intersections = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) this.#update(target, { isOnScreen: isIntersecting });
    });
    for (const name of changeEvents) document.addEventListener(name, this.#onChange, true);
  }

  readonly #onChange = (): void => this.refresh();

  #update(element: Element, change: Partial<Attached>): void {
    const attached = this.#attached.get(element);
    if (!attached) return;
    Object.assign(attached, change);
    this.refresh();
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

  /** The largest size at which a video is shown; the full size if its elements were detached; null if it never had an element. */
  #viewOf(consumerId: string, track: MediaTrack): WireView | null {
    const showing = [...this.#attached.values()].filter(({ video }) => isOf(video, track));
    // Stored by participant instead of by track, because after a recovery the same video has another track.
    const { participant, source } = track;
    for (const attached of showing) attached.video = { participant: participant.walletAddress, source };
    if (showing.length === 0) {
      return this.#reported.has(consumerId)
        ? { consumerId, isVisible: true, width: 16_384, height: 16_384 }
        : null;
    }
    const sizes = showing.map(visibleSize);
    const largest = sizes.reduce((best, size) => (size.height > best.height ? size : best));
    const isVisible = largest.width > 0 && largest.height > 0;
    return { consumerId, isVisible, width: largest.width, height: largest.height };
  }
}

function isOf(video: Watched, { track, participant, source }: MediaTrack): boolean {
  if ('kind' in video) return video === track;
  const wanted = video.participant.toLowerCase();
  const isParticipant = [participant.id, participant.walletAddress].some((id) => id.toLowerCase() === wanted);
  return isParticipant && video.source === source;
}

/** The size in device pixels; zero if the element is not visible. */
function visibleSize({ element, width, height, isOnScreen }: Attached): { width: number; height: number } {
  if (document.pictureInPictureElement === element) return pictureInPicture;
  const isSeen = isOnScreen && document.visibilityState === 'visible' && element.isConnected;
  if (!isSeen || width <= 0 || height <= 0) return { width: 0, height: 0 };
  const pixels = (side: number) => Math.min(16_384, Math.round(side * devicePixelRatio));
  const aspect = coveringAspect(element);
  if (aspect === null) return { width: pixels(width), height: pixels(height) };
  return {
    width: pixels(Math.max(width, height * aspect)),
    height: pixels(Math.max(height, width / aspect)),
  };
}

/**
 * The aspect ratio of a video with `object-fit: cover`, which may be larger than its element. null for other elements, in which the whole
 * video is shown.
 */
function coveringAspect(element: Element): number | null {
  if (!(element instanceof HTMLVideoElement) || getComputedStyle(element).objectFit !== 'cover') return null;
  const { videoWidth, videoHeight } = element;
  // Before the first frame, assume a camera's aspect ratio.
  return videoWidth > 0 && videoHeight > 0 ? videoWidth / videoHeight : 16 / 9;
}

function isSame(reported: WireView | undefined, view: WireView): boolean {
  if (!reported || reported.isVisible !== view.isVisible) return false;
  const isNear = (one: number, other: number) => Math.abs(one - other) <= tolerance * Math.max(one, other);
  return !view.isVisible || (isNear(reported.width, view.width) && isNear(reported.height, view.height));
}
