import { eq, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import Stripe from 'stripe';
import { newId } from '../../../sdk/protocol/ids.ts';
import type { JobRow, ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import type { PaidPlan, Plans } from '../account/Plans.ts';
import { accounts } from '../account/tables.ts';
import type { AuditLog } from '../audit/AuditLog.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { Payments } from './Payments.ts';
import { paymentOf, planStatusOf, idOf, labels } from './fromStripe.ts';

interface StripeSyncDeps {
  db: Database;
  jobs: ScheduledJobs;
  stripe: Stripe;
  plans: Plans;
  payments: Payments;
  audit: AuditLog;
  /** Whether the erasure of an account has begun. */
  isErased: (accountId: string) => Promise<boolean>;
  log: Logger;
}

/** The kinds of Stripe objects that are synchronised. */
export type Followed = 'checkout.session' | 'subscription' | 'invoice' | 'charge';

const objectJob = 'stripe object';
/** How long the outcome of a payment method that takes days is looked for. None takes that long. */
const outcomeMs = 60 * 24 * 60 * 60_000;
/** How often a Checkout is read whose payment method takes days, and a subscription whose month is over. */
const recheckMs = 24 * 60 * 60_000;
/** How many objects are read at the same time: Stripe may not answer for a minute. */
const objectsAtOnce = 20;

/**
 * Synchronises Stripe's objects. An event only names the changed object; a scheduled job then reads the object from Stripe and updates the
 * database. So events may arrive in any order, repeatedly or late. If a process dies or Stripe is unavailable, the update is only delayed.
 */
export class StripeSync {
  readonly #deps: StripeSyncDeps;

  constructor(deps: StripeSyncDeps) {
    this.#deps = deps;
    deps.jobs.on(objectJob, (row) => this.#sync(row), { atOnce: objectsAtOnce });
  }

  /** Schedules a job that reads the object from Stripe. */
  async follow(executor: Executor, type: Followed, id: string, at = new Date()): Promise<void> {
    await this.#deps.jobs.set(executor, objectJob, `${type} ${id}`, at);
  }

  /**
   * Has an object read later, in case no event reports how it goes on. This is another job than that of its events, which would otherwise
   * replace each other.
   */
  async #readAgain(executor: Executor, type: Followed, id: string, at: Date): Promise<void> {
    await this.#deps.jobs.set(executor, objectJob, `${type} ${id} again`, at);
  }

  async #sync({ subject }: JobRow): Promise<void> {
    const [type, id = ''] = subject.split(' ') as [Followed, string?];
    const askedAt = await this.#databaseTime();
    try {
      if (type === 'checkout.session') await this.#checkout(id, askedAt);
      else if (type === 'subscription') await this.subscription(id, askedAt);
      else if (type === 'invoice') await this.#invoice(id);
      else await this.#charge(id, askedAt);
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeInvalidRequestError) || error.statusCode !== 404)
        throw error;
      this.#deps.log.warn({ object: subject }, 'Stripe sent an event about an object it does not have');
    }
  }

  /** Synchronises a subscription and its latest invoice. */
  async subscription(id: string, askedAt?: Date): Promise<void> {
    const { db, stripe, plans, audit, log } = this.#deps;
    const syncedAt = askedAt ?? (await this.#databaseTime());
    const subscription = await stripe.subscriptions.retrieve(id);
    const invoiceId = idOf(subscription.latest_invoice);
    const accountId = subscription.metadata[labels.account] ?? '';
    const state = paidPlanOf(subscription, syncedAt);
    let againAt: Date | null = null;
    if (state && (await this.#isOurs(accountId))) {
      if (state.status !== 'canceled') againAt = afterPeriod(state);
      const outcome = await db.transaction(async (tx) => {
        const followed = await plans.follow(tx, accountId, state);
        if (followed === 'followed')
          await audit.write(tx, {
            accountId,
            at: new Date(),
            actorType: 'system',
            action: 'subscription.changed',
          });
        return followed;
      });
      if (outcome === 'duplicate') {
        log.error(
          { accountId, subscription: id },
          'second paid subscription of an account: canceled at Stripe',
        );
        await stripe.subscriptions.cancel(id);
      }
    }
    if (invoiceId) await this.#invoice(invoiceId);
    // Last, because this may move the job that is running.
    if (againAt) await this.#readAgain(db, 'subscription', id, againAt);
  }

  async #checkout(id: string, askedAt: Date): Promise<void> {
    const { db, stripe, payments, log } = this.#deps;
    const session = await stripe.checkout.sessions.retrieve(id);
    const subscriptionId = idOf(session.subscription);
    if (subscriptionId) return this.subscription(subscriptionId, askedAt);
    const payment = paymentOf(session);
    if (!payment || !(await this.#isOurs(payment.accountId))) return;
    if (session.amount_subtotal !== payment.amountCents || session.currency !== 'usd') {
      log.error(
        { checkout: id },
        'no credits granted: the amount of the Checkout differs from the one it was created for',
      );
      return;
    }
    const hasFailed = await this.#hasFailed(session);
    await db.transaction(async (tx) => {
      const known = await payments.expect(tx, payment);
      if (session.payment_status === 'paid') await payments.paid(tx, known, idOf(session.payment_intent));
      else if (session.status === 'expired') await payments.givenUp(tx, known, 'expired');
      else if (hasFailed) await payments.givenUp(tx, known, 'failed');
      // A bank may take days. Its outcome is read also if no event reports it.
      else if (session.status === 'complete' && Date.now() < session.expires_at * 1_000 + outcomeMs)
        await this.#readAgain(tx, 'checkout.session', id, new Date(Date.now() + recheckMs));
    });
  }

  /** Whether a payment method that takes days has failed. The Checkout of such a payment is complete and cannot be paid again. */
  async #hasFailed({ status, payment_status: paid, payment_intent }: Stripe.Checkout.Session) {
    const intent = idOf(payment_intent);
    if (status !== 'complete' || paid !== 'unpaid' || !intent) return false;
    const { status: outcome } = await this.#deps.stripe.paymentIntents.retrieve(intent);
    return outcome === 'requires_payment_method' || outcome === 'canceled';
  }

  /** Grants the plan's credits for a paid period, once per invoice. */
  async #invoice(id: string): Promise<void> {
    const { db, stripe, payments } = this.#deps;
    const invoice = await stripe.invoices.retrieve(id, { expand: ['payments'] });
    const subscriptionId = idOf(invoice.parent?.subscription_details?.subscription);
    const isPeriod =
      invoice.billing_reason === 'subscription_create' || invoice.billing_reason === 'subscription_cycle';
    if (!subscriptionId || !isPeriod || invoice.status !== 'paid') return;
    const { metadata } = await stripe.subscriptions.retrieve(subscriptionId);
    const accountId = metadata[labels.account] ?? '';
    if (!(await this.#isOurs(accountId))) return;
    const planId = metadata[labels.plan] ?? '';
    const plan = this.#deps.plans.find(planId);
    const payment = {
      id: newId('pay'),
      accountId,
      kind: 'plan' as const,
      amountCents: invoice.amount_paid,
      // If PLANS no longer contains the plan, the metadata still has the number of credits that the plan was sold with.
      credits: plan?.monthlyCredits ?? Number(metadata[labels.credits] ?? 0),
      description: `Plan ${plan?.name ?? planId}: credits of the month`,
      invoiceId: id,
    };
    const intent = invoice.payments?.data.find((one) => one.status === 'paid')?.payment.payment_intent;
    await db.transaction(async (tx) => {
      await payments.paid(tx, await payments.expect(tx, payment), idOf(intent));
    });
  }

  async #charge(id: string, askedAt: Date): Promise<void> {
    const { db, stripe, payments } = this.#deps;
    const charge = await stripe.charges.retrieve(id);
    const intent = idOf(charge.payment_intent);
    // A payment has a charge for each attempt, and only the one that succeeded can be refunded.
    if (!intent || charge.status !== 'succeeded') return;
    let payment = await payments.byIntent(intent);
    if (!payment?.paidAt) {
      // The payment's own event has not arrived yet, or the payment belongs to another server.
      await this.#findPayment(intent);
      payment = await payments.byIntent(intent);
    }
    if (!payment) return;
    const { data: disputes } = await stripe.disputes.list({ charge: id, limit: 100 });
    const isDisputed = disputes.some(({ status }) => !notHeldBack.has(status));
    const reversal = { refundedCents: charge.amount_refunded, isDisputed, askedAt };
    const row = payment;
    await db.transaction((tx) => payments.reverse(tx, row, reversal));
  }

  /** Synchronises the Checkout or invoice of a payment. */
  async #findPayment(intent: string): Promise<void> {
    const { stripe } = this.#deps;
    const { data: sessions } = await stripe.checkout.sessions.list({ payment_intent: intent, limit: 1 });
    for (const session of sessions) await this.#checkout(session.id, new Date(0));
    const payment = { type: 'payment_intent' as const, payment_intent: intent };
    const { data: invoices } = await stripe.invoicePayments.list({ payment, limit: 1 });
    for (const { invoice } of invoices) await this.#invoice(idOf(invoice) ?? '');
  }

  /** Whether the account is one of this server, and not erased: Stripe goes on to send events about erased ones, whose rows stay. */
  async #isOurs(accountId: string): Promise<boolean> {
    const { db, isErased } = this.#deps;
    const [found] = await db.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, accountId));
    return found !== undefined && !(await isErased(accountId));
  }

  /** The database's clock, which is the same for all nodes. */
  async #databaseTime(): Promise<Date> {
    const { rows } = await this.#deps.db.execute<{ at: string }>(sql`SELECT clock_timestamp()::text AS at`);
    return new Date(rows[0]?.at ?? 0);
  }
}

/** Dispute states in which no money is withheld. */
const notHeldBack = new Set<string>([
  'won',
  'warning_needs_response',
  'warning_under_review',
  'warning_closed',
  'prevented',
]);

function paidPlanOf(subscription: Stripe.Subscription, syncedAt: Date): PaidPlan | null {
  const status = planStatusOf(subscription.status);
  const [item] = subscription.items.data;
  if (!status || !item) return null;
  return {
    planId: subscription.metadata[labels.plan] ?? '',
    status,
    startedAt: new Date(subscription.start_date * 1_000),
    currentPeriodStart: new Date(item.current_period_start * 1_000),
    currentPeriodEnd: new Date(item.current_period_end * 1_000),
    cancelAtPeriodEnd: subscription.cancel_at_period_end,
    stripeSubscriptionId: subscription.id,
    syncedAt,
  };
}

/** When the month is over, with an hour for its invoice; but not within a day, if Stripe does not begin the next one. */
const afterPeriod = ({ currentPeriodEnd }: PaidPlan): Date =>
  new Date(Math.max(currentPeriodEnd.getTime() + 60 * 60_000, Date.now() + recheckMs));
