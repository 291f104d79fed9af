import { and, asc, eq, gt, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { GroupCommit, handshakePauseMs } from '../../platform/database/GroupCommit.ts';
import type { Logger } from 'pino';
import type { Address } from '../../sdk/protocol/common.ts';
import type { EventName, EventOf, ResponseOf } from '../../sdk/protocol/wire.ts';
import type { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { Notifier } from '../socket/Notifier.ts';
import type { NodeDied } from '../../platform/node/OwnNode.ts';
import { isOneOf } from '../../platform/database/isOneOf.ts';
import { numberAndLog } from './numberAndLog.ts';
import { walletEvents, walletSequences } from './tables.ts';

interface EventLogDeps {
  db: NodePgDatabase;
  notifier: Notifier;
  /** Must not have been started yet, because the handler of the job that removes old events must be registered first. */
  jobs: ScheduledJobs;
  log: Logger;
  /** For how many days events are kept for devices that are away. */
  keepDays: number;
}

/** An event for all devices of a wallet, including those that connect later. */
export interface NewEvent {
  wallet: Address;
  event: EventName;
  /** The payload, or, for an event with a renderer, a reference from which the payload is built. */
  payload: object;
}

export interface AppendedEvent extends NewEvent {
  sequence: number;
}

/** Appends events in a transaction, as its last statement, since it locks the wallets' sequences until the commit. */
type Append = (executor: Executor, events: NewEvent[]) => Promise<void>;

/** Finds the wallets of events that may have been stored, once the database is available. */
type FindWallets = () => Promise<Iterable<Address>>;

/**
 * Builds the payloads of events from stored references at the time of delivery, so that no event contains a deleted text or an expired URL.
 * Returns one result per reference, in the same order; null if there is nothing left to deliver.
 */
type Render<Name extends EventName> = (
  wallet: Address,
  stored: object[],
) => Promise<(EventOf<Name> | null)[]>;

const pageSize = 100;
const thinning = 'events.thin';
const thinEveryMs = 3_600_000;
const thinnedAtOnce = 5_000;
/** An upper bound on the time between storing an event and sending it. */
const sendingMs = 10_000;
const doubtMs = 1_000;

/**
 * The numbered events of each wallet, without gaps, in the database. An event is appended in the transaction it belongs to and sent to
 * connected devices after the commit. Other devices fetch it later: they ask for all events after the last one they saw. So no event is
 * lost, even if sending it fails because a process dies or the network is down.
 */
export class EventLog {
  readonly #deps: EventLogDeps;
  readonly #renderers = new Map<string, Render<EventName>>();
  /** Wallets for which an event may have been stored without being sent, and functions that find more of them. */
  readonly #doubtful = new Set<Address>();
  readonly #finding = new Set<FindWallets>();
  #doubtTimer: NodeJS.Timeout | null = null;
  /** Batches the queries of devices that connect at the same time. */
  readonly #readings = new GroupCommit<Address, number>({
    size: 200,
    pauseMs: handshakePauseMs,
    write: async (wallets) => {
      const rows = await this.#latestOf(wallets);
      const found = new Map(rows.map(({ wallet, latest }) => [wallet, latest]));
      return wallets.map((wallet) => found.get(wallet) ?? 0);
    },
  });

  constructor(deps: EventLogDeps) {
    this.#deps = deps;
    deps.jobs.on(thinning, () => this.#thin());
  }

  /** Sets the renderer of an event that is stored as a reference. */
  render<Name extends EventName>(event: Name, render: Render<Name>): void {
    this.#renderers.set(event, render);
  }

  /** Schedules the removal of old events, unless it is already scheduled. */
  async start(): Promise<void> {
    const { jobs, db } = this.#deps;
    if (!(await jobs.find(db, thinning, 'all'))) await jobs.set(db, thinning, 'all', new Date());
  }

  /**
   * Runs a transaction that appends events. If it fails after that, it may have been committed nevertheless, and a repeated request finds
   * nothing to change. The wallets' devices are then asked to check.
   * @param transaction runs the transaction, and appends the events with the given function
   * @returns its result, and the events, which must be passed to deliver()
   */
  async commit<T>(
    transaction: (append: Append) => Promise<T>,
  ): Promise<{ result: T; appended: AppendedEvent[] }> {
    let appended: AppendedEvent[] = [];
    try {
      const result = await transaction(async (executor, events) => {
        appended = await this.#append(executor, events);
      });
      return { result, appended };
    } catch (error) {
      this.doubt(walletsOf(appended));
      throw error;
    }
  }

  async #append(executor: Executor, events: NewEvent[]): Promise<AppendedEvent[]> {
    if (events.length === 0) return [];
    const column = (read: (event: NewEvent) => string) => sql.param(events.map(read));
    const { rows } = await executor.execute<{ n: number; sequence: string }>(sql`
      WITH given AS MATERIALIZED (
        SELECT n::int, wallet, event, payload FROM unnest(${column(({ wallet }) => wallet)}::text[],
          ${column(({ event }) => event)}::text[], ${column(({ payload }) => JSON.stringify(payload))}::json[])
          WITH ORDINALITY AS g (wallet, event, payload, n)
      ), ${sql.raw(numberAndLog('given'))}
      SELECT n, sequence FROM numbered`);
    const sequences = new Map(rows.map(({ n, sequence }) => [n, Number(sequence)]));
    return events.map((event, index) => ({ ...event, sequence: sequences.get(index + 1) ?? 0 }));
  }

  /**
   * Sends the events to connected devices on all nodes. Call after the commit. A device requests events that get lost on the way. Never
   * throws: if events cannot be rendered, the devices are asked to check.
   */
  async deliver(events: AppendedEvent[]): Promise<void> {
    try {
      await this.#send(events);
    } catch (err) {
      this.#deps.log.warn({ err }, 'events not sent yet');
      this.doubt(walletsOf(events));
    }
  }

  async #send(events: AppendedEvent[]): Promise<void> {
    for (const { wallet, event, payload, sequence } of events) {
      const render = this.#renderers.get(event);
      const rendered = render ? (await render(wallet, [payload]))[0] : (payload as EventOf<EventName>);
      if (rendered) this.#deps.notifier.toWallet(wallet, event, rendered, { sequence });
      else this.#deps.notifier.toWallet(wallet, 'session:behind', { latest: sequence });
    }
  }

  /** The number of the wallet's latest event. */
  latest(wallet: Address): Promise<number> {
    return this.#readings.run(wallet);
  }

  /** The events after this number. */
  async read(wallet: Address, after: number): Promise<ResponseOf<'session.catchUp'>> {
    const { db } = this.#deps;
    const latest = await this.latest(wallet);
    if (after === latest) return { events: [], latest, isLost: false };
    const rows = await db
      .select({
        sequence: walletEvents.sequence,
        event: walletEvents.event,
        payload: walletEvents.payload,
      })
      .from(walletEvents)
      .where(and(eq(walletEvents.wallet, wallet), gt(walletEvents.sequence, after)))
      .orderBy(asc(walletEvents.sequence))
      .limit(pageSize);
    // Numbers are missing if events were removed because of their age, or if the database was restored to an earlier state.
    const isLost = rows.length === 0 || rows.some(({ sequence }, index) => sequence !== after + 1 + index);
    if (isLost) return { events: [], latest, isLost };
    return { events: await this.#rendered(wallet, rows), latest, isLost };
  }

  /**
   * Call when events may have been stored without being sent, for example because the database was lost during a commit. The wallets'
   * devices are then asked to check.
   * @param wallets the wallets, or a function that finds them, which is called until it succeeds
   */
  doubt(wallets: Iterable<Address> | FindWallets): void {
    if (typeof wallets === 'function') this.#finding.add(wallets);
    else for (const wallet of wallets) this.#doubtful.add(wallet);
    if (this.#doubtful.size + this.#finding.size === 0) return;
    this.#doubtTimer ??= setInterval(() => void this.#settleDoubts(), doubtMs).unref();
  }

  /** Asks devices to check for events that the dead node may have stored without sending them. */
  async onNodeDied({ seenAt, diedAt }: NodeDied): Promise<void> {
    const [from, to] = [Date.parse(seenAt) - sendingMs, Date.parse(diedAt) + sendingMs];
    const { rows } = await this.#deps.db.execute<{ wallet: Address; latest: string }>(sql`
      SELECT wallet, max(sequence) AS latest FROM wallet_events
      WHERE created_at BETWEEN ${new Date(from).toISOString()} AND ${new Date(to).toISOString()} GROUP BY wallet`);
    this.#announceLatest(rows);
  }

  close(): void {
    if (this.#doubtTimer) clearInterval(this.#doubtTimer);
  }

  async #settleDoubts(): Promise<void> {
    const finding = [...this.#finding];
    this.#finding.clear();
    let wallets: Address[] = [];
    try {
      for (const find of finding) this.doubt(await find());
      // A doubt that arises during the query may be about an event that the query does not see, so it is settled by the next one.
      wallets = [...this.#doubtful];
      this.#doubtful.clear();
      this.#announceLatest(await this.#latestOf(wallets));
    } catch {
      // The database is still unavailable: the timer tries again.
      for (const find of finding) this.doubt(find);
      this.doubt(wallets);
      return;
    }
    if (this.#doubtful.size + this.#finding.size > 0 || !this.#doubtTimer) return;
    clearInterval(this.#doubtTimer);
    this.#doubtTimer = null;
  }

  /** Tells devices the number of their wallet's latest event. Devices that have already seen it ignore this. */
  #latestOf(wallets: Address[]) {
    return this.#deps.db.select().from(walletSequences).where(isOneOf(walletSequences.wallet, wallets));
  }

  #announceLatest(rows: { wallet: Address; latest: number | string }[]): void {
    for (const { wallet, latest } of rows)
      this.#deps.notifier.toWallet(wallet, 'session:behind', { latest: Number(latest) });
  }

  /** Renders all events of one kind together. */
  async #rendered(wallet: Address, rows: { sequence: number; event: string; payload: unknown }[]) {
    const payloads = new Map<number, unknown>();
    for (const event of new Set(rows.map((row) => row.event))) {
      const some = rows.filter((row) => row.event === event);
      const stored = some.map(({ payload }) => payload as object);
      const rendered = (await this.#renderers.get(event)?.(wallet, stored)) ?? stored;
      some.forEach(({ sequence }, index) => payloads.set(sequence, rendered[index] ?? null));
    }
    return rows.map(({ sequence, event }) => ({ sequence, event, payload: payloads.get(sequence) }));
  }

  async #thin(): Promise<void> {
    const { db, jobs, keepDays, log } = this.#deps;
    for (let removed = thinnedAtOnce; removed === thinnedAtOnce;) {
      const { rowCount } = await db.execute(sql`
        DELETE FROM wallet_events WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM wallet_events WHERE created_at < now() - make_interval(days => ${keepDays})
          LIMIT ${thinnedAtOnce}))`);
      removed = rowCount ?? 0;
      if (removed > 0) log.debug({ removed }, 'old events removed');
    }
    await jobs.set(db, thinning, 'all', new Date(Date.now() + thinEveryMs));
  }
}

const walletsOf = (events: AppendedEvent[]) => events.map(({ wallet }) => wallet);
