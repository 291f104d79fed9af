import { z } from 'zod';
import { id, isoDate, plainText } from './common.ts';
import { charged, country, credits, failure, pageOf, paging } from './http.ts';

export const esimPackagesQuery = z.strictObject({
  country: country.optional().describe('Return only packages for this country.'),
  ...paging,
});
export const esimPackage = z.object({
  id: z.string().describe('The id of the package.'),
  title: z.string().describe('The name of the package.'),
  /** The countries it works in (ISO 3166-1). */
  countries: z.array(z.string()).describe('The countries it works in (ISO 3166-1).'),
  /** null: unlimited. */
  dataMegabytes: z.int().positive().nullable().describe('Data in megabytes; null: unlimited.'),
  validDays: z.int().positive().describe('Days it can be used.'),
  /** Credits for one eSIM. */
  credits: credits.describe('Credits for one eSIM.'),
  available: z.boolean().describe('Whether it can be bought now.'),
});
export const esimPackages = pageOf(esimPackage);

export const checkOutEsim = z.strictObject({
  packageId: plainText.min(1).max(128).describe('The id of a package from GET /esim/packages.'),
  quantity: z.int().min(1).max(50).default(1).describe('The number of eSIMs.'),
  /** An e-mail address the provider also sends the eSIM to, if it sends e-mail. */
  email: z
    .email()
    .max(254)
    .optional()
    .describe('An e-mail address the provider also sends the eSIM to, if it sends e-mail.'),
  /** Return the price (`quotedCredits`) without buying. */
  dryRun: z.boolean().default(false).describe('true returns the price without buying.'),
});
export const esim = z.object({
  iccid: z.string().describe('The serial number of the eSIM.'),
  smdpAddress: z.string().describe('The SM-DP+ server the eSIM is installed from.'),
  matchingId: z.string().describe('The code that identifies the eSIM on that server.'),
  /** `LPA:1$…$…` */
  activationCode: z.string().describe('`smdpAddress` and `matchingId` in one text for the phone: LPA:1$…$…'),
  /**
   * A PNG of the activation code. Anyone with this address can install the eSIM. It expires after a day; reading the order returns
   * a new one.
   */
  qrCodeUrl: z
    .string()
    .nullable()
    .describe(
      'A PNG of the activation code. Anyone with this address can install the eSIM. It expires after a day; reading the order returns a new one.',
    ),
  appleInstallUrl: z
    .string()
    .nullable()
    .describe('A link that installs the eSIM on an iPhone; null if the provider has none.'),
});
const ordered = {
  packageId: z.string().describe('The id of the package.'),
  quantity: z.int().positive().describe('The number of eSIMs.'),
  esims: z.array(esim).describe('The eSIMs; empty until the order is completed.'),
};
export const esimCheckout = z.object({
  /** null for a dry run. */
  orderId: id('ord').nullable().describe('The id of the order; null for a dry run.'),
  /** `pending`: the provider has not answered yet. Read the order for the result. */
  status: z
    .enum(['pending', 'completed', 'dry_run'])
    .describe('`pending`: the provider has not answered yet. Read the order for the result.'),
  ...ordered,
  /** The price in credits. */
  quotedCredits: credits.describe('The price in credits.'),
  ...charged,
  createdAt: isoDate.describe('When it was ordered.'),
});
/** The credits of a `failed` order are refunded. */
export const esimOrder = z.object({
  orderId: id('ord').describe('The id of the order.'),
  status: z
    .enum(['pending', 'completed', 'failed'])
    .describe('The status of the order. Credits of failed orders are refunded.'),
  ...ordered,
  error: failure.nullable().describe('Why the order failed; null unless it failed.'),
  credits: credits.describe('Credits it cost.'),
  createdAt: isoDate.describe('When it was ordered.'),
  updatedAt: isoDate.describe('When it last changed.'),
});
export const esimOrders = pageOf(esimOrder);
export const esimOrdersQuery = z.strictObject(paging);
export const esimOrderId = z.strictObject({ id: plainText.max(64).describe('The id of the order.') });

export type WireEsimPackage = z.infer<typeof esimPackage>;
export type WireEsim = z.infer<typeof esim>;
export type WireEsimCheckout = z.infer<typeof esimCheckout>;
export type WireEsimOrder = z.infer<typeof esimOrder>;
