import { z } from 'zod';
import { isoDate, plainText } from './common.ts';
import { charged } from './http.ts';

export const leakQueryTypes = ['email', 'username', 'phone', 'domain', 'password_sha1_prefix'] as const;
export type LeakQueryType = (typeof leakQueryTypes)[number];
const kind = z.enum(leakQueryTypes);

/** What a query of each type looks like. */
const forms: Record<LeakQueryType, [pattern: RegExp, words: string]> = {
  email: [/^[^\s@]{1,64}@[^\s@]{1,255}$/, 'an email address'],
  username: [/^\S(.*\S)?$/, 'a user name'],
  phone: [/^\+[1-9]\d{6,14}$/, 'a phone number: + and 7 to 15 digits (E.164)'],
  domain: [
    /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/i,
    'a domain such as example.org',
  ],
  password_sha1_prefix: [
    /^[0-9a-f]{5}$/i,
    "the first five hexadecimal digits of a password's SHA-1, and no more",
  ],
};

/** For a password: send the first five digits of its SHA-1, and compare the rest with each result's `title`. */
export const searchLeaks = z
  .strictObject({
    query: plainText.min(1).max(320).describe('What to search for.'),
    type: kind.describe('What it is. For a password: the first five digits of its SHA-1.'),
  })
  .superRefine(({ query, type }, context) => {
    const [pattern, words] = forms[type];
    if (!pattern.test(query))
      context.addIssue({
        code: 'custom',
        path: ['query'],
        message: words,
        params: { code: 'invalid_query' },
      });
  })
  .meta({ examples: [{ query: 'ada@example.org', type: 'email' }] });
export const foundLeaks = z.object({
  query: z
    .object({
      type: kind.describe('What was searched for.'),
      masked: z.string().describe('The query with its middle left out.'),
    })
    .describe('The query.'),
  found: z.boolean().describe('Whether it is in any breach.'),
  total: z.int().nonnegative().describe('How many breaches it is in.'),
  results: z
    .array(
      z.object({
        source: z.string().describe('Where this is known from.'),
        title: z.string().describe('The breach; for a password the rest of the SHA-1.'),
        domain: z.string().nullable().describe('The site that was breached.'),
        breachDate: z.string().nullable().describe('When it happened.'),
        dataClasses: z.array(z.string()).describe('What was taken: e-mail addresses, passwords …'),
        verified: z.boolean().describe('Whether the source has verified it.'),
        records: z.int().nonnegative().nullable().describe('How many records were taken.'),
      }),
    )
    .describe('The breaches.'),
  searchedAt: isoDate.describe('When it was searched.'),
});
export const boughtLeaks = foundLeaks.extend(charged);
export type WireFoundLeaks = z.infer<typeof foundLeaks>;
