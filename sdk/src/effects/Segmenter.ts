import { loaded } from './assets.ts';
import type { SelfieSegmentation as Segmentation } from '@mediapipe/selfie_segmentation';

declare global {
  /** The class that the script of @mediapipe/selfie_segmentation defines. */
  var SelfieSegmentation: typeof Segmentation | undefined;
}

/** The model for pictures that are wider than high. */
const landscapeModel = 1;

/** Finds people in pictures with MediaPipe. */
export class Segmenter {
  /** Ends, in time, with the load that began last. */
  static #lastLoad: Promise<unknown> = Promise.resolve();
  readonly #segmentation: Segmentation;
  #mask: CanvasImageSource | null = null;

  /**
   * Loads the script and the model. It waits for loads that began earlier, because MediaPipe fails when two run at once.
   * @throws ParleyError SERVICE_UNAVAILABLE if they are not there, or not in time
   */
  static load(folder: string): Promise<Segmenter> {
    const loading = Segmenter.#lastLoad.then(() => loaded(Segmenter.#load(folder), 'The background blur'));
    Segmenter.#lastLoad = loading.catch(() => undefined);
    return loading;
  }

  static async #load(folder: string): Promise<Segmenter> {
    if (!globalThis.SelfieSegmentation) await runScript(`${folder}selfie_segmentation.js`);
    if (!globalThis.SelfieSegmentation) throw new Error(`${folder}selfie_segmentation.js is not there`);
    const segmenter = new Segmenter(
      new globalThis.SelfieSegmentation({ locateFile: (name) => `${folder}${name}` }),
    );
    await segmenter.#segmentation.initialize();
    return segmenter;
  }

  private constructor(segmentation: Segmentation) {
    this.#segmentation = segmentation;
    segmentation.setOptions({ modelSelection: landscapeModel });
    segmentation.onResults(({ segmentationMask }) => void (this.#mask = segmentationMask));
  }

  /** @returns a picture that is opaque where people are, until the next call; null if there is no result */
  async maskOf(picture: HTMLCanvasElement): Promise<CanvasImageSource | null> {
    this.#mask = null;
    await this.#segmentation.send({ image: picture });
    return this.#mask;
  }

  close(): void {
    void this.#segmentation.close();
  }
}

/** The script is not a module: it defines a global. */
function runScript(src: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = Object.assign(document.createElement('script'), { src, crossOrigin: 'anonymous' });
    script.onload = () => resolve();
    script.onerror = () => reject(new Error(`${src} is not there`));
    document.head.append(script);
    script.remove();
  });
}
