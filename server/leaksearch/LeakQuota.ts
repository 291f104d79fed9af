import { and, eq, gt, lt, sql } from 'drizzle-orm';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Plans } from '../money/account/Plans.ts';
import type { Database } from '../../platform/database/database.ts';
import { leakQuotas } from './tables.ts';

interface QuotaDeps {
  db: Database;
  plans: Pick<Plans, 'all' | 'subscription'>;
  /** The number of searches per month for an account without a plan. */
  freeSearches: number;
}

interface Allowance {
  searches: number;
  periodStart: Date;
  resetsAt: Date | null;
}

/** Limits the searches of an account. A plan allows a number of searches per period. Without a plan, the period is a calendar month. */
export class LeakQuota {
  readonly #deps: QuotaDeps;

  constructor(deps: QuotaDeps) {
    this.#deps = deps;
  }

  /**
   * Takes one search from the quota. If the process dies during the search, the search remains counted.
   * @returns a function that returns the search to the quota
   * @throws ParleyError quota_exceeded with resetsAt
   */
  async take(accountId: string): Promise<() => Promise<void>> {
    const { searches, periodStart, resetsAt } = await this.#allowance(accountId);
    const [taken] =
      searches === 0
        ? []
        : await this.#deps.db
            .insert(leakQuotas)
            .values({ accountId, periodStart, used: 1 })
            .onConflictDoUpdate({
              target: [leakQuotas.accountId, leakQuotas.periodStart],
              set: { used: sql`${leakQuotas.used} + 1` },
              setWhere: lt(leakQuotas.used, searches),
            })
            .returning();
    if (!taken) throw exceeded(searches, resetsAt);
    return () => this.#return(accountId, periodStart);
  }

  async #return(accountId: string, periodStart: Date): Promise<void> {
    const { db } = this.#deps;
    const mine = and(eq(leakQuotas.accountId, accountId), eq(leakQuotas.periodStart, periodStart));
    await db
      .update(leakQuotas)
      .set({ used: sql`${leakQuotas.used} - 1` })
      .where(and(mine, gt(leakQuotas.used, 0)));
  }

  async #allowance(accountId: string): Promise<Allowance> {
    const { plans, freeSearches } = this.#deps;
    const subscription = await plans.subscription(accountId);
    const { currentPeriodStart: start, currentPeriodEnd: end } = subscription;
    const plan = plans.all.find(({ id }) => id === subscription.plan?.id);
    if (plan && start && end && subscription.status === 'active')
      return { searches: plan.leakSearches, periodStart: new Date(start), resetsAt: new Date(end) };
    const now = new Date();
    const month = (offset: number) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1));
    return {
      searches: freeSearches,
      periodStart: month(0),
      // Without an allowance there is nothing to reset.
      resetsAt: freeSearches > 0 ? month(1) : null,
    };
  }
}

function exceeded(searches: number, resetsAt: Date | null): ParleyError {
  const message =
    searches === 0
      ? 'This plan includes no breach searches. Pay with credits at /leaksearch/search-with-credits.'
      : `The ${searches} breach searches of this period are used up. Pay with credits at /leaksearch/search-with-credits, or wait.`;
  const extra = { resetsAt: resetsAt?.toISOString() ?? null };
  return new ParleyError('INSUFFICIENT_BALANCE', message, { reason: 'quota_exceeded', extra });
}
