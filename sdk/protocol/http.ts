import { z } from 'zod';
import { plainText } from './common.ts';

/* What the routes of the HTTP API have in common. */

/** What a key may be allowed. */
export const keyScopes = [
  'account:read',
  'sms:send',
  'numbers:buy',
  'numbers:read',
  'lookup:read',
  'leaksearch:search',
  'esim:order',
  'verifications:start',
] as const;
export const keyScope = z.enum(keyScopes).describe('A permission of a key.');
export type KeyScope = z.infer<typeof keyScope>;

/** How a request proved who sends it. */
export const authMethod = z
  .enum(['api_key', 'session', 'x402'])
  .describe('How the request was authenticated.');

/** `svc_live_` and six characters: names a key in lists and logs. */
export const keyPrefix = z.string().meta({
  description: 'The first characters of the key, which name it in lists and logs.',
  examples: ['svc_live_AbC123'],
});

/** Whole credits; one is a cent of a US dollar. */
export const credits = z
  .int()
  .nonnegative()
  .meta({ description: 'Whole credits; one is a cent of a US dollar.', examples: [250] });

/** What a charged route answers with, beside the thing itself. `balance` is null for a one-off payer. */
export const charged = {
  credits: credits.describe('Credits that this request cost.'),
  balance: credits.nullable().describe('Credits left after it; null for a request paid by x402.'),
};

export const cursor = plainText
  .min(1)
  .max(200)
  .meta({
    description: 'The nextCursor of the page before; without it the first page.',
    examples: ['MjAyNi0xMS0yMA'],
  });

/** A whole number in a query, where everything is text. */
export const wholeNumber = (minimum: number, maximum: number) =>
  z
    .string()
    .transform((text, context) => {
      const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
      if (value >= minimum && value <= maximum) return value;
      context.addIssue(`a whole number from ${minimum} to ${maximum}`);
      return z.NEVER;
    })
    .meta({ type: 'integer', minimum, maximum });

/** A day (2026-11-20) or a moment, in UTC. */
export const momentInQuery = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], {
    error: 'a day (2026-11-20) or a moment (2026-11-20T12:00:00Z)',
  })
  .meta({
    description: 'A day (2026-11-20) or a moment (2026-11-20T12:00:00Z), in UTC.',
    examples: ['2026-11-20'],
  });

/** Newest first, at most so many; `cursor` is the `nextCursor` of the page before. */
export const paging = {
  limit: wholeNumber(1, 100).optional().describe('Items per page, 1 to 100; 50 by default.'),
  cursor: cursor.optional(),
};
export const defaultPageSize = 50;

export const pageEnd = {
  hasMore: z.boolean().describe('Whether another page follows.'),
  nextCursor: z.string().nullable().describe('The `cursor` of the next page; null on the last.'),
};
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    data: z.array(item).describe('The items of this page.'),
    ...pageEnd,
  });

/** One page of a list. */
export interface Page<Item> {
  data: Item[];
  hasMore: boolean;
  nextCursor: string | null;
}

/** A query as an app writes it: numbers as numbers, moments as text or Dates. */
export type QueryOf<Schema extends z.ZodType> = {
  [Name in keyof z.output<Schema>]: Name extends 'from' | 'to' | 'since'
    ? z.output<Schema>[Name] | Date
    : z.output<Schema>[Name];
};

/** A body as an app writes it: what has a default may be left out. */
export type BodyOf<Schema extends z.ZodType> = z.input<Schema>;

/** An answer as it travels: moments are text. */
export type AnswerOf<Schema extends z.ZodType> = z.output<Schema>;

const notAPhoneNumber = 'a phone number is + and 7 to 15 digits (E.164)';

/** E.164 with its plus sign. */
export const phoneNumber = z
  .string({ error: notAPhoneNumber })
  .refine((text) => /^\+[1-9]\d{6,14}$/.test(text), {
    error: notAPhoneNumber,
    params: { code: 'invalid_phone_number' },
  })
  .meta({ description: 'A phone number in E.164: + and 7 to 15 digits.', examples: ['+12025550100'] });

/** ISO 3166-1 alpha-2. */
export const country = z
  .string()
  .regex(/^[A-Z]{2}$/, { error: 'a country is two capital letters (ISO 3166-1)' })
  .meta({ description: 'A country: two capital letters (ISO 3166-1).', examples: ['US'] });

/** Why a provider could not deliver. */
export const failure = z.object({
  code: z.string().describe('What went wrong, for programs.'),
  message: z.string().describe('What went wrong, for people.'),
});

/** In every refusal. */
export const errorBody = z.object({
  error: z.string().describe('What went wrong, for programs.'),
  message: z.string().describe('What went wrong, for people.'),
  requestId: z.string().describe('Names this request in the server’s log.'),
  details: z
    .array(
      z.object({
        path: z.string().describe('The field, such as `to` or `scopes.0`.'),
        code: z.string().describe('The rule that it breaks.'),
        message: z.string().describe('The rule in words.'),
      }),
    )
    .optional()
    .describe('Each field that is wrong.'),
  retryAfter: z.int().optional().describe('Seconds to wait before the next try.'),
});
