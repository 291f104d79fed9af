import { z } from 'zod';
import { evmAddress, id, isoDate, plainText, walletAddress } from './common.ts';
import { authMethod, credits, keyPrefix, keyScope, momentInQuery, pageOf, paging } from './http.ts';

export const account = z.object({
  id: id('acc'),
  credits: credits.describe('Credits that can be spent.'),
  authMethod: authMethod.describe('How this request was authenticated.'),
  /** The wallet's address on its chain. */
  walletAddress: evmAddress.nullable(),
  /** The wallet's identity, as calls and messages name it: `walletAddress`, or the CAIP-10 id of a contract wallet. */
  walletId: walletAddress.nullable(),
  email: z.string().nullable().describe('The e-mail address, as the identity provider verified it.'),
  /** The plan's id. */
  plan: z.string().nullable().describe('The id of the plan; null without one.'),
  /** The key that asked, where one did. */
  apiKey: z
    .object({
      id: id('key'),
      prefix: keyPrefix,
      scopes: z.array(keyScope).describe('What the key may do.'),
    })
    .nullable()
    .describe('The key that asked; null for a session.'),
  createdAt: isoDate.describe('When the account was created.'),
});
export type WireAccount = z.infer<typeof account>;

export const accountCredits = z.object({
  credits: credits.describe('Credits that can be spent.'),
  /** Held by purchases that are under way; not in `credits` any more. */
  reserved: credits.describe('Credits held by purchases in progress; no longer part of `credits`.'),
  currency: z.literal('USD').describe('The currency of `creditValue`.'),
  /** One credit in that currency. */
  creditValue: z.literal('0.01').describe('What one credit is worth.'),
  updatedAt: isoDate.describe('When the balance last changed.'),
});
export type WireAccountCredits = z.infer<typeof accountCredits>;

export const usageGrouping = z.enum(['day', 'service', 'key']);
export const usageQuery = z.strictObject({
  from: momentInQuery
    .optional()
    .describe('Beginning of the period: a day or a moment, in UTC. Without it: 30 days ago.'),
  to: momentInQuery.optional().describe('End of the period. Without it: now.'),
  groupBy: usageGrouping.optional().describe('What the rows are: one per day, service or key.'),
});

/** `credits` may be below zero in a period in which more was refunded than spent. */
const used = {
  requests: z.int().describe('Requests that were charged.'),
  units: z.int().describe('Units that they used: segments, look-ups, months …'),
  credits: z.int().describe('Credits spent, less those given back.'),
};
export const accountUsage = z.object({
  from: isoDate.describe('Beginning of the period.'),
  to: isoDate.describe('End of the period.'),
  groupBy: usageGrouping.describe('What the rows are.'),
  totals: z.object(used).describe('Sums over the whole period.'),
  /** `bucket` is the day, the service, or the key's prefix (`session` for what no key asked). */
  data: z
    .array(
      z.object({
        bucket: z.string().describe('The day, the service or the key’s prefix.'),
        service: z.string().describe('The service.'),
        ...used,
      }),
    )
    .describe('One row per bucket and service.'),
});
export type WireAccountUsage = z.infer<typeof accountUsage>;

export const movementType = z.enum(['debit', 'credit', 'refund']);
export type MovementType = z.infer<typeof movementType>;

export const historyQuery = z.strictObject({
  type: movementType.optional().describe('Only movements of this type.'),
  ...paging,
});

/** One movement of credits. `amount` is positive: `type` gives its sign. */
export const movement = z.object({
  id: id('txn'),
  type: movementType.describe('Whether credits were spent (debit), added (credit) or given back (refund).'),
  service: z.string().describe('The service that it belongs to.'),
  amount: z.int().positive().describe('Credits; always positive, `type` gives the sign.'),
  balanceAfter: credits.describe('The balance after it.'),
  description: z.string().describe('What it was, in words.'),
  reference: z
    .object({ type: z.string().describe('What kind of thing.'), id: z.string().describe('Its id.') })
    .describe('What it was for: a message, a number, an order …'),
  apiKeyPrefix: z.string().nullable().describe('The key that spent it; null for others.'),
  createdAt: isoDate.describe('When it happened.'),
});
export type WireMovement = z.infer<typeof movement>;
export const history = pageOf(movement);

const planFields = {
  id: z.string().describe('The id of the plan.'),
  name: z.string().describe('Its name.'),
  monthlyCredits: credits.describe('Credits that it adds each month.'),
  /** US dollars a month, as a decimal. */
  price: z.string().describe('US dollars a month, as a decimal.'),
};

export const subscription = z.object({
  status: z.enum(['none', 'active', 'past_due', 'canceled']).describe('Whether a plan runs.'),
  plan: z.object(planFields).nullable().describe('The plan; null without one.'),
  currentPeriodStart: isoDate.nullable().describe('Beginning of the month that is paid.'),
  currentPeriodEnd: isoDate.nullable().describe('End of the month that is paid.'),
  cancelAtPeriodEnd: z.boolean().describe('It ends with this month.'),
});
export type WireSubscription = z.infer<typeof subscription>;

export const plan = z.object({
  ...planFields,
  /** Breach searches a month. */
  leakSearches: z.int().nonnegative().describe('Breach searches included each month.'),
});
export type WirePlan = z.infer<typeof plan>;
export const plans = pageOf(plan);

/** US$1 to US$10,000 at once. */
export const topUp = z.strictObject({
  credits: z
    .int()
    .min(100)
    .max(1_000_000)
    .meta({ description: 'Credits to buy.', examples: [1_000] }),
});
/** Where the customer pays; the credits come when Stripe has been paid. */
export const checkout = z.object({
  id: id('pay').nullable().describe('The payment; null for a plan.'),
  /** The page at Stripe. */
  url: z.url().describe('The page at Stripe where the customer pays.'),
  credits: credits.describe('Credits that the payment adds.'),
  /** US dollars. */
  amount: z.string().describe('US dollars, as a decimal.'),
  currency: z.literal('USD').describe('The currency of `amount`.'),
  expiresAt: isoDate.describe('Until when the page can be used.'),
});
export type WireCheckout = z.infer<typeof checkout>;
export const subscribe = z.strictObject({
  planId: plainText
    .min(1)
    .max(32)
    .meta({ description: 'The id of a plan of GET /account/plans.', examples: ['team'] }),
});

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
  type: z.enum(['stripe', 'x402']).describe('How it was paid.'),
  kind: z.enum(['top_up', 'plan', 'request']).describe('What was paid for.'),
  status: paymentStatus.describe('Where the payment stands.'),
  /** As a decimal, in the currency. */
  amount: z.string().describe('The sum, as a decimal in `currency`.'),
  currency: z.literal('USD').describe('The currency.'),
  credits: credits.describe('Credits that it added.'),
  /** How many of them went back with the money. */
  creditsTakenBack: credits.describe('Credits that a refund took back.'),
  description: z.string().describe('What it was, in words.'),
  createdAt: isoDate.describe('When it began.'),
  paidAt: isoDate.nullable().describe('When it was paid; null before.'),
});
export type WirePayment = z.infer<typeof payment>;
export const paymentsQuery = z.strictObject(paging);
export const payments = pageOf(payment);
