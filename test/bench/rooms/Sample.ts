import type { Flow } from './flow.ts';
import type { ProcessCpu } from './processes.ts';

/** CPU time in milliseconds. */
export type Cpu = Record<ProcessCpu['kind'], number>;

/** One round on one server. */
export interface Sample extends Flow {
  cpu: Cpu;
}
