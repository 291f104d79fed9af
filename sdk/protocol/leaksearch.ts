import { z } from 'zod';
import { isoDate, plainText } from './common.ts';
import { charged } from './http.ts';

export const leakQueryTypes = ['email', 'username', 'phone', 'domain', 'password_sha1_prefix'] as const;
export type LeakQueryType = (typeof leakQueryTypes)[number];
const kind = z.enum(leakQueryTypes);

/** The pattern of each type of query, and the error for a query that does not match. */
const formats: Record<LeakQueryType, [pattern: RegExp, message: string]> = {
  email: [/^[^\s@]{1,64}@[^\s@]{1,255}$/, 'must be an e-mail address'],
  username: [/^\S(.*\S)?$/, 'must be a user name without spaces around it'],
  phone: [/^\+[1-9]\d{6,14}$/, 'must be a phone number: + and 7 to 15 digits (E.164)'],
  domain: [
    /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/i,
    'must be a domain such as example.org',
  ],
  password_sha1_prefix: [
    /^[0-9a-f]{5}$/i,
    "must be exactly the first five hexadecimal digits of a password's SHA-1",
  ],
};

/** For a password, send the first five digits of its SHA-1 and compare the rest with the `title` of each result. */
export const searchLeaks = z
  .strictObject({
    query: plainText.min(1).max(320).describe('The text to search for.'),
    type: kind.describe(
      'The type of `query`. For a password, `query` is the first five digits of its SHA-1.',
    ),
  })
  .superRefine(({ query, type }, context) => {
    const [pattern, message] = formats[type];
    if (!pattern.test(query))
      context.addIssue({
        code: 'custom',
        path: ['query'],
        message,
        params: { code: 'invalid_query' },
      });
  })
  .meta({ examples: [{ query: 'ada@example.org', type: 'email' }] });
export const foundLeaks = z.object({
  query: z
    .object({
      type: kind.describe('The type of the query.'),
      masked: z.string().describe('The query with its middle masked.'),
    })
    .describe('The query.'),
  found: z.boolean().describe('Whether the query is in any breach.'),
  total: z.int().nonnegative().describe('The number of breaches.'),
  results: z
    .array(
      z.object({
        source: z.string().describe('The source of this result.'),
        title: z.string().describe('The name of the breach; for a password, the rest of the SHA-1.'),
        domain: z.string().nullable().describe('The site that was breached.'),
        breachDate: z.string().nullable().describe('The date of the breach.'),
        dataClasses: z.array(z.string()).describe('The kinds of leaked data: e-mail addresses, passwords …'),
        verified: z.boolean().describe('Whether the source verified the breach.'),
        records: z.int().nonnegative().nullable().describe('The number of leaked records.'),
      }),
    )
    .describe('The breaches.'),
  searchedAt: isoDate.describe('The time of the search.'),
});
export const boughtLeaks = foundLeaks.extend(charged);
export type WireFoundLeaks = z.infer<typeof foundLeaks>;
