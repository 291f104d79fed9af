import { age } from './age/age.ts';
import { start } from './age/start.ts';
import type { Bench } from './report/Report.ts';
import { rush } from './rush.ts';

/** All benchmarks by name, in the order in which they run and stand in the report. */
export const benches: Record<string, Bench> = {
  rush,
  start,
  age,
};
