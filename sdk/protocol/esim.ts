import { z } from 'zod';
import { id, isoDate } from './common.ts';
import { charged } from './http.ts';

export const checkOutEsim = z.strictObject({
  packageId: z.string().min(1).max(128),
  quantity: z.int().min(1).max(50).default(1),
  email: z.email().max(254).optional(),
  /** Says what it would cost, and buys nothing. */
  dryRun: z.boolean().default(false),
});
export const esimOrder = z.object({
  orderId: id('ord'),
  status: z.enum(['pending', 'completed']),
  packageId: z.string(),
  quantity: z.int().positive(),
  esims: z.array(
    z.object({
      iccid: z.string(),
      smdpAddress: z.string(),
      matchingId: z.string(),
      /** `LPA:1$…$…` */
      activationCode: z.string(),
      qrCodeUrl: z.string().nullable(),
      appleInstallUrl: z.string().nullable(),
    }),
  ),
  ...charged,
  createdAt: isoDate,
});
