import { ParleyError } from '../../protocol/errors.ts';
import type { AudioRecorder } from '../platform/Platform.ts';

/** The formats, in order of preference: Opus if possible, or MP4, the only format of Safari. */
const formats = ['audio/webm;codecs=opus', 'audio/ogg;codecs=opus', 'audio/mp4'];
/** Enough for speech. */
const audioBitsPerSecond = 32_000;

/** Records a microphone with MediaRecorder. */
export class BrowserRecorder implements AudioRecorder {
  readonly #open: () => Promise<MediaStreamTrack[]>;
  readonly #onEnd: () => void;
  #tracks: MediaStreamTrack[] = [];
  #recorder: MediaRecorder | null = null;
  #recording: Promise<Blob> | null = null;

  /**
   * @param open opens the microphone
   * @param onEnd called when the recording has ended by itself, for example because the microphone was unplugged
   */
  constructor(open: () => Promise<MediaStreamTrack[]>, onEnd: () => void) {
    this.#open = open;
    this.#onEnd = onEnd;
  }

  async start(): Promise<MediaStream> {
    this.#tracks = await this.#open();
    try {
      const stream = new MediaStream(this.#tracks);
      // MediaRecorder throws for an unsupported type.
      const mimeType = formats.find((format) => MediaRecorder.isTypeSupported(format));
      const recorder = new MediaRecorder(stream, { audioBitsPerSecond, ...(mimeType ? { mimeType } : {}) });
      this.#recorder = recorder;
      this.#recording = recordingOf(recorder);
      void this.#recording.catch(() => undefined).then(this.#onEnd);
      recorder.start();
      await Promise.race([new Promise((resolve) => (recorder.onstart = resolve)), this.#recording]);
      return stream;
    } catch (error) {
      this.#close();
      throw error;
    }
  }

  async stop(): Promise<Blob> {
    try {
      if (this.#recorder?.state === 'recording') this.#recorder.stop();
      return (await this.#recording) ?? new Blob();
    } finally {
      this.#close();
    }
  }

  #close(): void {
    for (const track of this.#tracks) track.stop();
  }
}

/** The recording, once the recorder has stopped. */
function recordingOf(recorder: MediaRecorder): Promise<Blob> {
  const pieces: Blob[] = [];
  return new Promise((resolve, reject) => {
    recorder.ondataavailable = ({ data }) => pieces.push(data);
    recorder.onerror = () => reject(new ParleyError('INTERNAL', 'The browser’s recorder failed.'));
    // Also called when the microphone is unplugged.
    recorder.onstop = () => resolve(new Blob(pieces, { type: recorder.mimeType }));
  });
}
