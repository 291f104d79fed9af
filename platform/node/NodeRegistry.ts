import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { and, eq, gt, isNotNull, isNull, lt, ne, or, sql, type SQL } from 'drizzle-orm';
import type pg from 'pg';
import type { Logger } from 'pino';
import { newId } from '../../sdk/protocol/ids.ts';
import type { ScheduledJobs } from '../jobs/ScheduledJobs.ts';
import type { Executor } from '../database/Executor.ts';
import { every } from '../every.ts';
import { systemMetrics } from '../metrics/metrics.ts';
import { isLivingSingle, LifeLock, oneAtATime } from './LifeLock.ts';
import { endTransactionsOf } from './livingTransaction.ts';
import { nodeDied, requestsDied, type NodeDied, type OwnNode } from './OwnNode.ts';
import type { Role } from './roles.ts';
import type { Database } from '../database/database.ts';
import { nodes, type NodeTurn } from './tables.ts';

export interface LivingNode {
  id: string;
  roles: Role[];
  address: string | null;
  load: number;
  /** The share of all cores of its machine that is in use, 0 to 1. */
  cpu: number;
  draining: boolean;
  turn: NodeTurn | null;
  /** Milliseconds since its last heartbeat, by the database's clock, at the time of the last refresh. */
  seenMsAgo: number;
}

interface RegistryOptions {
  /** A database with its own connections, so that heartbeats do not wait behind requests. */
  db: Database;
  jobs: ScheduledJobs;
  log: Logger;
  roles: Role[];
  /** The address at which other nodes reach this one; null for a single node. */
  address: string | null;
  /**
   * Where a single node takes the connection by which other servers see that it lives. Null if no other server can use its database.
   * @default null
   */
  pool?: pg.Pool | null;
  /** How busy this node and its machine are, each 0 to 1. */
  usage: () => { load: number; cpu: number };
  /** The release of Parley. */
  release: string;
  /** The TURN server that this node runs. @default none */
  turn?: NodeTurn | null;
}

type Events = {
  /** A node is dead or has left. */
  died: [id: string];
  /** This node was declared dead. Other nodes take over everything it owned. */
  ended: [];
  /** This node has joined again with another id. */
  rejoined: [];
  /** The list of living nodes was refreshed. */
  seen: [];
};

const beatMs = 500;
/** The heartbeat interval of a single node. It is longer, because a single node only has to notice that another server has replaced it. */
const singleNodeBeatMs = 2_000;
/** The time without a heartbeat after which a node is declared dead. If its media link is down, the shorter limits below apply. */
const silentMs = 5_000;
/** The time without a heartbeat after which a node is declared dead if its media link went silent. */
export const lostMs = 1_500;
/**
 * The time without a heartbeat after which a node is declared dead if it refuses connections. A refusal alone may be caused by a wrong
 * address or a firewall.
 */
export const refusedMs = 1_000;
/** How long a node that was declared dead waits before it rejoins, so that requests that arrived before it noticed can end. */
const formerLifeMs = 1_000;
/** Rows of dead nodes are kept this long, for processes that still refer to their ids. */
const keepDeadFor = '1 day';

/**
 * Keeps the list of living nodes in the database, which exists in any case, has one clock for all nodes, and keeps its data across
 * restarts. Each node of a cluster writes a heartbeat every half second and reads those of the others. A node that was declared dead stays
 * dead: its writes are refused (see livingTransaction()), and once it notices, it rejoins under another id.
 */
