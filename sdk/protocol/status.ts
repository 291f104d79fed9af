import { z } from 'zod';
import { isoDate } from './common.ts';

/** What a caller may count on now. A service that is not configured is `unavailable`, and its routes answer 503. */
export const status = z.object({
  status: z.enum(['operational', 'degraded']).describe('`degraded`: a part of it does not answer.'),
  version: z.string().describe('The version of the server.'),
  time: isoDate.describe('The server’s clock.'),
  services: z
    .record(z.string(), z.enum(['available', 'unavailable']))
    .describe('Each service; routes of one that is unavailable answer 503.'),
});
export type WireStatus = z.infer<typeof status>;
