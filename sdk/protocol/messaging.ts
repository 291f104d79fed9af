import { z } from 'zod';
import { id, isoDate } from './common.ts';
import { pageEnd, pageOf, paging, phoneNumber } from './http.ts';
import { message, text } from './sms.ts';

export const sendMessage = z.strictObject({
  to: phoneNumber.describe('Who gets the text, in E.164.'),
  message: text,
  /** A number of one's own; without it one of the pool. */
  from: phoneNumber.optional().describe('An own number; without it one of the pool.'),
  mediaUrls: z
    .array(z.url({ protocol: /^https?$/ }).max(2_048))
    .max(10)
    .optional()
    .meta({
      description: 'Pictures to send along, by their addresses (MMS).',
      examples: [['https://example.org/map.png']],
    }),
});

export const thread = z.object({
  id: id('thr').describe('The id of the thread.'),
  counterparty: z.string().describe('The other party’s number.'),
  number: z.string().describe('The own number, or the pool’s.'),
  lastMessage: z
    .object({
      id: id('msg').describe('The id of the text.'),
      direction: z.enum(['inbound', 'outbound']).describe('Whether it came in or went out.'),
      message: z.string().describe('The text.'),
      createdAt: isoDate.describe('When it was accepted, or came in.'),
    })
    .describe('The latest text of it.'),
  messageCount: z.int().nonnegative().describe('Texts in it.'),
  unreadCount: z.int().nonnegative().describe('Texts that came in since it was last read.'),
  updatedAt: isoDate.describe('When its last text was sent or came in.'),
});
export const threads = pageOf(thread);
export const threadsQuery = z.strictObject({
  ...paging,
  number: phoneNumber.optional().describe('Only threads of this own number.'),
});

/** In a path: E.164 with its plus sign as %2B, or the bare digits. */
export const counterparty = z.object({
  counterparty: z
    .string()
    .refine((given) => /^\+?[1-9]\d{6,14}$/.test(given), {
      error: 'a phone number: %2B and 7 to 15 digits, or the digits alone',
      params: { code: 'invalid_phone_number' },
    })
    .meta({
      description: 'The other party: %2B and 7 to 15 digits, or the digits alone.',
      examples: ['12025550100'],
    })
    .transform((given) => (given.startsWith('+') ? given : `+${given}`)),
});
export const conversation = z.object({
  thread: thread.describe('The thread.'),
  data: z.array(message).describe('The texts of this page, newest first.'),
  ...pageEnd,
});
