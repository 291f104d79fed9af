import type { WireView } from '../../protocol/media.ts';
import type { MediaSession } from './MediaSession.ts';
import type { MediaTrack, Watched } from '../types.ts';

interface Shown {
  element: Element;
  what: Watched;
  /** CSS pixels. */
  width: number;
  height: number;
  isOnScreen: boolean;
}

/** Sizes change while a window is being dragged: the server hears of where that ends. */
const settleMs = 200;
/** What the server could not be told is told again after this. */
const againMs = 2_000;
/** A size that differs by less is the same. */
const tolerance = 0.1;
/** A video's own resize: its picture has another shape. */
const changes = ['visibilitychange', 'enterpictureinpicture', 'leavepictureinpicture', 'resize'];
/** In a corner of the screen, above all windows. */
const pictureInPicture = { width: 640, height: 360 };

/**
 * Watches the elements that show what others send, and tells the server how large each picture is, and which are out of sight:
 * then the layer that fits comes, and nothing for what nobody sees. What is shown in no element that is watched comes in full.
 */
export class Watching {
  readonly #sessions: () => Iterable<MediaSession>;
  readonly #shown = new Map<Element, Shown>();
  /** As the server was told, by consumer. */
  readonly #told = new Map<string, WireView>();
  #resizes: ResizeObserver | null = null;
  #intersections: IntersectionObserver | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(sessions: () => Iterable<MediaSession>) {
    this.#sessions = sessions;
  }

  /** @returns a function that ends it: then the picture comes in full again */
  attach(element: Element, what: Watched): () => void {
    this.#begin();
    const box = element.getBoundingClientRect();
    const shown: Shown = { element, what, width: box.width, height: box.height, isOnScreen: true };
    this.#shown.set(element, shown);
    this.#resizes?.observe(element);
    this.#intersections?.observe(element);
    this.refresh();
    return () => {
      if (this.#shown.get(element) !== shown) return;
      this.#shown.delete(element);
      this.#resizes?.unobserve(element);
      this.#intersections?.unobserve(element);
      this.refresh();
    };
  }

  /** Something is shown otherwise, or comes over another consumer. */
  refresh(): void {
    if (this.#shown.size === 0 && this.#told.size === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#tell();
    }, settleMs);
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#resizes?.disconnect();
    this.#intersections?.disconnect();
    this.#shown.clear();
    this.#told.clear();
    if (this.#resizes) for (const name of changes) document.removeEventListener(name, this.#onChange, true);
    this.#resizes = this.#intersections = null;
  }

  #begin(): void {
    if (this.#resizes) return;
    this.#resizes = new ResizeObserver((entries) => {
      for (const { target, contentRect } of entries)
        this.#update(target, { width: contentRect.width, height: contentRect.height });
    });
    this.#intersections = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) this.#update(target, { isOnScreen: isIntersecting });
    });
    for (const name of changes) document.addEventListener(name, this.#onChange, true);
  }

  readonly #onChange = (): void => this.refresh();

  #update(element: Element, change: Partial<Shown>): void {
    const shown = this.#shown.get(element);
    if (!shown) return;
    Object.assign(shown, change);
    this.refresh();
  }

  #tell(): void {
    const present = new Set<string>();
    for (const session of this.#sessions()) {
      const views: WireView[] = [];
      for (const [consumerId, track] of session.shown) {
        present.add(consumerId);
        const view = track.track.kind === 'video' ? this.#viewOf(consumerId, track) : null;
        if (view && !isSame(this.#told.get(consumerId), view)) views.push(view);
      }
      for (const view of views) this.#told.set(view.consumerId, view);
      // A picture that comes in another size than it is shown in is worth no error; it is told again.
      if (views.length > 0) {
        session.view(views).catch(() => {
          for (const { consumerId } of views) this.#told.delete(consumerId);
          setTimeout(() => this.refresh(), againMs);
        });
      }
    }
    for (const consumerId of this.#told.keys()) if (!present.has(consumerId)) this.#told.delete(consumerId);
  }

  /** The largest it is shown in; in full where it was watched, and no longer is; null where it never was. */
  #viewOf(consumerId: string, track: MediaTrack): WireView | null {
    const memberships = [...this.#shown.values()].filter(({ what }) => isOf(what, track));
    // After a recovery the same picture comes over another track.
    const { participant, source } = track;
    for (const membership of memberships)
      membership.what = { participant: participant.walletAddress, source };
    if (memberships.length === 0) {
      return this.#told.has(consumerId)
        ? { consumerId, isVisible: true, width: 16_384, height: 16_384 }
        : null;
    }
    const sizes = memberships.map(visibleSize);
    const largest = sizes.reduce((best, size) => (size.height > best.height ? size : best));
    const isVisible = largest.width > 0 && largest.height > 0;
    return { consumerId, isVisible, width: largest.width, height: largest.height };
  }
}

function isOf(what: Watched, { track, participant, source }: MediaTrack): boolean {
  if ('kind' in what) return what === track;
  const wanted = what.participant.toLowerCase();
  const isParticipant = [participant.id, participant.walletAddress].some((id) => id.toLowerCase() === wanted);
  return isParticipant && what.source === source;
}

/** Real pixels; nothing where it can't be seen. */
function visibleSize({ element, width, height, isOnScreen }: Shown): { width: number; height: number } {
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
 * Of the picture in an element that it fills beyond its edges (`object-fit: cover`): the whole of it is larger than the element.
 * Null where all of it is inside.
 */
function coveringAspect(element: Element): number | null {
  if (!(element instanceof HTMLVideoElement) || getComputedStyle(element).objectFit !== 'cover') return null;
  const { videoWidth, videoHeight } = element;
  // Before the first of it is there, it is a camera's.
  return videoWidth > 0 && videoHeight > 0 ? videoWidth / videoHeight : 16 / 9;
}

function isSame(told: WireView | undefined, view: WireView): boolean {
  if (!told || told.isVisible !== view.isVisible) return false;
  const isNear = (one: number, other: number) => Math.abs(one - other) <= tolerance * Math.max(one, other);
  return !view.isVisible || (isNear(told.width, view.width) && isNear(told.height, view.height));
}
