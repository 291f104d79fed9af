import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import { and, desc, eq, gt, inArray, isNull, lt, ne, sql, type SQL } from 'drizzle-orm';
import type { z } from 'zod';
import { toIso } from '../../../sdk/protocol/common.ts';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import { newId } from '../../../sdk/protocol/ids.ts';
import {
  verificationAttempts,
  type checkVerification,
  type startVerification,
  type WireCheckedVerification,
  type WireStartedVerification,
} from '../../../sdk/protocol/verifications.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import type { Ledger } from '../../money/account/Ledger.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { Charge } from '../../http/Route.ts';
import type { CodeSender } from './CodeSender.ts';
import { codeText } from './codeText.ts';
import { verifications, type VerificationRow } from './tables.ts';

interface VerificationDeps {
  db: Database;
  ledger: Ledger;
  sender: CodeSender;
  /** What codes are hashed with. */
  key: Buffer;
}

type StartRequest = z.output<typeof startVerification>;
type CheckRequest = z.output<typeof checkVerification>;

const lifetimeMs = 10 * 60_000;
/** Of one account to one number. */
const sendsPerAccount = 5;
/** Of all accounts to one number, but for those its owner has given a code back to: strangers can't use up what those need. */
const sendsPerNumber = 15;
const dayMs = 24 * 60 * 60_000;
/**
 * Guesses in a day at all codes an account sent to a number, but for those that were right. Five at each of many codes would find one
 * of four digits in time: 25 in ten minutes are one in 400, 3,600 a day one in three; 50 a day are one in 200.
 */
const guessesPerDay = 50;
/** Old rows go with later ones, some at a time. */
const keptDays = 30;
const cleanUpBatch = 20;

/**
 * Codes that prove a number. Who may send how many, and how often a code may be guessed, is decided by the database: a guess is
 * taken off before the code is looked at, so that no number of connections gets more of them.
 */
export class VerificationService {
  readonly #deps: VerificationDeps;

