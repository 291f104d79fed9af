import { ParleyError } from '../../protocol/errors.ts';
import { capture, captureScreen, type Sources } from './capture.ts';
import type { Platform } from '../platform/Platform.ts';
import type { MediaOptions } from './device.ts';
import type { VideoConfig } from '../types.ts';

interface Wanted {
  audio: boolean;
  video: boolean | VideoConfig;
}

/** Captures microphone, camera and screen, from the devices that the app has chosen. */
export class CaptureDevices {
  readonly #options: Sources;
  readonly #chosen: { camera?: string; microphone?: string } = {};

  constructor(options: MediaOptions, platform: Platform) {
    this.#options = { ...options, hasDocument: platform.hasDocument };
  }

  /** Sets the device that later captures use. */
  choose(kind: 'camera' | 'microphone', deviceId: string): void {
    this.#chosen[kind] = deviceId;
  }

  /** Opens one camera or microphone. @throws ParleyError NOT_FOUND, and the errors of capture() */
  async open(kind: 'camera' | 'microphone', deviceId: string): Promise<MediaStreamTrack> {
    const [track] = await capture(
      kind === 'camera' ? { video: { deviceId } } : { audio: { deviceId } },
      this.#options,
    );
    if (!track) throw new ParleyError('NOT_FOUND', `There is no such ${kind}.`);
    return track;
  }

  /** Opens microphone and camera. If a chosen device no longer exists, the default devices are used from then on. */
  async capture(wanted: Wanted): Promise<MediaStreamTrack[]> {
    try {
      return await capture(this.#withChosen(wanted), this.#options);
    } catch (error) {
      const isGone = error instanceof ParleyError && error.code === 'NOT_FOUND';
      if (!isGone || Object.keys(this.#chosen).length === 0) throw error;
      delete this.#chosen.camera;
      delete this.#chosen.microphone;
      return capture(wanted, this.#options);
    }
  }

  /** Lets the user choose a screen, window or tab. */
  captureScreen(wanted: { audio: boolean }): Promise<MediaStreamTrack[]> {
    return captureScreen(wanted, this.#options);
  }

  #withChosen({ audio, video }: Wanted) {
    const { camera, microphone } = this.#chosen;
    const requested = video === true ? {} : video;
    return {
      audio: audio && microphone ? { deviceId: microphone } : audio,
      video: requested && camera && !requested.facingMode ? { deviceId: camera, ...requested } : requested,
    };
  }
}
