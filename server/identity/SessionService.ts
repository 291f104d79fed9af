import { createHmac } from 'node:crypto';
import { and, eq, isNull } from 'drizzle-orm';
import jwt from 'jsonwebtoken';
import type { Logger } from 'pino';
import type { Hex } from 'viem';
import { z } from 'zod';
import { toIso, walletAddress, type Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { newId, randomBase62 } from '../../sdk/protocol/ids.ts';
import type { WireSession } from '../../sdk/protocol/session.ts';
import type { Executor } from '../../signaling/Executor.ts';
import { accountOf } from '../account/accountOf.ts';
import type { Database } from '../database.ts';
import type { Chains } from '../chains.ts';
import type { RequestOrigin } from '../http/Principal.ts';
import type { Origins } from '../origins.ts';
import type { Secrets } from '../secrets.ts';
import { Nonces } from './Nonces.ts';
import { removeExpired } from './removeExpired.ts';
import { checkSignature } from './signature.ts';
import { checkSiweMessage } from './siweMessage.ts';
import { refreshTokens, sessions, type Audience, type SessionRow } from './tables.ts';

interface SignIn {
  walletAddress: Address;
  signature: Hex;
  message: string;
  audience: Audience;
}

/** Who a bearer of one of our tokens is. */
export interface Identity {
  sessionId: string;
  accountId: string;
  wallet: Address;
  audience: Audience;
  expiresAt: Date;
}

/** What a session's beginning and end bring with them, in the same transaction. */
export interface SessionHooks {
  created(tx: Executor, session: SessionRow, isNewAccount: boolean, origin: RequestOrigin): Promise<void>;
  ended(tx: Executor, session: SessionRow, origin: RequestOrigin): Promise<void>;
}

interface SessionDeps {
  db: Database;
  secrets: Secrets;
  origins: Origins;
  chains: Chains;
  hooks: SessionHooks;
  log: Logger;
  /** Called once a session has ended: its connections are to be closed. */
  onEnded: (sessionId: string) => void;
}

const issuer = 'parley';
const algorithm = 'HS256';
const tokenLifetimeSeconds = 60 * 60;
const refreshLifetimeMs = 30 * 24 * 60 * 60_000;

const claims = z.object({
  sub: walletAddress,
  sid: z.string(),
  acc: z.string(),
  aud: z.enum(['app', 'dashboard']),
  exp: z.number(),
});

/** The embedded identity provider: a wallet's signature for a session, a session's token for an identity. */
export class SessionService {
  readonly #deps: SessionDeps;
  readonly #tokenKey: Buffer;
  readonly #refreshKey: Buffer;
  readonly #nonces: Nonces;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    this.#tokenKey = deps.secrets.derive('session tokens');
    this.#refreshKey = deps.secrets.derive('refresh tokens');
    this.#nonces = new Nonces(deps.secrets.derive('nonces'));
  }

  issueNonce(): { nonce: string; expiresAt: string } {
    const { nonce, expiresAt } = this.#nonces.issue();
    return { nonce, expiresAt: toIso(expiresAt) };
  }

  /** Message, then signature, then nonce: only what would be accepted uses the nonce up. */
  async signIn(
    { walletAddress, signature, message, audience }: SignIn,
    origin: RequestOrigin,
  ): Promise<WireSession> {
    const { db, origins, chains, hooks, log } = this.#deps;
    const nonceExpiry = (nonce: string) => this.#nonces.expiryOf(nonce);
    const { nonce, nonceExpiresAt, chainId, network } = checkSiweMessage(message, {
      walletAddress,
      audience,
      origins,
      chains,
      nonceExpiry,
    });
    await checkSignature({ walletAddress, message, signature, chainId }, chains);
    const session = await db.transaction(async (tx) => {
      if (!(await this.#nonces.use(tx, nonce, nonceExpiresAt)))
        throw unauthenticated('The nonce was used before: ask for a new one.');
      const account = await accountOf(tx, walletAddress);
      const row: SessionRow = {
        id: newId('ses'),
        accountId: account.id,
        wallet: walletAddress,
        audience,
        network,
        chainId,
        createdAt: new Date(),
        endedAt: null,
      };
      await tx.insert(sessions).values(row);
      await hooks.created(tx, row, account.isNew, origin);
      await removeExpired(tx);
      return this.#issue(tx, row);
    });
    log.info({ wallet: walletAddress, audience }, 'signed in');
    return session;
  }

  /** Trades a refresh token in. One that was used before is in two hands: the session ends for both. */
  async refresh(refreshToken: string, origin: RequestOrigin): Promise<WireSession> {
    const outcome = await this.#deps.db.transaction(async (tx) => {
      const found = await this.#findRefreshToken(tx, refreshToken);
      if (found.token.usedAt) {
        await this.#end(tx, found.session.id, origin);
        return { reused: found.session.id };
      }
      const unused = and(eq(refreshTokens.hash, found.token.hash), isNull(refreshTokens.usedAt));
      await tx.update(refreshTokens).set({ usedAt: new Date() }).where(unused);
      return { session: await this.#issue(tx, found.session) };
    });
    if (outcome.session) return outcome.session;
    this.#deps.log.warn({ sessionId: outcome.reused }, 'refresh token used twice; session ended');
    this.#deps.onEnded(outcome.reused);
    throw unauthenticated(
      'This refresh token was used before, so its session has been ended: sign in again.',
    );
  }

  /** Ends the session, on every device that holds it. */
  async end(sessionId: string, origin: RequestOrigin): Promise<void> {
    const wasRunning = await this.#deps.db.transaction((tx) => this.#end(tx, sessionId, origin));
    if (wasRunning) this.#deps.log.info({ sessionId }, 'signed out');
    this.#deps.onEnded(sessionId);
  }

  async endByRefreshToken(refreshToken: string, origin: RequestOrigin): Promise<void> {
    const { session } = await this.#findRefreshToken(this.#deps.db, refreshToken);
    await this.end(session.id, origin);
  }

  /** @throws ParleyError AUTHENTICATION_REQUIRED for a token that is not ours, has expired, or whose session has ended */
  async verify(token: string): Promise<Identity> {
    const { sub: wallet, sid: sessionId, acc: accountId, aud: audience, exp } = this.#parse(token);
    const [session] = await this.#deps.db
      .select({ endedAt: sessions.endedAt })
      .from(sessions)
      .where(eq(sessions.id, sessionId));
    if (!session || session.endedAt) throw unauthenticated('The session has ended: sign in again.');
    return { sessionId, accountId, wallet, audience, expiresAt: new Date(exp * 1_000) };
  }

  #parse(token: string): z.infer<typeof claims> {
    try {
      return claims.parse(
        jwt.verify(token, this.#tokenKey, {
          algorithms: [algorithm],
          issuer,
          audience: ['app', 'dashboard'],
        }),
      );
    } catch (cause) {
      if (cause instanceof jwt.TokenExpiredError) {
        throw new ParleyError('AUTHENTICATION_REQUIRED', 'The token has expired: refresh it.', {
          reason: 'token_expired',
          cause,
        });
      }
      throw unauthenticated('The token is not valid: sign in again.', cause);
    }
  }

  async #issue(executor: Executor, row: SessionRow): Promise<WireSession> {
    const now = Date.now();
    const refreshToken = `rt_${randomBase62(43)}`;
    await executor.insert(refreshTokens).values({
      hash: this.#hash(refreshToken),
      sessionId: row.id,
      expiresAt: new Date(now + refreshLifetimeMs),
    });
    const exp = Math.floor(now / 1_000) + tokenLifetimeSeconds;
    const payload = { sub: row.wallet, sid: row.id, acc: row.accountId, aud: row.audience, iss: issuer, exp };
    return {
      token: jwt.sign(payload, this.#tokenKey, { algorithm }),
      refreshToken,
      walletAddress: row.wallet,
      network: row.network,
      chainId: row.chainId,
      createdAt: toIso(row.createdAt),
      expiresAt: toIso(new Date(exp * 1_000)),
    };
  }

  /** @returns whether it was still running */
  async #end(tx: Executor, sessionId: string, origin: RequestOrigin): Promise<boolean> {
    const running = and(eq(sessions.id, sessionId), isNull(sessions.endedAt));
    const [ended] = await tx.update(sessions).set({ endedAt: new Date() }).where(running).returning();
    if (ended) await this.#deps.hooks.ended(tx, ended, origin);
    return ended !== undefined;
  }

  /** Locks the token's row, so that of two uses at the same moment one is the second. */
  async #findRefreshToken(executor: Executor, refreshToken: string) {
    const [found] = await executor
      .select({ token: refreshTokens, session: sessions })
      .from(refreshTokens)
      .innerJoin(sessions, eq(sessions.id, refreshTokens.sessionId))
      .where(eq(refreshTokens.hash, this.#hash(refreshToken)))
      .for('update');
    if (!found) throw unauthenticated('This refresh token is unknown: sign in again.');
    const { token, session } = found;
    if (session.endedAt) throw unauthenticated('The session has ended: sign in again.');
    if (token.expiresAt.getTime() < Date.now())
      throw unauthenticated('The refresh token has expired: sign in again.');
    return { token, session };
  }

  #hash(refreshToken: string): string {
    return createHmac('sha256', this.#refreshKey).update(refreshToken).digest('hex');
  }
}

function unauthenticated(message: string, cause?: unknown): ParleyError {
  return new ParleyError('AUTHENTICATION_REQUIRED', message, { reason: 'invalid_token', cause });
}
