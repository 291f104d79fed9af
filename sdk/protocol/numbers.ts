import { z } from 'zod';
import { id, isoDate, plainText } from './common.ts';
import { charged, country, credits, momentInQuery, pageOf, paging, phoneNumber } from './http.ts';
import { text } from './sms.ts';
import { webhookEventType } from './webhooks.ts';
import { nameOne, namesOne, whichNumber } from './whichNumber.ts';

const numberType = z.enum(['local', 'mobile', 'toll_free']);
const numberStatus = z.enum(['pending', 'active', 'expired', 'released']);
const capability = z.enum(['sms', 'mms', 'voice']);
const areaCode = z.string().regex(/^\d{1,6}$/, { error: 'an area code is up to six digits' });

export const ownNumber = z.object({
  id: id('num'),
  phoneNumber,
  country,
  region: z.string().nullable(),
  type: numberType,
  capabilities: z.object({ sms: z.boolean(), mms: z.boolean(), voice: z.boolean() }),
  status: numberStatus,
  monthlyCredits: credits,
  autoRenew: z.boolean(),
  purchasedAt: isoDate,
  expiresAt: isoDate,
  webhook: z.object({ url: z.string(), events: z.array(webhookEventType) }).nullable(),
});
export const ownNumbers = pageOf(ownNumber);
export const ownNumbersQuery = z.strictObject({ status: numberStatus.optional(), ...paging });

export const buyNumber = z.strictObject({
  country,
  type: numberType.optional(),
  areaCode: areaCode.optional(),
  phoneNumber: phoneNumber.optional(),
  /** Without it: sms. */
  capabilities: z.array(capability).max(3).optional(),
  autoRenew: z.boolean().optional(),
});
export const buyUsNumber = z.strictObject({
  areaCode: areaCode.optional(),
  phoneNumber: phoneNumber.optional(),
  type: z.enum(['local', 'toll_free']).optional(),
  autoRenew: z.boolean().optional(),
});
export const buyForeignNumber = z.strictObject({
  /** Not US: those are bought at /numbers/buy/us. */
  country,
  type: numberType.optional(),
  phoneNumber: phoneNumber.optional(),
  autoRenew: z.boolean().optional(),
});
export const numberOrder = z.object({
  orderId: id('ord'),
  status: z.enum(['pending', 'completed']),
  country,
  type: numberType,
  phoneNumber: phoneNumber.nullable(),
  /** The number itself, where it was there at once. */
  number: ownNumber.nullable(),
  ...charged,
  createdAt: isoDate,
});

export const availableQuery = z.strictObject({
  country,
  type: numberType.optional(),
  areaCode: areaCode.optional(),
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

export const orderQuery = z.strictObject({ orderId: plainText.min(1).max(64) });
export const orderStatus = z.object({
  orderId: id('ord'),
  status: z.enum(['pending', 'processing', 'completed', 'failed', 'refunded']),
  number: ownNumber.nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  credits,
  createdAt: isoDate,
  updatedAt: isoDate,
});

export const ownMessagesQuery = z.strictObject({
  number: phoneNumber.optional(),
  direction: z.enum(['inbound', 'outbound']).optional(),
  with: phoneNumber.optional(),
  since: momentInQuery.optional(),
  ...paging,
});
export const sendFromOwn = z.strictObject({
  /** May be left out by who has exactly one active number. */
  from: phoneNumber.optional(),
  to: phoneNumber,
  message: text,
});

export const renewNumber = z
  .strictObject({ ...whichNumber, months: z.int().min(1).max(12).optional() })
  .refine(namesOne, nameOne);
export const renewedNumber = z.object({ number: ownNumber, ...charged });

export const numberId = z.object({ id: plainText.max(64) });
export const changeNumber = z.strictObject({ autoRenew: z.boolean() });
export const releaseNumber = z.strictObject({ numberId: id('num') });
