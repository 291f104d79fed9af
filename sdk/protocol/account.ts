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
  /** The API key that sent the request; null for a session. */
  apiKey: z
    .object({
      id: id('key'),
      prefix: keyPrefix,
      scopes: z.array(keyScope).describe('What the key may do.'),
    })
    .nullable()
    .describe('The API key that sent the request; null for a session.'),
  createdAt: isoDate.describe('When the account was created.'),
});
export type WireAccount = z.infer<typeof account>;

export const accountCredits = z.object({
  credits: credits.describe('Credits that can be spent.'),
  /** Credits held by purchases in progress. They are no longer part of `credits`. */
  reserved: credits.describe('Credits held by purchases in progress; no longer part of `credits`.'),
  currency: z.literal('USD').describe('The currency of `creditValue`.'),
  /** The value of one credit in `currency`. */
  creditValue: z.literal('0.01').describe('The value of one credit in `currency`.'),
  updatedAt: isoDate.describe('When the balance last changed.'),
});
export type WireAccountCredits = z.infer<typeof accountCredits>;

export const usageGrouping = z.enum(['day', 'service', 'key']);
export const usageQuery = z.strictObject({
  from: momentInQuery
    .optional()
    .describe('Start of the period: a day or a time, in UTC. Default: 30 days before its end.'),
  to: momentInQuery.optional().describe('End of the period. Default: now.'),
  groupBy: usageGrouping.optional().describe('Group the rows by day, service or key.'),
});

/** `credits` is negative if more credits were refunded than spent in the period. */
const used = {
  requests: z.int().describe('Authenticated requests, also those that cost nothing or were refused.'),
  units: z.int().describe('Units used: segments, look-ups, months …'),
  credits: z.int().describe('Credits spent, less refunds.'),
};
export const accountUsage = z.object({
  from: isoDate.describe('Start of the period.'),
  to: isoDate.describe('End of the period.'),
  groupBy: usageGrouping.describe('How the rows are grouped.'),
  totals: z.object(used).describe('Sums over the whole period.'),
  /** `bucket` is the day, the service or the prefix of the key (`session` for requests without a key). */
  data: z
    .array(
      z.object({
        bucket: z
          .string()
          .describe('The day, the service or the prefix of the key (`session` for requests without a key).'),
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
  type: movementType.optional().describe('Return only movements of this type.'),
  ...paging,
});

/** One movement of credits. `amount` is always positive; `type` tells whether it is added or subtracted. */
export const movement = z.object({
  id: id('txn'),
  type: movementType.describe('Whether credits were spent (debit), added (credit) or refunded (refund).'),
  service: z.string().describe('The service it belongs to.'),
  amount: z.int().positive().describe('Credits; always positive. `type` tells whether they were added.'),
  balanceAfter: credits.describe('The balance after this movement.'),
  description: z.string().describe('A description for people.'),
  reference: z
    .object({ type: z.string().describe('The type of the object.'), id: z.string().describe('Its id.') })
    .describe('The object it paid for: a message, a number, an order …'),
  apiKeyPrefix: z.string().nullable().describe('The prefix of the key that spent it; null without a key.'),
  createdAt: isoDate.describe('When it happened.'),
});
export type WireMovement = z.infer<typeof movement>;
export const history = pageOf(movement);

const planFields = {
  id: z.string().describe('The id of the plan.'),
  name: z.string().describe('The name of the plan.'),
  monthlyCredits: credits.describe('Credits added each month.'),
  /** US dollars per month, as a decimal. */
  price: z.string().describe('US dollars per month, as a decimal.'),
};

export const subscription = z.object({
  status: z
    .enum(['none', 'active', 'past_due', 'canceled'])
    .describe('The status of the plan; `none` without one.'),
  plan: z.object(planFields).nullable().describe('The plan; null without one.'),
  currentPeriodStart: isoDate.nullable().describe('Start of the paid month.'),
  currentPeriodEnd: isoDate.nullable().describe('End of the paid month.'),
  cancelAtPeriodEnd: z.boolean().describe('Whether the plan ends at `currentPeriodEnd`.'),
});
export type WireSubscription = z.infer<typeof subscription>;

export const plan = z.object({
  ...planFields,
  /** Breach searches per month. */
  leakSearches: z.int().nonnegative().describe('Breach searches included each month.'),
});
export type WirePlan = z.infer<typeof plan>;
export const plans = pageOf(plan);

/** US$1 to US$10,000 per payment. */
export const topUp = z.strictObject({
  credits: z
    .int()
    .min(100)
    .max(1_000_000)
    .meta({ description: 'Credits to buy.', examples: [1_000] }),
});
/** The Stripe page where the customer pays. The credits are added when the payment succeeds. */
export const checkout = z.object({
  id: id('pay').nullable().describe('The payment; null for a plan.'),
  /** The address of the Stripe page. */
  url: z.url().describe('The address of the Stripe page where the customer pays.'),
  credits: credits.describe('Credits the payment adds.'),
  /** US dollars, as a decimal. */
  amount: z.string().describe('US dollars, as a decimal.'),
  currency: z.literal('USD').describe('The currency of `amount`.'),
  expiresAt: isoDate.describe('When the page expires.'),
});
export type WireCheckout = z.infer<typeof checkout>;
export const subscribe = z.strictObject({
  planId: plainText
    .min(1)
    .max(32)
    .meta({ description: 'The id of a plan from GET /account/plans.', examples: ['team'] }),
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
  kind: z.enum(['top_up', 'plan', 'request']).describe('What the payment is for.'),
  status: paymentStatus.describe('The status of the payment.'),
  /** The amount, as a decimal in `currency`. */
  amount: z.string().describe('The amount, as a decimal in `currency`.'),
  currency: z.literal('USD').describe('The currency of `amount`.'),
  credits: credits.describe('Credits it added.'),
  /** Credits that were removed again because the payment was refunded or disputed. */
  creditsTakenBack: credits.describe(
    'Credits that were removed again because the payment was refunded or disputed.',
  ),
  description: z.string().describe('A description for people.'),
  createdAt: isoDate.describe('When the payment was started.'),
  paidAt: isoDate.nullable().describe('When it was paid; null until then.'),
});
export type WirePayment = z.infer<typeof payment>;
export const paymentsQuery = z.strictObject(paging);
export const payments = pageOf(payment);
