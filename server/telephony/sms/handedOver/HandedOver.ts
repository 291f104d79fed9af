import { and, asc, desc, eq, gt, inArray, isNull, lt, sql } from 'drizzle-orm';
import type { ScheduledJobs } from '../../../../platform/jobs/ScheduledJobs.ts';
import type { Database } from '../../../../platform/database/database.ts';
import type { Submission, SubmissionOutcome } from '../Carrier.ts';
import { CarrierError } from '../CarrierError.ts';
import { handedParts, type HandedPart } from './tables.ts';

/** Longer than any carrier goes on trying to deliver, and than any receipt is late. */
const keptDays = 8;
const sweepMs = 60 * 60_000;

interface HandedOverDeps {
  db: Database;
  /** Not started yet: a handler is registered here. */
  jobs: ScheduledJobs;
  /** The carrier's name. */
  carrier: string;
}

/**
 * What a carrier that can't be asked by our own id was being given: a row is written before the carrier is, and has its reference
 * once that answers. So after a crash it is known what was never handed over, and what was accepted; unknown is only what waited
 * for its answer.
 */
export class HandedOver {
  readonly #db: Database;
  readonly #jobs: ScheduledJobs;
  readonly #carrier: string;

  constructor({ db, jobs, carrier }: HandedOverDeps) {
    this.#db = db;
    this.#jobs = jobs;
    this.#carrier = carrier;
    jobs.on(this.#sweepJob, () => this.#sweep());
  }

  async start(): Promise<void> {
    await this.#jobs.set(this.#db, this.#sweepJob, 'all', new Date());
  }

  /** Before the carrier is given it. @throws CarrierError unknown, where it was given it before and nobody knows the answer */
  async begin(
    { id, to }: Submission,
    { part, total, mark }: Pick<HandedPart, 'part' | 'total' | 'mark'>,
  ): Promise<void> {
    const [begun] = await this.#db
      .insert(handedParts)
      .values({ carrier: this.#carrier, submissionId: id, part, total, recipient: to, mark })
      .onConflictDoNothing()
      .returning({ part: handedParts.part });
    if (!begun)
      throw new CarrierError('unknown', 'unknown_outcome', 'The carrier was given this text before.');
  }

  async accepted(submissionId: string, part: number, reference: string): Promise<void> {
    await this.#db.update(handedParts).set({ reference }).where(this.#is(submissionId, part));
  }

  /** It was certainly not taken, and may be handed over again. */
  async refused(submissionId: string, part: number): Promise<void> {
    await this.#db.delete(handedParts).where(this.#is(submissionId, part));
  }

  parts(submissionId: string): Promise<HandedPart[]> {
    return this.#db.select().from(handedParts).where(this.#is(submissionId)).orderBy(asc(handedParts.part));
  }

  /** As far as the rows tell. */
  async outcomeOf(submissionId: string): Promise<SubmissionOutcome> {
    const parts = await this.parts(submissionId);
    if (parts.length === 0) return { outcome: 'not_sent' };
    const references = parts.flatMap(({ reference }) => reference ?? []);
    return references.length === parts[0]?.total
      ? { outcome: 'accepted', references }
      : { outcome: 'unknown' };
  }

  /** The latest first: references are used again, some day. */
  async withReference(references: string[]): Promise<HandedPart[]> {
    return this.#db
      .select()
      .from(handedParts)
      .where(and(eq(handedParts.carrier, this.#carrier), inArray(handedParts.reference, references)))
      .orderBy(desc(handedParts.at));
  }

  /** The one part to this recipient with this mark that waits for its answer; null where there are several. */
  async waiting(recipient: string, mark: number): Promise<HandedPart | null> {
    const found = await this.#db
      .select()
      .from(handedParts)
      .where(
        and(
          eq(handedParts.carrier, this.#carrier),
          eq(handedParts.recipient, recipient),
          eq(handedParts.mark, mark),
          isNull(handedParts.reference),
          gt(handedParts.at, sql`now() - interval '2 days'`),
        ),
      );
    return found.length === 1 ? (found[0] ?? null) : null;
  }

  get #sweepJob() {
    return `${this.#carrier}.handed.sweep`;
  }

  async #sweep(): Promise<void> {
    const old = sql`now() - make_interval(days => ${keptDays})`;
    await this.#db
      .delete(handedParts)
      .where(and(eq(handedParts.carrier, this.#carrier), lt(handedParts.at, old)));
    await this.#jobs.set(this.#db, this.#sweepJob, 'all', new Date(Date.now() + sweepMs));
  }

  #is(submissionId: string, part?: number) {
    return and(
      eq(handedParts.carrier, this.#carrier),
      eq(handedParts.submissionId, submissionId),
      part === undefined ? undefined : eq(handedParts.part, part),
    );
  }
}