  constructor(deps: VerificationDeps) {
    this.#deps = deps;
    deps.ledger.onLost('verifications', async ({ id }) => ((await this.#settle(id)) ? 'capture' : 'release'));
  }

  /** Before anything is paid. @throws what start() would refuse with */
  async checkStart(
    { to, channel }: Pick<StartRequest, 'to' | 'channel'>,
    accountId: string | null,
    executor: Executor,
  ): Promise<void> {
    if (channel === 'call' && !this.#deps.sender.calls) throw noCalls();
    await this.#deps.sender.check(executor, to);
    await checkPlace(executor, { to, accountId, now: new Date() });
  }

  /** @throws ParleyError too_many_verifications; what the sender refuses with */
  async start(
    body: StartRequest,
    accountId: string | null,
    charge: Charge | null,
  ): Promise<WireStartedVerification> {
    const { db, sender } = this.#deps;
    const { to, channel } = body;
    const id = newId('vrf');
    const code = String(randomInt(10 ** body.codeLength)).padStart(body.codeLength, '0');
    const createdAt = new Date();
    const expiresAt = new Date(createdAt.getTime() + lifetimeMs);
    await db.transaction(async (tx) => {
      await takePlace(tx, { to, accountId, now: createdAt });
      await tx.insert(verifications).values({
        ...{ id, accountId, to, channel, createdAt, expiresAt, status: 'sending' },
        chargeId: charge?.id ?? null,
        codeHash: this.#hash(id, code),
      });
    });
    const text = codeText(code, body.locale);
    try {
      await sender.send({ reference: id, accountId, to, text, channel, charge });
    } catch (error) {
      await this.#move(id, 'failed');
      throw error;
    }
    await this.#sent({ id, accountId, to });
    return toStarted({ id, to, channel, expiresAt }, charge);
  }

  /** The answer of start() once more, from the code that the charge paid for. */
  async bought(charge: Charge): Promise<WireStartedVerification | null> {
    const [row] = await this.#deps.db
      .select()
      .from(verifications)
      .where(and(eq(verifications.chargeId, charge.id), ne(verifications.status, 'failed')));
    if (!row) return null;
    // Its process may have died before it said that the code is out.
    await this.#sent(row);
    return toStarted(row, charge);
  }

  /** @throws ParleyError NOT_FOUND for an unknown, expired or used one; too_many_verifications after five guesses */
  async check(body: CheckRequest, accountId: string | null): Promise<WireCheckedVerification> {
    const { db } = this.#deps;
    const id = body.id ?? (await this.#latest(body.to ?? '', accountId));
    const [taken] = await db
      .update(verifications)
      .set({ attempts: sql`${verifications.attempts} + 1` })
      .where(
        and(
          eq(verifications.id, id),
          ownedBy(accountId),
          isOpen(),
          lt(verifications.attempts, verificationAttempts),
          mayBeGuessed(),
        ),
      )
      .returning();
    if (!taken) throw await this.#whyNot(id, accountId);
    const attemptsRemaining = verificationAttempts - taken.attempts;
    const isRight = timingSafeEqual(this.#hash(id, body.code), taken.codeHash);
    if (!isRight) return { id, status: 'pending', valid: false, attemptsRemaining };
    // Of two that come with the right code at once, one is approved.
    if (!(await this.#move(id, 'approved'))) throw notFound();
    return { id, status: 'approved', valid: true, attemptsRemaining };
  }

  /** The process that was sending is gone. @returns whether the code was sent */
  async #settle(chargeId: string): Promise<boolean> {
    const { db, sender } = this.#deps;
    const [row] = await db.select().from(verifications).where(eq(verifications.chargeId, chargeId));
    if (!row || row.status === 'failed') return false;
    if (row.status !== 'sending') return true;
    const wasSent = await sender.wasSent(row.id);
    if (wasSent) await this.#sent(row);
    else await this.#move(row.id, 'failed');
    return wasSent;
  }

  /** From here on it is the code of this number: an earlier one no longer is. */
  async #sent({ id, accountId, to }: Pick<VerificationRow, 'id' | 'accountId' | 'to'>): Promise<void> {
    await this.#deps.db.transaction(async (tx) => {
      const [row] = await tx
        .update(verifications)
        .set({ status: 'pending' })
        .where(and(eq(verifications.id, id), eq(verifications.status, 'sending')))
        .returning({ createdAt: verifications.createdAt });
      if (!row) return;
      const earlier = and(eq(verifications.to, to), ownedBy(accountId), ne(verifications.id, id), isOpen());
      await tx
        .update(verifications)
        .set({ status: 'replaced' })
        .where(and(earlier, lt(verifications.createdAt, row.createdAt)));
    });
  }

  /** @returns false where it is over already */
  async #move(id: string, status: 'approved' | 'failed'): Promise<boolean> {
    const moved = await this.#deps.db
      .update(verifications)
      .set({ status })
      .where(and(eq(verifications.id, id), inArray(verifications.status, ['sending', 'pending'])))
      .returning({ id: verifications.id });
    return moved.length === 1;
  }

  async #latest(to: string, accountId: string | null): Promise<string> {
    // Without an account a number proves nothing about who asks.
    if (accountId === null) throw notFound();
    const [row] = await this.#deps.db
      .select({ id: verifications.id })
      .from(verifications)
      .where(and(eq(verifications.to, to), ownedBy(accountId), isOpen()))
      .orderBy(desc(verifications.createdAt))
      .limit(1);
    if (!row) throw notFound();
    return row.id;
  }

  async #whyNot(id: string, accountId: string | null): Promise<ParleyError> {
    const [row] = await this.#deps.db
      .select()
      .from(verifications)
      .where(and(eq(verifications.id, id), ownedBy(accountId), isOpen()));
    if (!row) return notFound();
    if (row.attempts < verificationAttempts)
      return tooMany('Codes for this number were guessed too often today: try again tomorrow.', dayMs);
    return tooMany('This code was guessed too often: start again.', row.expiresAt.getTime() - Date.now());
  }

  #hash(id: string, code: string): Buffer {
    return createHmac('sha256', this.#deps.key).update(`${id}/${code}`).digest();
  }
}

const toStarted = (
  { id, to, channel, expiresAt }: Pick<VerificationRow, 'id' | 'to' | 'channel' | 'expiresAt'>,
  charge: Charge | null,
): WireStartedVerification => ({
  ...{ id, to, channel, status: 'pending', expiresAt: toIso(expiresAt) },
  attemptsRemaining: verificationAttempts,
  ...{ credits: charge?.credits ?? 0, balance: charge?.balance ?? null },
});

const ownedBy = (accountId: string | null) =>
  accountId === null ? isNull(verifications.accountId) : eq(verifications.accountId, accountId);

/** One whose process died while sending may have arrived: its code is as good as another. */
const isOpen = () =>
  and(inArray(verifications.status, ['sending', 'pending']), gt(verifications.expiresAt, sql`now()`));

const mayBeGuessed = () => sql`(
  SELECT coalesce(sum(other.attempts), 0) FROM verifications other
  WHERE other."to" = verifications."to" AND other.account_id IS NOT DISTINCT FROM verifications.account_id
    AND other.status <> 'approved' AND other.created_at > now() - interval '1 day') < ${guessesPerDay}`;

interface Place {
  to: string;
  accountId: string | null;
  now: Date;
}

/** One of the codes that the account may send to the number in ten minutes. */
async function takePlace(tx: Executor, place: Place): Promise<void> {
  await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtext(${`verification ${place.to}`}))`);
  await tx.execute(sql`
    DELETE FROM verifications WHERE ctid IN (
      SELECT ctid FROM verifications WHERE expires_at < now() - make_interval(days => ${keptDays})
      ORDER BY expires_at LIMIT ${cleanUpBatch} FOR UPDATE SKIP LOCKED)`);
  await checkPlace(tx, place);
}

/** @throws ParleyError too_many_verifications */
async function checkPlace(executor: Executor, { to, accountId, now }: Place): Promise<void> {
  const oldestOf = async (most: number, whose?: SQL) => {
    const since = new Date(now.getTime() - lifetimeMs);
    const sent = and(eq(verifications.to, to), ne(verifications.status, 'failed'), whose);
    const [row] = await executor
      .select({ createdAt: verifications.createdAt })
      .from(verifications)
      .where(and(sent, gt(verifications.createdAt, since)))
      .orderBy(desc(verifications.createdAt))
      .limit(1)
      .offset(most - 1);
    return row?.createdAt;
  };
  const oldest =
    (await oldestOf(sendsPerAccount, ownedBy(accountId))) ??
    ((await isKnown(executor, to, accountId)) ? undefined : await oldestOf(sendsPerNumber));
  if (!oldest) return;
  const waitMs = oldest.getTime() + lifetimeMs - now.getTime();
  throw tooMany('Too many codes were sent to this number.', waitMs);
}

/** Whether the number's owner has given this account a code back. */
async function isKnown(executor: Executor, to: string, accountId: string | null): Promise<boolean> {
  if (accountId === null) return false;
  const approved = and(eq(verifications.status, 'approved'), ownedBy(accountId));
  const [row] = await executor
    .select({ id: verifications.id })
    .from(verifications)
    .where(and(eq(verifications.to, to), approved))
    .limit(1);
  return row !== undefined;
}

const tooMany = (message: string, waitMs: number) =>
  new ParleyError('RATE_LIMIT_EXCEEDED', message, {
    reason: 'too_many_verifications',
    retryAfter: Math.max(1, Math.ceil(waitMs / 1_000)),
  });

const notFound = () =>
  new ParleyError('NOT_FOUND', 'There is no such verification, or it is over.', {
    extra: { resource: 'verification' },
  });

function noCalls(): ParleyError {
  const message = 'this server makes no calls: use sms';
  return new ParleyError('VALIDATION_ERROR', `channel: ${message}`, {
    details: [{ path: 'channel', code: 'channel_not_available', message }],
  });
}
