import { z } from 'zod';
import { id, isoDate } from './common.ts';
import { charged, phoneNumber } from './http.ts';

/** How many guesses a code stands. */
export const verificationAttempts = 5;

const channel = z.enum(['sms', 'call']);

export const startVerification = z.strictObject({
  to: phoneNumber,
  channel: channel.default('sms').describe('How the code is sent.'),
  locale: z
    .string()
    .regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, { error: 'a language tag, such as en or pt-BR' })
    .max(35)
    .optional()
    .meta({ description: 'The language of the text.', examples: ['en'] }),
  codeLength: z.int().min(4).max(8).default(6).describe('Digits of the code.'),
});
/** The code is never returned. */
export const startedVerification = z.object({
  id: id('vrf').describe('The id to check the code with.'),
  to: phoneNumber.describe('Who gets the code.'),
  channel: channel.describe('How the code is sent.'),
  status: z.literal('pending').describe('It waits for its code.'),
  expiresAt: isoDate.describe('Until when the code is good.'),
  attemptsRemaining: z.int().describe('Guesses that are left.'),
  ...charged,
});

/** By its id, or the latest one sent to a number. */
export const checkVerification = z
  .strictObject({
    id: id('vrf').optional().describe('The id of the verification. Either this or `to`.'),
    to: phoneNumber.optional().describe('The number: its latest verification. Either this or `id`.'),
    code: z
      .string()
      .regex(/^\d{4,8}$/, { error: 'a code is 4 to 8 digits' })
      .meta({ description: 'The code that was entered.', examples: ['482913'] }),
  })
  .refine((body) => (body.id === undefined) !== (body.to === undefined), {
    path: ['id'],
    error: 'either id or to',
  })
  .meta({ examples: [{ to: '+12025550100', code: '482913' }] });
/** `valid`: this code was right. An approved verification can't be checked again. */
export const checkedVerification = z.object({
  id: id('vrf').describe('The id of the verification.'),
  status: z.enum(['approved', 'pending']).describe('Whether the right code was given.'),
  valid: z.boolean().describe('Whether this code was right.'),
  attemptsRemaining: z.int().describe('Guesses that are left.'),
});
export type WireStartedVerification = z.infer<typeof startedVerification>;
export type WireCheckedVerification = z.infer<typeof checkedVerification>;
