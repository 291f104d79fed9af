import { z } from 'zod';
import { id, isoDate } from './common.ts';
import { pageEnd, pageOf, paging, phoneNumber, textParty } from './http.ts';
import { message, text } from './sms.ts';

export const sendMessage = z.strictObject({
  to: phoneNumber.describe('The recipient, in E.164.'),
  message: text,
  /** One of the account's numbers. Default: a number of the pool. */
  from: phoneNumber.optional().describe('One of the account’s numbers. Default: a number of the pool.'),
  mediaUrls: z
    // Normalised, because a path may have characters that PostgreSQL cannot store. In this form they are encoded.
    .array(z.url({ protocol: /^https?$/, normalize: true }).max(2_048))
    .max(10)
    .optional()
    .meta({
      description: 'Addresses of images to send with the text (MMS).',
      examples: [['https://example.org/map.png']],
    }),
});

export const thread = z.object({
  id: id('thr').describe('The id of the thread.'),
  counterparty: z.string().describe('The other party’s number, or what the network gives in its place.'),
  number: z.string().describe('The account’s number, or a number of the pool.'),
  lastMessage: z
    .object({
      id: id('msg').describe('The id of the text.'),
      direction: z.enum(['inbound', 'outbound']).describe('Whether the text was received or sent.'),
      message: z.string().describe('The text.'),
      createdAt: isoDate.describe('When the text was accepted or received.'),
    })
    .describe('The latest text of the thread.'),
  messageCount: z.int().nonnegative().describe('The number of texts in the thread.'),
  unreadCount: z.int().nonnegative().describe('Texts received since the thread was last read.'),
  updatedAt: isoDate.describe('When the last text was sent or received.'),
});
export const threads = pageOf(thread);
export const threadsQuery = z.strictObject({
  ...paging,
  number: phoneNumber.optional().describe('Return only threads of this number of the account.'),
});

/** The other party in a path: its number in E.164, with the plus sign as %2B or without it, or what its thread has instead of a number. */
export const counterparty = z.object({
  counterparty: z
    .preprocess((given) => (/^[1-9]\d{6,14}$/.test(String(given)) ? `+${String(given)}` : given), textParty)
    .meta({
      description:
        'The other party, as in the thread: a phone number as %2B and 7 to 15 digits, or only the digits; or the short code or the name of a sender without one.',
      examples: ['12025550100'],
    }),
});
export const conversation = z.object({
  thread: thread.describe('The thread.'),
  data: z.array(message).describe('The texts of this page, newest first.'),
  ...pageEnd,
});
