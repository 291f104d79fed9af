import { cpus, loadavg } from 'node:os';

export const machineLoad = (): string =>
  `load of the machine ${loadavg()[0]?.toFixed(1)} on ${cpus().length} cores`;
