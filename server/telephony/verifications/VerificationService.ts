import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import { and, desc, eq, gt, inArray, isNull, lt, ne, not, sql, type SQL } from 'drizzle-orm';
import type { z } from 'zod';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import { toIso } from '../../../sdk/protocol/common.ts';
import { newId } from '../../../sdk/protocol/ids.ts';
import {
  verificationAttempts,
  type checkVerification,
  type startVerification,
  type WireCheckedVerification,
  type WireStartedVerification,
} from '../../../sdk/protocol/verifications.ts';
import { inMs, msUntil } from '../../../platform/database/columns.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { UnitOfWork } from '../../http/Route.ts';
import { messages } from '../messaging/tables.ts';
import type { TextService } from '../sms/TextService.ts';
import { codeText } from './codeText.ts';
import { verifications, type VerificationStatus } from './tables.ts';
import { badField, noSuch } from '../../http/refusals.ts';
import type { Keys } from '../../../platform/keys.ts';

interface VerificationDeps {
  db: Database;
  texts: Pick<TextService, 'check' | 'queue'>;
  /** The HMAC keys of the stored codes. */
  keys: Keys;
}

type StartRequest = z.output<typeof startVerification>;
type CheckRequest = z.output<typeof checkVerification>;

const lifetimeMs = 10 * 60_000;
/** The maximum number of codes from one account to one number within a code's lifetime. */
const sendsPerAccount = 5;
/**
 * The maximum number of codes from all accounts to one number within a code's lifetime. Accounts with which the number's owner has already
 * completed a verification are exempt, so strangers cannot use up these accounts' share.
 */
const sendsPerNumber = 15;
const dayMs = 24 * 60 * 60_000;
/**
 * The maximum number of wrong guesses per day, for all codes from one account to one number. Without this limit, five guesses for each of
 * many codes would eventually find a four-digit code: 25 guesses in ten minutes with a probability of 1 in 400, 3,600 guesses a day with 1
 * in 3. With 50 guesses a day, the probability is 1 in 200.
 */
const guessesPerDay = 50;
/** How long rows are kept. Each new code deletes a few old ones. */
const keptDays = 30;
const cleanUpBatch = 20;

/**
 * Sends and checks verification codes for phone numbers. Codes are sent as texts from the pool. These texts belong to no account, so no
 * inbox and no webhook shows them. The database enforces the limits for codes and guesses. A guess is counted before
 * the code is compared, so parallel connections get no extra guesses.
 */
export class VerificationService {
  readonly #deps: VerificationDeps;

  constructor(deps: VerificationDeps) {
    this.#deps = deps;
  }

  /**
   * Checks the request of an x402 payer, before anything is paid.
   * @throws the errors of start()
   */
  async checkStart({ to, channel }: Pick<StartRequest, 'to' | 'channel'>, executor: Executor): Promise<void> {
    if (channel === 'call') throw noCalls();
    await this.#deps.texts.check(executor, 'codes', { to, message: '' });
    await checkSendSlot(executor, to, null);
  }

  /**
   * Sends a code, which replaces earlier codes to the same number.
   * @throws ParleyError too_many_verifications, unsupported_destination, recipient_opted_out or no_pool_number
   */
  async start(
    { to, channel, codeLength, locale }: StartRequest,
    accountId: string | null,
    unit: UnitOfWork,
  ): Promise<WireStartedVerification> {
    const { tx, pay } = unit;
    if (channel === 'call') throw noCalls();
    const id = newId('vrf');
    const code = String(randomInt(10 ** codeLength)).padStart(codeLength, '0');
    await lockSendSlots(tx, to);
    await checkSendSlot(tx, to, accountId);
    const text = { to, message: codeText(code, locale) };
    await this.#deps.texts.queue(unit, { payer: null, paymentId: id }, 'codes', text, true);
    const charge = await pay();
    await tx
      .update(verifications)
      .set({ status: 'replaced' })
      .where(and(eq(verifications.to, to), ownedBy(accountId), isOpen()));
    const values = {
      id,
      accountId,
      to,
      channel,
      createdAt: inMs(0),
      expiresAt: inMs(lifetimeMs),
      status: 'pending' as const,
      chargeId: charge?.id ?? null,
      codeHash: hashOf(this.#deps.keys()[0], id, code),
    };
    const [stored] = await tx.insert(verifications).values(values).returning();
    if (!stored) throw new Error('the insert of a verification returned no row');
    return {
      id,
      to,
      channel,
      status: 'pending',
      expiresAt: toIso(stored.expiresAt),
      attemptsRemaining: verificationAttempts,
      credits: charge?.credits ?? 0,
      balance: charge?.balance ?? null,
    };
  }

  /** @throws ParleyError NOT_FOUND for an unknown, expired or used code, or too_many_verifications after five guesses or the daily limit */
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
    const isRight = this.#deps
      .keys()
      .some((key) => timingSafeEqual(hashOf(key, id, body.code), taken.codeHash));
    if (!isRight) return { id, status: 'pending', valid: false, attemptsRemaining };
    // If two concurrent checks have the right code, only one is approved.
    const [approved] = await db
      .update(verifications)
      .set({ status: 'approved' })
      .where(and(eq(verifications.id, id), inArray(verifications.status, unchecked)))
      .returning({ id: verifications.id });
    if (!approved) throw notFound(accountId);
    return { id, status: 'approved', valid: true, attemptsRemaining };
  }

