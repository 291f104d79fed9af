import { z } from 'zod';
import { id, isoDate, plainText } from './common.ts';
import { charged, country, credits, failure, momentInQuery, pageOf, paging, phoneNumber } from './http.ts';
import { text } from './sms.ts';
import { webhookEventType } from './webhookEvents.ts';
import { nameOne, namesOne, whichNumber } from './whichNumber.ts';

const numberType = z.enum(['local', 'mobile', 'toll_free']);
export type NumberType = z.infer<typeof numberType>;
const numberStatus = z.enum(['pending', 'active', 'expired', 'released']);
const capability = z.enum(['sms', 'mms', 'voice']);
const areaCode = z
  .string()
  .regex(/^\d{1,6}$/, { error: 'an area code is up to six digits' })
  .meta({ examples: ['202'] });

export const ownNumber = z.object({
  id: id('num').describe('The id of the number.'),
  phoneNumber: phoneNumber.describe('The number, in E.164.'),
  country,
  region: z.string().nullable().describe('State or city; null where it has none.'),
  type: numberType.describe('What kind of number it is.'),
  capabilities: z
    .object({
      sms: z.boolean().describe('Texts.'),
      mms: z.boolean().describe('Pictures.'),
      voice: z.boolean().describe('Calls.'),
    })
    .describe('What it can do.'),
  status: numberStatus.describe('Whether it can be used.'),
  monthlyCredits: credits.describe('Credits for each month.'),
  autoRenew: z.boolean().describe('Whether it is renewed by itself before it expires.'),
  purchasedAt: isoDate.describe('When it was bought.'),
  expiresAt: isoDate.describe('Until when it is paid.'),
  webhook: z
    .object({
      url: z.string().describe('Where its events are posted to.'),
      events: z.array(webhookEventType).describe('Which events.'),
    })
    .nullable()
    .describe('Its webhook; null without one.'),
});
export const ownNumbers = pageOf(ownNumber);
export const ownNumbersQuery = z.strictObject({
  status: numberStatus.optional().describe('Only numbers with this status.'),
  ...paging,
});

export const buyNumber = z.strictObject({
  country,
  type: numberType.optional().describe('What kind of number; without it the usual one of the country.'),
  areaCode: areaCode.optional().describe('Up to six digits after the country code.'),
  phoneNumber: phoneNumber.optional().describe('This number, if it is available; without it any.'),
  /** Without it: sms. */
  capabilities: z
    .array(capability)
    .max(3)
    .optional()
    .describe('What it must be able to do; without it texts.'),
  autoRenew: z.boolean().optional().describe('Whether it is renewed by itself before it expires.'),
});
export const buyUsNumber = z.strictObject({
  areaCode: areaCode.optional().describe('The area code.'),
  phoneNumber: phoneNumber.optional().describe('This number, if it is available; without it any.'),
  type: z.enum(['local', 'toll_free']).optional().describe('What kind of number; without it a local one.'),
  autoRenew: z.boolean().optional().describe('Whether it is renewed by itself before it expires.'),
});
export const buyForeignNumber = z.strictObject({
  /** Not US: those are bought at /numbers/buy/us. */
  country: country.describe('Not US: those are bought at /numbers/buy/us.'),
  type: numberType.optional().describe('What kind of number; without it the usual one of the country.'),
  phoneNumber: phoneNumber.optional().describe('This number, if it is available; without it any.'),
  autoRenew: z.boolean().optional().describe('Whether it is renewed by itself before it expires.'),
});
export const numberOrder = z.object({
  orderId: id('ord').describe('The id of the order.'),
  status: z.enum(['pending', 'completed']).describe('`pending`: ask GET /numbers/buy/status.'),
  country: country.describe('The country of the number.'),
  type: numberType.describe('What kind of number was ordered.'),
  phoneNumber: phoneNumber.nullable().describe('The number; null while it is pending.'),
  /** The number itself, where it was there at once. */
  number: ownNumber.nullable().describe('The number itself, where it was available at once.'),
  ...charged,
  createdAt: isoDate.describe('When it was ordered.'),
});

export const availableQuery = z.strictObject({
  country,
  type: numberType.optional().describe('Only numbers of this kind.'),
  areaCode: areaCode.optional().describe('Only numbers that begin with these digits after the country code.'),
  limit: paging.limit,
});
export const availableNumbers = pageOf(
  ownNumber.pick({
    phoneNumber: true,
    country: true,
    region: true,
    type: true,
    capabilities: true,
    monthlyCredits: true,
  }),
);

export const orderQuery = z.strictObject({
  orderId: plainText.min(1).max(64).describe('The id of the order.'),
});
export const orderStatus = z.object({
  orderId: id('ord').describe('The id of the order.'),
  status: z
    .enum(['pending', 'processing', 'completed', 'failed', 'refunded'])
    .describe('Where the order stands. Credits of failed orders are given back (`refunded`).'),
  number: ownNumber.nullable().describe('The number, once it was bought.'),
  error: failure.nullable().describe('Why it failed; null where it did not.'),
  credits: credits.describe('Credits that it costs.'),
  createdAt: isoDate.describe('When it was ordered.'),
  updatedAt: isoDate.describe('When it last changed.'),
});

export const ownMessagesQuery = z.strictObject({
  number: phoneNumber.optional().describe('Only texts of this own number.'),
  direction: z.enum(['inbound', 'outbound']).optional().describe('Only texts in this direction.'),
  with: phoneNumber.optional().describe('Only texts with this number.'),
  since: momentInQuery.optional().describe('Only texts from this day or moment on, in UTC.'),
  ...paging,
});
export const sendFromOwn = z.strictObject({
  /** May be left out by who has exactly one active number. */
  from: phoneNumber.optional().describe('An own number. It may be left out with exactly one active number.'),
  to: phoneNumber.describe('Who gets the text.'),
  message: text.describe('The text, up to 1,600 characters.'),
});

export const renewNumber = z
  .strictObject({
    ...whichNumber,
    months: z.int().min(1).max(12).optional().describe('Months to add; one by default.'),
  })
  .refine(namesOne, nameOne)
  .meta({ examples: [{ phoneNumber: '+12025550100', months: 1 }] });
export const renewedNumber = z.object({ number: ownNumber.describe('The number as it is now.'), ...charged });

export const numberId = z.object({ id: plainText.max(64).describe('The id of the number.') });
export const changeNumber = z.strictObject({
  autoRenew: z.boolean().describe('Whether it is renewed by itself before it expires.'),
});
export const releaseNumber = z.strictObject({ numberId: id('num') });
