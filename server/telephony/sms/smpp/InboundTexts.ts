import { createHash, randomUUID } from 'node:crypto';
import { and, asc, eq, gt, inArray, lt, ne, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { ScheduledJobs } from '../../../../platform/jobs/ScheduledJobs.ts';
import type { Executor } from '../../../../platform/database/Executor.ts';
import type { Database } from '../../../../platform/database/database.ts';
import type { InboundText } from '../Carrier.ts';
import type { Concatenation, Delivery } from './delivery.ts';
import { smppInboundParts, smppInboundTexts } from './tables.ts';

const sweepJob = 'smpp.inbound.sweep';
const sweepMs = 10 * 60_000;
/** After that the reference of a text is somebody else's, and what is missing will not come. */
const partsKept = sql`now() - interval '1 day'`;
/** A flood of parts without their others does not fill the database. */
const mostParts = 100_000;
/** When an SMSC that has lost a connection has delivered again what was not acknowledged. */
const comesAgainWithin = sql`now() - interval '10 minutes'`;

interface InboundTextsDeps {
  db: Database;
  /** Not started yet: a handler is registered here. */
  jobs: ScheduledJobs;
  log: Logger;
}

type Part = Delivery & { text: string; concatenation: Concatenation };

/** Gives texts that come in a reference, and puts those together that come in parts, in whatever order and however late. */
export class InboundTexts {
  readonly #db: Database;
  readonly #jobs: ScheduledJobs;
  readonly #log: Logger;

  constructor({ db, jobs, log }: InboundTextsDeps) {
    this.#db = db;
    this.#jobs = jobs;
    this.#log = log;
    jobs.on(sweepJob, () => this.#sweep());
  }

  async start(): Promise<void> {
    await this.#jobs.set(this.#db, sweepJob, 'all', new Date());
  }

  /**
   * Stored, and told where it is complete, when it resolves.
   * @returns what confirm() wants to hear once the SMSC knows; null of a part
   */
  async receive(
    delivery: Delivery & { text: string },
    connection: string,
    tell: (text: InboundText) => Promise<void>,
  ): Promise<string | null> {
    const { from, to, text, concatenation } = delivery;
    const message = { from, to, mediaUrls: [], receivedAt: new Date() };
    if (!concatenation) {
      const reference = await this.#referenceOf(delivery, connection);
      await tell({ ...message, reference, text });
      return reference;
    }
    const part = { ...delivery, concatenation };
    const complete = await this.#add(part);
    if (!complete) return null;
    await tell({ ...message, reference: complete.textId, text: complete.text });
    // Only now: until then every part that comes again completes it again.
    await this.#db.delete(smppInboundParts).where(eq(smppInboundParts.textId, complete.textId));
    return null;
  }

  /** The SMSC will not deliver them again: the same words later are another text, also over another node's connection. */
  async confirm(references: string[]): Promise<void> {
    if (references.length > 0)
      await this.#db.delete(smppInboundTexts).where(inArray(smppInboundTexts.id, references));
  }

  /**
   * A text that was here over another connection lately, which may have ended before the SMSC heard that it was taken, is the same:
   * each of them is found once.
   */
  async #referenceOf({ from, to, text }: Delivery, connection: string): Promise<string> {
    const digest = createHash('sha256')
      .update(JSON.stringify([from, to, text]))
      .digest('base64');
    return this.#db.transaction(async (tx) => {
      const [again] = await tx
        .select({ id: smppInboundTexts.id })
        .from(smppInboundTexts)
        .where(
          and(
            eq(smppInboundTexts.digest, digest),
            ne(smppInboundTexts.connection, connection),
            gt(smppInboundTexts.receivedAt, comesAgainWithin),
          ),
        )
        .orderBy(asc(smppInboundTexts.receivedAt))
        .limit(1)
        .for('update');
      const id = again?.id ?? randomUUID();
      await tx
        .insert(smppInboundTexts)
        .values({ id, digest, connection })
        .onConflictDoUpdate({ target: smppInboundTexts.id, set: { connection } });
      return id;
    });
  }

  /** @returns the text, where this was its last part */
  async #add(part: Part): Promise<{ textId: string; text: string } | null> {
    const { total } = part.concatenation;
    return this.#db.transaction(async (tx) => {
      const parts = await this.#partsWith(tx, part);
      if (parts.length < total) return null;
      const units = parts.map((each) => Buffer.from(each.units, 'base64'));
      return { textId: parts[0]?.textId ?? '', text: Buffer.concat(units).toString('utf16le') };
    });
  }

  async #partsWith(tx: Executor, { from, to, text, concatenation }: Part) {
    const { reference, total, part } = concatenation;
    const units = Buffer.from(text, 'utf16le').toString('base64');
    const key = { sender: from, recipient: to, reference, total };
    // Parts arrive at the same moment: one after the other, so that the last sees all.
    const lock = JSON.stringify(Object.values(key));
    await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${lock}, 0))`);
    let parts = await tx.select().from(smppInboundParts).where(isOf(key)).orderBy(asc(smppInboundParts.part));
    const same = parts.find((each) => each.part === part);
    if (same?.units === units) return parts;
    if (same) {
      // Another text under the same reference: the rest of the first never came.
      await tx.delete(smppInboundParts).where(isOf(key));
      parts = [];
    }
    const textId = parts[0]?.textId ?? randomUUID();
    const [added] = await tx
      .insert(smppInboundParts)
      .values({ ...key, part, textId, units })
      .returning();
    return [...parts, ...(added ? [added] : [])].sort((one, other) => one.part - other.part);
  }

  async #sweep(): Promise<void> {
    const gone = await this.#db
      .delete(smppInboundParts)
      .where(lt(smppInboundParts.receivedAt, partsKept))
      .returning({ part: smppInboundParts.part });
    if (gone.length > 0) this.#log.warn({ parts: gone.length }, 'parts of texts never became whole');
    await this.#db.execute(sql`
      DELETE FROM smpp_inbound_parts WHERE ctid IN (
        SELECT ctid FROM smpp_inbound_parts ORDER BY received_at DESC OFFSET ${mostParts})`);
    await this.#db.delete(smppInboundTexts).where(lt(smppInboundTexts.receivedAt, comesAgainWithin));
    await this.#jobs.set(this.#db, sweepJob, 'all', new Date(Date.now() + sweepMs));
  }
}

interface TextKey {
  sender: string;
  recipient: string;
  reference: number;
  total: number;
}

const isOf = ({ sender, recipient, reference, total }: TextKey) =>
  and(
    eq(smppInboundParts.sender, sender),
    eq(smppInboundParts.recipient, recipient),
    eq(smppInboundParts.reference, reference),
    eq(smppInboundParts.total, total),
  );
