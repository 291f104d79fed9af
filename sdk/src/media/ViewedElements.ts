import { invalid } from '../connection/guard.ts';
import type { Watched } from '../types.ts';
import type { VideoSize, ViewReporter } from './ViewReporter.ts';

interface Viewed {
  element: Element;
  /** CSS pixels. */
  width: number;
  height: number;
  isOnScreen: boolean;
  /** Ends the view. */
  close: () => void;
}

/** The events after which the sizes are checked again. `resize` on a video element means that its video has new dimensions. */
const changeEvents = ['visibilitychange', 'enterpictureinpicture', 'leavepictureinpicture', 'resize'];
/** The assumed size of a picture-in-picture window. */
const pictureInPicture = { width: 640, height: 360, isVisible: true };
const hidden = { width: 0, height: 0, isVisible: false };

/** Observes the elements of a page that show remote videos, and adds a view for each. */
export class ViewedElements {
  readonly #views: ViewReporter;
  readonly #viewed = new Map<Element, Viewed>();
  #resizes: ResizeObserver | null = null;
  #intersections: IntersectionObserver | null = null;

  constructor(views: ViewReporter) {
    this.#views = views;
  }

  /** Observes an element. @returns a function that detaches it @throws ParleyError VALIDATION_ERROR if there is no element, or no page */
  attach(element: Element, video: Watched): () => void {
    if (typeof ResizeObserver === 'undefined' || typeof IntersectionObserver === 'undefined')
      throw invalid('element', 'media.attach: there are no elements outside a browser. Use media.view().');
    if (typeof (element as Element | null)?.getBoundingClientRect !== 'function')
      throw invalid('element', 'media.attach: element must be an element of the page, such as a <video>.');
    this.#startObserving();
    this.#viewed.get(element)?.close();
    const { width, height } = element.getBoundingClientRect();
    const viewed: Viewed = { element, width, height, isOnScreen: true, close: () => undefined };
    viewed.close = this.#views.add(video, () => visibleSize(viewed));
    this.#viewed.set(element, viewed);
    this.#resizes?.observe(element);
    this.#intersections?.observe(element);
    return () => {
      if (this.#viewed.get(element) !== viewed) return;
      this.#viewed.delete(element);
      this.#resizes?.unobserve(element);
      this.#intersections?.unobserve(element);
      viewed.close();
    };
  }

  close(): void {
    this.#resizes?.disconnect();
    this.#intersections?.disconnect();
    this.#viewed.clear();
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

  readonly #onChange = (): void => this.#views.refresh();

  #update(element: Element, change: Partial<Viewed>): void {
    const viewed = this.#viewed.get(element);
    if (!viewed) return;
    Object.assign(viewed, change);
    this.#views.refresh();
  }
}

/** The size in device pixels. */
function visibleSize({ element, width, height, isOnScreen }: Viewed): VideoSize {
  if (document.pictureInPictureElement === element) return pictureInPicture;
  const isVisible = isOnScreen && document.visibilityState === 'visible' && element.isConnected;
  if (!isVisible || width <= 0 || height <= 0) return hidden;
  const pixels = (side: number) => side * devicePixelRatio;
  const aspect = coveringAspect(element);
  if (aspect === null) return { width: pixels(width), height: pixels(height), isVisible };
  return {
    width: pixels(Math.max(width, height * aspect)),
    height: pixels(Math.max(height, width / aspect)),
    isVisible,
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