  async #latest(to: string, accountId: string | null): Promise<string> {
    // Without an account, knowing the number does not prove that the client started the verification.
    if (accountId === null) throw notFound(accountId);
    const [row] = await this.#deps.db
      .select({ id: verifications.id })
      .from(verifications)
      .where(and(eq(verifications.to, to), ownedBy(accountId), isOpen()))
      .orderBy(desc(verifications.createdAt))
      .limit(1);
    if (!row) throw notFound(accountId);
    return row.id;
  }

  async #whyNot(id: string, accountId: string | null): Promise<ParleyError> {
    const [row] = await this.#deps.db
      .select({ attempts: verifications.attempts, validForMs: msUntil(verifications.expiresAt) })
      .from(verifications)
      .where(and(eq(verifications.id, id), ownedBy(accountId), isOpen()));
    if (!row) return notFound(accountId);
    if (row.attempts < verificationAttempts)
      return tooMany('Too many wrong codes were entered for this number today. Try again tomorrow.', dayMs);
    return tooMany('Too many wrong codes were entered. Start a new verification.', row.validForMs);
  }
}

const hashOf = (key: Buffer, id: string, code: string) =>
  createHmac('sha256', key).update(`${id}/${code}`).digest();

const ownedBy = (accountId: string | null) =>
  accountId === null ? isNull(verifications.accountId) : eq(verifications.accountId, accountId);

/** A process of an older release may be sending a code, or may have died after it sent the code. */
const unchecked: VerificationStatus[] = ['pending', 'sending'];

/** Matches codes that can still be checked. */
const isOpen = () => and(inArray(verifications.status, unchecked), gt(verifications.expiresAt, sql`now()`));

const mayBeGuessed = () => sql`(
  SELECT coalesce(sum(other.attempts), 0) FROM verifications other
  WHERE other."to" = verifications."to" AND other.account_id IS NOT DISTINCT FROM verifications.account_id
    AND other.status <> 'approved' AND other.created_at > now() - interval '1 day') < ${guessesPerDay}`;

/** Makes transactions that send codes to the same number run one after the other. Also deletes some old rows. */
async function lockSendSlots(tx: Executor, to: string): Promise<void> {
  await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtext(${`verification ${to}`}))`);
  await tx.execute(sql`
    DELETE FROM verifications WHERE ctid IN (
      SELECT ctid FROM verifications WHERE expires_at < now() - make_interval(days => ${keptDays})
      ORDER BY expires_at LIMIT ${cleanUpBatch} FOR UPDATE SKIP LOCKED)`);
}

/** Matches codes that the carrier certainly did not send. Their price was refunded, and nobody got a text. */
const wasRefused = sql`EXISTS (
  SELECT FROM ${messages} WHERE ${messages.paymentId} = ${verifications.id} AND ${messages.status} = 'failed'
    AND ${messages.sentAt} IS NULL AND ${messages.errorCode} <> 'unknown_outcome')`;

/** @throws ParleyError too_many_verifications */
async function checkSendSlot(executor: Executor, to: string, accountId: string | null): Promise<void> {
  const oldestOf = async (most: number, whose?: SQL) => {
    const since = sql`now() - make_interval(secs => ${lifetimeMs / 1_000})`;
    const sent = and(eq(verifications.to, to), ne(verifications.status, 'failed'), not(wasRefused), whose);
    const [row] = await executor
      .select({ untilCreatedMs: msUntil(verifications.createdAt) })
      .from(verifications)
      .where(and(sent, gt(verifications.createdAt, since)))
      .orderBy(desc(verifications.createdAt))
      .limit(1)
      .offset(most - 1);
    return row && row.untilCreatedMs + lifetimeMs;
  };
  const waitMs =
    (await oldestOf(sendsPerAccount, ownedBy(accountId))) ??
    ((await isKnown(executor, to, accountId)) ? undefined : await oldestOf(sendsPerNumber));
  if (waitMs === undefined) return;
  throw tooMany('Too many codes were sent to this number. Try again later.', waitMs);
}

/** Whether the number's owner has ever completed a verification with this account. */
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

const notFound = (accountId: string | null) =>
  noSuch(
    'verification',
    accountId === null
      ? 'Without a credential, only a verification that was paid for by x402 is found, by the id from POST /verifications/start. It may also have ended.'
      : 'This verification does not exist or has ended. Start a new one with POST /verifications/start.',
  );

const noCalls = () => badField('channel', 'channel_not_available', 'this server cannot make calls; use sms');
