import { z } from 'zod';
import { plainText } from './common.ts';
import { country, credits } from './http.ts';

export const lookUp = z.strictObject({
  /** As people write it; an invalid one is answered with `valid: false`. */
  phoneNumber: plainText
    .min(1)
    .max(32)
    .meta({
      description: 'A number as people write it; an invalid one is answered with `valid: false`.',
      examples: ['+12025550100'],
    }),
  /** Whose numbers are meant where there is no country code. */
  country: country.optional().describe('Whose numbers are meant where there is no country code.'),
  fields: z
    .array(z.enum(['carrier', 'lineType', 'callerName']))
    .max(3)
    .optional()
    .describe('What to look up; without it carrier and line type.'),
});
export const lookedUp = z.object({
  phoneNumber: z.string().describe('The number in E.164; as it was given where it is none.'),
  valid: z.boolean().describe('Whether it is a number that can exist.'),
  validationErrors: z.array(z.string()).describe('Why it is not valid.'),
  countryCode: z.string().nullable().describe('Its country (ISO 3166-1).'),
  callingCode: z.string().nullable().describe('The calling code of the country.'),
  nationalFormat: z.string().nullable().describe('As people of the country write it.'),
  lineType: z
    .enum(['mobile', 'landline', 'fixed_voip', 'non_fixed_voip', 'toll_free', 'unknown'])
    .describe('What kind of line it is.'),
  carrier: z
    .object({
      name: z.string().describe('Its name.'),
      mcc: z.string().nullable().describe('Its country code among mobile networks.'),
      mnc: z.string().nullable().describe('Its network code among mobile networks.'),
    })
    .nullable()
    .describe('The network; null where it is not known.'),
  callerName: z.string().nullable().describe('The name that its network shows; null where it is not known.'),
  credits: credits.describe('Credits that the look-up cost: none for an invalid number.'),
});
export type WireLookup = z.infer<typeof lookedUp>;
