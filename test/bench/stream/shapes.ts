import { audioKbit, type LayerShape } from '../rooms/shapes.ts';

/** What the SDK sends of a stream in 720p (sdk/src/encodings.ts), the smallest layer first. */
export const streamLayers: readonly LayerShape[] = [
  { kbit: 218, framesPerSecond: 30, width: 320, height: 180 },
  { kbit: 738, framesPerSecond: 30, width: 640, height: 360 },
  { kbit: 2_500, framesPerSecond: 30, width: 1280, height: 720 },
];

/** So many watch, in this layer. */
export interface AudienceShape {
  viewers: number;
  layer: number;
}

/** What two cores carry beside those who receive it: 500 in full would be 1.3 Gbit/s. */
const shapes: AudienceShape[] = [
  { viewers: 50, layer: 2 },
  { viewers: 200, layer: 1 },
  { viewers: 500, layer: 0 },
];

/** BENCH_VIEWERS and BENCH_LAYER choose others: for example 200, all of whom watch in full (2). */
export function chosenShapes({ BENCH_VIEWERS, BENCH_LAYER }: NodeJS.ProcessEnv): AudienceShape[] {
  const layerOf = (viewers: number) =>
    shapes.find((shape) => viewers <= shape.viewers)?.layer ?? shapes.at(-1)?.layer ?? 0;
  const sizes = BENCH_VIEWERS?.split(',').map(Number) ?? shapes.map(({ viewers }) => viewers);
  return sizes
    .toSorted((one, other) => one - other)
    .map((viewers) => ({ viewers, layer: BENCH_LAYER ? Number(BENCH_LAYER) : layerOf(viewers) }));
}

export const describe = ({ viewers, layer }: AudienceShape): string =>
  `${viewers} viewers: a picture of ${streamLayers[layer]?.kbit} kbit/s and ${audioKbit} kbit/s of sound each`;
