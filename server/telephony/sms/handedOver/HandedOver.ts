import { and, asc, desc, eq, gt, inArray, isNull, lt, sql } from 'drizzle-orm';
import type { ScheduledJobs } from '../../../../platform/jobs/ScheduledJobs.ts';
import type { Database } from '../../../../platform/database/database.ts';
import type { Submission, SubmissionOutcome } from '../Carrier.ts';
import { CarrierError } from '../CarrierError.ts';
import { handedParts, type HandedPart } from './tables.ts';

/** How long rows are kept. This is longer than any carrier keeps trying to deliver a text, and longer than any receipt is delayed. */
const keptDays = 8;
const sweepMs = 60 * 60_000;

interface HandedOverDeps {
  db: Database;
  /** Must not have started yet, because a handler is registered here. */
  jobs: ScheduledJobs;
  /** The carrier's name. */
  carrier: string;
}

/**
 * Remembers what was submitted to a carrier that cannot be queried by our own ids. A row is stored before the carrier gets a part, and the
 * carrier's reference is added once it has answered. So after a crash it is known which parts were never submitted and which were accepted.
 * Only the outcome of parts that were waiting for an answer is unknown.
 */
export class HandedOver {
  readonly #deps: HandedOverDeps;

  constructor(deps: HandedOverDeps) {
    this.#deps = deps;
    deps.jobs.on(this.#sweepJob, () => this.#sweep());
  }

  async start(): Promise<void> {
    await this.#deps.jobs.set(this.#deps.db, this.#sweepJob, 'all', new Date());
  }

  /**
   * Called before a part is submitted.
   * @throws CarrierError unknown if the part was already submitted and its answer is not known
   */
  async begin(
    { id, to }: Submission,
    { part, total, mark }: Pick<HandedPart, 'part' | 'total' | 'mark'>,
  ): Promise<void> {
    const [begun] = await this.#deps.db
      .insert(handedParts)
      .values({ carrier: this.#deps.carrier, submissionId: id, part, total, recipient: to, mark })
      .onConflictDoNothing()
      .returning({ part: handedParts.part });
    if (!begun)
      throw new CarrierError('unknown', 'unknown_outcome', 'This text was submitted to the carrier before.');
  }

  async accepted(submissionId: string, part: number, reference: string): Promise<void> {
    await this.#deps.db.update(handedParts).set({ reference }).where(this.#is(submissionId, part));
  }

  /** Called if the part was certainly not accepted. It may be submitted again. */
  async refused(submissionId: string, part: number): Promise<void> {
    await this.#deps.db.delete(handedParts).where(this.#is(submissionId, part));
  }

  parts(submissionId: string): Promise<HandedPart[]> {
    return this.#deps.db
      .select()
      .from(handedParts)
      .where(this.#is(submissionId))
      .orderBy(asc(handedParts.part));
  }

  /** The outcome, according to the stored rows. */
  async outcomeOf(submissionId: string): Promise<SubmissionOutcome> {
    const parts = await this.parts(submissionId);
    if (parts.length === 0) return { outcome: 'not_sent' };
    const references = parts.flatMap(({ reference }) => reference ?? []);
    return references.length === parts[0]?.total
      ? { outcome: 'accepted', references }
      : { outcome: 'unknown' };
  }

  /** The parts with one of these references, the latest first because carriers reuse references after some time. */
  async withReference(references: string[]): Promise<HandedPart[]> {
    return this.#deps.db
      .select()
      .from(handedParts)
      .where(and(eq(handedParts.carrier, this.#deps.carrier), inArray(handedParts.reference, references)))
      .orderBy(desc(handedParts.at));
  }

  /** The part to this recipient with this mark that is waiting for its answer; null if there is none or more than one. */
  async waiting(recipient: string, mark: number): Promise<HandedPart | null> {
    const found = await this.#deps.db
      .select()
      .from(handedParts)
      .where(
        and(
          eq(handedParts.carrier, this.#deps.carrier),
          eq(handedParts.recipient, recipient),
          eq(handedParts.mark, mark),
          isNull(handedParts.reference),
          gt(handedParts.at, sql`now() - interval '2 days'`),
        ),
      );
    return found.length === 1 ? (found[0] ?? null) : null;
  }

  get #sweepJob() {
    return `${this.#deps.carrier}.handed.sweep`;
  }

  async #sweep(): Promise<void> {
    const old = sql`now() - make_interval(days => ${keptDays})`;
    await this.#deps.db
      .delete(handedParts)
      .where(and(eq(handedParts.carrier, this.#deps.carrier), lt(handedParts.at, old)));
    await this.#deps.jobs.set(this.#deps.db, this.#sweepJob, 'all', new Date(Date.now() + sweepMs));
  }

  #is(submissionId: string, part?: number) {
    return and(
      eq(handedParts.carrier, this.#deps.carrier),
      eq(handedParts.submissionId, submissionId),
      part === undefined ? undefined : eq(handedParts.part, part),
    );
  }
}
