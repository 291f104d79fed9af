import { randomBytes } from 'node:crypto';
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Database } from '../../../platform/database/database.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import type { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import { toIso } from '../../../sdk/protocol/common.ts';
import { checksummed } from '../../../sdk/protocol/checksum.ts';
import { deletedWallet } from '../../../sdk/protocol/deleted.ts';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import { randomBase62 } from '../../../sdk/protocol/ids.ts';
import type { PartyId } from '../../../sdk/protocol/party.ts';
import type { WireDeletion } from '../../../sdk/protocol/privacy.ts';
import { sessions } from '../../identity/tables.ts';
import { accounts } from '../../money/account/tables.ts';
import { apiKeys } from '../../money/apiKeys/tables.ts';
import type { Cleaning } from '../cleaning/Cleaning.ts';
import { registry } from '../registry/registry.ts';
import { ctidsOf, isParty } from '../registry/rules.ts';
import type { ErasureRule, Person, TableData } from '../registry/TableData.ts';
import { erasures, type ErasureRow } from '../tables.ts';
import { replaceAddress } from './replaceAddress.ts';

interface ErasureDeps {
  db: Database;
  /** Must not have been started yet. */
  jobs: ScheduledJobs;
  /** Ends all sessions of an account. @returns a function that closes their connections, to be called after the commit */
  endSessions: (tx: Executor, accountId: string) => Promise<() => void>;
  /** Ends what is still running for the person: calls, rooms, streams, numbers and the plan. May be called twice. */
  end: (person: Person) => Promise<void>;
  cleaning: Cleaning;
  /** For how many days a request can be withdrawn. */
  days: number;
  log: Logger;
}

const rules = registry.flatMap((data) =>
  typeof data.personal === 'string' ? [] : data.personal.erases.map((rule) => [data, rule] as const),
);
const job = 'account.erase';
const dayMs = 86_400_000;
/** How long requests of the ended sessions may still be written, for example to the audit log. */
const settlingMs = 5_000;
/** How long the erasure waits for jobs that still need rows of the person, such as the return of a number to its carrier. */
const patienceMs = 3_600_000;

/**
 * Erases accounts, some days after they were asked to. All steps are batches that can be repeated: after a crash, the job begins again and
 * finds what is left. The account's row stays without the person, because the ledger refers to it.
 */
export class Erasure {
  readonly #deps: ErasureDeps;

  constructor(deps: ErasureDeps) {
    this.#deps = deps;
    deps.jobs.on(job, ({ subject }) => this.#run(subject));
  }

  /** Requests the erasure of an account, in the transaction that has checked the proof. @returns the earlier request if there is one */
  async request(tx: Executor, accountId: string): Promise<WireDeletion> {
    const { jobs, days } = this.#deps;
    const dueAt = new Date(Date.now() + days * dayMs);
    const [row] = await tx.insert(erasures).values({ accountId, dueAt }).onConflictDoNothing().returning();
    if (row) await jobs.set(tx, job, accountId, dueAt);
    const requested = row ?? (await find(tx, accountId));
    if (!requested) throw new Error('a request that exists was not found');
    return toDeletion(requested);
  }

  /** Withdraws the request. @throws ParleyError CONFLICT if there is none, or if the erasure has begun */
  async withdraw(tx: Executor, accountId: string): Promise<void> {
    const waiting = and(eq(erasures.accountId, accountId), isNull(erasures.startedAt));
    const [row] = await tx.delete(erasures).where(waiting).returning();
    if (!row)
      throw new ParleyError('CONFLICT', 'The deletion of this account was not requested, or has begun.');
    await this.#deps.jobs.cancel(tx, job, accountId);
  }

  /** @returns the request; null if the account stays */
  async requested(accountId: string): Promise<WireDeletion | null> {
    const row = await find(this.#deps.db, accountId);
    return row && toDeletion(row);
  }

  async #run(accountId: string): Promise<void> {
    const { db, jobs, end, cleaning, log } = this.#deps;
    const started = await this.#begin(accountId);
    if (!started) return;
    const { person, startedAt, closeSockets } = started;
    closeSockets();
    await end(person);
    await this.#eraseRows(person);
    const waitedMs = Date.now() - startedAt.getTime();
    const isLeft = async () => (await this.#isBusy(person)) || (await this.#isIncomplete(person));
    if (waitedMs < settlingMs || (waitedMs < patienceMs && (await isLeft())))
      return jobs.set(db, job, accountId, new Date(Date.now() + settlingMs));
    if (person.wallet) await replaceAddress(db, person.wallet, person.pseudonym);
    const isErased = await db.transaction(async (tx) => {
      // Waits for sign-ins that began before the erasure. Their sessions are ended when the job begins again.
      await tx.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, accountId)).for('update');
      if ((await tx.$count(sessions, eq(sessions.accountId, accountId))) > 0) return false;
      await tx
        .update(accounts)
        .set({
          wallet: null,
          walletLinkedAt: null,
          email: null,
          publishableKey: `pk_live_${randomBase62(32)}`,
        })
        .where(eq(accounts.id, accountId));
      await tx.update(erasures).set({ erasedAt: new Date() }).where(eq(erasures.accountId, accountId));
      await cleaning.schedule(tx);
      return true;
    });
    if (!isErased) return jobs.set(db, job, accountId, new Date(Date.now() + settlingMs));
    log.info({ accountId }, 'account erased');
  }

