import { and, asc, desc, eq, inArray, lt, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { newId } from '../../sdk/protocol/ids.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import type { Ledger } from '../money/account/Ledger.ts';
import type { Keys } from '../../platform/keys.ts';
import type { Database } from '../../platform/database/database.ts';
import { seal, unseal } from '../../platform/seal.ts';
import type { EsimProfile } from './EsimProvider.ts';
import { esimOrders, esimProfiles, type EsimOrderRow } from './tables.ts';

export const esimJob = 'esim order';

interface OrdersDeps {
  db: Database;
  ledger: Ledger;
  jobs: ScheduledJobs;
  /** The keys that encrypt profiles. */
  keys: Keys;
  /** How long after its submission an order whose outcome is unknown may still appear at the provider. */
  settleMs: number;
  log: Logger;
}

export interface BoughtProfile extends EsimProfile {
  id: string;
}

/** Stores orders. Each order ends exactly once: it is completed with its profiles, or it fails and its credits are returned. */
export class EsimOrders {
  readonly #deps: OrdersDeps;

  constructor(deps: OrdersDeps) {
    this.#deps = deps;
  }

  /**
   * Stores an order before it is submitted to the provider. If its outcome stays unknown, a scheduled job settles it.
   * @returns null if the request has lost its lease: its credits were returned, or a repeated request has ordered for the same charge
   */
  async begin(
    order: Omit<typeof esimOrders.$inferInsert, 'id' | 'status' | 'createdAt' | 'updatedAt'>,
  ): Promise<EsimOrderRow | null> {
    const { db, jobs, ledger, settleMs } = this.#deps;
    const { accountId, chargeId } = order;
    const now = new Date();
    const times = { createdAt: now, updatedAt: now };
    const values = { ...order, ...times, id: newId('ord'), status: 'submitting' as const };
    return db.transaction(async (tx) => {
      await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtext(${`esim ${chargeId}`}))`);
      const earlier = await this.ofCharge(chargeId, tx);
      if (earlier && earlier.status !== 'failed') return null;
      if (accountId && !(await ledger.keep(tx, chargeId))) return null;
      const [row] = await tx.insert(esimOrders).values(values).returning();
      if (row) await jobs.set(tx, esimJob, row.id, new Date(Date.now() + settleMs));
      return row ?? null;
    });
  }

  async find(id: string): Promise<EsimOrderRow | null> {
    const [row] = await this.#deps.db.select().from(esimOrders).where(eq(esimOrders.id, id));
    return row ?? null;
  }

  /**
   * The latest order of a charge. A charge may have several orders, because an x402 payer can repeat a request whose order has failed,
   * which starts another order.
   */
  async ofCharge(chargeId: string, executor: Executor = this.#deps.db): Promise<EsimOrderRow | null> {
    const [row] = await executor
      .select()
      .from(esimOrders)
      .where(eq(esimOrders.chargeId, chargeId))
      .orderBy(desc(esimOrders.seq))
      .limit(1);
    return row ?? null;
  }

  /**
   * The orders of an account, the latest first.
   * @param before the `seq` of the last order on the previous page
   */
  ofAccount(accountId: string, before: number | null, limit: number): Promise<EsimOrderRow[]> {
    return this.#deps.db
      .select()
      .from(esimOrders)
      .where(
        and(eq(esimOrders.accountId, accountId), before === null ? undefined : lt(esimOrders.seq, before)),
      )
      .orderBy(desc(esimOrders.seq))
      .limit(limit);
  }

  /** The profiles of each order, without those that cannot be decrypted. */
  async profiles(orderIds: string[]): Promise<Map<string, BoughtProfile[]>> {
    const rows = await this.#deps.db
      .select()
      .from(esimProfiles)
      .where(inArray(esimProfiles.orderId, orderIds))
      .orderBy(asc(esimProfiles.position));
    const found = new Map(orderIds.map((id): [string, BoughtProfile[]] => [id, []]));
    for (const { id, orderId, sealed } of rows) {
      const profile = this.#open(id, sealed);
      if (profile) found.get(orderId)?.push({ id, ...profile });
    }
    return found;
  }

  async profile(id: string): Promise<EsimProfile | null> {
    const [row] = await this.#deps.db.select().from(esimProfiles).where(eq(esimProfiles.id, id));
    return row ? this.#open(id, row.sealed) : null;
  }

  /** @returns the stored profiles; null if the order had already ended */
  async complete(orderId: string, profiles: EsimProfile[]): Promise<BoughtProfile[] | null> {
    const { db, jobs, keys } = this.#deps;
    return db.transaction(async (tx) => {
      const done = await tx
        .update(esimOrders)
        .set({ status: 'completed', updatedAt: new Date() })
        .where(and(eq(esimOrders.id, orderId), eq(esimOrders.status, 'submitting')))
        .returning();
      if (done.length === 0) return null;
      const bought = profiles.map((profile) => ({ id: newId('esm'), ...profile }));
      const rows = bought.map(({ id, ...profile }, position) => {
        return { id, orderId, position, sealed: seal(JSON.stringify(profile), keys, id) };
      });
      await tx.insert(esimProfiles).values(rows);
      await jobs.cancel(tx, esimJob, orderId);
      return bought;
    });
  }

  /**
   * Ends an order for which nothing was bought, and refunds the credits.
   * @returns false if the order had already ended
   */
  async fail(orderId: string, errorCode: string, errorMessage: string): Promise<boolean> {
    const { db, jobs, ledger } = this.#deps;
    return db.transaction(async (tx) => {
      const [row] = await tx
        .update(esimOrders)
        .set({ status: 'failed', errorCode, errorMessage, updatedAt: new Date() })
        .where(and(eq(esimOrders.id, orderId), eq(esimOrders.status, 'submitting')))
        .returning();
      if (!row) return false;
      await jobs.cancel(tx, esimJob, orderId);
      // The credits are still reserved while the request is running or if its process died. After an answer of `pending` they are captured.
      if (row.accountId !== null) await ledger.refund(tx, row.chargeId, 'The eSIM order failed');
      return true;
    });
  }

  /** Decrypts a profile. Returns null if SECRET_KEY has changed, so that orders can still be listed. */
  #open(id: string, sealed: Buffer): EsimProfile | null {
    try {
      return JSON.parse(unseal(sealed, this.#deps.keys, id)) as EsimProfile;
    } catch {
      this.#deps.log.error({ esim: id }, 'eSIM profile is unreadable: it was sealed with another SECRET_KEY');
      return null;
    }
  }
}
