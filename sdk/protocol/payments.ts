import { z } from 'zod';
import { evmAddress, id, isoDate } from './common.ts';
import { credits, pageOf, paging } from './http.ts';

/* x402 payments, as the API returns them to the operator. */

export const requestPaymentStatus = z.enum([
  /** The transfer was sent to the chain but is not confirmed yet. */
  'settling',
  /** Paid, but the request is not done yet. */
  'settled',
  /** Paid, and the request is done. */
  'done',
  /** Not paid. */
  'failed',
]);
export type RequestPaymentStatus = z.infer<typeof requestPaymentStatus>;

export const requestPayment = z.object({
  id: id('pay'),
  status: requestPaymentStatus.describe('The status of the payment.'),
  /** Why the payment failed; null unless it failed. */
  failure: z.string().nullable().describe('Why the payment failed; null unless it failed.'),
  payer: z.string().describe('The wallet that paid.'),
  /** The CAIP-2 id of the chain, for example eip155:8453. */
  network: z.string().describe('The CAIP-2 id of the chain, for example eip155:8453.'),
  /** The address of the token's contract. */
  asset: z.string().describe('The address of the token’s contract.'),
  /** In the smallest unit of the token, as decimal text. */
  amount: z.string().describe('The amount in the smallest unit of the token, as decimal text.'),
  payTo: z.string().describe('The address that was paid.'),
  transaction: z
    .string()
    .nullable()
    .describe('The hash of the transaction on the chain; null until it was sent.'),
  service: z.string().describe('The service that was paid for.'),
  units: z.int().describe('Units of the service.'),
  credits: credits.describe('The price of the units in credits.'),
  method: z.string().describe('The method of the request.'),
  path: z.string().describe('The path of the request.'),
  createdAt: isoDate.describe('When the payment was started.'),
  settledAt: isoDate.nullable().describe('When the chain confirmed the payment; null until then.'),
});
export type WireRequestPayment = z.infer<typeof requestPayment>;

export const requestPayments = pageOf(requestPayment);
export const requestPaymentsQuery = z.strictObject({
  status: requestPaymentStatus.optional().describe('Return only payments with this status.'),
  payer: evmAddress.optional().describe('Return only payments of this wallet.'),
  ...paging,
});
