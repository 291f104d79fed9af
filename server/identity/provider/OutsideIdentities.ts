import type { Identity } from '../../http/Identity.ts';
import { and, eq, isNotNull, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { newId } from '../../../sdk/protocol/ids.ts';
import type { Network, WireAnySession } from '../../../sdk/protocol/session.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import { accountBlocked } from '../../money/account/accountBlocked.ts';
import { newAccount } from '../../money/account/accountOf.ts';
import { accounts } from '../../money/account/tables.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { RequestOrigin } from '../../http/Principal.ts';
import { beingErased } from '../../privacy/erasure/mustNotBeErased.ts';
import { erasures } from '../../privacy/tables.ts';
import type { Holder, SessionHooks, SessionService } from '../SessionService.ts';
import { identities, type IdentityRow } from '../tables.ts';
import { mustBeIssuedAfter } from './mustBeIssuedAfter.ts';
import type { ProviderClaims, ProviderTokens } from './ProviderTokens.ts';

interface OutsideIdentitiesDeps {
  db: Database;
  tokens: ProviderTokens;
  sessions: SessionService;
  hooks: SessionHooks;
  log: Logger;
}

/** The chain id for a session that is opened with a provider's token. The token contains none, so the network decides. */
const firstChain = { mainnet: 1, testnet: 11_155_111 };

/** Finds the account for a token of the outside identity provider. The first token of an identity creates its account. */
export class OutsideIdentities {
  readonly #deps: OutsideIdentitiesDeps;

  constructor(deps: OutsideIdentitiesDeps) {
    this.#deps = deps;
  }

  get tokens(): ProviderTokens {
    return this.#deps.tokens;
  }

  /** Verifies a provider's token that is sent as a credential. The token acts as a dashboard session until it expires. */
  async verify(token: string, origin: RequestOrigin): Promise<Identity> {
    const claims = await this.#deps.tokens.verify(token);
    const { accountId, wallet } = await this.#holderOf(claims, origin);
    const { expiresAt } = claims;
    return { sessionId: null, accountId, wallet, audience: 'dashboard', network: null, expiresAt };
  }

  /** Exchanges a provider's token for a session of this server, which can be refreshed and ended. */
  async exchange(token: string, network: Network, origin: RequestOrigin): Promise<WireAnySession> {
    const { db, tokens, sessions, log } = this.#deps;
    const claims = await tokens.verify(token);
    const session = await db.transaction(async (tx) => {
      // This locks the identity, so that no session can start while the identity is being unlinked.
      const holder = await this.#findOrCreate(tx, claims, origin);
      return sessions.begin(
        tx,
        { ...holder, audience: 'dashboard', network, chainId: firstChain[network] },
        origin,
      );
    });
    log.info({ issuer: claims.issuer }, 'signed in by the identity provider');
    return session;
  }

  /**
   * Finds or creates the row of an identity, and locks it.
   * @throws ParleyError AUTHENTICATION_REQUIRED if the identity was unlinked after the token was issued
   */
  async lock(tx: Executor, claims: ProviderClaims): Promise<IdentityRow> {
    const { issuer, subject, email } = claims;
    await tx
      .insert(identities)
      .values({ id: newId('idn'), issuer, subject, email })
      .onConflictDoNothing();
    const [row] = await tx
      .select()
      .from(identities)
      .where(and(eq(identities.issuer, issuer), eq(identities.subject, subject)))
      .for('update');
    if (!row) throw new Error('an identity that exists was not found');
    mustBeIssuedAfter(claims, row.unlinkedAt);
    return row;
  }

  async #holderOf(claims: ProviderClaims, origin: RequestOrigin): Promise<Holder> {
    const [known] = await this.#deps.db
      .select({
        accountId: accounts.id,
        wallet: accounts.wallet,
        identityId: identities.id,
        email: identities.email,
        unlinkedAt: identities.unlinkedAt,
        blockedAt: accounts.blockedAt,
        erasureBegan: isNotNull(erasures.startedAt),
      })
      .from(identities)
      .innerJoin(accounts, eq(accounts.id, identities.accountId))
      .leftJoin(erasures, eq(erasures.accountId, accounts.id))
      .where(and(eq(identities.issuer, claims.issuer), eq(identities.subject, claims.subject)));
    if (!known) return this.#deps.db.transaction((tx) => this.#findOrCreate(tx, claims, origin));
    mustBeIssuedAfter(claims, known.unlinkedAt);
    if (known.blockedAt) throw accountBlocked();
    if (known.erasureBegan) throw beingErased();
    if (claims.email && claims.email !== known.email) await this.#noteEmail(known, claims.email);
    return known;
  }

  async #findOrCreate(tx: Executor, claims: ProviderClaims, origin: RequestOrigin): Promise<Holder> {
    const row = await this.lock(tx, claims);
    // The identity already has an account, or a concurrent request has just created it.
    if (row.accountId) {
      const [account] = await tx
        .select({ wallet: accounts.wallet })
        .from(accounts)
        .where(eq(accounts.id, row.accountId));
      return { accountId: row.accountId, wallet: account?.wallet ?? null, identityId: row.id };
    }
    const accountId = await newAccount(tx, { email: claims.email });
    if (!accountId) throw new Error('an account without a wallet could not be created');
    await tx
      .update(identities)
      .set({ accountId, email: claims.email, linkedAt: sql`now()` })
      .where(eq(identities.id, row.id));
    await this.#deps.hooks.accountMade(tx, accountId, origin);
    return { accountId, wallet: null, identityId: row.id };
  }

  async #noteEmail({ accountId, identityId }: Holder, email: string): Promise<void> {
    await this.#deps.db.transaction(async (tx) => {
      const [noted] = await tx
        .update(identities)
        .set({ email })
        .where(and(eq(identities.id, identityId), eq(identities.accountId, accountId)))
        .returning({ id: identities.id });
      // If it was unlinked in the meantime, its address is not stored again.
      if (noted) await tx.update(accounts).set({ email }).where(eq(accounts.id, accountId));
    });
  }
}
