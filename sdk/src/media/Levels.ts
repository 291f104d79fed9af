import { keepRunning, resumeAudio } from './keepRunning.ts';

const intervalMs = 50;

/** Measures how loud tracks are. All measurements share one AudioContext, which exists only while there are any. */
export class Levels {
  #context: AudioContext | null = null;
  #running = 0;

  /** @returns a function that ends the measurement. It also ends with the track */
  measure(track: MediaStreamTrack, onLevel: (level: number) => void): () => void {
    const context = (this.#context ??= new AudioContext());
    this.#running++;
    let source: MediaStreamAudioSourceNode;
    try {
      source = context.createMediaStreamSource(new MediaStream([track]));
    } catch (error) {
      // For example, Firefox does not convert the sample rate of the track.
      this.#end();
      throw error;
    }
    const analyser = new AnalyserNode(context, { fftSize: 1_024 });
    source.connect(analyser);
    const samples = new Float32Array(analyser.fftSize);
    const release = keepRunning(context, track);
    const stop = () => {
      if (!timer) return;
      clearInterval(timer);
      timer = null;
      release();
      source.disconnect();
      this.#end();
    };
    let timer: ReturnType<typeof setInterval> | null = setInterval(() => {
      analyser.getFloatTimeDomainData(samples);
      onLevel(track.readyState === 'ended' ? 0 : levelOf(samples));
      if (track.readyState === 'ended') stop();
    }, intervalMs);
    return stop;
  }

  #end(): void {
    if (--this.#running > 0) return;
    void this.#context?.close();
    this.#context = null;
  }

  /** Starts measuring in a click, if the browser has suspended the AudioContext until then. Outside of a click, it does nothing. */
  resume(): void {
    if (this.#context) resumeAudio(this.#context);
  }
}

/** Speech reaches only a few hundredths of full scale, so the fourth root of its power is used. */
function levelOf(samples: Float32Array): number {
  const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
  return Math.min(1, Math.sqrt(Math.sqrt(power)) * 1.4);
}
