import type { Identity } from '../../http/Identity.ts';
import { and, eq, sql } from 'drizzle-orm';
import type { z } from 'zod';
import type { Address } from '../../../sdk/protocol/common.ts';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { linkIdentity, WireIdentity } from '../../../sdk/protocol/identities.ts';
import { linkStatement } from '../../../sdk/protocol/statements.ts';
import type { Page } from '../../../sdk/protocol/http.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import { accounts } from '../../money/account/tables.ts';
import type { AuditLog } from '../../money/audit/AuditLog.ts';
import type { Database } from '../../../platform/database/database.ts';
import { isOneOf } from '../../../platform/database/isOneOf.ts';
import type { RequestOrigin } from '../../http/Principal.ts';
import { erasures } from '../../privacy/tables.ts';
import { giveToWallet } from '../../realtime/accountHost.ts';
import type { SessionService } from '../SessionService.ts';
import { identities, sessions } from '../tables.ts';
import { isUnused } from './isUnused.ts';
import { mustBeFresh } from './mustBeFresh.ts';
import type { OutsideIdentities } from './OutsideIdentities.ts';
import { toWalletIdentity, toWireIdentity } from './toWire.ts';
import { noSuch } from '../../http/refusals.ts';

interface IdentityDeps {
  db: Database;
  sessions: SessionService;
  /** Null if no identity provider is configured. */
  outsideIdentities: OutsideIdentities | null;
  audit: AuditLog;
}

export interface Linker {
  session: Identity;
  origin: RequestOrigin;
}

type Link = z.output<typeof linkIdentity>;

/**
 * Manages the identities that can sign in to an account: one wallet, and one identity per provider. Linking an identity requires a session
 * of the account and a proof that the user controls the identity. An identity that already has an account is moved only if that account is
 * unused, because accounts with credits or keys are never merged.
 */
export class IdentityService {
  readonly #deps: IdentityDeps;

  constructor(deps: IdentityDeps) {
    this.#deps = deps;
  }

  async list(accountId: string, executor: Executor = this.#deps.db): Promise<Page<WireIdentity>> {
    const [account] = await executor.select().from(accounts).where(eq(accounts.id, accountId));
    const rows = await executor
      .select()
      .from(identities)
      .where(eq(identities.accountId, accountId))
      .orderBy(identities.linkedAt);
    const data = rows.map(toWireIdentity);
    if (account?.wallet)
      data.unshift(toWalletIdentity(account.wallet, account.walletLinkedAt ?? account.createdAt));
    return { data, hasMore: false, nextCursor: null };
  }

  /**
   * Links an identity to the account.
   * @throws ParleyError CONFLICT if the identity belongs to another account that has been used, or if this account already has a wallet or
   *   an identity of the same provider
   */
  async link(linker: Linker, body: Link): Promise<WireIdentity> {
    const id =
      body.type === 'wallet' ? await this.#linkWallet(linker, body) : await this.#linkOutside(linker, body);
    const { data } = await this.list(linker.session.accountId);
    const linked = data.find((identity) => identity.id === id);
    if (!linked)
      throw new ParleyError('CONFLICT', 'The identity was unlinked again at the same moment. Link it again.');
    return linked;
  }

  /**
   * Unlinks an identity and ends its sessions.
   * @throws ParleyError CONFLICT if no other identity can sign in to the account, or for its wallet if the account is to be deleted
   */
  async unlink({ session, origin }: Linker, id: string): Promise<void> {
    const { accountId } = session;
    const closeSockets = await this.#deps.db.transaction(async (tx) => {
      // All code locks identities before accounts, to avoid deadlocks.
      await tx.select({ id: identities.id }).from(identities).where(eq(identities.id, id)).for('update');
      await lockAccounts(tx, accountId);
      const { data } = await this.list(accountId, tx);
      const gone = data.find((identity) => identity.id === id);
      if (!gone) throw noSuch('identity', 'The account has no such identity.');
      if (!data.some((identity) => identity !== gone && this.#opens(identity)))
        throw new ParleyError(
          'CONFLICT',
          'This is the last identity that can sign in to the account. Link another one first.',
        );
      if (gone.type === 'wallet') {
        // The erasure would not find any more what the wallet takes along.
        if ((await tx.$count(erasures, eq(erasures.accountId, accountId))) > 0)
          throw new ParleyError(
            'CONFLICT',
            'The deletion of this account was requested, with the data of its wallet. Withdraw the request before you unlink the wallet.',
          );
        await tx
          .update(accounts)
          .set({ wallet: null, walletLinkedAt: null })
          .where(eq(accounts.id, accountId));
      } else await detach(tx, accountId, gone.id);
      await this.#note(tx, { session, origin }, 'identity.unlinked');
      return this.#endSessions(tx, accountId, gone, origin);
    });
    closeSockets();
  }

