import { z } from 'zod';
import { id, isoDate } from './common.ts';
import { paging, pageOf, phoneNumber } from './http.ts';
import { message, text } from './sms.ts';

export const sendMessage = z.strictObject({
  to: phoneNumber,
  message: text,
  /** A number of one's own; without it one of the pool. */
  from: phoneNumber.optional(),
  mediaUrls: z
    .array(z.url({ protocol: /^https?$/ }).max(2_048))
    .max(10)
    .optional(),
});

export const thread = z.object({
  id: id('thr'),
  counterparty: z.string(),
  number: z.string(),
  lastMessage: z.object({
    id: id('msg'),
    direction: z.enum(['inbound', 'outbound']),
    message: z.string(),
    createdAt: isoDate,
  }),
  messageCount: z.int().nonnegative(),
  unreadCount: z.int().nonnegative(),
  updatedAt: isoDate,
});
export const threads = pageOf(thread);
export const threadsQuery = z.strictObject({ ...paging, number: phoneNumber.optional() });

/** In a path: E.164 with its plus sign as %2B, or the bare digits. */
export const counterparty = z.object({
  counterparty: z
    .string()
    .refine((given) => /^\+?[1-9]\d{6,14}$/.test(given), {
      error: 'a phone number: %2B and 7 to 15 digits, or the digits alone',
      params: { code: 'invalid_phone_number' },
    })
    .transform((given) => (given.startsWith('+') ? given : `+${given}`)),
});
export const conversation = z.object({
  thread,
  data: z.array(message),
  hasMore: z.boolean(),
  nextCursor: z.string().nullable(),
});
