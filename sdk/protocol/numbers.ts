import { z } from 'zod';
import { id, isoDate, plainText } from './common.ts';
import {
  charged,
  country,
  credits,
  failure,
  momentInQuery,
  pageOf,
  paging,
  phoneNumber,
  textParty,
} from './http.ts';
import { text } from './sms.ts';
import { numberEventType } from './webhookEvents.ts';
import { nameOne, namesOne, whichNumber } from './whichNumber.ts';

const numberType = z.enum(['local', 'mobile', 'toll_free']);
export type NumberType = z.infer<typeof numberType>;
const numberStatus = z.enum(['pending', 'active', 'expired', 'released']);
const capability = z.enum(['sms', 'mms', 'voice']);
const areaCode = z
  .string()
  .regex(/^\d{1,6}$/, { error: 'must be an area code of up to six digits' })
  .meta({ examples: ['202'] });

export const ownNumber = z.object({
  id: id('num').describe('The id of the number.'),
  phoneNumber: phoneNumber.describe('The number, in E.164.'),
  country,
  region: z.string().nullable().describe('State or city; null without one.'),
  type: numberType.describe('The type of the number.'),
  capabilities: z
    .object({
      sms: z.boolean().describe('Whether it can send and receive texts.'),
      mms: z.boolean().describe('Whether it can send and receive images.'),
      voice: z.boolean().describe('Whether it can make calls.'),
    })
    .describe('The capabilities of the number.'),
  status: numberStatus.describe('The status of the number.'),
  monthlyCredits: credits.describe('Credits per month.'),
  autoRenew: z.boolean().describe('Whether the number is renewed automatically before it expires.'),
  purchasedAt: isoDate.describe('When the number was bought.'),
  expiresAt: isoDate.describe('When the paid period ends.'),
  webhook: z
    .object({
      url: z.string().describe('The address that its events are posted to.'),
      events: z.array(numberEventType).describe('The events that are posted.'),
    })
    .nullable()
    .describe('The webhook of the number; null without one.'),
});
export const ownNumbers = pageOf(ownNumber);
export const ownNumbersQuery = z.strictObject({
  status: numberStatus.optional().describe('Return only numbers with this status.'),
  ...paging,
});

export const buyNumber = z.strictObject({
  country,
  type: numberType.optional().describe('The type of the number. Default: the usual type of the country.'),
  areaCode: areaCode.optional().describe('Up to six digits after the country code.'),
  phoneNumber: phoneNumber.optional().describe('The number to buy. Default: any available number.'),
  /** Default: sms. */
  capabilities: z
    .array(capability)
    .max(3)
    .optional()
    .describe('The capabilities the number must have. Default: sms.'),
  autoRenew: z
    .boolean()
    .optional()
    .describe('Whether the number is renewed automatically before it expires.'),
});
export const buyUsNumber = z.strictObject({
  areaCode: areaCode.optional().describe('The area code.'),
  phoneNumber: phoneNumber.optional().describe('The number to buy. Default: any available number.'),
  type: z.enum(['local', 'toll_free']).optional().describe('The type of the number. Default: local.'),
  autoRenew: z
    .boolean()
    .optional()
    .describe('Whether the number is renewed automatically before it expires.'),
});
export const buyForeignNumber = z.strictObject({
  /** Any country except US. Numbers of the US are bought at /numbers/buy/us. */
  country: country.describe('Any country except US. Numbers of the US are bought at /numbers/buy/us.'),
  type: numberType.optional().describe('The type of the number. Default: the usual type of the country.'),
  phoneNumber: phoneNumber.optional().describe('The number to buy. Default: any available number.'),
  autoRenew: z
    .boolean()
    .optional()
    .describe('Whether the number is renewed automatically before it expires.'),
});
export const numberOrder = z.object({
  orderId: id('ord').describe('The id of the order.'),
  status: z
    .enum(['pending', 'completed'])
    .describe('`pending`: read GET /numbers/buy/status for the result.'),
  country: country.describe('The country of the number.'),
  type: numberType.describe('The type of the number.'),
  phoneNumber: phoneNumber.nullable().describe('The ordered number, also while the order is pending.'),
  /** The number; null while the order is pending. */
  number: ownNumber.nullable().describe('The number; null while the order is pending.'),
  ...charged,
  createdAt: isoDate.describe('When it was ordered.'),
});

export const availableQuery = z.strictObject({
  country,
  type: numberType.optional().describe('Return only numbers of this type.'),
  areaCode: areaCode.optional().describe('Return only numbers with these digits after the country code.'),
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
    .describe('The status of the order. Credits of failed orders are refunded (`refunded`).'),
  number: ownNumber.nullable().describe('The number; null until the order is completed.'),
  error: failure.nullable().describe('Why the order failed; null unless it failed.'),
  credits: credits.describe('Credits the order costs.'),
  createdAt: isoDate.describe('When it was ordered.'),
  updatedAt: isoDate.describe('When it last changed.'),
});

export const ownMessagesQuery = z.strictObject({
  number: phoneNumber.optional().describe('Return only texts of this number of the account.'),
  direction: z.enum(['inbound', 'outbound']).optional().describe('Return only texts in this direction.'),
  with: textParty.optional().describe('Return only texts from or to this number, short code or name.'),
  since: momentInQuery.optional().describe('Return only texts since this day or time, in UTC.'),
  ...paging,
});
export const sendFromOwn = z.strictObject({
  /** One of the account's numbers. Optional if the account has exactly one active number. */
  from: phoneNumber
    .optional()
    .describe('One of the account’s numbers. Optional if the account has exactly one active number.'),
  to: phoneNumber.describe('The recipient.'),
  message: text.describe('The text, up to 1,600 characters.'),
});

export const renewNumber = z
  .strictObject({
    ...whichNumber,
    months: z.int().min(1).max(12).optional().describe('Months to add. Default: 1.'),
  })
  .refine(namesOne, nameOne)
  .meta({ examples: [{ phoneNumber: '+12025550100', months: 1 }] });
export const renewedNumber = z.object({ number: ownNumber.describe('The renewed number.'), ...charged });

export const numberId = z.object({ id: plainText.max(64).describe('The id of the number.') });
export const changeNumber = z.strictObject({
  autoRenew: z.boolean().describe('Whether the number is renewed automatically before it expires.'),
});
export const releaseNumber = z.strictObject({ numberId: id('num') });
