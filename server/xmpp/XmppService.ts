import { createHmac } from 'node:crypto';
import { and, eq } from 'drizzle-orm';
import type { z } from 'zod';
import { toIso } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { randomBase62 } from '../../sdk/protocol/ids.ts';
import type { provisionXmpp, WireProvisionedXmpp } from '../../sdk/protocol/xmpp.ts';
import type { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import type { Ledger } from '../money/account/Ledger.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Charge } from '../http/Route.ts';
import { xmppAccounts, type XmppAccountRow } from './tables.ts';
import type { XmppServer } from './XmppServer.ts';
import { badField } from '../http/refusals.ts';
import type { Keys } from '../../platform/keys.ts';

interface XmppDeps {
  db: Database;
  ledger: Ledger;
  jobs: ScheduledJobs;
  server: XmppServer;
  /** The keys from which passwords are derived. */
  keys: Keys;
  /** The addresses that clients connect to. */
  addresses: Pick<WireProvisionedXmpp, 'domain' | 'host' | 'websocketUrl' | 'smsGateway'>;
  /** Checks who owns a number; null if this server has no numbers. */
  numbers: { owns(accountId: string, numberId: string): Promise<boolean> } | null;
}

const xmppJob = 'xmpp account';
/**
 * How long the creation of an account may take. This is longer than any request takes, so after this time no process is working on the
 * account.
 */
const abandonedMs = 30_000;

/**
 * Creates XMPP accounts. Passwords are derived from a key and not stored. After a crash, the derived password proves that an account on the
 * XMPP server was created by this server. The account is then removed, because its password was never sent to a client.
 */
export class XmppService {
  readonly #deps: XmppDeps;

  constructor(deps: XmppDeps) {
    this.#deps = deps;
    deps.jobs.on(xmppJob, ({ subject }) => this.#settle(subject));
    deps.ledger.onLost('xmpp', async ({ id }) => {
      await this.#undoPurchase(id);
      return 'release';
    });
  }

  /** @throws ParleyError username_taken or upstream_error */
  async provision(
    body: z.output<typeof provisionXmpp>,
    accountId: string,
    charge: Charge,
  ): Promise<WireProvisionedXmpp> {
    const { server, addresses, numbers } = this.#deps;
    const { username = randomName(), numberId = null } = body;
    if (numberId !== null && !(await numbers?.owns(accountId, numberId))) throw unknownNumber();
    const row = await this.#begin({ username, accountId, chargeId: charge.id, numberId });
    if (!row) throw taken(username);
    const password = passwordOf(this.#deps.keys()[0], row);
    const isMade = await server.register({ username, password }).catch(async (error: unknown) => {
      await this.#undoAtOnce(row);
      throw error;
    });
    if (!isMade) {
      await this.#forget(row);
      throw taken(username);
    }
    await this.#finish(row);
    return {
      jid: `${username}@${addresses.domain}`,
      username,
      password,
      port: 5222,
      numberId,
      ...addresses,
      credits: charge.credits,
      balance: charge.balance,
      createdAt: toIso(row.createdAt),
    };
  }

  /** Stores an account before the XMPP server is asked. @returns null if the name is taken */
  async #begin(
    wanted: Omit<XmppAccountRow, 'domain' | 'status' | 'createdAt'>,
  ): Promise<XmppAccountRow | null> {
    const { db, jobs, addresses } = this.#deps;
    return db.transaction(async (tx) => {
      const values = {
        ...wanted,
        domain: addresses.domain,
        status: 'submitting' as const,
        createdAt: new Date(),
      };
      const [row] = await tx.insert(xmppAccounts).values(values).onConflictDoNothing().returning();
      if (row) await jobs.set(tx, xmppJob, row.chargeId, new Date(Date.now() + abandonedMs));
      return row ?? null;
    });
  }

  async #finish({ chargeId }: XmppAccountRow): Promise<void> {
    const { db, jobs } = this.#deps;
    await db.transaction(async (tx) => {
      const finished = await tx
        .update(xmppAccounts)
        .set({ status: 'active' })
        .where(eq(xmppAccounts.chargeId, chargeId))
        .returning();
      // Another process considered the account abandoned and removed it.
      if (finished.length === 0) throw new Error('the XMPP account was removed during its creation');
      await jobs.cancel(tx, xmppJob, chargeId);
    });
  }

  async #forget({ chargeId }: XmppAccountRow): Promise<void> {
    const { db, jobs } = this.#deps;
    await db.transaction(async (tx) => {
      await tx.delete(xmppAccounts).where(eq(xmppAccounts.chargeId, chargeId));
      await jobs.cancel(tx, xmppJob, chargeId);
    });
  }

  /** Settles a request that ended before it was known whether the account was created. */
  async #settle(chargeId: string): Promise<void> {
    const submitting = and(eq(xmppAccounts.chargeId, chargeId), eq(xmppAccounts.status, 'submitting'));
    const [row] = await this.#deps.db.select().from(xmppAccounts).where(submitting);
    if (row) await this.#undo(row);
  }

  /**
   * Undoes a purchase whose process died before it could return the password. If the account was created, nobody can use it, so it is
   * removed.
   */
  async #undoPurchase(chargeId: string): Promise<void> {
    const { db, jobs } = this.#deps;
    const [row] = await db.select().from(xmppAccounts).where(eq(xmppAccounts.chargeId, chargeId));
    if (!row) return;
    const isGone = await this.#remove(row);
    // The dead process may have sent a request that has not arrived yet. An active account was removed by somebody else.
    if (!isGone && row.status === 'submitting' && !(await jobs.isDue(xmppJob, chargeId)))
      throw new Error(`the XMPP account ${row.username} may still be created`);
    await this.#forget(row);
  }

  /** Removes the XMPP accounts of an account that is erased, except those whose password was changed on the XMPP server. */
  async removeAll(accountId: string): Promise<void> {
    const { db } = this.#deps;
    for (const row of await db.select().from(xmppAccounts).where(eq(xmppAccounts.accountId, accountId)))
      await this.#remove(row);
  }

  /**
   * Removes an account whose creation was not answered, so that its name is free for the next attempt. If the account does not exist yet,
   * or the XMPP server cannot be reached, the scheduled job removes it later.
   */
  async #undoAtOnce(row: XmppAccountRow): Promise<void> {
    if (await this.#remove(row).catch(() => false)) await this.#forget(row);
  }

  async #undo(row: XmppAccountRow): Promise<void> {
    await this.#remove(row);
    await this.#forget(row);
  }

  /**
   * Removes the account if it has our password. Otherwise somebody else created it directly on the XMPP server.
   * @returns whether the account was removed
   */
  async #remove(row: XmppAccountRow): Promise<boolean> {
    const { server } = this.#deps;
    const { username } = row;
    for (const key of this.#deps.keys()) {
      if (!(await server.hasPassword({ username, password: passwordOf(key, row) }))) continue;
      await server.unregister({ username });
      return true;
    }
    return false;
  }
}

/** Derives the 144-bit password of an account. */
function passwordOf(key: Buffer, { domain, username, chargeId }: XmppAccountRow): string {
  const name = JSON.stringify([domain, username, chargeId]);
  return createHmac('sha256', key).update(name).digest('base64url').slice(0, 24);
}

const randomName = () => `p${randomBase62(16).toLowerCase()}`;

const taken = (username: string) =>
  new ParleyError('CONFLICT', `The name ${username} is taken. Choose another one.`, {
    reason: 'username_taken',
  });

const unknownNumber = () => badField('numberId', 'unknown_number', 'this account does not have this number');
