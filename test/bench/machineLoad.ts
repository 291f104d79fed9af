import { cpus, loadavg } from 'node:os';

export const machineLoad = (): string =>
  `machine load: ${loadavg()[0]?.toFixed(1)} on ${cpus().length} cores`;
