import { z } from 'zod';
import { plainText } from './common.ts';
import { country, credits } from './http.ts';

export const lookUp = z.strictObject({
  /** A phone number in any notation. An invalid one is answered with `valid: false`. */
  phoneNumber: plainText
    .min(1)
    .max(32)
    .meta({
      description: 'A phone number in any notation. An invalid one is answered with `valid: false`.',
      examples: ['+12025550100'],
    }),
  /** The country to assume for a number without a country code. */
  country: country.optional().describe('The country to assume for a number without a country code.'),
  fields: z
    .array(z.enum(['carrier', 'lineType', 'callerName']))
    .max(3)
    .optional()
    .describe('The fields to look up. Default: carrier and line type.'),
});
export const lookedUp = z.object({
  phoneNumber: z.string().describe('The number in E.164; an invalid number as it was given.'),
  valid: z.boolean().describe('Whether the number can exist.'),
  validationErrors: z.array(z.string()).describe('Why the number is invalid.'),
  countryCode: z.string().nullable().describe('Its country (ISO 3166-1).'),
  callingCode: z.string().nullable().describe('The calling code of the country.'),
  nationalFormat: z.string().nullable().describe('The number in the notation of its country.'),
  lineType: z
    .enum(['mobile', 'landline', 'fixed_voip', 'non_fixed_voip', 'toll_free', 'unknown'])
    .describe('The type of line.'),
  carrier: z
    .object({
      name: z.string().describe('The name of the network.'),
      mcc: z.string().nullable().describe('The mobile country code.'),
      mnc: z.string().nullable().describe('The mobile network code.'),
    })
    .nullable()
    .describe('The network; null if unknown.'),
  callerName: z.string().nullable().describe('The name the network shows for the number; null if unknown.'),
  credits: credits.describe('Credits the look-up cost; 0 for an invalid number.'),
});
export type WireLookup = z.infer<typeof lookedUp>;
