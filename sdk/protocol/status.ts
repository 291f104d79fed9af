import { z } from 'zod';
import { isoDate } from './common.ts';

/** The status of the server and its services. A service that is not configured is `unavailable`, and its routes answer 503. */
export const status = z.object({
  status: z
    .enum(['operational', 'degraded'])
    .describe('`degraded`: a service the server depends on does not answer.'),
  version: z.string().describe('The version of the server.'),
  time: isoDate.describe('The time on the server.'),
  network: z
    .enum(['mainnet', 'testnet'])
    .describe('The network to sign in to: `testnet` if the server reads chains of test networks only.'),
  services: z
    .record(z.string(), z.enum(['available', 'unavailable']))
    .describe('The services. Routes of an unavailable service answer 503.'),
});
export type WireStatus = z.infer<typeof status>;
