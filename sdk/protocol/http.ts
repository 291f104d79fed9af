import { z } from 'zod';
import { isStorable, notStorable, plainText } from './common.ts';

/* Schemas that several routes of the HTTP API use. */

/** The scopes an API key can have. */
export const keyScopes = [
  'account:read',
  'sms:send',
  'numbers:buy',
  'numbers:read',
  'lookup:read',
  'leaksearch:search',
  'esim:order',
  'verifications:start',
  'rooms:read',
  'rooms:write',
  'streams:read',
  'streams:write',
  'calls:read',
  'calls:write',
  'recordings:read',
  'recordings:write',
  'tokens:create',
  'webhooks:write',
] as const;
export const keyScope = z.enum(keyScopes).describe('A permission of an API key.');
/** A permission of an API key. */
export type KeyScope = z.infer<typeof keyScope>;

/** How a request was authenticated. */
export const authMethod = z
  .enum(['api_key', 'session', 'x402'])
  .describe('How the request was authenticated.');

/** `svc_live_` and six characters, which identify a key in lists and logs. */
export const keyPrefix = z.string().meta({
  description: 'The first characters of the key, which identify it in lists and logs.',
  examples: ['svc_live_AbC123'],
});

/** Whole credits. One credit is one US cent. */
export const credits = z
  .int()
  .nonnegative()
  .meta({ description: 'Whole credits. One credit is one US cent.', examples: [250] });

/** The fields that every charged route adds to its response. */
export const charged = {
  credits: credits.describe('Credits this request cost.'),
  balance: credits.nullable().describe('Credits left after this request; null for a request paid by x402.'),
};

export const cursor = plainText
  .min(1)
  .max(200)
  .meta({
    description: 'The `nextCursor` of the previous page. Default: the first page.',
    examples: ['MjAyNi0xMS0yMA'],
  });

/** A whole number in a query string, where every value is text. */
export const wholeNumber = (minimum: number, maximum: number) =>
  z
    .string()
    .transform((text, context) => {
      const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
      if (value >= minimum && value <= maximum) return value;
      context.addIssue(`must be a whole number from ${minimum} to ${maximum}`);
      return z.NEVER;
    })
    .meta({ type: 'integer', minimum, maximum });

/** A day (2026-11-20) or a time (2026-11-20T12:00:00Z), in UTC. */
export const momentInQuery = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], {
    error: 'must be a day (2026-11-20) or a time (2026-11-20T12:00:00Z)',
  })
  .refine(isStorable, { error: notStorable })
  .meta({
    description: 'A day (2026-11-20) or a time (2026-11-20T12:00:00Z), in UTC.',
    examples: ['2026-11-20'],
  });

/** The query fields of a list, which is sorted newest first. `cursor` is the `nextCursor` of the previous page. */
export const paging = {
  limit: wholeNumber(1, 100).optional().describe('Items per page, 1 to 100. Default: 50.'),
  cursor: cursor.optional(),
};
export const defaultPageSize = 50;

export const pageEnd = {
  hasMore: z.boolean().describe('Whether another page follows.'),
  nextCursor: z.string().nullable().describe('The `cursor` of the next page; null on the last page.'),
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

/** A query as the app writes it: numbers as numbers, times as text or Dates. */
export type QueryOf<Schema extends z.ZodType> = {
  [Name in keyof z.output<Schema>]: Name extends 'from' | 'to' | 'since'
    ? z.output<Schema>[Name] | Date
    : z.output<Schema>[Name];
};

/** A body as the app writes it: fields with defaults may be left out. */
export type BodyOf<Schema extends z.ZodType> = z.input<Schema>;

/** A response on the wire: times are text. */
export type AnswerOf<Schema extends z.ZodType> = z.output<Schema>;

const notAPhoneNumber = 'must be a phone number: + and 7 to 15 digits (E.164)';

/** E.164 with the plus sign. */
export const phoneNumber = z
  .string({ error: notAPhoneNumber })
  .refine((text) => /^\+[1-9]\d{6,14}$/.test(text), {
    error: notAPhoneNumber,
    params: { code: 'invalid_phone_number' },
  })
  .meta({ description: 'A phone number in E.164: + and 7 to 15 digits.', examples: ['+12025550100'] });

/** The other party of a text. Short codes and names are those of senders without a number, as the network gives them. */
export const textParty = z
  .string({ error: notAPhoneNumber })
  .refine((text) => /^(\+[1-9]\d{6,14}|\d{3,6}|(?=.*\p{L})[^\p{C}]{1,64})$/u.test(text), {
    error: `${notAPhoneNumber}; or a short code of 3 to 6 digits, or the name of a sender`,
    params: { code: 'invalid_phone_number' },
  })
  .meta({
    description: 'A phone number in E.164; or the short code or the name of a sender without one.',
    examples: ['+12025550100'],
  });

/** ISO 3166-1 alpha-2. */
export const country = z
  .string()
  .regex(/^[A-Z]{2}$/, { error: 'must be a country: two capital letters (ISO 3166-1)' })
  .meta({ description: 'A country: two capital letters (ISO 3166-1).', examples: ['US'] });

/** Why an order failed at the provider. */
export const failure = z.object({
  code: z.string().describe('The error code, for programs.'),
  message: z.string().describe('The error message, for people.'),
});

/** The body of every error response. */
export const errorBody = z.looseObject({
  error: z.string().describe('The error code, for programs.'),
  message: z.string().describe('The error message, for people.'),
  reason: z
    .string()
    .optional()
    .describe(
      'A more specific reason, such as `room_ended`, if the rules of rooms and streams refuse the request.',
    ),
  requestId: z.string().describe('The id of this request in the server’s log.'),
  details: z
    .array(
      z.object({
        path: z.string().describe('The field, such as `to` or `scopes.0`.'),
        code: z.string().describe('The code of the rule it breaks.'),
        message: z.string().describe('The rule, for people.'),
      }),
    )
    .optional()
    .describe('The invalid fields.'),
  retryAfter: z.int().positive().optional().describe('Seconds to wait before the next attempt.'),
});
