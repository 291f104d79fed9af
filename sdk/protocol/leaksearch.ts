import { z } from 'zod';
import { isoDate } from './common.ts';
import { charged } from './http.ts';

const kind = z.enum(['email', 'username', 'phone', 'domain', 'password_sha1_prefix']);

export const searchLeaks = z.strictObject({ query: z.string().min(1).max(320), type: kind });
export const foundLeaks = z.object({
  query: z.object({ type: kind, masked: z.string() }),
  found: z.boolean(),
  total: z.int().nonnegative(),
  results: z.array(
    z.object({
      source: z.string(),
      title: z.string(),
      domain: z.string().nullable(),
      breachDate: z.string().nullable(),
      dataClasses: z.array(z.string()),
      verified: z.boolean(),
      records: z.int().nonnegative().nullable(),
    }),
  ),
  searchedAt: isoDate,
});
export const boughtLeaks = foundLeaks.extend(charged);
