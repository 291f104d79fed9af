import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { WirePlan, WireSubscription } from '../../../sdk/protocol/account.ts';
import { toIso } from '../../../sdk/protocol/common.ts';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import type { Database } from '../../../platform/database/database.ts';
import { addMonths } from './addMonths.ts';
import type { Ledger } from './Ledger.ts';
import { subscriptions, type SubscriptionRow } from './tables.ts';

interface PlansDeps {
  db: Database;
  jobs: ScheduledJobs;
  ledger: Ledger;
  /** The plans of the setting PLANS. */
  plans: WirePlan[];
  log: Logger;
}

/** A subscription as last read from Stripe. */
export type PaidPlan = Omit<SubscriptionRow, 'accountId' | 'period' | 'stripeSubscriptionId' | 'syncedAt'> & {
  stripeSubscriptionId: string;
  syncedAt: Date;
};

const planJob = 'plan period';

/**
 * Manages the configured plans and each account's plan. For a plan that Stripe does not bill, a scheduled job starts each monthly period
 * and grants its credits. If the job runs twice, the second run grants nothing, because the ledger grants each reference only once.
 */
export class Plans {
  readonly #deps: PlansDeps;

  constructor(deps: PlansDeps) {
    this.#deps = deps;
    deps.jobs.on(planJob, ({ subject }) => this.#beginNextPeriod(subject));
  }

  get all(): WirePlan[] {
    return this.#deps.plans;
  }

  async currentPlanId(accountId: string): Promise<string | null> {
    const row = await this.row(this.#deps.db, accountId);
    return row && row.status !== 'canceled' ? row.planId : null;
  }

  async subscription(accountId: string): Promise<WireSubscription> {
    const row = await this.row(this.#deps.db, accountId);
    if (!row) {
      const nothing = { plan: null, currentPeriodStart: null, currentPeriodEnd: null };
      return { status: 'none', ...nothing, cancelAtPeriodEnd: false };
    }
    const found = this.find(row.planId);
    return {
      status: row.status,
      plan: found && {
        id: found.id,
        name: found.name,
        monthlyCredits: found.monthlyCredits,
        price: found.price,
      },
      currentPeriodStart: toIso(row.currentPeriodStart),
      currentPeriodEnd: toIso(row.currentPeriodEnd),
      cancelAtPeriodEnd: row.cancelAtPeriodEnd,
    };
  }

  /** The subscription's row; null if the account never had a plan. */
  async row(executor: Executor, accountId: string): Promise<SubscriptionRow | null> {
    const [row] = await executor.select().from(subscriptions).where(eq(subscriptions.accountId, accountId));
    return row ?? null;
  }

  find(planId: string): WirePlan | null {
    return this.#deps.plans.find(({ id }) => id === planId) ?? null;
  }

  /**
   * Stores the state of a Stripe subscription as the account's plan. From then on, Stripe determines the plan's periods. A subscription
   * that has ended does not end a different plan of the account.
   * @returns `duplicate` if the account already has another plan paid through Stripe; the calling code must then cancel this subscription
   */
  async follow(
    tx: Executor,
    accountId: string,
    paid: PaidPlan,
  ): Promise<'followed' | 'unchanged' | 'duplicate'> {
    // Locks the account's row, because an account without a plan has no subscription row to lock.
    await tx.execute(sql`SELECT FROM accounts WHERE id = ${accountId} FOR UPDATE`);
    const row = await this.row(tx, accountId);
    const isSame = row?.stripeSubscriptionId === paid.stripeSubscriptionId;
    if (row && isSame && row.syncedAt && row.syncedAt > paid.syncedAt) return 'unchanged';
    if (row && !isSame && paid.status === 'canceled') return 'unchanged';
    if (row && !isSame && row.stripeSubscriptionId && row.status !== 'canceled') return 'duplicate';
    const values = { ...paid, period: 0 };
    await tx
      .insert(subscriptions)
      .values({ accountId, ...values })
      .onConflictDoUpdate({ target: subscriptions.accountId, set: values });
    await this.#deps.jobs.cancel(tx, planJob, accountId);
    const isNew = !isSame || row?.status !== paid.status || row.cancelAtPeriodEnd !== paid.cancelAtPeriodEnd;
    return isNew ? 'followed' : 'unchanged';
  }

  /**
   * Starts a plan, which replaces the current one.
   * @throws ParleyError NOT_FOUND for a plan that is not configured, CONFLICT if the current plan is paid through Stripe
   */
  async start(tx: Executor, accountId: string, planId: string, startedAt = new Date()): Promise<WirePlan> {
    const plan = this.find(planId);
    if (!plan) throw new ParleyError('NOT_FOUND', `There is no plan ${planId}. PLANS lists the plans.`);
    const row = await this.row(tx, accountId);
    if (row?.stripeSubscriptionId && row.status !== 'canceled')
      throw new ParleyError('CONFLICT', 'This account pays for a plan by Stripe. Cancel that plan first.');
    const values = {
      planId,
      status: 'active' as const,
      startedAt,
      period: 0,
      currentPeriodStart: startedAt,
      currentPeriodEnd: addMonths(startedAt, 1),
      cancelAtPeriodEnd: false,
      stripeSubscriptionId: null,
      syncedAt: null,
    };
    await tx
      .insert(subscriptions)
      .values({ accountId, ...values })
      .onConflictDoUpdate({ target: subscriptions.accountId, set: values });
    await this.#grant(tx, { accountId, ...values }, plan);
    return plan;
  }

  /** Ends a plan started by the operator, effective at the end of its current period. @returns false if the account has no such plan */
  async cancel(tx: Executor, accountId: string): Promise<boolean> {
    const ended = await tx
      .update(subscriptions)
      .set({ cancelAtPeriodEnd: true })
      .where(and(eq(subscriptions.accountId, accountId), isNull(subscriptions.stripeSubscriptionId)))
      .returning();
    return ended.length === 1;
  }

  async #beginNextPeriod(accountId: string): Promise<void> {
    await this.#deps.db.transaction(async (tx) => {
      const [row] = await tx
        .select()
        .from(subscriptions)
        .where(eq(subscriptions.accountId, accountId))
        .for('update');
      // If a plan is paid through Stripe, Stripe starts its months.
      if (!row || row.status === 'canceled' || row.stripeSubscriptionId) return;
      // The clock of this node may be behind that of the node that scheduled the job.
      if (row.currentPeriodEnd > new Date())
        return this.#deps.jobs.set(tx, planJob, accountId, row.currentPeriodEnd);
      const plan = this.find(row.planId);
      if (!plan)
        this.#deps.log.warn(
          { accountId, plan: row.planId },
          'plan ended because PLANS no longer contains it',
        );
      const next =
        row.cancelAtPeriodEnd || !plan
          ? { status: 'canceled' as const }
          : {
              period: row.period + 1,
              currentPeriodStart: row.currentPeriodEnd,
              currentPeriodEnd: addMonths(row.startedAt, row.period + 2),
            };
      await tx.update(subscriptions).set(next).where(eq(subscriptions.accountId, accountId));
      if (plan && !('status' in next)) await this.#grant(tx, { ...row, ...next }, plan);
    });
  }

  /** Grants the month's credits and schedules the next month. */
  async #grant(tx: Executor, row: SubscriptionRow, plan: WirePlan): Promise<void> {
    const { accountId, startedAt, period, currentPeriodEnd } = row;
    const reference = { type: 'plan_period', id: `${plan.id}/${startedAt.toISOString()}/${period}` };
    const { jobs, ledger } = this.#deps;
    if (plan.monthlyCredits > 0) {
      const description = `Plan ${plan.name}: credits of the month`;
      await ledger.grant(tx, {
        accountId,
        amount: plan.monthlyCredits,
        service: 'plan',
        description,
        reference,
      });
    }
    await jobs.set(tx, planJob, accountId, currentPeriodEnd);
  }
}
