import { z } from 'zod';
import { id, isoDate, plainText } from './common.ts';
import { charged, country, credits, cursor, momentInQuery, pageOf, paging, phoneNumber } from './http.ts';

export const encoding = z
  .enum(['GSM-7', 'UCS-2'])
  .describe('How it is encoded: GSM-7 has 160 characters in a part, UCS-2 (emoji, most scripts) 70.');
/** Half a surrogate pair is no character, and a NUL no phone can show. */
export const text = z
  .string()
  .min(1)
  .max(1_600)
  .refine((given) => !/[\0\p{Surrogate}]/u.test(given), {
    error: 'a text of whole Unicode characters, without NUL',
  })
  .meta({ description: 'The text, up to 1,600 characters.', examples: ['Your table is ready.'] });

/** A text that was sent or came in. */
export const message = z.object({
  id: id('msg').describe('The id of the text.'),
  threadId: id('thr').describe('The thread it belongs to.'),
  direction: z.enum(['inbound', 'outbound']).describe('Whether it came in or went out.'),
  from: z.string().describe('The sender, in E.164 or as its network names it.'),
  to: z.string().describe('The recipient, in E.164.'),
  message: z.string().describe('The text.'),
  media: z.array(z.string()).describe('Addresses of pictures that came with it.'),
  status: z
    .enum(['queued', 'sending', 'sent', 'delivered', 'failed', 'received'])
    .describe('Where it stands.'),
  segments: z.int().positive().describe('Parts that it is sent in: the price is per part.'),
  encoding,
  credits: credits.describe('Credits that it cost.'),
  errorCode: z.string().nullable().describe('Why it failed, for programs; null where it did not.'),
  errorMessage: z.string().nullable().describe('Why it failed, for people; null where it did not.'),
  createdAt: isoDate.describe('When it was accepted, or came in.'),
  sentAt: isoDate.nullable().describe('When it left for the carrier; null before.'),
  deliveredAt: isoDate.nullable().describe('When the carrier reported it delivered; null before.'),
});
export const messages = pageOf(message);
export const sentMessage = message.extend({ balance: charged.balance });

/** What a text to a number costs, before anybody sends one. */
export const rateQuery = z.strictObject({ to: phoneNumber.describe('The number to ask for, in E.164.') });
export const textRate = z.object({
  to: phoneNumber.describe('The number it would go to.'),
  /** null: there is no country with such numbers. */
  country: country
    .nullable()
    .describe('The country of the number; null where there is none with such numbers.'),
  /** Whether this server sends texts there. */
  supported: z.boolean().describe('Whether this server sends texts there.'),
  creditsPerSegment: credits.describe('Credits for each part of the text.'),
});

export const sendSms = z.strictObject({ to: phoneNumber, message: text });
export const queuedSms = z.object({
  id: id('msg').describe('The id of the text: ask GET /sms/{id} what became of it.'),
  status: z.literal('queued').describe('It waits to be sent.'),
  to: phoneNumber.describe('The recipient.'),
  from: z.string().describe('The pool’s number that it comes from.'),
  segments: z.int().positive().describe('Parts that it is sent in.'),
  encoding,
  ...charged,
  createdAt: isoDate.describe('When it was accepted.'),
});

/** Any string: what is no id of ours is not found. */
export const messageId = z.object({ id: plainText.max(64).describe('The id of the text.') });

/** What came in: replies to texts from the pool, and texts to numbers of one's own. */
export const inboxQuery = z.strictObject({
  from: phoneNumber.optional().describe('Only texts from this number.'),
  since: momentInQuery.optional().describe('Only texts from this day or moment on, in UTC.'),
  limit: paging.limit,
  cursor: cursor.optional(),
});
