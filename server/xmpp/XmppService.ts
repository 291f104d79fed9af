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

interface XmppDeps {
  db: Database;
  ledger: Ledger;
  jobs: ScheduledJobs;
  server: XmppServer;
  /** What passwords are derived from. */
  key: Buffer;
  /** Where clients find it. */
  places: Pick<WireProvisionedXmpp, 'domain' | 'host' | 'websocketUrl' | 'smsGateway'>;
  /** Whose a number is; null where this server has none. */
  numbers: { owns(accountId: string, numberId: string): Promise<boolean> } | null;
}

const xmppJob = 'xmpp account';
/** Longer than any request takes: after that nobody works on it. */
const abandonedMs = 30_000;

/**
 * Makes XMPP accounts. A password is derived, not kept: after a crash it proves that an account the XMPP server has is the one
 * this server had begun to make, which is then taken away again, since nobody ever heard its password.
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

  /** @throws ParleyError username_taken; upstream_error */
  async provision(
    body: z.output<typeof provisionXmpp>,
    accountId: string,
    charge: Charge,
  ): Promise<WireProvisionedXmpp> {
    const { server, places, numbers } = this.#deps;
    const { username = randomName(), numberId = null } = body;
    if (numberId !== null && !(await numbers?.owns(accountId, numberId))) throw notTheirNumber();
    const row = await this.#begin({ username, accountId, chargeId: charge.id, numberId });
    if (!row) throw taken(username);
    const password = this.#passwordOf(row);
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
      ...{ jid: `${username}@${places.domain}`, username, password, port: 5222, numberId },
      ...places,
      ...{ credits: charge.credits, balance: charge.balance, createdAt: toIso(row.createdAt) },
    };
  }

  /** @returns null where the name is somebody's */
  async #begin(
    wanted: Omit<XmppAccountRow, 'domain' | 'status' | 'createdAt'>,
  ): Promise<XmppAccountRow | null> {
    const { db, jobs, places } = this.#deps;
    return db.transaction(async (tx) => {
      const values = {
        ...wanted,
        domain: places.domain,
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
      // Whoever took it for abandoned has taken it away.
      if (finished.length === 0) throw new Error('an XMPP account was taken away while it was made');
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

  /** Of a request that ended without knowing whether the account was made. */
  async #settle(chargeId: string): Promise<void> {
    const submitting = and(eq(xmppAccounts.chargeId, chargeId), eq(xmppAccounts.status, 'submitting'));
    const [row] = await this.#deps.db.select().from(xmppAccounts).where(submitting);
    if (row) await this.#undo(row);
  }

  /** Its process died before it could say the password: also an account that was made is no good to anybody. */
  async #undoPurchase(chargeId: string): Promise<void> {
    const [row] = await this.#deps.db.select().from(xmppAccounts).where(eq(xmppAccounts.chargeId, chargeId));
    if (!row) return;
    const isGone = await this.#remove(row);
    // What the dead process had just asked for may still come.
    if (!isGone && row.createdAt.getTime() + abandonedMs > Date.now())
      throw new Error(`the XMPP account ${row.username} may still turn up`);
    await this.#forget(row);
  }

  /**
   * For an answer that was lost, so that the name is free when it is tried again. What is not there may still come: that is left
   * for later, as is a server that can't be asked.
   */
  async #undoAtOnce(row: XmppAccountRow): Promise<void> {
    if (await this.#remove(row).catch(() => false)) await this.#forget(row);
  }

  async #undo(row: XmppAccountRow): Promise<void> {
    await this.#remove(row);
    await this.#forget(row);
  }

  /** @returns whether there was one: an account of this name may be somebody else's, made at the XMPP server itself */
  async #remove(row: XmppAccountRow): Promise<boolean> {
    const { server } = this.#deps;
    const { username } = row;
    const isOurs = await server.hasPassword({ username, password: this.#passwordOf(row) });
    if (isOurs) await server.unregister({ username });
    return isOurs;
  }

  /** 144 bits. */
  #passwordOf({ domain, username, chargeId }: XmppAccountRow): string {
    const name = JSON.stringify([domain, username, chargeId]);
    return createHmac('sha256', this.#deps.key).update(name).digest('base64url').slice(0, 24);
  }
}

const randomName = () => `p${randomBase62(16).toLowerCase()}`;

const taken = (username: string) =>
  new ParleyError('CONFLICT', `The name ${username} is taken.`, { reason: 'username_taken' });

function notTheirNumber(): ParleyError {
  const message = 'there is no such number of this account';
  return new ParleyError('VALIDATION_ERROR', `numberId: ${message}`, {
    details: [{ path: 'numberId', code: 'unknown_number', message }],
  });
}
