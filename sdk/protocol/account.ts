import { z } from 'zod';
import { evmAddress, id, isoDate, plainText, walletAddress } from './common.ts';
import { authMethod, credits, keyScope, momentInQuery, pageOf, paging } from './http.ts';

export const account = z.object({
  id: id('acc'),
  credits,
  authMethod,
  /** The wallet's address on its chain. */
  walletAddress: evmAddress.nullable(),
  /** The wallet's identity, as calls and messages name it: `walletAddress`, or the CAIP-10 id of a contract wallet. */
  walletId: walletAddress.nullable(),
  email: z.string().nullable(),
  /** The plan's id. */
  plan: z.string().nullable(),
  /** The key that asked, where one did. */
  apiKey: z.object({ id: id('key'), prefix: z.string(), scopes: z.array(keyScope) }).nullable(),
  createdAt: isoDate,
});
export type WireAccount = z.infer<typeof account>;

export const accountCredits = z.object({
  credits,
  /** Held by purchases that are under way; not in `credits` any more. */
  reserved: credits,
  currency: z.literal('USD'),
  /** One credit in that currency. */
  creditValue: z.literal('0.01'),
  updatedAt: isoDate,
});
export type WireAccountCredits = z.infer<typeof accountCredits>;

export const usageGrouping = z.enum(['day', 'service', 'key']);
export const usageQuery = z.strictObject({
  from: momentInQuery.optional(),
  to: momentInQuery.optional(),
  groupBy: usageGrouping.optional(),
});

/** `credits` may be below zero in a period in which more was refunded than spent. */
const used = { requests: z.int(), units: z.int(), credits: z.int() };
export const accountUsage = z.object({
  from: isoDate,
  to: isoDate,
  groupBy: usageGrouping,
  totals: z.object(used),
  /** `bucket` is the day, the service, or the key's prefix (`session` for what no key asked). */
  data: z.array(z.object({ bucket: z.string(), service: z.string(), ...used })),
});
export type WireAccountUsage = z.infer<typeof accountUsage>;

export const movementType = z.enum(['debit', 'credit', 'refund']);
export type MovementType = z.infer<typeof movementType>;

export const historyQuery = z.strictObject({ type: movementType.optional(), ...paging });

/** One movement of credits. `amount` is positive: `type` gives its sign. */
export const movement = z.object({
  id: id('txn'),
  type: movementType,
  service: z.string(),
  amount: z.int().positive(),
  balanceAfter: credits,
  description: z.string(),
  reference: z.object({ type: z.string(), id: z.string() }),
  apiKeyPrefix: z.string().nullable(),
  createdAt: isoDate,
});
export type WireMovement = z.infer<typeof movement>;
export const history = pageOf(movement);

const planFields = {
  id: z.string(),
  name: z.string(),
  monthlyCredits: credits,
  /** US dollars a month, as a decimal. */
  price: z.string(),
};

export const subscription = z.object({
  status: z.enum(['none', 'active', 'past_due', 'canceled']),
  plan: z.object(planFields).nullable(),
  currentPeriodStart: isoDate.nullable(),
  currentPeriodEnd: isoDate.nullable(),
  cancelAtPeriodEnd: z.boolean(),
});
export type WireSubscription = z.infer<typeof subscription>;

export const plan = z.object({
  ...planFields,
  /** Breach searches a month. */
  leakSearches: z.int().nonnegative(),
});
export type WirePlan = z.infer<typeof plan>;
export const plans = pageOf(plan);

/** US$1 to US$10,000 at once. */
export const topUp = z.strictObject({ credits: z.int().min(100).max(1_000_000) });
/** Where the customer pays; the credits come when Stripe has been paid. */
export const checkout = z.object({
  id: id('pay').nullable(),
  /** The page at Stripe. */
  url: z.url(),
  credits,
  /** US dollars. */
  amount: z.string(),
  currency: z.literal('USD'),
  expiresAt: isoDate,
});
export type WireCheckout = z.infer<typeof checkout>;
export const subscribe = z.strictObject({ planId: plainText.min(1).max(32) });

export const paymentStatus = z.enum([
  'pending',
  'paid',
  'expired',
  'failed',
  'partially_refunded',
  'refunded',
  'disputed',
]);
export type PaymentStatus = z.infer<typeof paymentStatus>;

export const payment = z.object({
  id: id('pay'),
  type: z.enum(['stripe', 'x402']),
  kind: z.enum(['top_up', 'plan', 'request']),
  status: paymentStatus,
  /** As a decimal, in the currency. */
  amount: z.string(),
  currency: z.literal('USD'),
  credits,
  /** How many of them went back with the money. */
  creditsTakenBack: credits,
  description: z.string(),
  createdAt: isoDate,
  paidAt: isoDate.nullable(),
});
export type WirePayment = z.infer<typeof payment>;
export const paymentsQuery = z.strictObject(paging);
export const payments = pageOf(payment);
