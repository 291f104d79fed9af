import { and, eq, inArray } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Executor } from '../../../platform/database/Executor.ts';
import type { Database } from '../../../platform/database/database.ts';
import { addMessage } from '../messaging/addMessage.ts';
import { toMessage } from '../messaging/toWire.ts';
import { phoneNumbers } from '../numbers/tables.ts';
import type { InboundText } from './Carrier.ts';
import { mayBeTexted } from './destinations.ts';
import { keywordIn, keywordReplies, optIn, optOut, poolSender, type Keyword } from './optOuts.ts';
import type { TelephonyEvents } from './TelephonyEvents.ts';
import type { Pool } from './Pool.ts';
import type { TextQueue } from './TextQueue.ts';

interface InboundDeps {
  db: Database;
  pool: Pool;
  queue: TextQueue;
  events: TelephonyEvents;
  /** The carrier's name. */
  carrier: string;
  /** Countries that may be texted; `*` for all. */
  countries: readonly string[];
  log: Logger;
}

/** The owner of an inbound text. */
interface Owner {
  accountId: string | null;
  numberId: string | null;
}

/**
 * Receives inbound texts. A text to an account's number belongs to that account. A text to a pool number belongs to the account to whose
 * text it replies.
 */
export class Inbound {
  readonly #deps: InboundDeps;

  constructor(deps: InboundDeps) {
    this.#deps = deps;
  }

  /** Resolves when the text is stored. A second text with the same reference is ignored. */
  async receive(inbound: InboundText): Promise<void> {
    const { db, queue, log } = this.#deps;
    const replyId = await db.transaction(async (tx) => {
      const owner = await this.#ownerOf(tx, inbound);
      if (!owner) {
        log.warn({ reference: inbound.reference }, 'inbound text dropped: no account has its number');
        return null;
      }
      return this.#store(tx, inbound, owner);
    });
    if (replyId) queue.flush(replyId);
  }

  /** Stores a text. @returns the id of the automatic reply, if there is one */
  async #store(tx: Executor, inbound: InboundText, owner: Owner): Promise<string | null> {
    const { carrier, countries, events } = this.#deps;
    const { from, to, mediaUrls, reference, answeredKeyword } = inbound;
    // PostgreSQL cannot store these characters. If storing the text failed, the carrier would deliver it again and again.
    const text = inbound.text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '\ufffd');
    const party = { ...owner, number: to, counterparty: from, carrier };
    const row = await addMessage(tx, {
      ...party,
      direction: 'inbound',
      text,
      media: mediaUrls,
      carrierReference: reference,
    });
    if (!row) return null;
    const { accountId, numberId } = owner;
    if (accountId)
      await events.emit(tx, [{ type: 'message.received', accountId, numberId, data: toMessage(row) }]);
    const keyword = answeredKeyword ?? keywordIn(text);
    if (!keyword || !(await applyKeyword(tx, keyword, numberId ? to : poolSender, from))) return null;
    if (answeredKeyword) return null;
    // Otherwise the owner of a premium-rate number could send HELP repeatedly and earn money from the replies.
    if (!mayBeTexted(from, countries)) return null;
    const reply = await addMessage(tx, {
      ...party,
      direction: 'outbound',
      text: keywordReplies[keyword],
      media: [],
    });
    if (reply) await this.#deps.queue.add(tx, reply.id);
    return reply?.id ?? null;
  }

  async #ownerOf(tx: Executor, { from, to }: InboundText): Promise<Owner | null> {
    const [owned] = await tx
      .select({ accountId: phoneNumbers.accountId, numberId: phoneNumbers.id })
      .from(phoneNumbers)
      .where(and(eq(phoneNumbers.phoneNumber, to), inArray(phoneNumbers.status, ['active', 'expired'])));
    if (owned) return owned;
    if (!this.#deps.pool.has(to)) return null;
    return { accountId: await this.#deps.pool.answered(tx, to, from), numberId: null };
  }
}

/** Applies a keyword. @returns whether it gets a reply; a second STOP gets none */
function applyKeyword(tx: Executor, keyword: Keyword, sender: string, recipient: string): Promise<boolean> {
  switch (keyword) {
    case 'stop':
      return optOut(tx, sender, recipient);
    case 'start':
      return optIn(tx, sender, recipient);
    case 'help':
      return Promise.resolve(true);
  }
}
