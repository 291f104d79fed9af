import { and, asc, desc, eq, getTableColumns, gt, isNull, lt, sql } from 'drizzle-orm';
import type { ScheduledJobs } from '../../../../platform/jobs/ScheduledJobs.ts';
import { msUntil } from '../../../../platform/database/columns.ts';
import { GroupCommit } from '../../../../platform/database/GroupCommit.ts';
import { selectRows } from '../../../../platform/database/selectRows.ts';
import type { Database } from '../../../../platform/database/database.ts';
import { isOneOf } from '../../../../platform/database/isOneOf.ts';
import type { Submission, SubmissionOutcome } from '../Carrier.ts';
import { CarrierError } from '../CarrierError.ts';
import { handedParts, type HandedPart } from './tables.ts';

/** How long rows are kept. This is longer than any carrier keeps trying to deliver a text, and longer than any receipt is delayed. */
const keptDays = 8;
const sweepMs = 60 * 60_000;

/** The maximum number of parts in one statement. */
const together = 64;
/** The pause between two statements that store answers. Nobody waits for them but the text's status. */
const answersPauseMs = 10;

type NewPart = Pick<HandedPart, 'submissionId' | 'part' | 'total' | 'recipient' | 'mark'>;

const nameOf = ({ submissionId, part }: Pick<NewPart, 'submissionId' | 'part'>) => `${submissionId} ${part}`;

interface Answer {
  submissionId: string;
  part: number;
  reference: string;
}

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
 * Only the outcome of parts that were waiting for an answer is unknown. Parts that are submitted or answered at the same time share a
 * statement.
 */
export class HandedOver {
  readonly #deps: HandedOverDeps;
  readonly #begins: GroupCommit<NewPart, boolean>;
  readonly #answers: GroupCommit<Answer, void>;

  constructor(deps: HandedOverDeps) {
    this.#deps = deps;
    this.#begins = new GroupCommit({ size: together, write: (parts) => this.#begin(parts) });
    this.#answers = new GroupCommit({
      size: together,
      pauseMs: answersPauseMs,
      write: (answers) => this.#accept(answers),
    });
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
    const isNew = await this.#begins.run({ submissionId: id, part, total, recipient: to, mark });
    if (!isNew)
      throw new CarrierError('unknown', 'unknown_outcome', 'This text was submitted to the carrier before.');
  }

  accepted(submissionId: string, part: number, reference: string): Promise<void> {
    return this.#answers.run({ submissionId, part, reference });
  }

  /** Called if the part was certainly not accepted. It may be submitted again. */
  async refused(submissionId: string, part: number): Promise<void> {
    await this.#deps.db.delete(handedParts).where(this.#is(submissionId, part));
  }

  /** The parts of a submission, each with the time until `at`, which has passed, by the clock of the database. */
  parts(submissionId: string): Promise<(HandedPart & { untilAtMs: number })[]> {
    return this.#deps.db
      .select({ ...getTableColumns(handedParts), untilAtMs: msUntil(handedParts.at) })
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
      .where(and(eq(handedParts.carrier, this.#deps.carrier), isOneOf(handedParts.reference, references)))
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

  /** @returns for each part, whether it was not submitted before */
  async #begin(parts: NewPart[]): Promise<boolean[]> {
    const { db, carrier } = this.#deps;
    const { submissionId, part } = handedParts;
    const begun = await db
      .insert(handedParts)
      .select(
        selectRows(
          handedParts,
          parts.map((each) => ({ ...each, carrier })),
        ),
      )
      .onConflictDoNothing()
      .returning({ submissionId, part });
    const left = new Set(begun.map(nameOf));
    // Only the first of two equal parts is new.
    return parts.map((each) => left.delete(nameOf(each)));
  }

  async #accept(answers: Answer[]): Promise<void[]> {
    const { db, carrier } = this.#deps;
    const column = (of: (answer: Answer) => string | number) => sql.param(answers.map(of));
    // Each row is looked up by its key. As a join, the statement would read all parts where the database believes the table to be small.
    await db.execute(sql`
      UPDATE handed_parts h
      SET reference = (${column(({ reference }) => reference)}::text[])[array_position(${column(nameOf)}::text[], h.submission_id || ' ' || h.part)]
      WHERE ctid = ANY (ARRAY(
        SELECT found.ctid
        FROM unnest(${column(({ submissionId }) => submissionId)}::text[], ${column(({ part }) => part)}::int[]) AS answer (submission_id, part)
        CROSS JOIN LATERAL (
          SELECT p.ctid FROM handed_parts p
          WHERE p.carrier = ${carrier} AND p.submission_id = answer.submission_id AND p.part = answer.part LIMIT 1
        ) found))`);
    return answers.map(() => undefined);
  }

  get #sweepJob() {
    return `${this.#deps.carrier}.handed.sweep`;
  }

  async #sweep(): Promise<void> {
    const old = sql`now() - make_interval(days => ${keptDays})`;
    // Also those of a former carrier, which nothing else removes.
    await this.#deps.db.delete(handedParts).where(lt(handedParts.at, old));
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
