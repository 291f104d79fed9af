import { z } from 'zod';
import { id, isoDate } from './common.ts';
import { charged, phoneNumber } from './http.ts';

/** How many guesses a code stands. */
export const verificationAttempts = 5;

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

/** By its id, or the latest one sent to a number. */
export const checkVerification = z
  .strictObject({
    id: id('vrf').optional(),
    to: phoneNumber.optional(),
    code: z.string().regex(/^\d{4,8}$/, { error: 'a code is 4 to 8 digits' }),
  })
  .refine((body) => (body.id === undefined) !== (body.to === undefined), {
    path: ['id'],
    error: 'either id or to',
  });
/** `valid`: this code was right. An approved verification can't be checked again. */
export const checkedVerification = z.object({
  id: id('vrf'),
  status: z.enum(['approved', 'pending']),
  valid: z.boolean(),
  attemptsRemaining: z.int(),
});
export type WireStartedVerification = z.infer<typeof startedVerification>;
export type WireCheckedVerification = z.infer<typeof checkedVerification>;
