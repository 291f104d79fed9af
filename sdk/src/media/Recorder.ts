import { ParleyError } from '../../protocol/errors.ts';

/** The formats, in order of preference: Opus if possible, or MP4, the only format of Safari. */
const formats = ['audio/webm;codecs=opus', 'audio/ogg;codecs=opus', 'audio/mp4'];
/** Enough for speech. */
const audioBitsPerSecond = 32_000;

/** Records a microphone once, until stop() or the time limit. */
export class Recorder {
  readonly #maxMs: number;
  readonly #pieces: Blob[] = [];
  #recorder: MediaRecorder | null = null;
  #tracks: MediaStreamTrack[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopped = false;
  #cancelled: { reason: unknown } | null = null;
  #over: Promise<Blob> | null = null;

  constructor(maxSeconds: number) {
    this.#maxMs = maxSeconds * 1_000;
  }

  /**
   * Records until the time limit, stop() or cancel().
   * @param open opens the microphone, which is closed at the end, even after an error
   * @param onStart called when the recording starts
   * @returns the recording
   * @throws ParleyError PERMISSION_DENIED (recording is not supported), INTERNAL, the errors of `open`; or the reason of cancel()
   */
  async run(open: () => Promise<MediaStreamTrack[]>, onStart?: (stream: MediaStream) => void): Promise<Blob> {
    if (typeof MediaRecorder === 'undefined') {
      throw new ParleyError(
        'PERMISSION_DENIED',
        'This runtime cannot record audio. Pass a recording as `file`.',
      );
    }
    this.#tracks = await open();
    try {
      this.#over = this.#start(new MediaStream(this.#tracks), onStart);
      return await this.#over;
    } finally {
      clearTimeout(this.#timer);
      for (const track of this.#tracks) track.stop();
    }
  }

  /** Stops the recording. Resolves when it is over. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#recorder?.state === 'recording') this.#recorder.stop();
    await this.#over?.catch(() => undefined);
  }

  cancel(reason: unknown = new ParleyError('CONFLICT', 'The recording was cancelled.')): void {
    this.#cancelled = { reason };
    void this.stop();
  }

  #start(stream: MediaStream, onStart: ((stream: MediaStream) => void) | undefined): Promise<Blob> {
    return new Promise((resolve, reject) => {
      // MediaRecorder throws for an unsupported type.
      const mimeType = formats.find((format) => MediaRecorder.isTypeSupported(format));
      const recorder = new MediaRecorder(stream, {
        audioBitsPerSecond,
        ...(mimeType ? { mimeType } : {}),
      });
      this.#recorder = recorder;
      recorder.ondataavailable = ({ data }) => this.#pieces.push(data);
      recorder.onerror = () => reject(new ParleyError('INTERNAL', 'The browser’s recorder failed.'));
      // Also called when the microphone is unplugged.
      recorder.onstop = () => {
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the reason is the app's own
        if (this.#cancelled) reject(this.#cancelled.reason);
        else resolve(new Blob(this.#pieces, { type: recorder.mimeType }));
      };
      recorder.onstart = () => {
        // stop() was called before the recording started.
        if (this.#stopped) return recorder.stop();
        this.#timer = setTimeout(() => void this.stop(), this.#maxMs);
        onStart?.(stream);
      };
      recorder.start();
    });
  }
}
