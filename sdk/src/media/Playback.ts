import { ParleyError } from '../../protocol/errors.ts';

interface Playing {
  element: HTMLMediaElement;
  stream: MediaStream;
  isBlocked: boolean;
  /** Whether the element was muted, so that at least its video plays while the browser blocks audio. */
  isSilenced: boolean;
}

/**
 * The elements that play media for the app: on the chosen speaker, and with sound as soon as the browser allows it. Browsers block sound
 * until the user has clicked on the page.
 */
export class Playback {
  readonly #onBlocked: (isBlocked: boolean) => void;
  readonly #playing = new Map<HTMLMediaElement, Playing>();
  /** The id of the chosen speaker; empty for the default one. */
  #speaker = '';
  #isBlocked = false;

  constructor(onBlocked: (isBlocked: boolean) => void) {
    this.#onBlocked = onBlocked;
  }

  /** Whether the browser blocks the sound of an element. */
  get isBlocked(): boolean {
    return this.#isBlocked;
  }

  /** Plays a stream in an element. @returns a function that stops it */
  play(element: HTMLMediaElement, stream: MediaStream): () => void {
    this.#forget(element);
    const playing: Playing = { element, stream, isBlocked: false, isSilenced: false };
    this.#playing.set(element, playing);
    element.autoplay = true;
    element.setAttribute('playsinline', '');
    if (element.srcObject !== stream) element.srcObject = stream;
    // A speaker that is gone is no failure: the default one plays.
    if (this.#speaker) element.setSinkId?.(this.#speaker).catch(() => undefined);
    void this.#start(playing);
    return () => {
      if (this.#playing.get(element) !== playing) return;
      this.#forget(element);
      if (element.srcObject === stream) element.srcObject = null;
    };
  }

  /** Plays a stream again whose tracks have changed. Browsers may block sound that is added to a video. */
  refresh(stream: MediaStream): void {
    for (const playing of this.#playing.values()) if (playing.stream === stream) void this.#start(playing);
  }

  /** Starts the sound that the browser has blocked. @throws ParleyError PERMISSION_DENIED if it still does */
  async startAudio(): Promise<void> {
    await Promise.all(
      [...this.#playing.values()]
        .filter(({ isBlocked }) => isBlocked)
        .map((playing) => {
          if (playing.isSilenced) playing.element.muted = playing.isSilenced = false;
          return this.#start(playing);
        }),
    );
    if (this.#isBlocked)
      throw new ParleyError(
        'PERMISSION_DENIED',
        'The browser blocks sound until the user has clicked on the page. Call startAudio() in the handler of a click.',
      );
  }

  /** @throws ParleyError NOT_FOUND, PERMISSION_DENIED */
  async setSpeaker(deviceId: string): Promise<void> {
    if (typeof HTMLMediaElement === 'undefined' || !('setSinkId' in HTMLMediaElement.prototype))
      throw new ParleyError(
        'PERMISSION_DENIED',
        'This browser does not let pages choose a speaker. Choose it in the settings of the system.',
      );
    // Tried on an element of its own first, so that a refused speaker changes nothing.
    for (const element of [new Audio(), ...this.#playing.keys()])
      await element.setSinkId(deviceId).catch((cause: unknown) => {
        throw (cause as Error).name === 'NotFoundError'
          ? new ParleyError('NOT_FOUND', 'There is no such speaker. Choose another one.', { cause })
          : new ParleyError('PERMISSION_DENIED', 'The browser does not allow this speaker.', { cause });
      });
    this.#speaker = deviceId;
  }

  close(): void {
    for (const element of [...this.#playing.keys()]) this.#forget(element);
  }

  async #start(playing: Playing): Promise<void> {
    const { element } = playing;
    try {
      await element.play();
      if (!playing.isSilenced) playing.isBlocked = false;
    } catch (error) {
      // Other errors mean that the element got another stream, or was removed.
      if ((error as Error).name !== 'NotAllowedError') return;
      playing.isBlocked = true;
      if (element instanceof HTMLVideoElement && !element.muted && this.#playing.get(element) === playing) {
        element.muted = playing.isSilenced = true;
        // Not awaited, because it plays only when its first frame arrives, and the app has to know before that the sound is blocked.
        element.play().catch(() => undefined);
      }
    } finally {
      this.#report();
    }
  }

  #forget(element: HTMLMediaElement): void {
    const playing = this.#playing.get(element);
    this.#playing.delete(element);
    if (playing?.isSilenced) element.muted = false;
    this.#report();
  }

  #report(): void {
    const isBlocked = [...this.#playing.values()].some((playing) => playing.isBlocked);
    if (isBlocked === this.#isBlocked) return;
    this.#isBlocked = isBlocked;
    this.#onBlocked(isBlocked);
  }
}
