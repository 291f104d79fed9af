import { cpus, loadavg } from 'node:os';

export const loadOfMachine = (): string =>
  `load of the machine ${loadavg()[0]?.toFixed(1)} on ${cpus().length} cores`;
