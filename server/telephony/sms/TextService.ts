import { and, desc, eq } from 'drizzle-orm';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import type { UnitOfWork } from '../../http/Route.ts';
import { textRate } from '../../money/prices.ts';
import { addMessage } from '../messaging/addMessage.ts';
import { messages, type MessageRow } from '../messaging/tables.ts';
import { notOwned } from '../numbers/NumberService.ts';
import { phoneNumbers, type NumberRow } from '../numbers/tables.ts';
import { countryOf, destinationOf, mayBeTexted } from './destinations.ts';
import { hasOptedOut, poolSender } from './optOuts.ts';
import type { Pool } from './Pool.ts';
import type { TextQueue } from './TextQueue.ts';
import { badField } from '../../http/refusals.ts';

/**
 * The sender of a text: an account, or an x402 payer who pays only for this text. For a verification code, `payer` is null and `paymentId`
 * is the id of the verification.
 */
export type Sender = { accountId: string } | { payer: string | null; paymentId: string };

export interface OutboundText {
  to: string;
  message: string;
  mediaUrls?: string[] | undefined;
}

/**
 * The number to send from. `pool`: one that the pool chooses. `codes`: any pool number, for codes, which need no replies. `own`: this
 * number of the account; with null, the only number the account has. `any`: this number, which belongs to the pool or to the account.
 */
export type From = 'pool' | 'codes' | { own: string | null } | { any: string };

interface TextServiceDeps {
  pool: Pool;
  queue: TextQueue;
  carrier: { name: string; sendsMedia: boolean };
  /** Countries that may be texted; `*` for all. */
  countries: readonly string[];
  /** The setting SMS_PRICES. */
  prices: Record<string, number>;
}

/** Checks outbound texts, chooses the number they are sent from, and queues them. */
export class TextService {
  readonly #deps: TextServiceDeps;

  constructor(deps: TextServiceDeps) {
    this.#deps = deps;
  }

