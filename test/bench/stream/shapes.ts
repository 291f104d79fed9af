import { audioKbit, type LayerShape } from '../rooms/shapes.ts';

/**
 * A stream in 720p, in one layer, as programs send it: then everybody gets the same packets, whatever is thought of their lines. What it
 * really sends is as the size of the audience has it.
 */
export const picture: LayerShape = { kbit: 2_500, framesPerSecond: 30, width: 1280, height: 720 };

/** So many watch a picture of so many kbit/s. */
export interface ViewersShape {
  viewers: number;
  kbit: number;
}

/** What two cores carry beside those who receive it: 500 in full would be 1.3 Gbit/s, and 150,000 packets a second. */
const shapes: ViewersShape[] = [
  { viewers: 50, kbit: 2_500 },
  { viewers: 200, kbit: 700 },
  { viewers: 500, kbit: 200 },
];

/** BENCH_VIEWERS and BENCH_KBIT choose others: for example 500, all of whom get the full picture (2500). */
export function chosenShapes({ BENCH_VIEWERS, BENCH_KBIT }: NodeJS.ProcessEnv): ViewersShape[] {
  const kbitOf = (viewers: number) =>
    Number(BENCH_KBIT ?? shapes.find((shape) => viewers <= shape.viewers)?.kbit ?? shapes.at(-1)?.kbit);
  const sizes = BENCH_VIEWERS?.split(',').map(Number) ?? shapes.map(({ viewers }) => viewers);
  return sizes.toSorted((one, other) => one - other).map((viewers) => ({ viewers, kbit: kbitOf(viewers) }));
}

export const describe = ({ viewers, kbit }: ViewersShape): string =>
  `${viewers} viewers: a picture of ${kbit} kbit/s and sound of ${audioKbit} kbit/s each`;
