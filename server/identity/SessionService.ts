import type { Identity, Audience } from '../http/Identity.ts';
import { createHmac } from 'node:crypto';
import { and, between, eq, exists, gt, inArray, isNull, or, sql, type SQL } from 'drizzle-orm';
import jwt from 'jsonwebtoken';
import type { Logger } from 'pino';
import { z } from 'zod';
import { onChain } from '../../sdk/protocol/address.ts';
import { id, toIso, walletAddress, type Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { newId, randomBase62 } from '../../sdk/protocol/ids.ts';
import type { WireAnySession, WireSession } from '../../sdk/protocol/session.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import { GroupCommit, handshakePauseMs } from '../../platform/database/GroupCommit.ts';
import { refuseBlocked } from '../money/account/accountBlocked.ts';
import { accountOf } from '../money/account/accountOf.ts';
import { accounts } from '../money/account/tables.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Chains } from '../chains/chains.ts';
import type { RequestOrigin } from '../http/Principal.ts';
import type { Origins } from '../config/origins.ts';
import { keyObjectOf, verifyJwt, type Keys } from '../../platform/keys.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { isOneOf } from '../../platform/database/isOneOf.ts';
import { mustNotBeErased } from '../privacy/erasure/mustNotBeErased.ts';
import { removeExpired } from './removeExpired.ts';
import { refreshTokens, sessions, type RefreshTokenRow, type SessionRow } from './tables.ts';
import { stillHolds } from './signature.ts';
import { WalletProofs, type SignedByWallet } from './WalletProofs.ts';

/** The account that an outside identity signs in to. */
export interface Holder {
  accountId: string;
  wallet: Address | null;
  identityId: string;
}

/** Hooks that run in the same transaction as the start or end of a session. */
export interface SessionHooks {
  /** Called when a first sign-in has created an account. */
  accountMade(tx: Executor, accountId: string, origin: RequestOrigin): Promise<void>;
  created(tx: Executor, session: SessionRow, origin: RequestOrigin): Promise<void>;
  ended(tx: Executor, session: SessionRow, origin: RequestOrigin): Promise<void>;
}

type ReadSession = Pick<SessionRow, 'id' | 'endedAt' | 'network'>;

type NewSession = Omit<SessionRow, 'id' | 'identityId' | 'walletEvidence' | 'createdAt' | 'endedAt'> &
  Partial<Pick<SessionRow, 'identityId' | 'walletEvidence'>>;

interface SessionDeps {
  db: Database;
  secrets: Secrets;
  origins: Origins;
  chains: Chains;
  hooks: SessionHooks;
  log: Logger;
  /** Called after a session has ended, to close its connections. */
  onEnded: (sessionId: string) => void;
}

const issuer = 'parley';
const algorithm = 'HS256';
const tokenLifetimeSeconds = 60 * 60;
const refreshLifetimeMs = 30 * 24 * 60 * 60_000;
/** For how long a used refresh token can be sent again. It covers a change of network, and several attempts of a client. */
const repeatMs = 60_000;

const claims = z.object({
  /** The wallet. For an account without a wallet it is the account id, which is read as null. */
  sub: z.union([walletAddress, id('acc').transform(() => null)]),
  sid: z.string(),
  acc: z.string(),
  aud: z.enum(['app', 'dashboard']),
  exp: z.number(),
});

/** The embedded identity provider. Creates sessions for wallets that sign in with a signature, and verifies the tokens of sessions. */
export class SessionService {
  readonly #deps: SessionDeps;
  readonly #tokenKeys: Keys;
  readonly #refreshKey: Buffer;
  readonly #readings = new GroupCommit<string, ReadSession | undefined>({
    size: 200,
    pauseMs: handshakePauseMs,
    write: async (ids) => {
      const found = new Map((await this.#read(ids)).map((row) => [row.id, row]));
      return ids.map((id) => found.get(id));
    },
  });
  /** Also used for linking a wallet to an account. */
  readonly proofs: WalletProofs;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    this.#tokenKeys = deps.secrets.keys('session tokens');
    this.#refreshKey = deps.secrets.lasting('refresh tokens');
    this.proofs = new WalletProofs(deps);
  }

  /** Signs a wallet in. The nonce is checked last, so that only a valid message uses it up. */
  async signIn(
    { audience, ...signed }: SignedByWallet & { audience: Audience },
    origin: RequestOrigin,
  ): Promise<WireSession> {
    const { db, hooks, log } = this.#deps;
    const proof = await this.proofs.check(signed, audience);
    const { wallet, evidence: walletEvidence, network, chainId } = proof;
    const session = await db.transaction(async (tx) => {
      await this.proofs.use(tx, proof);
      const account = await accountOf(tx, wallet);
      if (account.isNew) await hooks.accountMade(tx, account.id, origin);
      const begun = await this.begin(
        tx,
        { accountId: account.id, wallet, walletEvidence, audience, network, chainId },
        origin,
      );
      return { ...begun, walletAddress: signed.walletAddress, walletId: wallet };
    });
    log.info({ wallet, audience }, 'signed in');
    return session;
  }

  /**
   * Exchanges a refresh token for new tokens. A client whose answer was lost may send its token again for a minute, and gets another
   * successor in place of the first one. If a token is sent again later, or after its successor was used, it may have been stolen, so the
   * session ends. A contract wallet must still accept the signature that opened the session, so a former owner of the contract loses the
   * session here.
   * @throws ParleyError AUTHENTICATION_REQUIRED, or SERVICE_UNAVAILABLE if the chain of the contract is unreachable, in which case the
   *   token stays valid
   */
  async refresh(refreshToken: string, origin: RequestOrigin): Promise<WireAnySession> {
    const { db, chains } = this.#deps;
    const { token, session } = await this.#findRefreshToken(db, refreshToken);
    // Checked before the transaction, because a chain may take seconds to answer.
    const refusal = (await isSpent(db, token)) ? null : await refusalOf(session, chains);
    if (refusal) {
      await this.end(session.id, origin);
      throw unauthenticated(refusal);
    }
    const outcome = await db.transaction(async (tx) => {
      // The account is locked before its sessions, as by a block and by the linking and unlinking of identities.
      const linked = session.wallet === null ? await lockedWallet(tx, session.accountId) : null;
      // All refreshes of a session run one after the other, whichever of its tokens they use.
      await tx.select({ id: sessions.id }).from(sessions).where(eq(sessions.id, session.id)).for('update');
      const found = await this.#findRefreshToken(tx, refreshToken);
      if (await isSpent(tx, found.token)) {
        await this.#end(tx, session.id, origin);
        return null;
      }
      return this.#exchange(tx, found.token, await withWallet(tx, found.session, linked));
    });
    if (outcome) return outcome;
    this.#deps.log.warn({ sessionId: session.id }, 'refresh token used twice: session ended');
    this.#deps.onEnded(session.id);
    throw unauthenticated(
      'This refresh token was used before, so its session has been ended. Sign in again.',
    );
  }

  /** Issues new tokens for a refresh token. If it has a successor already, that one counts as used from now on. */
  async #exchange(tx: Executor, token: RefreshTokenRow, session: SessionRow): Promise<WireAnySession> {
    const issued = await this.#issue(tx, session);
    const now = new Date();
    if (token.successor)
      await tx.update(refreshTokens).set({ usedAt: now }).where(eq(refreshTokens.hash, token.successor));
    await tx
      .update(refreshTokens)
      .set({ usedAt: token.usedAt ?? now, successor: this.#hash(issued.refreshToken) })
      .where(eq(refreshTokens.hash, token.hash));
    return issued;
  }

  /** Ends the session on all devices that use it. */
  async end(sessionId: string, origin: RequestOrigin): Promise<void> {
    const wasRunning = await this.#deps.db.transaction((tx) => this.#end(tx, sessionId, origin));
    if (wasRunning) this.#deps.log.info({ sessionId }, 'signed out');
    this.#deps.onEnded(sessionId);
  }

  /**
   * Ends all matching sessions in the given transaction.
   * @returns a function that closes their connections, to be called after the commit. It also closes those of sessions that had ended within
   *   the lifetime of a token: who ended them may have failed before it closed them
   */
  async endAll(tx: Executor, which: SQL | undefined, origin: RequestOrigin): Promise<() => void> {
    const { id, endedAt } = sessions;
    const recently = new Date(Date.now() - tokenLifetimeSeconds * 1_000);
    const found = await tx
      .select({ id, endedAt })
      .from(sessions)
      .where(and(which, or(isNull(endedAt), gt(endedAt, recently))));
    for (const session of found) if (!session.endedAt) await this.#end(tx, session.id, origin);
    return () => found.forEach((session) => this.#deps.onEnded(session.id));
  }

  /** The ids of the sessions that ended between these times. */
  async endedBetween(from: Date, to: Date): Promise<string[]> {
    const { id, endedAt } = sessions;
    const rows = await this.#deps.db
      .select({ id })
      .from(sessions)
      .where(between(endedAt, from, to));
    return rows.map((session) => session.id);
  }

  async endByRefreshToken(refreshToken: string, origin: RequestOrigin): Promise<void> {
    const { session } = await this.#findRefreshToken(this.#deps.db, refreshToken);
    await this.end(session.id, origin);
  }

  /** @throws ParleyError AUTHENTICATION_REQUIRED if the token is invalid or expired, or its session has ended */
  async verify(token: string): Promise<Identity> {
    const parsed = this.#parse(token);
    const [session] = await this.#read([parsed.sid]);
    return toIdentity(parsed, session);
  }

  /** Like verify(), but for many connections at once: calls that arrive while a query is running are batched into the next one. */
  async verifyTogether(token: string): Promise<Identity> {
    const parsed = this.#parse(token);
    return toIdentity(parsed, await this.#readings.run(parsed.sid));
  }

  /** Reads the sessions with these ids. Ids without a session are left out. */
  #read(ids: string[]): Promise<ReadSession[]> {
    const { id, endedAt, network } = sessions;
    return this.#deps.db.select({ id, endedAt, network }).from(sessions).where(isOneOf(sessions.id, ids));
  }

  /** Returns the ids of the sessions that have not ended and can still be refreshed. */
  async living(sessionIds: string[]): Promise<Set<string>> {
    const { db } = this.#deps;
    const canBeRefreshed = exists(
      db
        .select()
        .from(refreshTokens)
        .where(and(eq(refreshTokens.sessionId, sessions.id), gt(refreshTokens.expiresAt, sql`now()`))),
    );
    const rows = await db
      .select({ id: sessions.id })
      .from(sessions)
      .where(and(inArray(sessions.id, sessionIds), isNull(sessions.endedAt), canBeRefreshed));
    return new Set(rows.map(({ id }) => id));
  }

  #parse(token: string): z.infer<typeof claims> {
    try {
      return claims.parse(
        verifyJwt(this.#tokenKeys, token, {
          algorithms: [algorithm],
          issuer,
          audience: ['app', 'dashboard'],
        }),
      );
    } catch (cause) {
      if (cause instanceof jwt.TokenExpiredError) {
        throw new ParleyError('AUTHENTICATION_REQUIRED', 'The token has expired. Refresh the session.', {
          reason: 'token_expired',
          cause,
        });
      }
      throw unauthenticated('The token is not valid. Sign in again.', cause);
    }
  }

  /** Starts a session. The caller has verified the identity. */
  async begin(tx: Executor, values: NewSession, origin: RequestOrigin): Promise<WireAnySession> {
    const row = {
      identityId: null,
      walletEvidence: null,
      ...values,
      id: newId('ses'),
      createdAt: new Date(),
      endedAt: null,
    };
    await refuseBlocked(tx, row.accountId);
    await mustNotBeErased(tx, row.accountId);
    await tx.insert(sessions).values(row);
    await this.#deps.hooks.created(tx, row, origin);
    await removeExpired(tx);
    return this.#issue(tx, row);
  }

  async #issue(executor: Executor, row: SessionRow): Promise<WireAnySession> {
    const now = Date.now();
    const refreshToken = `rt_${randomBase62(43)}`;
    await executor.insert(refreshTokens).values({
      hash: this.#hash(refreshToken),
      sessionId: row.id,
      expiresAt: new Date(now + refreshLifetimeMs),
    });
    const exp = Math.floor(now / 1_000) + tokenLifetimeSeconds;
    const { id: sid, accountId: acc, audience: aud } = row;
    const payload = { sub: row.wallet ?? acc, sid, acc, aud, iss: issuer, exp };
    return {
      token: jwt.sign(payload, keyObjectOf(this.#tokenKeys()[0]), { algorithm }),
      refreshToken,
      walletAddress: row.wallet && onChain(row.wallet).address,
      walletId: row.wallet,
      network: row.network,
      chainId: row.chainId,
      createdAt: toIso(row.createdAt),
      expiresAt: toIso(new Date(exp * 1_000)),
    };
  }

  /** Ends a session. @returns false if it had already ended */
  async #end(tx: Executor, sessionId: string, origin: RequestOrigin): Promise<boolean> {
    const running = and(eq(sessions.id, sessionId), isNull(sessions.endedAt));
    const [ended] = await tx.update(sessions).set({ endedAt: new Date() }).where(running).returning();
    if (ended) await this.#deps.hooks.ended(tx, ended, origin);
    return ended !== undefined;
  }

  async #findRefreshToken(executor: Executor, refreshToken: string) {
    const [found] = await executor
      .select({ token: refreshTokens, session: sessions })
      .from(refreshTokens)
      .innerJoin(sessions, eq(sessions.id, refreshTokens.sessionId))
      .where(eq(refreshTokens.hash, this.#hash(refreshToken)));
    if (!found) throw unauthenticated('This refresh token is unknown. Sign in again.');
    const { token, session } = found;
    if (session.endedAt) throw unauthenticated('The session has ended. Sign in again.');
    if (token.expiresAt.getTime() < Date.now())
      throw unauthenticated('The refresh token has expired. Sign in again.');
    return { token, session };
  }

  #hash(refreshToken: string): string {
    return createHmac('sha256', this.#refreshKey).update(refreshToken).digest('hex');
  }
}

/** @throws ParleyError AUTHENTICATION_REQUIRED if the session has ended */
function toIdentity(
  { sub: wallet, sid: sessionId, acc: accountId, aud: audience, exp }: z.infer<typeof claims>,
  session: ReadSession | undefined,
): Identity {
  if (!session || session.endedAt) throw unauthenticated('The session has ended. Sign in again.');
  const { network } = session;
  return { sessionId, accountId, wallet, audience, network, expiresAt: new Date(exp * 1_000) };
}

/**
 * Whether a refresh token can no longer be exchanged: it was used, and either too long ago, or its successor has arrived, which only its use
 * shows.
 */
async function isSpent(executor: Executor, { usedAt, successor }: RefreshTokenRow): Promise<boolean> {
  if (!usedAt) return false;
  if (!successor || Date.now() - usedAt.getTime() > repeatMs) return true;
  const [next] = await executor
    .select({ usedAt: refreshTokens.usedAt })
    .from(refreshTokens)
    .where(eq(refreshTokens.hash, successor));
  return !next || next.usedAt !== null;
}

/**
 * The reason why a session cannot be refreshed; null if it can. A session of an outside identity was not opened by a wallet's signature, so
 * there is nothing to check.
 */
async function refusalOf(session: SessionRow, chains: Chains): Promise<string | null> {
  const { identityId, wallet, walletEvidence: evidence } = session;
  if (identityId !== null || wallet === null) return null;
  if (!evidence) return 'This session is older than an update of the server. Sign in again.';
  if (await stillHolds({ wallet, evidence }, chains)) return null;
  return 'The wallet no longer accepts the signature that opened this session. Sign in again.';
}

/** The wallet of an account, which is neither linked nor unlinked until the transaction ends. */
async function lockedWallet(tx: Executor, accountId: string): Promise<Address | null> {
  const { id, wallet } = accounts;
  const [account] = await tx.select({ wallet }).from(accounts).where(eq(id, accountId)).for('update');
  return account?.wallet ?? null;
}

/** Adds the wallet to the session, if it was linked to the account after the session started. */
async function withWallet(tx: Executor, session: SessionRow, wallet: Address | null): Promise<SessionRow> {
  if (session.wallet || !wallet) return session;
  await tx.update(sessions).set({ wallet }).where(eq(sessions.id, session.id));
  return { ...session, wallet };
}

function unauthenticated(message: string, cause?: unknown): ParleyError {
  return new ParleyError('AUTHENTICATION_REQUIRED', message, { cause });
}