  /** Credits per segment. */
  rate = ({ to }: { to: string }): number => textRate(countryOf(to), this.#deps.prices);

  /** Whether texts can be sent to this destination, and at what price. */
  destination(text: { to: string }): {
    country: string | null;
    supported: boolean;
    creditsPerSegment: number;
  } {
    const country = countryOf(text.to);
    return {
      country,
      supported: mayBeTexted(text.to, this.#deps.countries),
      creditsPerSegment: this.rate(text),
    };
  }

  /**
   * Checks a text that belongs to no account: that of an x402 payer, or a code. Called before anything is paid.
   * @throws ParleyError unsupported_destination, recipient_opted_out, no_pool_number, or VALIDATION_ERROR for media that the carrier does
   *   not take
   */
  async check(executor: Executor, from: 'pool' | 'codes', text: OutboundText): Promise<void> {
    this.#checkDestination(text);
    await this.#numberFor(executor, null, from, text.to, false);
  }

  /**
   * Queues a text. It is submitted after the commit.
   * @param isSecret whether the text contains a code; such a text appears in no list, and is erased once it is sent
   * @throws the errors of check(), and from_required, number_not_active or NOT_FOUND
   */
  async queue(
    { tx, pay, afterCommit }: UnitOfWork,
    sender: Sender,
    from: From,
    text: OutboundText,
    isSecret = false,
  ): Promise<MessageRow> {
    const { queue, carrier } = this.#deps;
    this.#checkDestination(text);
    const accountId = 'accountId' in sender ? sender.accountId : null;
    const { number, numberId } = await this.#numberFor(tx, accountId, from, text.to, true);
    const payment = 'payer' in sender ? sender : null;
    const charge = await pay();
    const row = await addMessage(tx, {
      accountId,
      payer: payment?.payer ?? null,
      paymentId: payment?.paymentId ?? null,
      direction: 'outbound',
      number,
      numberId,
      counterparty: text.to,
      text: text.message,
      isSecret,
      media: text.mediaUrls ?? [],
      credits: charge?.credits ?? 0,
      reservationId: charge?.reservationId ?? null,
      carrier: carrier.name,
    });
    if (!row) return paidBefore(tx, payment?.paymentId ?? '');
    await queue.add(tx, row.id);
    afterCommit(() => queue.flush(row.id, isSecret));
    return row;
  }

  #checkDestination({ to, mediaUrls }: OutboundText): void {
    const { countries, carrier } = this.#deps;
    if (!mayBeTexted(to, countries)) {
      const { country, e164 = to } = destinationOf(to) ?? {};
      const message = !country
        ? 'This phone number belongs to no country. Check its country code.'
        : e164 === to
          ? `This server sends no texts to ${country}. GET /sms/rate shows whether a destination is supported.`
          : `This phone number is not in E.164. Write it as ${e164}.`;
      throw new ParleyError('VALIDATION_ERROR', message, { reason: 'unsupported_destination' });
    }
    if (mediaUrls?.length && !carrier.sendsMedia) {
      const message = 'the carrier of this server sends no media; leave mediaUrls out';
      throw badField('mediaUrls', 'media_not_supported', message);
    }
  }

  async #numberFor(
    executor: Executor,
    accountId: string | null,
    from: From,
    to: string,
    isTaken: boolean,
  ): Promise<{ number: string; numberId: string | null }> {
    const { pool } = this.#deps;
    const asked = typeof from === 'string' ? null : 'any' in from ? from.any : from.own;
    const named = typeof from !== 'string' && 'any' in from && pool.has(from.any) ? from.any : null;
    const isFromPool = typeof from === 'string' || named !== null || accountId === null;
    const own = isFromPool ? null : await ownNumber(executor, accountId, asked);
    if (await hasOptedOut(executor, own?.phoneNumber ?? poolSender, to)) {
      const message =
        'The recipient has opted out of messages from this number (STOP). They can opt in again by texting START.';
      throw new ParleyError('VALIDATION_ERROR', message, { reason: 'recipient_opted_out' });
    }
    if (own) return { number: own.phoneNumber, numberId: own.id };
    if (from === 'codes') return { number: pool.any(to), numberId: null };
    const choice = isTaken
      ? pool.take(executor, accountId, to, named)
      : pool.choose(executor, accountId, to, named);
    return { number: await choice, numberId: null };
  }
}

async function ownNumber(executor: Executor, accountId: string, from: string | null): Promise<NumberRow> {
  if (from === null) return onlyNumber(executor, accountId);
  const [row] = await executor
    .select()
    .from(phoneNumbers)
    .where(and(eq(phoneNumbers.accountId, accountId), eq(phoneNumbers.phoneNumber, from)))
    .orderBy(desc(phoneNumbers.seq))
    .limit(1);
  if (!row) throw notOwned();
  if (row.status === 'active') return row;
  const message = `This number is ${row.status}. Only active numbers can send.`;
  throw new ParleyError('CONFLICT', message, { reason: 'number_not_active' });
}

async function onlyNumber(executor: Executor, accountId: string): Promise<NumberRow> {
  const rows = await executor
    .select()
    .from(phoneNumbers)
    .where(and(eq(phoneNumbers.accountId, accountId), eq(phoneNumbers.status, 'active')))
    .limit(2);
  const [only] = rows;
  if (only && rows.length === 1) return only;
  const message = only
    ? 'the account has several active numbers: set from to one of them'
    : 'the account has no active number: buy one, or send from the pool with /sms/send';
  throw badField('from', 'from_required', message, 'from_required');
}

/** Finds the text that the payment has already paid for. Called if a process of an older release sent the text but stored no answer. */
async function paidBefore(executor: Executor, paymentId: string): Promise<MessageRow> {
  const [row] = await executor.select().from(messages).where(eq(messages.paymentId, paymentId));
  if (!row) throw new Error('a text was neither inserted nor found');
  return row;
}
