import { z } from 'zod';
import { id, isoDate, plainText } from './common.ts';
import {
  charged,
  country,
  credits,
  cursor,
  momentInQuery,
  pageOf,
  paging,
  phoneNumber,
  textParty,
} from './http.ts';

export const encoding = z
  .enum(['GSM-7', 'UCS-2'])
  .describe('The encoding: GSM-7 has 160 characters per segment, UCS-2 (emoji, most scripts) 70.');
/** Unpaired surrogates are rejected because they are not characters, and NUL because phones cannot display it. */
export const text = z
  .string()
  .min(1)
  .max(1_600)
  .refine((given) => !/[\0\p{Surrogate}]/u.test(given), {
    error: 'must be valid Unicode text without NUL',
  })
  .meta({ description: 'The text, up to 1,600 characters.', examples: ['Your table is ready.'] });

/** A sent or received text. */
export const message = z.object({
  id: id('msg').describe('The id of the text.'),
  threadId: id('thr').describe('The thread of the text.'),
  direction: z.enum(['inbound', 'outbound']).describe('Whether the text was received or sent.'),
  from: z.string().describe('The sender, in E.164 or as the network gives it.'),
  to: z.string().describe('The recipient, in E.164.'),
  message: z.string().describe('The text.'),
  media: z.array(z.string()).describe('Addresses of images received with the text.'),
  status: z
    .enum(['queued', 'sending', 'sent', 'delivered', 'failed', 'received'])
    .describe('The status of the text.'),
  segments: z.int().positive().describe('The number of segments. The price is per segment.'),
  encoding,
  credits: credits.describe('Credits the text cost.'),
  errorCode: z.string().nullable().describe('Why the text failed, for programs; null unless it failed.'),
  errorMessage: z.string().nullable().describe('Why the text failed, for people; null unless it failed.'),
  createdAt: isoDate.describe('When the text was accepted or received.'),
  sentAt: isoDate.nullable().describe('When the text was passed to the carrier; null until then.'),
  deliveredAt: isoDate.nullable().describe('When the carrier reported delivery; null until then.'),
});
export const messages = pageOf(message);
export const sentMessage = message.extend({ balance: charged.balance });

/** A request for the price of a text to a number. */
export const rateQuery = z.strictObject({
  to: phoneNumber.describe('The number of the recipient, in E.164.'),
});
export const textRate = z.object({
  to: phoneNumber.describe('The number of the recipient.'),
  /** null: the number belongs to no country. */
  country: country.nullable().describe('The country of the number; null if it belongs to none.'),
  /** Whether this server sends texts there. */
  supported: z.boolean().describe('Whether this server sends texts there.'),
  creditsPerSegment: credits.describe('Credits per segment.'),
});

export const sendSms = z.strictObject({ to: phoneNumber, message: text });
export const queuedSms = z.object({
  id: id('msg').describe('The id of the text. GET /sms/{id} returns its current status.'),
  status: z.literal('queued').describe('The text is queued.'),
  to: phoneNumber.describe('The recipient.'),
  from: z.string().describe('The number of the pool that sends the text.'),
  segments: z.int().positive().describe('The number of segments.'),
  encoding,
  ...charged,
  createdAt: isoDate.describe('When the text was accepted.'),
});

/** Any string is accepted here. The server answers 404 if it is not an id. */
export const messageId = z.object({ id: plainText.max(64).describe('The id of the text.') });

/** A request for received texts: replies to texts from the pool, and texts to the account's numbers. */
export const inboxQuery = z.strictObject({
  from: textParty.optional().describe('Return only texts from this number, short code or name.'),
  since: momentInQuery.optional().describe('Return only texts since this day or time, in UTC.'),
  limit: paging.limit,
  cursor: cursor.optional(),
});
