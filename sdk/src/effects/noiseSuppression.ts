import { keepRunning } from '../media/keepRunning.ts';
import type { TrackEffect } from '../types.ts';
import { folderOf, loaded, type EffectAssets, type EffectContext } from './assets.ts';
import { Running } from './Running.ts';

/** RNNoise processes 48,000 samples a second. */
const sampleRate = 48_000;

/**
 * Removes noise from a microphone, such as fans, keyboards and traffic, with RNNoise. It is loaded (160 KB) when it is switched on.
 * Switch the browser's own noise suppression off with setAudioProcessing() if both together sound unnatural. Never throws.
 * @param options.assetsUrl the folder of the files that the server serves as `/sdk/effects/`. Default: that of the client's server
 * @returns the effect
 * @example await client.media.setEffect('microphone', noiseSuppression());
 */
export function noiseSuppression(options: EffectAssets = {}): TrackEffect {
  const running = new Running();
  return {
    apply: (track, context) => apply(track, options, context, running),
    close: () => running.close(),
  };
}

async function apply(
  input: MediaStreamTrack,
  options: EffectAssets,
  context: EffectContext | undefined,
  running: Running,
): Promise<MediaStreamTrack> {
  const audio = new AudioContext({ sampleRate });
  try {
    const denoise = await loaded(createNode(audio, folderOf(options, context)), 'The noise suppression');
    const source = audio.createMediaStreamSource(new MediaStream([input]));
    const destination = new MediaStreamAudioDestinationNode(audio, { channelCount: 1 });
    source.connect(denoise).connect(destination);
    const [output] = destination.stream.getAudioTracks() as [MediaStreamTrack];
    denoise.onprocessorerror = () => running.fail(output);
    // Otherwise, others would hear nothing after an interruption.
    const release = keepRunning(audio, input);
    const free = () => {
      release();
      source.disconnect();
      denoise.destroy();
      void audio.close();
    };
    return running.add({ input, output, free });
  } catch (error) {
    void audio.close();
    throw error;
  }
}

async function createNode(audio: AudioContext, folder: string) {
  const { loadRnnoise, RnnoiseWorkletNode } = await import('@sapphi-red/web-noise-suppressor');
  const [wasmBinary] = await Promise.all([
    loadRnnoise({ url: `${folder}rnnoise.wasm`, simdUrl: `${folder}rnnoise_simd.wasm` }),
    audio.audioWorklet.addModule(`${folder}rnnoiseWorklet.js`),
    // A suspended AudioContext would send silence. It may run in a page that uses the microphone, and otherwise after a click.
    audio.resume(),
  ]);
  if (!WebAssembly.validate(wasmBinary)) throw new Error(`${folder}rnnoise.wasm is not there`);
  return new RnnoiseWorkletNode(audio, { wasmBinary, maxChannels: 1 });
}
