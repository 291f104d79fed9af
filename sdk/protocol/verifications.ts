import { z } from 'zod';
import { id, isoDate } from './common.ts';
import { charged, phoneNumber } from './http.ts';

const channel = z.enum(['sms', 'call']);

export const startVerification = z.strictObject({
  to: phoneNumber,
  channel: channel.default('sms'),
  locale: z
    .string()
    .regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, { error: 'a language tag, such as en or pt-BR' })
    .max(35)
    .optional(),
  codeLength: z.int().min(4).max(8).default(6),
});
/** The code is never returned. */
export const startedVerification = z.object({
  id: id('vrf'),
  to: phoneNumber,
  channel,
  status: z.literal('pending'),
  expiresAt: isoDate,
  attemptsRemaining: z.int(),
  ...charged,
});