  /**
   * Marks the erasure as begun: from now on, the request cannot be withdrawn, and neither sessions nor keys are accepted.
   * @returns null if there is nothing to erase, or not yet
   */
  async #begin(
    accountId: string,
  ): Promise<{ person: Person; startedAt: Date; closeSockets: () => void } | null> {
    return this.#deps.db.transaction(async (tx) => {
      const [row] = await tx.select().from(erasures).where(eq(erasures.accountId, accountId)).for('update');
      const [account] = await tx.select().from(accounts).where(eq(accounts.id, accountId));
      if (!row || !account || row.erasedAt) return null;
      // The clock of this node may be behind that of the node that scheduled the job.
      if (row.dueAt > new Date()) {
        await this.#deps.jobs.set(tx, job, accountId, row.dueAt);
        return null;
      }
      const startedAt = row.startedAt ?? new Date();
      const pseudonym = row.pseudonym ?? checksummed(deletedWallet(randomBytes(12).toString('hex')));
      await tx.update(erasures).set({ startedAt, pseudonym }).where(eq(erasures.accountId, accountId));
      const { wallet } = account;
      const party: PartyId = wallet ?? `account:${accountId}`;
      const closeSockets = await this.#deps.endSessions(tx, accountId);
      await tx
        .update(apiKeys)
        .set({ revokedAt: startedAt })
        .where(and(eq(apiKeys.accountId, accountId), isNull(apiKeys.revokedAt)));
      return { person: { accountId, wallet, party, pseudonym }, startedAt, closeSockets };
    });
  }

  async #eraseRows(person: Person): Promise<void> {
    for (const [data, rule] of rules)
      for (let found = 1; found > 0;) found = await this.#eraseBatch(data, rule, person);
  }

  /** Whether rows were left, because others had locked them. */
  async #isIncomplete(person: Person): Promise<boolean> {
    for (const [, { find: findRows }] of rules)
      if ((await this.#deps.db.execute(findRows(person, false))).rows.length > 0) return true;
    return false;
  }

  /** @returns how many rows were erased */
  #eraseBatch({ table }: TableData, { find: findRows, erase }: ErasureRule, person: Person): Promise<number> {
    const { db, jobs } = this.#deps;
    return db.transaction(async (tx) => {
      const { rows } = await tx.execute(findRows(person, true));
      if (rows.length === 0) return 0;
      if (erase) await erase(tx, rows, { jobs, person });
      else await tx.execute(sql`DELETE FROM ${table} WHERE ctid = ANY(${ctidsOf(rows)})`);
      return rows.length;
    });
  }

  /** Whether jobs still work on rows of the person: on files, exports, recordings, numbers and purchases. */
  async #isBusy(person: Person): Promise<boolean> {
    const { accountId, party } = person;
    const { rows } = await this.#deps.db.execute(sql`
      SELECT FROM files WHERE ${isParty(person)} UNION ALL
      SELECT FROM data_exports WHERE account_id = ${accountId} UNION ALL
      SELECT FROM recordings WHERE host = ${party} UNION ALL
      SELECT FROM rooms WHERE host = ${party} AND status <> 'ended' UNION ALL
      SELECT FROM streams WHERE host = ${party} AND status <> 'ended' UNION ALL
      SELECT FROM phone_numbers WHERE account_id = ${accountId} UNION ALL
      SELECT FROM number_orders WHERE account_id = ${accountId} UNION ALL
      SELECT FROM esim_orders WHERE account_id = ${accountId} UNION ALL
      SELECT FROM messages WHERE account_id = ${accountId} LIMIT 1`);
    return rows.length > 0;
  }
}

async function find(executor: Executor, accountId: string): Promise<ErasureRow | null> {
  const [row] = await executor.select().from(erasures).where(eq(erasures.accountId, accountId));
  return row ?? null;
}

const toDeletion = ({ requestedAt, dueAt }: ErasureRow): WireDeletion => ({
  requestedAt: toIso(requestedAt),
  deletesAt: toIso(dueAt),
});
