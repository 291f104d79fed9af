import { z } from 'zod';
import { evmAddress, id, isoDate } from './common.ts';
import { credits, pageOf, paging } from './http.ts';

/* Requests paid for by themselves (x402), as the operator sees them. */

export const paymentStatus = z.enum([
  /** On its way; the chain will say. */
  'settling',
  /** Paid, and its request not carried out (yet). */
  'settled',
  /** Paid and carried out. */
  'done',
  /** Nothing was paid. */
  'failed',
]);
export type PaymentStatus = z.infer<typeof paymentStatus>;

export const payment = z.object({
  id: id('pay'),
  status: paymentStatus,
  /** Why it failed. */
  failure: z.string().nullable(),
  payer: z.string(),
  /** CAIP-2: eip155:8453. */
  network: z.string(),
  /** The token's contract. */
  asset: z.string(),
  /** In the token's smallest unit, as decimal text. */
  amount: z.string(),
  payTo: z.string(),
  transaction: z.string().nullable(),
  service: z.string(),
  units: z.int(),
  credits,
  method: z.string(),
  path: z.string(),
  createdAt: isoDate,
  settledAt: isoDate.nullable(),
});
export type WirePayment = z.infer<typeof payment>;

export const payments = pageOf(payment);
export const paymentsQuery = z.strictObject({
  status: paymentStatus.optional(),
  payer: evmAddress.optional(),
  ...paging,
});
