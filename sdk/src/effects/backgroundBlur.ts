import { invalid } from '../connection/guard.ts';
import type { TrackEffect } from '../types.ts';
import { folderOf, type EffectAssets, type EffectContext } from './assets.ts';
import { readFrames, writeFrames, type Frame } from './frames.ts';
import { Running } from './Running.ts';
import { Segmenter } from './Segmenter.ts';

/** How to blur the background. */
export interface BlurOptions extends EffectAssets {
  /** How strongly, from 1 to 100. @default 30 */
  strength?: number;
}

/** The background is blurred at a fraction of its size, which costs less and looks the same. */
const shrinking = 4;
/** The height of the picture to which the strength refers: 100 blurs over a tenth of it. */
const strongest = 1_000;

/**
 * Blurs what is behind the people in a camera's picture, with MediaPipe. It is loaded (6 MB) when it is switched on. It needs WebGL.
 * @param options.strength how strongly, from 1 to 100. Default: 30
 * @param options.assetsUrl the folder of the files that the server serves as `/sdk/effects/`. Default: that of the client's server
 * @returns the effect
 * @throws ParleyError VALIDATION_ERROR: `strength` is out of bounds
 * @example await client.media.setEffect('camera', backgroundBlur({ strength: 50 }));
 */
export function backgroundBlur(options: BlurOptions = {}): TrackEffect {
  const { strength = 30 } = options;
  if (!(strength >= 1 && strength <= 100))
    throw invalid('strength', 'backgroundBlur: strength must be a number from 1 to 100.');
  const running = new Running();
  return {
    apply: (track, context) => apply(track, { ...options, strength }, context, running),
    close: () => running.close(),
  };
}

async function apply(
  input: MediaStreamTrack,
  options: EffectAssets & { strength: number },
  context: EffectContext | undefined,
  running: Running,
): Promise<MediaStreamTrack> {
  const segmenter = await Segmenter.load(folderOf(options, context));
  const reader = await readFrames(input);
  const [picture, blurred] = [new Layer(), new Layer()];
  const result = new Layer();
  const writer = writeFrames(result.canvas);
  const output = writer.track;
  const draw = async (frame: Frame) => {
    const { width, height, image, timestamp } = frame;
    if (!width || !height) return;
    picture.resize(width, height).drawImage(image, 0, 0, width, height);
    const mask = await segmenter.maskOf(picture.canvas);
    blur(picture, blurred, (options.strength * height) / strongest);
    const context2d = result.resize(width, height);
    context2d.globalCompositeOperation = 'copy';
    if (mask) context2d.drawImage(mask, 0, 0, width, height);
    // Without a mask, everything is blurred.
    else context2d.clearRect(0, 0, width, height);
    context2d.globalCompositeOperation = 'source-in';
    context2d.drawImage(picture.canvas, 0, 0);
    context2d.globalCompositeOperation = 'destination-over';
    context2d.drawImage(blurred.canvas, 0, 0, width, height);
    await writer.write(timestamp);
  };
  const run = async () => {
    for (;;) {
      const frame = await reader.read();
      if (!frame || output.readyState === 'ended') return frame?.close();
      try {
        await draw(frame);
      } finally {
        frame.close();
      }
    }
  };
  const free = () => {
    reader.close();
    segmenter.close();
  };
  run().catch(() => running.fail(output));
  return running.add({ input, output, free });
}

/** Draws a blurred picture, beyond its edges, because a blur mixes the edges with the transparency around them. */
function blur(picture: Layer, blurred: Layer, radius: number): void {
  const { width, height } = picture.canvas;
  // Safari has no filters: there the picture is blurred only by making it smaller.
  const hasFilter = 'filter' in CanvasRenderingContext2D.prototype;
  const scale = hasFilter ? shrinking : Math.max(shrinking, radius);
  const [small, low] = [Math.ceil(width / scale), Math.ceil(height / scale)];
  const context = blurred.resize(small, low);
  const margin = hasFilter ? (2 * radius) / scale : 0;
  if (hasFilter) context.filter = `blur(${radius / scale}px)`;
  context.drawImage(picture.canvas, -margin, -margin, small + 2 * margin, low + 2 * margin);
}

/** A canvas of any size. */
class Layer {
  readonly canvas = document.createElement('canvas');
  readonly #context = this.canvas.getContext('2d') as CanvasRenderingContext2D;

  resize(width: number, height: number): CanvasRenderingContext2D {
    if (this.canvas.width !== width) this.canvas.width = width;
    if (this.canvas.height !== height) this.canvas.height = height;
    return this.#context;
  }
}