export class NodeRegistry implements OwnNode {
  readonly #options: RegistryOptions;
  readonly #events = new EventEmitter<Events>();
  #id: string;
  #living = new Map<string, LivingNode>();
  /**
   * The last heartbeat of each node, and when this node read it for the first time, by performance.now(). A node is silent only if it sends
   * no further one: if the database's clock is set forward, the heartbeats of all nodes look old for a moment.
   */
  #heartbeats = new Map<string, { seen: string; readAt: number }>();
  #draining = false;
  /** The nodes that a single node has seen beside itself. */
  #others = new Set<string>();
  readonly #lifeLock: LifeLock | null;
  #stop: (() => void) | null = null;
  #beating: Promise<void> | null = null;
  /**
   * The time since which this node has sent heartbeats without a gap. It declares other nodes dead only for silence after that time. By
   * performance.now(), because the machine's clock may be set back.
   */
  #watchingSince = performance.now();
  #lastBeat = present();
  /** Whether a node is known to be alive by other means, for example by its media link. */
  #witness: (id: string) => boolean = () => false;
  readonly #unwatch = systemMetrics.nodes.watch(() => {
    const draining = this.living.filter((node) => node.draining).length;
    return [
      { labels: { state: 'serving' }, value: this.#living.size - draining },
      { labels: { state: 'draining' }, value: draining },
    ];
  });
  #closed = false;

  /** @throws Error when a single node finds another server in its database, or a node of a cluster finds a single one */
  static async join(options: RegistryOptions): Promise<NodeRegistry> {
    const registry = new NodeRegistry(options);
    try {
      await registry.#lifeLock?.hold(registry.#id);
      await registry.#enterUnlessUsed();
      if (options.address === null) await registry.#declareOthersDead();
    } catch (error) {
      registry.#lifeLock?.release();
      throw error;
    }
    registry.#start();
    return registry;
  }

  private constructor(options: RegistryOptions) {
    this.#options = options;
    this.#id = newId('node');
    this.#lifeLock = options.address === null && options.pool ? new LifeLock(options.pool) : null;
  }

  /** This node's id in its present life. */
  get id(): string {
    return this.#id;
  }

  /** All living nodes, including this one. */
  get living(): LivingNode[] {
    return [...this.#living.values()];
  }

  /** A living node; undefined when it is dead. */
  find(id: string): LivingNode | undefined {
    return this.#living.get(id);
  }

  /** An SQL condition for writes of this node: it has not been declared dead. */
  get stillAlive(): SQL {
    return sql`EXISTS (SELECT 1 FROM ${nodes} WHERE ${nodes.id} = ${this.#id} AND ${nodes.diedAt} IS NULL)`;
  }

  get isDraining(): boolean {
    return this.#draining || (this.#living.get(this.#id)?.draining ?? false);
  }

  isAlive(id: string): boolean {
    return this.#living.has(id);
  }

  on<Name extends keyof Events>(event: Name, handler: (...args: Events[Name]) => void): void {
    this.#events.on(event, handler as never);
  }

  /**
   * Sets another way to check that a node is alive, for example by its media link. A node that passes this check is not declared dead for
   * missing heartbeats alone, because it may only have lost the database.
   */
  setWitness(witness: (id: string) => boolean): void {
    this.#witness = witness;
  }

  /**
   * Declares a node dead, unless it has sent a heartbeat since. The scheduled jobs that follow run once, however many nodes declare it
   * dead.
   * @param unseenMs the required time without a heartbeat in milliseconds; 0 declares it dead in any case
   * @returns whether the node is dead now
   */
  async declareDead(id: string, unseenMs: number): Promise<boolean> {
    // After a gap in its own heartbeats, this node cannot tell whether others are dead: the database may have been unreachable for all.
    if (unseenMs > 0 && (msSince(this.#lastBeat) > lostMs || this.#watchedMs < unseenMs)) return false;
    const { db, log } = this.#options;
    const silent = unseenMs > 0 ? lt(nodes.seenAt, ago(unseenMs)) : undefined;
    const declared = await db.transaction((tx) =>
      this.#markDead(tx, and(eq(nodes.id, id), silent, this.stillAlive)),
    );
    if (declared) {
      systemMetrics.nodeDeaths.inc();
      log.warn({ node: id }, 'node declared dead');
    } else if (await this.#lives(id)) return false;
    this.#forget(id);
    return true;
  }

  /** Sends a heartbeat and refreshes the list of living nodes now. If a refresh is already running, waits for that one. */
  refresh(): Promise<void> {
    return (this.#beating ??= this.#beat().finally(() => (this.#beating = null)));
  }

  /** Marks this node as draining: no new rooms are placed on it. */
  async drain(): Promise<void> {
    this.#draining = true;
    // A heartbeat that is already running does not report the draining state yet.
    await this.#beating?.catch(() => undefined);
    await this.refresh();
  }

  /** Lets another single server start on the database, which then replaces this one. For a server that stops. */
  makeRoom(): void {
    this.#lifeLock?.release();
  }

  /** Leaves the cluster. From now on, other nodes own everything this node owned. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#unwatch();
    this.#stop?.();
    await this.#beating?.catch(() => undefined);
    this.makeRoom();
    await this.#options.db.transaction((tx) => this.#markDead(tx, eq(nodes.id, this.#id)));
  }

  get #watchedMs(): number {
    return performance.now() - this.#watchingSince;
  }

  /** Marks nodes as dead and schedules the jobs that follow. @returns whether one of them was alive */
  async #markDead(tx: Executor, which: SQL | undefined): Promise<boolean> {
    const [row] = await tx
      .update(nodes)
      .set({ diedAt: sql`now()` })
      .where(and(which, isNull(nodes.diedAt)))
      .returning();
    if (!row?.diedAt) return false;
    await endTransactionsOf(tx, row.id);
    const payload = { seenAt: row.seenAt.toISOString(), diedAt: row.diedAt.toISOString(), roles: row.roles };
    await this.#options.jobs.set(tx, nodeDied, row.id, new Date(), payload satisfies NodeDied);
    if (row.roles.includes('api')) await this.#options.jobs.set(tx, requestsDied, row.id, new Date());
    return true;
  }

  async #enter(db: Executor = this.#options.db): Promise<void> {
    const { roles, address, usage, release, turn = null, log } = this.#options;
    await db
      .insert(nodes)
      .values({ id: this.#id, roles, address, release, ...usage(), draining: this.#draining, turn });
    await db.delete(nodes).where(lt(nodes.diedAt, sql`now() - ${keepDeadFor}::interval`));
    this.#watchingSince = performance.now();
    this.#lastBeat = present();
    this.#living.set(this.#id, {
      id: this.#id,
      roles,
      address,
      load: 0,
      cpu: 0,
      draining: false,
      turn,
      seenMsAgo: 0,
    });
    log.info({ node: this.#id, roles, address }, 'node joined');
  }

  /** Joins. A server that may have just died gets the time in which that becomes certain. */
  async #enterUnlessUsed(): Promise<void> {
    const deadline = performance.now() + silentMs + beatMs;
    for (;;) {
      const other = await this.#options.db.transaction(async (tx) => {
        await tx.execute(oneAtATime);
        const found = await this.#findOther(tx);
        if (!found) await this.#enter(tx);
        return found;
      });
      if (!other) return;
      if (other.address !== null) throw new Error(usedByCluster(other.address));
      if (performance.now() > deadline) throw new Error(usedBySingle);
      await delay(beatMs);
    }
  }

  /**
   * Finds a living server that this one must not run beside, because neither would send the other its events: a single node beside any
   * other. It would also treat the calls of the others as left over from an earlier run.
   */
  async #findOther(db: Executor): Promise<{ address: string | null } | undefined> {
    const isNode = this.#options.address === null ? isNotNull(nodes.address) : undefined;
    const lives = and(isNull(nodes.diedAt), gt(nodes.seenAt, ago(silentMs)), or(isNode, isLivingSingle));
    const [other] = await db.select({ address: nodes.address }).from(nodes).where(lives).limit(1);
    return other;
  }

  /** Declares all other nodes dead, because a single node replaces all servers that used this database before. */
  async #declareOthersDead(): Promise<void> {
    const { db } = this.#options;
    const others = await db
      .select({ id: nodes.id })
      .from(nodes)
      .where(and(isNull(nodes.diedAt), ne(nodes.id, this.#id)));
    for (const { id } of others) await this.declareDead(id, 0);
  }

  #start(): void {
    const { address, log } = this.#options;
    let isFailing = false;
    this.#stop = every(address === null ? singleNodeBeatMs : beatMs, () => {
      if (this.#beating) return;
      this.refresh().then(
        () => {
          if (isFailing) log.info('heartbeats are stored again');
          isFailing = false;
        },
        (err: unknown) => {
          // Once per outage: there may be two in a second.
          if (!isFailing) log.warn({ err }, 'heartbeat failed; it will be repeated');
          isFailing = true;
        },
      );
    });
  }

  async #beat(): Promise<void> {
    const { db, usage } = this.#options;
    // Its connection may have been lost. A heartbeat does not wait for another one.
    this.#lifeLock?.hold(this.#id).catch(() => undefined);
    const { load, cpu } = usage();
    const result = await db.execute<LivingRow>(sql`
      WITH beat AS (
        UPDATE nodes SET seen_at = now(), load = ${load}, cpu = ${cpu}, draining = ${this.#draining} OR drains
        WHERE id = ${this.#id} AND died_at IS NULL RETURNING id)
      SELECT id, roles, address, load, cpu, draining, turn, seen_at::text AS seen, extract(epoch FROM now() - seen_at) * 1000 AS silent
      FROM nodes WHERE died_at IS NULL`);
    // After a gap in its own heartbeats (it was frozen, or the database was unavailable), this node has not seen those of others either.
    if (msSince(this.#lastBeat) > lostMs) this.#watchingSince = performance.now();
    this.#lastBeat = present();
    const rows = result.rows;
    if (!rows.some(({ id }) => id === this.#id)) return this.#rejoin();
    this.#update(rows);
    if (this.#watchedMs < silentMs) return;
    const isSilent = ({ id, silent }: LivingRow) =>
      Number(silent) > silentMs && this.#unchangedMs(id) > silentMs - 2 * beatMs;
    const silent = rows.filter((row) => isSilent(row) && row.id !== this.#id && !this.#witness(row.id));
    for (const { id } of silent) await this.declareDead(id, silentMs);
  }

  #update(rows: LivingRow[]): void {
    const listed = new Set(rows.map(({ id }) => id));
    const gone = [...this.#living.keys()].filter((id) => !listed.has(id));
    for (const { id, roles, address, load, cpu, draining, turn, silent } of rows) {
      this.#living.set(id, {
        id,
        roles: roles as Role[],
        address,
        load,
        cpu,
        draining,
        turn,
        seenMsAgo: id === this.#id ? 0 : Number(silent),
      });
    }
    const before = this.#heartbeats;
    this.#heartbeats = new Map(
      rows.map(({ id, seen }) => {
        const known = before.get(id);
        return [id, known?.seen === seen ? known : { seen, readAt: performance.now() }];
      }),
    );
    for (const id of gone) this.#forget(id);
    if (this.#options.address === null) this.#watchForOthers();
    this.#events.emit('seen');
  }

  /** How long a node has sent no heartbeat, as far as this node has read them. */
  #unchangedMs(id: string): number {
    return performance.now() - (this.#heartbeats.get(id)?.readAt ?? Infinity);
  }

  /** Tells the operator of each server that has started on the database of this single node. */
  #watchForOthers(): void {
    const others = this.living.filter(({ id }) => id !== this.#id && !this.#others.has(id));
    for (const { id } of others) this.#options.log.error({ node: id }, sharedDatabase);
    this.#others = new Set(this.#living.keys());
  }

  #forget(id: string): void {
    if (this.#living.delete(id)) this.#events.emit('died', id);
  }

  async #lives(id: string): Promise<boolean> {
    const { db } = this.#options;
    return (await db.$count(nodes, and(eq(nodes.id, id), isNull(nodes.diedAt)))) > 0;
  }

  /** Rejoins under another id, after other nodes have declared this node dead because it was frozen or cut off. */
  async #rejoin(): Promise<void> {
    const former = this.#id;
    this.#living.clear();
    this.#events.emit('ended');
    // Requests under the former id are refused, however late they are executed.
    await delay(formerLifeMs);
    this.#id = newId('node');
    this.#lifeLock?.drop();
    await this.#enter();
    this.#options.log.error(
      { former, node: this.#id },
      'this node was declared dead and rejoined under another id',
    );
    this.#events.emit('rejoined');
  }
}

const usedByCluster = (address: string) =>
  `Nodes of a cluster use this database (one at ${address}): set the same REDIS_URL for this server, or another DATABASE_URL.`;
const usedBySingle =
  'Another server without REDIS_URL uses this database: stop it, set the same REDIS_URL for both, or set another DATABASE_URL for this one.';
const sharedDatabase =
  'another server uses this database, and neither sends the other its events: stop one of them, or set the same REDIS_URL for both';

/** The present by both clocks. Date may be set back, and performance.now() stands still while the machine is suspended. */
const present = () => ({ date: Date.now(), steady: performance.now() });

/** The longer of the times by both clocks. */
const msSince = ({ date, steady }: ReturnType<typeof present>) =>
  Math.max(Date.now() - date, performance.now() - steady);

/** A time in the past by the database's clock. */
const ago = (ms: number) => sql`now() - make_interval(secs => ${ms / 1_000})`;

type LivingRow = {
  id: string;
  roles: string[];
  address: string | null;
  load: number;
  cpu: number;
  draining: boolean;
  turn: NodeTurn | null;
  /** The time of its last heartbeat. */
  seen: string;
  silent: string;
};
