import { z } from 'zod';
import { id, isoDate } from './common.ts';
import { charged, phoneNumber } from './http.ts';

/** The maximum number of attempts to enter a code. */
export const verificationAttempts = 5;

const channel = z.enum(['sms', 'call']);

export const startVerification = z.strictObject({
  to: phoneNumber,
  channel: channel.default('sms').describe('How the code is sent.'),
  locale: z
    .string()
    .regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, { error: 'must be a language tag such as en or pt-BR' })
    .max(35)
    .optional()
    .meta({ description: 'The language of the text.', examples: ['en'] }),
  codeLength: z.int().min(4).max(8).default(6).describe('The number of digits of the code.'),
});
/** The code is never returned. */
export const startedVerification = z.object({
  id: id('vrf').describe('The id of the verification, for checking the code.'),
  to: phoneNumber.describe('The recipient of the code.'),
  channel: channel.describe('How the code is sent.'),
  status: z.literal('pending').describe('The code has not been entered yet.'),
  expiresAt: isoDate.describe('When the code expires.'),
  attemptsRemaining: z.int().describe('Attempts that are left.'),
  ...charged,
});

/** Names a verification by its id, or the latest verification of a number. */
export const checkVerification = z
  .strictObject({
    id: id('vrf').optional().describe('The id of the verification. Either this or `to`.'),
    to: phoneNumber
      .optional()
      .describe(
        'The number whose latest verification is meant. Either this or `id`; without a credential, `id`.',
      ),
    code: z
      .string()
      .regex(/^\d{4,8}$/, { error: 'must be 4 to 8 digits' })
      .meta({ description: 'The code that was entered.', examples: ['482913'] }),
  })
  .refine((body) => (body.id === undefined) !== (body.to === undefined), {
    path: ['id'],
    error: 'give either id or to',
  })
  .meta({ examples: [{ to: '+12025550100', code: '482913' }] });
/** `valid`: whether this code was correct. An approved verification cannot be checked again. */
export const checkedVerification = z.object({
  id: id('vrf').describe('The id of the verification.'),
  status: z.enum(['approved', 'pending']).describe('`approved` once the correct code was entered.'),
  valid: z.boolean().describe('Whether this code was correct.'),
  attemptsRemaining: z.int().describe('Attempts that are left.'),
});
export type WireStartedVerification = z.infer<typeof startedVerification>;
export type WireCheckedVerification = z.infer<typeof checkedVerification>;
