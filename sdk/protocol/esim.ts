import { z } from 'zod';
import { id, isoDate, plainText } from './common.ts';
import { charged, country, credits, pageOf, paging } from './http.ts';

export const esimPackagesQuery = z.strictObject({ country: country.optional(), ...paging });
export const esimPackage = z.object({
  id: z.string(),
  title: z.string(),
  /** Where it works. */
  countries: z.array(z.string()),
  /** null: as much as you like. */
  dataMegabytes: z.int().positive().nullable(),
  validDays: z.int().positive(),
  /** Of one. */
  credits,
  available: z.boolean(),
});
export const esimPackages = pageOf(esimPackage);

export const checkOutEsim = z.strictObject({
  packageId: plainText.min(1).max(128),
  quantity: z.int().min(1).max(50).default(1),
  /** Where the provider sends the eSIM too, if it sends any. */
  email: z.email().max(254).optional(),
  /** Says what it would cost (`quotedCredits`), and buys nothing. */
  dryRun: z.boolean().default(false),
});
export const esim = z.object({
  iccid: z.string(),
  smdpAddress: z.string(),
  matchingId: z.string(),
  /** `LPA:1$…$…` */
  activationCode: z.string(),
  /** A PNG of the activation code. Whoever has the address has the eSIM; it is good for a day, and reading the order gives a new one. */
  qrCodeUrl: z.string().nullable(),
  appleInstallUrl: z.string().nullable(),
});
const ordered = { packageId: z.string(), quantity: z.int().positive(), esims: z.array(esim) };
export const esimCheckout = z.object({
  /** null of a dry run. */
  orderId: id('ord').nullable(),
  /** `pending`: the provider has not said yet; the order tells. */
  status: z.enum(['pending', 'completed', 'dry_run']),
  ...ordered,
  /** What it costs, or would. */
  quotedCredits: credits,
  ...charged,
  createdAt: isoDate,
});
/** `failed`: the credits went back. */
export const esimOrder = z.object({
  orderId: id('ord'),
  status: z.enum(['pending', 'completed', 'failed']),
  ...ordered,
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  credits,
  createdAt: isoDate,
  updatedAt: isoDate,
});
export const esimOrders = pageOf(esimOrder);
export const esimOrdersQuery = z.strictObject(paging);
export const esimOrderId = z.strictObject({ id: plainText.max(64) });

export type WireEsimPackage = z.infer<typeof esimPackage>;
export type WireEsim = z.infer<typeof esim>;
export type WireEsimCheckout = z.infer<typeof esimCheckout>;
export type WireEsimOrder = z.infer<typeof esimOrder>;
