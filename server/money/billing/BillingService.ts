import { and, eq } from 'drizzle-orm';
import Stripe from 'stripe';
import type { WireCheckout, WirePlan, WireSubscription } from '../../../sdk/protocol/account.ts';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import { newId } from '../../../sdk/protocol/ids.ts';
import type { Plans } from '../account/Plans.ts';
import { accounts } from '../account/tables.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import { labels, paymentOf } from './fromStripe.ts';
import type { Payments } from './Payments.ts';
import type { StripeSync } from './StripeSync.ts';
import { stripeCustomers } from './tables.ts';
import { toCheckout } from './toWire.ts';

interface BillingDeps {
  db: Database;
  stripe: Stripe;
  plans: Plans;
  payments: Payments;
  sync: StripeSync;
  publicUrl: string;
}

/** How long a Checkout stays open for payment. Shortly after that, its state is read from Stripe in case no event has arrived. */
const checkoutMs = 60 * 60_000;
const recheckMs = checkoutMs + 5 * 60_000;

/** Sells credits and plans, and cancels plans. The payment itself is made at Stripe. */
export class BillingService {
  readonly #deps: BillingDeps;

  constructor(deps: BillingDeps) {
    this.#deps = deps;
  }

  /** Creates a Checkout. @returns the last step, which stores the payment */
  async topUp(accountId: string, credits: number): Promise<(tx: Executor) => Promise<WireCheckout>> {
    const { stripe, payments, sync } = this.#deps;
    const id = newId('pay');
    const metadata = {
      [labels.account]: accountId,
      [labels.payment]: id,
      [labels.credits]: String(credits),
    };
    return this.#withCustomer(accountId, async (customer) => {
      const session = await stripe.checkout.sessions.create(
        {
          ...this.#common(accountId, customer),
          mode: 'payment',
          line_items: [{ quantity: 1, price_data: priceOf(credits, `${credits} Parley credits`) }],
          metadata,
          payment_intent_data: { metadata },
        },
        { idempotencyKey: `${id}/${customer}` },
      );
      const payment = paymentOf(session);
      if (!payment) throw new Error('Stripe returned a Checkout without its metadata');
      return async (tx) => {
        await payments.expect(tx, payment);
        await sync.follow(tx, 'checkout.session', session.id, new Date(Date.now() + recheckMs));
        return toCheckout(session, id, credits, credits);
      };
    });
  }

  /**
   * Creates a Checkout.
   * @returns the last step, which has it read after its end
   * @throws ParleyError NOT_FOUND for an unknown plan, CONFLICT if the account already has a plan
   */
  async subscribe(accountId: string, planId: string): Promise<(tx: Executor) => Promise<WireCheckout>> {
    const { db, stripe, plans, sync } = this.#deps;
    const plan = plans.find(planId);
    if (!plan)
      throw new ParleyError('NOT_FOUND', `There is no plan ${planId}. GET /account/plans lists the plans.`, {
        extra: { resource: 'plan' },
      });
    const current = await plans.row(db, accountId);
    if (current && current.status !== 'canceled')
      throw new ParleyError(
        'CONFLICT',
        'This account already has a plan. Cancel it, and start the next one after it has ended.',
      );
    const cents = centsOf(plan);
    const metadata = {
      [labels.account]: accountId,
      [labels.plan]: plan.id,
      [labels.credits]: String(plan.monthlyCredits),
    };
    return this.#withCustomer(accountId, async (customer) => {
      await this.#expireOthers(customer);
      const session = await stripe.checkout.sessions.create({
        ...this.#common(accountId, customer),
        mode: 'subscription',
        line_items: [
          { quantity: 1, price_data: { ...priceOf(cents, plan.name), recurring: { interval: 'month' } } },
        ],
        metadata,
        subscription_data: { metadata },
      });
      return async (tx: Executor) => {
        await sync.follow(tx, 'checkout.session', session.id, new Date(Date.now() + recheckMs));
        return toCheckout(session, null, cents, plan.monthlyCredits);
      };
    });
  }

  /** Ends the plan at the end of the paid month. @throws ParleyError CONFLICT if the account has no plan */
  async cancel(accountId: string): Promise<WireSubscription> {
    const { db, stripe, plans, sync } = this.#deps;
    const row = await plans.row(db, accountId);
    if (!row || row.status === 'canceled') throw new ParleyError('CONFLICT', 'This account has no plan.');
    const { stripeSubscriptionId: id } = row;
    if (!id) await plans.cancel(db, accountId);
    else {
      await withStripeErrors(async () => {
        await stripe.subscriptions
          .update(id, { cancel_at_period_end: true })
          .catch(async (error: unknown) => {
            // It may have ended at Stripe, and the event about that has not arrived.
            if ((await stripe.subscriptions.retrieve(id)).status !== 'canceled') throw error;
          });
        await sync.subscription(id);
      });
    }
    return plans.subscription(accountId);
  }

  #common(accountId: string, customer: string) {
    const { publicUrl } = this.#deps;
    return {
      customer,
      client_reference_id: accountId,
      expires_at: Math.floor((Date.now() + checkoutMs) / 1_000),
      success_url: `${publicUrl}/billing?checkout=done`,
      cancel_url: `${publicUrl}/billing?checkout=left`,
    };
  }

  /** Expires other open Checkouts of plans, so that only the latest can be paid. */
  async #expireOthers(customer: string): Promise<void> {
    const { stripe } = this.#deps;
    const { data: open } = await stripe.checkout.sessions.list({ customer, status: 'open', limit: 100 });
    for (const session of open) {
      if (session.mode === 'subscription') await stripe.checkout.sessions.expire(session.id);
    }
  }

  /** Runs requests for the account's customer. If the customer was deleted at Stripe, runs them again for a new one. */
  #withCustomer<Answer>(accountId: string, run: (customer: string) => Promise<Answer>): Promise<Answer> {
    const { db } = this.#deps;
    return withStripeErrors(async () => {
      const customer = await this.#customerOf(accountId);
      try {
        return await run(customer);
      } catch (error) {
        if (!isCustomerMissing(error)) throw error;
        const isStale = and(
          eq(stripeCustomers.accountId, accountId),
          eq(stripeCustomers.customerId, customer),
        );
        await db.delete(stripeCustomers).where(isStale);
        return run(await this.#customerOf(accountId, customer));
      }
    });
  }

  /** @param former the account's customer that no longer exists */
  async #customerOf(accountId: string, former = ''): Promise<string> {
    const { db, stripe } = this.#deps;
    const [known] = await db.select().from(stripeCustomers).where(eq(stripeCustomers.accountId, accountId));
    if (known) return known.customerId;
    const [account] = await db.select().from(accounts).where(eq(accounts.id, accountId));
    const email = account?.email ?? null;
    const { id: customerId } = await stripe.customers.create(
      { metadata: { [labels.account]: accountId }, ...(email ? { email } : {}) },
      // With the same key, concurrent requests create only one customer. For a day, Stripe answers with the former one for its key.
      { idempotencyKey: `customer/${accountId}/${email ?? ''}${former && `/${former}`}` },
    );
    await db.insert(stripeCustomers).values({ accountId, customerId }).onConflictDoNothing();
    return customerId;
  }
}

const priceOf = (cents: number, name: string) => ({
  currency: 'usd',
  unit_amount: cents,
  product_data: { name },
});

/** The price in cents of a plan whose `price` is, for example, `15.00`. */
const centsOf = ({ price }: WirePlan) => Number(price.replace('.', ''));

const isCustomerMissing = (error: unknown) =>
  error instanceof Stripe.errors.StripeInvalidRequestError &&
  error.code === 'resource_missing' &&
  error.param === 'customer';

/** Converts errors of Stripe: 503 if it is unavailable, 502 if it refuses the request. */
async function withStripeErrors<Answer>(run: () => Promise<Answer>): Promise<Answer> {
  try {
    return await run();
  } catch (cause) {
    if (!(cause instanceof Stripe.errors.StripeError)) throw cause;
    const isUnavailable =
      cause instanceof Stripe.errors.StripeConnectionError ||
      cause instanceof Stripe.errors.StripeRateLimitError;
    const options = isUnavailable ? { retryAfter: 5 } : { reason: 'upstream_error' as const };
    throw new ParleyError(
      'SERVICE_UNAVAILABLE',
      'Stripe could not process the request. Nothing was charged; try again later.',
      {
        ...options,
        cause,
      },
    );
  }
}
