import { z } from 'zod';
import { plainText } from './common.ts';
import { country, credits } from './http.ts';

export const lookUp = z.strictObject({
  /** As people write it; an invalid one is answered with `valid: false`. */
  phoneNumber: plainText.min(1).max(32),
  /** Whose numbers are meant where there is no country code. */
  country: country.optional(),
  fields: z
    .array(z.enum(['carrier', 'lineType', 'callerName']))
    .max(3)
    .optional(),
});
export const lookedUp = z.object({
  phoneNumber: z.string(),
  valid: z.boolean(),
  validationErrors: z.array(z.string()),
  countryCode: z.string().nullable(),
  callingCode: z.string().nullable(),
  nationalFormat: z.string().nullable(),
  lineType: z.enum(['mobile', 'landline', 'fixed_voip', 'non_fixed_voip', 'toll_free', 'unknown']),
  carrier: z.object({ name: z.string(), mcc: z.string().nullable(), mnc: z.string().nullable() }).nullable(),
  callerName: z.string().nullable(),
  credits,
});
export type WireLookup = z.infer<typeof lookedUp>;
