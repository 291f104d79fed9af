import { eq, lt, sql } from 'drizzle-orm';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import type { Logger } from 'pino';
import type { ScheduledJobs } from '../../../../platform/jobs/ScheduledJobs.ts';
import type { Database } from '../../../../platform/database/database.ts';
import type { Accepted, Carrier, CarrierEvents, Submission, SubmissionOutcome } from '../Carrier.ts';
import { CarrierError } from '../CarrierError.ts';
import { StockMarket } from '../stock/StockMarket.ts';
import { fictionBeside, loopbackPool } from './fiction.ts';
import { loopbackTexts } from './tables.ts';

const deliveryJob = 'loopback.delivery';
/** Delay after a text is accepted until its delivery is repeated, in case the process has died. */
const redeliveryMs = 5_000;
const keptHours = 24;

interface LoopbackDeps {
  db: Database;
  jobs: ScheduledJobs;
  log: Logger;
  pool?: readonly string[] | undefined;
}

/**
 * A telephone network inside this server. It has numbers that are reserved for fiction, and delivers texts between them, with receipts.
 * Accepted texts are stored in the database. So they survive the process, their outcome can be queried, and all nodes see the same texts.
 */
export class LoopbackCarrier implements Carrier {
  readonly name = 'loopback';
  readonly pool: readonly string[];
  readonly sendsMedia = true;
  readonly market: StockMarket;
  readonly callbacks = null;
  readonly #db: Database;
  readonly #jobs: ScheduledJobs;
  readonly #log: Logger;
  readonly #running = new Set<Promise<void>>();
  #events: CarrierEvents | null = null;

  /** @param deps.jobs must not have started yet, because a handler is registered here */
  constructor({ db, jobs, log, pool = loopbackPool }: LoopbackDeps) {
    this.pool = pool;
    this.#db = db;
    this.#jobs = jobs;
    this.#log = log.child({ carrier: this.name });
    this.market = new StockMarket({ db, carrier: this.name, stock: fictionBeside(pool) });
    jobs.on(deliveryJob, ({ subject }) => this.#deliver(subject));
  }

  start(events: CarrierEvents): Promise<void> {
    this.#events = events;
    return Promise.resolve();
  }

  async send({ id, from, to, text, segments, mediaUrls }: Submission): Promise<Accepted> {
    if (parsePhoneNumberFromString(to)?.isPossible() !== true)
      throw new CarrierError(
        'permanent',
        'invalid_destination',
        'The recipient is not a possible phone number.',
      );
    if (!(await this.#isOurs(from)))
      throw new CarrierError('permanent', 'invalid_sender', 'The sender is not a number of this server.');
    await this.#db.transaction(async (tx) => {
      const [accepted] = await tx
        .insert(loopbackTexts)
        .values({ id, sender: from, recipient: to, text, segments, mediaUrls })
        .onConflictDoNothing()
        .returning({ id: loopbackTexts.id });
      if (accepted) await this.#jobs.set(tx, deliveryJob, id, new Date(Date.now() + redeliveryMs));
    });
    this.#deliverNow(id);
    return { references: [id] };
  }

  async getOutcome({ id }: Submission): Promise<SubmissionOutcome> {
    const [accepted] = await this.#db
      .select({ id: loopbackTexts.id })
      .from(loopbackTexts)
      .where(eq(loopbackTexts.id, id));
    return accepted ? { outcome: 'accepted', references: [id] } : { outcome: 'not_sent' };
  }

  check(): Promise<void> {
    return Promise.resolve();
  }

  async close(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** Delivers immediately. If this fails, the scheduled job repeats the delivery. */
  #deliverNow(id: string): void {
    const running: Promise<void> = this.#deliver(id)
      .then(async () => void (await this.#jobs.cancel(this.#db, deliveryJob, id)))
      .catch((err: unknown) => this.#log.warn({ err, message: id }, 'delivery will be tried again'))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Delivers a text. This may run twice, and then reports its events twice. */
  async #deliver(id: string): Promise<void> {
    if (!this.#events) throw new Error('the loopback carrier was not started');
    const [text] = await this.#db.select().from(loopbackTexts).where(eq(loopbackTexts.id, id));
    if (!text || text.deliveredAt) return;
    const arrives = await this.#isOurs(text.recipient);
    if (arrives) {
      await this.#events.inbound({
        reference: id,
        from: text.sender,
        to: text.recipient,
        text: text.text,
        mediaUrls: text.mediaUrls,
        receivedAt: new Date(),
      });
    }
    await this.#events.receipt({
      reference: id,
      submissionId: id,
      state: arrives ? 'delivered' : 'failed',
      errorCode: arrives ? null : 'unreachable',
      errorMessage: arrives ? null : 'The loopback carrier reaches only numbers of this server.',
      at: new Date(),
    });
    await this.#db
      .update(loopbackTexts)
      .set({ deliveredAt: sql`now()` })
      .where(eq(loopbackTexts.id, id));
    await this.#db
      .delete(loopbackTexts)
      .where(lt(loopbackTexts.deliveredAt, sql`now() - make_interval(hours => ${keptHours})`));
  }

  async #isOurs(number: string): Promise<boolean> {
    return this.pool.includes(number) || this.market.isSold(number);
  }
}
