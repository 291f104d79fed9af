import { z } from 'zod';
import { id, isoDate, plainText } from './common.ts';
import { charged, country, credits, failure, pageOf, paging } from './http.ts';

export const esimPackagesQuery = z.strictObject({
  country: country.optional().describe('Only packages for this country.'),
  ...paging,
});
export const esimPackage = z.object({
  id: z.string().describe('The id of the package.'),
  title: z.string().describe('Its name.'),
  /** Where it works. */
  countries: z.array(z.string()).describe('Where it works: countries (ISO 3166-1).'),
  /** null: as much as you like. */
  dataMegabytes: z.int().positive().nullable().describe('Data in megabytes; null: unlimited.'),
  validDays: z.int().positive().describe('Days that it can be used.'),
  /** Of one. */
  credits: credits.describe('Credits for one.'),
  available: z.boolean().describe('Whether it can be bought now.'),
});
export const esimPackages = pageOf(esimPackage);

export const checkOutEsim = z.strictObject({
  packageId: plainText.min(1).max(128).describe('A package of GET /esim/packages.'),
  quantity: z.int().min(1).max(50).default(1).describe('How many.'),
  /** Where the provider sends the eSIM too, if it sends any. */
  email: z.email().max(254).optional().describe('Where the provider sends the eSIM too, if it sends any.'),
  /** Says what it would cost (`quotedCredits`), and buys nothing. */
  dryRun: z.boolean().default(false).describe('true says what it would cost, and buys nothing.'),
});
export const esim = z.object({
  iccid: z.string().describe('The serial number of the eSIM.'),
  smdpAddress: z.string().describe('The server it is installed from.'),
  matchingId: z.string().describe('What it is claimed with there.'),
  /** `LPA:1$…$…` */
  activationCode: z.string().describe('Both as one text, for the phone: LPA:1$…$…'),
  /** A PNG of the activation code. Whoever has the address has the eSIM; it is good for a day, and reading the order gives a new one. */
  qrCodeUrl: z
    .string()
    .nullable()
    .describe(
      'A PNG of the activation code. Anyone with this address has the eSIM; it is good for a day, and reading the order gives a new one.',
    ),
  appleInstallUrl: z
    .string()
    .nullable()
    .describe('Installs it on an iPhone; null where the provider has no such link.'),
});
const ordered = {
  packageId: z.string().describe('The id of the package.'),
  quantity: z.int().positive().describe('How many.'),
  esims: z.array(esim).describe('The eSIMs, once they are there.'),
};
export const esimCheckout = z.object({
  /** null of a dry run. */
  orderId: id('ord').nullable().describe('The id of the order; null for a dry run.'),
  /** `pending`: the provider has not said yet; the order tells. */
  status: z
    .enum(['pending', 'completed', 'dry_run'])
    .describe('`pending`: the provider has not answered yet; ask for the order.'),
  ...ordered,
  /** What it costs, or would. */
  quotedCredits: credits.describe('What it costs, or would.'),
  ...charged,
  createdAt: isoDate.describe('When it was ordered.'),
});
/** `failed`: the credits went back. */
export const esimOrder = z.object({
  orderId: id('ord').describe('The id of the order.'),
  status: z
    .enum(['pending', 'completed', 'failed'])
    .describe('Where it stands. Credits of failed orders are given back.'),
  ...ordered,
  error: failure.nullable().describe('Why it failed; null where it did not.'),
  credits: credits.describe('Credits that it cost.'),
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
