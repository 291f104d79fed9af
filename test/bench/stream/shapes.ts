import { audioKbit, type LayerShape } from '../rooms/shapes.ts';

/**
 * A stream in 720p with a single layer, as programs such as OBS send it, so that all viewers get the same packets, whatever bandwidth is
 * estimated for them. The bitrate at which it is actually sent depends on the number of viewers.
 */
export const streamVideo: LayerShape = { kbit: 2_500, framesPerSecond: 30, width: 1280, height: 720 };

/** A number of viewers, and the bitrate of the video they watch. */
export interface ViewersShape {
  viewers: number;
  kbit: number;
}

/** Shapes that two cores carry, including the load of the receivers. */
const shapes: ViewersShape[] = [
  { viewers: 20, kbit: 2_500 },
  { viewers: 50, kbit: 2_500 },
  { viewers: 100, kbit: 1_400 },
  { viewers: 200, kbit: 700 },
];

/** BENCH_VIEWERS and BENCH_KBIT override the shapes, for example 500 viewers at the full bitrate (2500). */
export function chosenShapes({ BENCH_VIEWERS, BENCH_KBIT }: NodeJS.ProcessEnv): ViewersShape[] {
  const kbitOf = (viewers: number) =>
    Number(BENCH_KBIT ?? shapes.find((shape) => viewers <= shape.viewers)?.kbit ?? shapes.at(-1)?.kbit);
  const sizes = BENCH_VIEWERS?.split(',').map(Number) ?? shapes.map(({ viewers }) => viewers);
  return sizes.toSorted((one, other) => one - other).map((viewers) => ({ viewers, kbit: kbitOf(viewers) }));
}

export const describe = ({ viewers, kbit }: ViewersShape): string =>
  `${viewers} viewers of ${kbit} kbit/s and audio of ${audioKbit} kbit/s`;
