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
  status: paymentStatus.describe('Where the payment stands.'),
  /** Why it failed. */
  failure: z.string().nullable().describe('Why it failed; null where it did not.'),
  payer: z.string().describe('The wallet that paid.'),
  /** CAIP-2: eip155:8453. */
  network: z.string().describe('The chain, in CAIP-2: eip155:8453.'),
  /** The token's contract. */
  asset: z.string().describe('The token’s contract.'),
  /** In the token's smallest unit, as decimal text. */
  amount: z.string().describe('In the token’s smallest unit, as decimal text.'),
  payTo: z.string().describe('Who was paid.'),
  transaction: z.string().nullable().describe('The transaction on the chain; null before.'),
  service: z.string().describe('The service that was paid for.'),
  units: z.int().describe('Units of it.'),
  credits: credits.describe('What they cost in credits.'),
  method: z.string().describe('The method of the request.'),
  path: z.string().describe('The path of the request.'),
  createdAt: isoDate.describe('When it began.'),
  settledAt: isoDate.nullable().describe('When the chain confirmed it; null before.'),
});
export type WirePayment = z.infer<typeof payment>;

export const payments = pageOf(payment);
export const paymentsQuery = z.strictObject({
  status: paymentStatus.optional().describe('Only payments with this status.'),
  payer: evmAddress.optional().describe('Only payments of this wallet.'),
  ...paging,
});
