import { z } from 'zod';
import { isoDate } from './common.ts';

/** What a caller may count on now. A service that is not configured is `unavailable`, and its routes answer 503. */
export const status = z.object({
  status: z.enum(['operational', 'degraded']),
  version: z.string(),
  time: isoDate,
  services: z.record(z.string(), z.enum(['available', 'unavailable'])),
});
export type WireStatus = z.infer<typeof status>;
