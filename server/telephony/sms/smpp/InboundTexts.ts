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
/**
 * How long parts of incomplete texts are kept. After this time the missing parts will not arrive, and the carrier may use the reference for
 * another text.
 */
const partsKept = sql`now() - interval '1 day'`;
/** The maximum number of stored parts, so that a flood of incomplete texts cannot fill the database. */
const maxParts = 100_000;
/**
 * How far back the search for a repeated text goes. An SMSC that lost its connection delivers unacknowledged texts again within this time.
 */
const comesAgainWithin = sql`now() - interval '10 minutes'`;

interface InboundTextsDeps {
  db: Database;
  /** Must not have started yet, because a handler is registered here. */
  jobs: ScheduledJobs;
  log: Logger;
}

type Part = Delivery & { text: string; concatenation: Concatenation };

/** Gives inbound texts a reference, and joins texts whose parts arrive separately, in any order and up to a day apart. */
export class InboundTexts {
  readonly #deps: InboundTextsDeps;

  constructor(deps: InboundTextsDeps) {
    this.#deps = deps;
    deps.jobs.on(sweepJob, () => this.#sweep());
  }

  async start(): Promise<void> {
    await this.#deps.jobs.set(this.#deps.db, sweepJob, 'all', new Date());
  }

  /**
   * Resolves when the text is stored and, if it is complete, reported.
   * @returns the reference of the delivery, to pass to confirm() once the SMSC has read the acknowledgement
   */
  async receive(
    delivery: Delivery & { text: string },
    connection: string,
    report: (text: InboundText) => Promise<void>,
  ): Promise<string> {
    const { db } = this.#deps;
    const { from, to, text, concatenation } = delivery;
    const message = { from, to, mediaUrls: [], receivedAt: new Date() };
    if (!concatenation) {
      const { reference } = await db.transaction((tx) => this.#referenceOf(tx, delivery, connection));
      await report({ ...message, reference, text });
      return reference;
    }
    const { reference, complete } = await this.#add({ ...delivery, concatenation }, connection);
    if (complete) {
      const { textId } = complete;
      await report({ ...message, reference: textId, text: complete.text });
      // The parts are deleted only after the report. If a part is delivered again before that, the text is complete again and is reported
      // again, with the same reference.
      await db.delete(smppInboundParts).where(eq(smppInboundParts.textId, textId));
    }
    return reference;
  }

  /**
   * Called when the SMSC will certainly not deliver these texts again. If the same text arrives later, it is a new one, even over the
   * connection of another node.
   */
  async confirm(references: string[]): Promise<void> {
    if (references.length > 0)
      await this.#deps.db.delete(smppInboundTexts).where(inArray(smppInboundTexts.id, references));
  }

  /**
   * Returns the reference of a text or part. If the same one has recently arrived over another connection, the SMSC may not have read the
   * acknowledgement. It is then taken for the same one and gets the same reference. Each earlier one is matched only once.
   */
  async #referenceOf(
    tx: Executor,
    { from, to, text, concatenation }: Delivery,
    connection: string,
  ): Promise<{ reference: string; isRepeated: boolean }> {
    const place = concatenation && [concatenation.reference, concatenation.total, concatenation.part];
    const digest = createHash('sha256')
      .update(JSON.stringify([from, to, text, ...(place ?? [])]))
      .digest('base64');
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
    return { reference: id, isRepeated: again !== undefined };
  }

  /** Stores a part. @returns its reference, and the whole text if no part is missing */
  async #add(
    part: Part,
    connection: string,
  ): Promise<{ reference: string; complete: { textId: string; text: string } | null }> {
    const { total } = part.concatenation;
    return this.#deps.db.transaction(async (tx) => {
      const { reference, isRepeated } = await this.#referenceOf(tx, part, connection);
      const parts = await this.#partsWith(tx, part, isRepeated);
      if (parts.length < total) return { reference, complete: null };
      const units = parts.map((each) => Buffer.from(each.units, 'base64'));
      const text = Buffer.concat(units).toString('utf16le');
      return { reference, complete: { textId: parts[0]?.textId ?? '', text } };
    });
  }

  async #partsWith(tx: Executor, { from, to, text, concatenation }: Part, isRepeated: boolean) {
    const { reference, total, part } = concatenation;
    const units = Buffer.from(text, 'utf16le').toString('base64');
    const key = { sender: from, recipient: to, reference, total };
    // The lock makes concurrent parts of a text wait for each other, so that the last one sees all others.
    const lock = JSON.stringify(Object.values(key));
    await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${lock}, 0))`);
    let parts = await tx.select().from(smppInboundParts).where(isOf(key)).orderBy(asc(smppInboundParts.part));
    const same = parts.find((each) => each.part === part);
    if (same?.units === units) return parts;
    // Its text was complete and reported. Stored now, it would become a part of a later text with the same reference.
    if (isRepeated) return [];
    if (same) {
      // This part belongs to another text with the same reference. The rest of the earlier text never arrived.
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
    const gone = await this.#deps.db
      .delete(smppInboundParts)
      .where(lt(smppInboundParts.receivedAt, partsKept))
      .returning({ part: smppInboundParts.part });
    if (gone.length > 0) this.#deps.log.warn({ parts: gone.length }, 'parts of incomplete texts deleted');
    await this.#deps.db.execute(sql`
      DELETE FROM smpp_inbound_parts WHERE ctid IN (
        SELECT ctid FROM smpp_inbound_parts ORDER BY received_at DESC OFFSET ${maxParts})`);
    await this.#deps.db.delete(smppInboundTexts).where(lt(smppInboundTexts.receivedAt, comesAgainWithin));
    await this.#deps.jobs.set(this.#deps.db, sweepJob, 'all', new Date(Date.now() + sweepMs));
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
