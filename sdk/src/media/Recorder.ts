import { ParleyError } from '../../protocol/errors.ts';

/** Opus where there is a choice; Safari has MP4. */
const formats = ['audio/webm;codecs=opus', 'audio/ogg;codecs=opus', 'audio/mp4'];
/** Speech. */
const audioBitsPerSecond = 32_000;

/** Records a microphone once, until it is told to stop or the time is over. */
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
   * @param open gets the microphone. Whatever happens, it is off in the end
   * @param onStart called when what is said is recorded
   */
  async run(open: () => Promise<MediaStreamTrack[]>, onStart?: (stream: MediaStream) => void): Promise<Blob> {
    if (typeof MediaRecorder === 'undefined') {
      throw new ParleyError('PERMISSION_DENIED', 'Nothing can be recorded here: give a recording as `file`.');
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

  /** Resolves when the recording is over. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#recorder?.state === 'recording') this.#recorder.stop();
    await this.#over?.catch(() => undefined);
  }

  cancel(reason: unknown = new ParleyError('CONFLICT', 'The recording was given up.')): void {
    this.#cancelled = { reason };
    void this.stop();
  }

  #start(stream: MediaStream, onStart: ((stream: MediaStream) => void) | undefined): Promise<Blob> {
    return new Promise((resolve, reject) => {
      // What the browser does not know it would refuse.
      const mimeType = formats.find((format) => MediaRecorder.isTypeSupported(format));
      const recorder = new MediaRecorder(stream, {
        audioBitsPerSecond,
        ...(mimeType ? { mimeType } : {}),
      });
      this.#recorder = recorder;
      recorder.ondataavailable = ({ data }) => this.#pieces.push(data);
      recorder.onerror = () => reject(new ParleyError('INTERNAL', 'The browser’s recorder failed.'));
      // Also when the microphone is unplugged.
      recorder.onstop = () => {
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the reason is the app's own
        if (this.#cancelled) reject(this.#cancelled.reason);
        else resolve(new Blob(this.#pieces, { type: recorder.mimeType }));
      };
      recorder.onstart = () => {
        // Told to stop before there was anything: what there is, is sent.
        if (this.#stopped) return recorder.stop();
        this.#timer = setTimeout(() => void this.stop(), this.#maxMs);
        onStart?.(stream);
      };
      recorder.start();
    });
  }
}
