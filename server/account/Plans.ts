import { eq } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { WirePlan, WireSubscription } from '../../sdk/protocol/account.ts';
import { toIso } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { DueRows } from '../../signaling/due/DueRows.ts';
import type { Executor } from '../../signaling/Executor.ts';
import type { Database } from '../database.ts';
import { addMonths } from './addMonths.ts';
import type { Ledger } from './Ledger.ts';
import { subscriptions, type SubscriptionRow } from './tables.ts';

interface PlansDeps {
  db: Database;
  due: DueRows;
  ledger: Ledger;
  /** PLANS. */
  plans: WirePlan[];
  log: Logger;
}

const planDue = 'plan period';

/**
 * The plans of the configuration, and who has which. Each month of a plan begins by a due row, which grants its credits: one
 * grant per month, however often it is asked for, since the ledger grants a reference once.
 */
export class Plans {
  readonly #deps: PlansDeps;

  constructor(deps: PlansDeps) {
    this.#deps = deps;
    deps.due.on(planDue, ({ subject }) => this.#beginNextPeriod(subject));
  }

  get all(): WirePlan[] {
    return this.#deps.plans;
  }

  async currentPlanId(accountId: string): Promise<string | null> {
    const row = await this.#read(this.#deps.db, accountId);
    return row && row.status !== 'canceled' ? row.planId : null;
  }

  async subscription(accountId: string): Promise<WireSubscription> {
    const row = await this.#read(this.#deps.db, accountId);
    if (!row) {
      const nothing = { plan: null, currentPeriodStart: null, currentPeriodEnd: null };
      return { status: 'none', ...nothing, cancelAtPeriodEnd: false };
    }
    const found = this.#find(row.planId);
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

  /**
   * Begins a plan now, in place of one there may be.
   * @throws ParleyError NOT_FOUND for a plan that is not configured
   */
  async start(tx: Executor, accountId: string, planId: string, startedAt = new Date()): Promise<WirePlan> {
    const plan = this.#find(planId);
    if (!plan) throw new ParleyError('NOT_FOUND', `There is no plan ${planId}: see PLANS.`);
    const values = {
      planId,
      status: 'active' as const,
      startedAt,
      period: 0,
      currentPeriodStart: startedAt,
      currentPeriodEnd: addMonths(startedAt, 1),
      cancelAtPeriodEnd: false,
    };
    await tx
      .insert(subscriptions)
      .values({ accountId, ...values })
      .onConflictDoUpdate({ target: subscriptions.accountId, set: values });
    await this.#grant(tx, { accountId, ...values }, plan);
    return plan;
  }

  /** Ends with the period that runs. @returns false where there is nothing to end */
  async cancel(tx: Executor, accountId: string): Promise<boolean> {
    const ended = await tx
      .update(subscriptions)
      .set({ cancelAtPeriodEnd: true })
      .where(eq(subscriptions.accountId, accountId))
      .returning();
    return ended.length === 1;
  }

  #find(planId: string): WirePlan | null {
    return this.#deps.plans.find(({ id }) => id === planId) ?? null;
  }

  async #read(executor: Executor, accountId: string): Promise<SubscriptionRow | null> {
    const [row] = await executor.select().from(subscriptions).where(eq(subscriptions.accountId, accountId));
    return row ?? null;
  }

  async #beginNextPeriod(accountId: string): Promise<void> {
    await this.#deps.db.transaction(async (tx) => {
      const [row] = await tx
        .select()
        .from(subscriptions)
        .where(eq(subscriptions.accountId, accountId))
        .for('update');
      if (!row || row.status === 'canceled' || row.currentPeriodEnd > new Date()) return;
      const plan = this.#find(row.planId);
      if (!plan) this.#deps.log.warn({ accountId, plan: row.planId }, 'a plan ended: PLANS has it no more');
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

  /** The month's credits, and the deadline of the next. */
  async #grant(tx: Executor, row: SubscriptionRow, plan: WirePlan): Promise<void> {
    const { accountId, startedAt, period, currentPeriodEnd } = row;
    const reference = { type: 'plan_period', id: `${plan.id}/${startedAt.toISOString()}/${period}` };
    const { due, ledger } = this.#deps;
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
    await due.set(tx, planDue, accountId, currentPeriodEnd);
  }
}
