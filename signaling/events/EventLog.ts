import { and, asc, eq, gt, inArray, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { GroupCommit } from '../../platform/database/GroupCommit.ts';
import type { Logger } from 'pino';
import type { Address } from '../../sdk/protocol/common.ts';
import type { EventName, EventOf, ResponseOf } from '../../sdk/protocol/wire.ts';
import type { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { Notifier } from '../socket/Notifier.ts';
import type { NodeDied } from '../../platform/node/OwnNode.ts';
import { numberAndLog } from './numberAndLog.ts';
import { walletEvents, walletSequences } from './tables.ts';

interface EventLogDeps {
  db: NodePgDatabase;
  notifier: Notifier;
  /** Not started yet: the log thins itself out by a row. */
  jobs: ScheduledJobs;
  log: Logger;
  /** How long an event is kept for devices that are away. */
  keepDays: number;
}

/** Something that happens to a wallet, and that all its devices are to hear of, whenever they come back. */
export interface NewEvent {
  wallet: Address;
  event: EventName;
  /** What is told; or, where the event has a renderer, what names it. */
  payload: object;
}

export interface AppendedEvent extends NewEvent {
  sequence: number;
}

/**
 * Makes what is told of what was stored, as things stand now: a text that was deleted is in no event, an address that is signed
 * for minutes is fresh. null where it is gone. One answer for each, in order.
 */
type Render<Name extends EventName> = (
  wallet: Address,
  stored: object[],
) => Promise<(EventOf<Name> | null)[]>;

const pageSize = 100;
const thinning = 'events.thin';
const thinEveryMs = 3_600_000;
const thinnedAtOnce = 5_000;
/** Longer than anything takes between storing an event and telling of it. */
const untoldMs = 10_000;
const doubtMs = 1_000;

/**
 * The events of each wallet, numbered without gaps, in the database. They are appended in the transaction of what happened, told
 * to the devices that are connected once it is committed, and asked for by all others from the number they last saw. So it loses
 * nothing by a process that dies or a network that is away, whatever the live telling does.
 */
export class EventLog {
  readonly #deps: EventLogDeps;
  readonly #renderers = new Map<string, Render<EventName>>();
  /** Wallets that something may have been stored for, without anybody knowing. */
  readonly #doubtful = new Set<Address>();
  #doubtTimer: NodeJS.Timeout | null = null;
  /** How far sequences go, for devices that connect at once. */
  readonly #readings = new GroupCommit<Address, number>({
    size: 200,
    write: async (wallets) => {
      const own = inArray(walletSequences.wallet, wallets);
      const rows = await this.#deps.db.select().from(walletSequences).where(own);
      const found = new Map(rows.map(({ wallet, latest }) => [wallet, latest]));
      return wallets.map((wallet) => found.get(wallet) ?? 0);
    },
  });

  constructor(deps: EventLogDeps) {
    this.#deps = deps;
    deps.jobs.on(thinning, () => this.#thin());
  }

  /** Names how events are told of which only a reference is stored. */
  render<Name extends EventName>(event: Name, render: Render<Name>): void {
    this.#renderers.set(event, render);
  }

  /** Thinning out begins, if it has not long begun. */
  async start(): Promise<void> {
    const { jobs, db } = this.#deps;
    if (!(await jobs.find(db, thinning, 'all'))) await jobs.set(db, thinning, 'all', new Date());
  }

  /**
   * In the transaction of what happened, as its last statement: whoever appends keeps all others from these wallets until it
   * commits. Afterwards, tell().
   */
  async append(executor: Executor, events: NewEvent[]): Promise<AppendedEvent[]> {
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

  /** Once it is committed: to the devices that are connected, wherever. What gets lost here is asked for. */
  async tell(events: AppendedEvent[]): Promise<void> {
    for (const { wallet, event, payload, sequence } of events) {
      const render = this.#renderers.get(event);
      const told = render ? (await render(wallet, [payload]))[0] : (payload as EventOf<EventName>);
      if (told) this.#deps.notifier.toWallet(wallet, event, told, { sequence });
      else this.#deps.notifier.toWallet(wallet, 'session:behind', { latest: sequence });
    }
  }

  /** How far the wallet's sequence goes. */
  latest(wallet: Address): Promise<number> {
    return this.#readings.run(wallet);
  }

  /** What a device has missed since the event of this number. */
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
    // Thinned out meanwhile; or the database is an older one than the device has seen.
    const isLost = rows.length === 0 || rows.some(({ sequence }, index) => sequence !== after + 1 + index);
    if (isLost) return { events: [], latest, isLost };
    return { events: await this.#rendered(wallet, rows), latest, isLost };
  }

  /** Whether something was stored for these wallets is not known, since the database was lost in that moment: their devices are to ask. */
  doubt(wallets: Iterable<Address>): void {
    for (const wallet of wallets) this.#doubtful.add(wallet);
    this.#doubtTimer ??= setInterval(() => void this.#settleDoubts(), doubtMs).unref();
  }

  /** What it stored and did not tell, its devices' successors ask for anyway; those on other nodes are told to. */
  async onNodeDied({ seenAt, diedAt }: NodeDied): Promise<void> {
    const [from, to] = [Date.parse(seenAt) - untoldMs, Date.parse(diedAt) + untoldMs];
    const { rows } = await this.#deps.db.execute<{ wallet: Address; latest: string }>(sql`
      SELECT wallet, max(sequence) AS latest FROM wallet_events
      WHERE created_at BETWEEN ${new Date(from).toISOString()} AND ${new Date(to).toISOString()} GROUP BY wallet`);
    this.#tellHowFar(rows);
  }

  close(): void {
    if (this.#doubtTimer) clearInterval(this.#doubtTimer);
  }

  async #settleDoubts(): Promise<void> {
    const wallets = [...this.#doubtful];
    try {
      const rows = await this.#deps.db
        .select()
        .from(walletSequences)
        .where(inArray(walletSequences.wallet, wallets));
      this.#tellHowFar(rows);
    } catch {
      // Still away: the next turn.
      return;
    }
    for (const wallet of wallets) this.#doubtful.delete(wallet);
    if (this.#doubtful.size > 0 || !this.#doubtTimer) return;
    clearInterval(this.#doubtTimer);
    this.#doubtTimer = null;
  }

  /** Whoever has seen as much drops it. */
  #tellHowFar(rows: { wallet: Address; latest: number | string }[]): void {
    for (const { wallet, latest } of rows)
      this.#deps.notifier.toWallet(wallet, 'session:behind', { latest: Number(latest) });
  }

  /** All events of a kind are read together. */
  async #rendered(wallet: Address, rows: { sequence: number; event: string; payload: unknown }[]) {
    const payloads = new Map<number, unknown>();
    for (const event of new Set(rows.map((row) => row.event))) {
      const some = rows.filter((row) => row.event === event);
      const stored = some.map(({ payload }) => payload as object);
      const told = (await this.#renderers.get(event)?.(wallet, stored)) ?? stored;
      some.forEach(({ sequence }, index) => payloads.set(sequence, told[index] ?? null));
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