  async #linkWallet(linker: Linker, { type: _type, ...signed }: Link & { type: 'wallet' }): Promise<string> {
    const { proofs } = this.#deps.sessions;
    const { accountId } = linker.session;
    const proof = await proofs.check(signed, 'dashboard', linkStatement(accountId));
    const { wallet } = proof;
    await this.#move(linker, async (tx) => {
      await proofs.use(tx, proof);
      // Because of this lock, concurrent requests to link the same wallet run one after the other.
      await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`link ${wallet}`}, 0))`);
      await giveToWallet(tx, accountId, wallet);
      const [owner] = await tx.select({ id: accounts.id }).from(accounts).where(eq(accounts.wallet, wallet));
      return {
        owner: owner?.id ?? null,
        what: { type: 'wallet', walletId: wallet, id: 'wallet' },
        async place(own) {
          if (own.wallet) throw taken('This account already has a wallet. Unlink it first.');
          if (owner) await tx.update(accounts).set({ wallet: null }).where(eq(accounts.id, owner.id));
          const values = { wallet, walletLinkedAt: new Date() };
          await tx.update(accounts).set(values).where(eq(accounts.id, accountId));
        },
      };
    });
    return 'wallet';
  }

  async #linkOutside(linker: Linker, { token }: Link & { type: 'oidc' }): Promise<string> {
    const { outsideIdentities } = this.#deps;
    if (!outsideIdentities) throw noProvider();
    const claims = await outsideIdentities.tokens.verify(token);
    mustBeFresh(claims, 'link the identity');
    const { accountId } = linker.session;
    let id = '';
    await this.#move(linker, async (tx) => {
      const row = await outsideIdentities.lock(tx, claims);
      id = row.id;
      return {
        owner: row.accountId,
        what: { type: 'oidc', walletId: null, id: row.id },
        async place() {
          const [other] = await tx
            .select({ id: identities.id })
            .from(identities)
            .where(and(eq(identities.accountId, accountId), eq(identities.issuer, claims.issuer)));
          if (other) throw taken('This account already has an identity of this provider. Unlink it first.');
          // It is moved by its user and not unlinked, so its tokens stay valid.
          const { unlinkedAt } = row;
          if (row.accountId) await detach(tx, row.accountId, row.id);
          const values = { accountId, email: claims.email, linkedAt: new Date(), unlinkedAt };
          await tx.update(identities).set(values).where(eq(identities.id, row.id));
          if (claims.email)
            await tx.update(accounts).set({ email: claims.email }).where(eq(accounts.id, accountId));
        },
      };
    });
    return id;
  }

  /** Moves an identity to the linker's account. The identity must have no account, or an unused one. */
  async #move(linker: Linker, find: (tx: Executor) => Promise<Move>): Promise<void> {
    const { accountId } = linker.session;
    const closeSockets = await this.#deps.db.transaction(async (tx) => {
      const { owner, what, place } = await find(tx);
      if (owner === accountId) return () => {};
      const locked = await lockAccounts(tx, accountId, owner);
      const own = locked.find(({ id }) => id === accountId);
      if (!own) throw new Error(`there is no account ${accountId}`);
      if (owner && !(await isUnused(tx, owner)))
        throw taken(
          'This identity has its own account, which was used (credits, keys, webhooks, rooms or payments) or is blocked or to be deleted, and accounts are not merged. Sign in to that account and link this one’s identity there instead.',
        );
      await place(own);
      await this.#note(tx, linker, 'identity.linked');
      return owner ? this.#endSessions(tx, owner, what, linker.origin) : () => {};
    });
    closeSockets();
  }

  /** Whether the identity can sign in. It cannot if its provider is no longer configured. */
  #opens({ type, issuer }: WireIdentity): boolean {
    return type === 'wallet' || issuer === this.#deps.outsideIdentities?.tokens.issuer;
  }

  #endSessions(tx: Executor, accountId: string, gone: Moved, origin: RequestOrigin): Promise<() => void> {
    const signedInBy = gone.walletId ? eq(sessions.wallet, gone.walletId) : eq(sessions.identityId, gone.id);
    return this.#deps.sessions.endAll(tx, and(eq(sessions.accountId, accountId), signedInBy), origin);
  }

  async #note(
    tx: Executor,
    { session, origin }: Linker,
    action: 'identity.linked' | 'identity.unlinked',
  ): Promise<void> {
    const { accountId, sessionId: actorId } = session;
    await this.#deps.audit.write(tx, {
      accountId,
      at: new Date(),
      actorType: 'session',
      actorId,
      action,
      ...origin,
    });
  }
}

type Moved = Pick<WireIdentity, 'id' | 'type' | 'walletId'>;

interface Move {
  /** The current account of the identity; null if it has none. */
  owner: string | null;
  what: Moved;
  place: (own: { wallet: Address | null }) => Promise<void>;
}

/** Locks accounts in the order of their ids, to avoid deadlocks. */
function lockAccounts(tx: Executor, ...ids: (string | null)[]) {
  const wanted = ids.filter((id) => id !== null);
  return tx
    .select({ id: accounts.id, wallet: accounts.wallet })
    .from(accounts)
    .where(isOneOf(accounts.id, wanted))
    .orderBy(accounts.id)
    .for('update');
}

/**
 * Unlinks an identity from its account. Tokens that were issued before this stay invalid permanently: `unlinkedAt` is not cleared when the
 * identity is linked or signs in again. The e-mail address is removed, because neither an export nor an erasure of the account finds the row
 * any more.
 */
async function detach(tx: Executor, accountId: string, identityId: string): Promise<void> {
  await tx
    .update(identities)
    .set({ accountId: null, email: null, unlinkedAt: new Date() })
    .where(eq(identities.id, identityId));
  const left = tx
    .select({ email: identities.email })
    .from(identities)
    .where(eq(identities.accountId, accountId))
    .limit(1);
  await tx
    .update(accounts)
    .set({ email: sql`(${left})` })
    .where(eq(accounts.id, accountId));
}

const taken = (message: string) => new ParleyError('CONFLICT', message);
export const noProvider = () =>
  new ParleyError('SERVICE_UNAVAILABLE', 'No identity provider is configured on this server.');
