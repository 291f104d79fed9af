import type { Source } from '../../protocol/media.ts';
import { playHls } from './playHls.ts';

/** What an element plays: tracks, or a playlist. A new object is played in place of the one before. */
export type Shown = { tracks: ReadonlyMap<Source, MediaStreamTrack> } | { url: string } | null;

interface ScreenHooks {
  onPlaylistFailed: () => void;
  onPlays: () => void;
  /** The browser blocks the sound, or no longer does. */
  onSilenced: (isSilenced: boolean) => void;
}

/** Plays a stream in an element: with sound if the browser allows it, and otherwise muted. */
export class Screen {
  readonly #hooks: ScreenHooks;
  #element: HTMLVideoElement | null = null;
  #shown: Shown = null;
  #stop: (() => void) | null = null;

  constructor(hooks: ScreenHooks) {
    this.#hooks = hooks;
  }

  /** @returns a function that releases the element */
  use(element: HTMLVideoElement): () => void {
    this.#release();
    this.#element = element;
    element.autoplay = element.playsInline = true;
    element.addEventListener('timeupdate', this.#hooks.onPlays);
    element.addEventListener('loadedmetadata', this.#onSource);
    element.addEventListener('volumechange', this.#onVolume);
    this.#start();
    return () => {
      if (this.#element === element) this.#release();
    };
  }

  show(shown: Shown): void {
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#start();
  }

  close(): void {
    this.#shown = null;
    this.#release();
  }

  #start(): void {
    this.#stop?.();
    this.#stop = null;
    const [element, shown] = [this.#element, this.#shown];
    if (!element || !shown) return;
    if ('url' in shown) {
      this.#stop = playHls(element, shown.url, this.#hooks.onPlaylistFailed);
      return;
    }
    const { tracks } = shown;
    const main = tracks.get('screen') ?? tracks.get('camera');
    const parts = [main, tracks.get('microphone')].filter((track) => track !== undefined);
    element.srcObject = new MediaStream(parts);
    this.#stop = () => (element.srcObject = null);
  }

  #release(): void {
    const element = this.#element;
    this.#stop?.();
    [this.#stop, this.#element] = [null, null];
    element?.removeEventListener('timeupdate', this.#hooks.onPlays);
    element?.removeEventListener('loadedmetadata', this.#onSource);
    element?.removeEventListener('volumechange', this.#onVolume);
  }

  readonly #onSource = (): void => void this.#play();

  readonly #onVolume = (): void => {
    if (this.#element && !this.#element.muted) this.#hooks.onSilenced(false);
  };

  async #play(): Promise<void> {
    const element = this.#element;
    try {
      await element?.play();
    } catch (error) {
      // Any other error means that a newer source replaced this one.
      if ((error as Error).name !== 'NotAllowedError' || !element || element.muted) return;
      element.muted = true;
      this.#hooks.onSilenced(true);
      await element.play().catch(() => undefined);
    }
  }
}
