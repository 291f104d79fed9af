import type { Options } from './options.ts';
import type { Measures } from './report/Measures.ts';
import type { Run } from './Run.ts';

/** One kind of load. */
export interface Scenario {
  isWanted(options: Options): boolean;
  /** Makes the load until the run is over, and then removes what it has left on the server. Failures go to the measures. */
  run(run: Run, measures: Measures): Promise<void>;
}
