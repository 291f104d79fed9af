import { ParleyError } from '../../protocol/errors.ts';
import type { AudioRecorder, UploadFile } from '../platform/Platform.ts';
import { BrowserRecorder } from './BrowserRecorder.ts';

interface RecorderOptions {
  maxSeconds: number;
  /** The app's own recorder. @default MediaRecorder */
  createRecorder?: (() => AudioRecorder) | undefined;
  /** Opens the microphone for MediaRecorder. */
  open: () => Promise<MediaStreamTrack[]>;
}

/** Records a microphone once, until stop() or the time limit. */
export class Recorder {
  readonly #maxMs: number;
  readonly #recorder: AudioRecorder;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;
  #cancelled: { reason: unknown } | null = null;
  #end: () => void = () => undefined;
  readonly #ended = new Promise<void>((resolve) => (this.#end = resolve));
  #over: Promise<unknown> | null = null;

  /** @throws ParleyError PERMISSION_DENIED (recording is not supported) */
  constructor({ maxSeconds, createRecorder, open }: RecorderOptions) {
    this.#maxMs = maxSeconds * 1_000;
    if (!createRecorder && typeof MediaRecorder === 'undefined')
      throw new ParleyError(
        'PERMISSION_DENIED',
        'This runtime cannot record audio. Pass a recording as `file`, or platform.createRecorder.',
      );
    this.#recorder = createRecorder ? createRecorder() : new BrowserRecorder(open, () => this.#end());
  }

  /**
   * Records until the time limit, stop() or cancel().
   * @param onStart called when the recording starts
   * @returns the recording
   * @throws ParleyError INTERNAL, the errors of the recorder; or the reason of cancel()
   */
  async run(onStart?: (stream: MediaStream) => void): Promise<UploadFile> {
    const recording = this.#run(onStart);
    this.#over = recording.catch(() => undefined);
    return recording;
  }

  /** Stops the recording. Resolves when it is over. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#end();
    await this.#over;
  }

  cancel(reason: unknown = new ParleyError('CONFLICT', 'The recording was cancelled.')): void {
    this.#cancelled = { reason };
    void this.stop();
  }

  async #run(onStart: ((stream: MediaStream) => void) | undefined): Promise<UploadFile> {
    const stream = await this.#recorder.start();
    try {
      this.#timer = setTimeout(this.#end, this.#maxMs);
      // A recorder of the app may have no stream.
      if (!this.#isStopped) onStart?.(stream as MediaStream);
      await this.#ended;
    } catch (error) {
      // The app's onStart has failed. The microphone must not stay open.
      this.#cancelled ??= { reason: error };
    } finally {
      clearTimeout(this.#timer);
    }
    const recording = await this.#recorder.stop();
    if (this.#cancelled) throw this.#cancelled.reason;
    return recording;
  }
}
