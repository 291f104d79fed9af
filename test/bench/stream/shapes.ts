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

/**
 * Shapes that two cores can carry, including the load of the receivers. At full bitrate, 500 viewers would need 1.3 Gbit/s and 150,000
 * packets per second.
 */
const shapes: ViewersShape[] = [
  { viewers: 50, kbit: 2_500 },
  { viewers: 200, kbit: 700 },
  { viewers: 500, kbit: 200 },
];

/** BENCH_VIEWERS and BENCH_KBIT override the shapes, for example 500 viewers at the full bitrate (2500). */
export function chosenShapes({ BENCH_VIEWERS, BENCH_KBIT }: NodeJS.ProcessEnv): ViewersShape[] {
  const kbitOf = (viewers: number) =>
    Number(BENCH_KBIT ?? shapes.find((shape) => viewers <= shape.viewers)?.kbit ?? shapes.at(-1)?.kbit);
  const sizes = BENCH_VIEWERS?.split(',').map(Number) ?? shapes.map(({ viewers }) => viewers);
  return sizes.toSorted((one, other) => one - other).map((viewers) => ({ viewers, kbit: kbitOf(viewers) }));
}

export const describe = ({ viewers, kbit }: ViewersShape): string =>
  `${viewers} viewers: video of ${kbit} kbit/s and audio of ${audioKbit} kbit/s each`;
