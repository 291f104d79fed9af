import { z } from 'zod';
import { id, isoDate, plainText } from './common.ts';
import { charged, country, credits, cursor, momentInQuery, pageOf, paging, phoneNumber } from './http.ts';

export const encoding = z.enum(['GSM-7', 'UCS-2']);
/** Half a surrogate pair is no character, and a NUL no phone can show. */
export const text = z
  .string()
  .min(1)
  .max(1_600)
  .refine((given) => !/[\0\p{Surrogate}]/u.test(given), {
    error: 'a text of whole Unicode characters, without NUL',
  });

/** A text that was sent or came in. */
export const message = z.object({
  id: id('msg'),
  threadId: id('thr'),
  direction: z.enum(['inbound', 'outbound']),
  from: z.string(),
  to: z.string(),
  message: z.string(),
  media: z.array(z.string()),
  status: z.enum(['queued', 'sending', 'sent', 'delivered', 'failed', 'received']),
  segments: z.int().positive(),
  encoding,
  credits,
  errorCode: z.string().nullable(),
  errorMessage: z.string().nullable(),
  createdAt: isoDate,
  sentAt: isoDate.nullable(),
  deliveredAt: isoDate.nullable(),
});
export const messages = pageOf(message);
export const sentMessage = message.extend({ balance: charged.balance });

/** What a text to a number costs, before anybody sends one. */
export const rateQuery = z.strictObject({ to: phoneNumber });
export const textRate = z.object({
  to: phoneNumber,
  /** null: there is no country with such numbers. */
  country: country.nullable(),
  /** Whether this server sends texts there. */
  supported: z.boolean(),
  creditsPerSegment: credits,
});

export const sendSms = z.strictObject({ to: phoneNumber, message: text });
export const queuedSms = z.object({
  id: id('msg'),
  status: z.literal('queued'),
  to: phoneNumber,
  from: z.string(),
  segments: z.int().positive(),
  encoding,
  ...charged,
  createdAt: isoDate,
});

/** Any string: what is no id of ours is not found. */
export const messageId = z.object({ id: plainText.max(64) });

/** What came in: replies to texts from the pool, and texts to numbers of one's own. */
export const inboxQuery = z.strictObject({
  from: phoneNumber.optional(),
  since: momentInQuery.optional(),
  limit: paging.limit,
  cursor: cursor.optional(),
});
