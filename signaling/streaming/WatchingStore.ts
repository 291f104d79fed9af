import {
  and,
  asc,
  count,
  desc,
  eq,
  getTableColumns,
  inArray,
  isNull,
  lt,
  ne,
  notExists,
  sql,
} from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { alias } from 'drizzle-orm/pg-core';
import type { PartyId } from '../../sdk/protocol/party.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import { isOneOf } from '../../platform/database/isOneOf.ts';
import { Outages } from '../../platform/database/Outages.ts';
import { after, type PlacedPage } from '../../platform/database/places.ts';
import type { OwnNode } from '../../platform/node/OwnNode.ts';
import { streamWatchings, type WatchingRow } from './tables.ts';

const earlier = alias(streamWatchings, 'earlier');

const sweptAtOnce = 500;
/**
 * The maximum number of guests counted per network, because one person can open a page many times. Few schools or offices have more
 * viewers than this.
 */
const guestsPerNetwork = 50;
/** A count takes longer the more viewers there are, and its result goes to all of them. With n times as many, it is made every n seconds. */
const viewersPerSecond = 10_000;
/**
 * `seenAt` is always by the database's clock, so that the clocks of nodes need not agree, and by the time of the statement, so that it rises
 * with each change of a record.
 */
const now = sql<Date>`clock_timestamp()`;

/** Viewers of streams in the database. */
export class WatchingStore {
  readonly #db: NodePgDatabase;
  readonly #node: OwnNode;
  readonly #outages: Outages;

  constructor(db: NodePgDatabase, node: OwnNode) {
    this.#db = db;
    this.#outages = new Outages(db);
    this.#node = node;
  }

  /**
   * Records that a viewer watches, or updates the record with a new connection.
   * @returns null when the id belongs to another viewer
   */
  async put(
    executor: Executor,
    watching: Omit<WatchingRow, 'node' | 'joinedAt' | 'seenAt'>,
  ): Promise<(WatchingRow & { isNew: boolean }) | null> {
    const node = watching.socket ? this.#node.id : null;
    const { socket, displayName, canChat, tokenId, gateCheckedAt } = watching;
    const changes = { socket, node, displayName, canChat, tokenId, gateCheckedAt, seenAt: now };
    const [row] = await executor
      .insert(streamWatchings)
      .values({ ...watching, node, joinedAt: new Date(), seenAt: now })
      .onConflictDoUpdate({
        target: [streamWatchings.streamId, streamWatchings.id],
        set: changes,
        setWhere: eq(streamWatchings.viewer, watching.viewer),
      })
      // True for a row this statement inserted rather than updated.
      .returning({ ...getTableColumns(streamWatchings), isNew: sql<boolean>`xmax = 0` });
    return row ?? null;
  }

  /** Renews a record. @returns null if there is no such record */
  async touch(streamId: string, id: string): Promise<WatchingRow | null> {
    const [row] = await this.#db
      .update(streamWatchings)
      .set({ seenAt: now })
      .where(isPlayer(streamId, id))
      .returning();
    return row ?? null;
  }

  /**
   * Renews many records. It leaves out those that another transaction is changing or removing: while it waited for one and held others, that
   * transaction might wait for it in turn.
   * @returns the ids of the renewed records
   */
  async renew(streamId: string, ids: string[]): Promise<Set<string>> {
    const { id } = streamWatchings;
    const free = this.#db
      .select({ id })
      .from(streamWatchings)
      .where(and(eq(streamWatchings.streamId, streamId), isOneOf(id, ids)))
      .for('update', { skipLocked: true });
    const rows = await this.#db
      .update(streamWatchings)
      .set({ seenAt: now })
      .where(and(eq(streamWatchings.streamId, streamId), inArray(id, free)))
      .returning({ id });
    return new Set(rows.map((row) => row.id));
  }

  /** The number of a viewer's other players. */
  async others(
    { streamId, viewer, id }: Pick<WatchingRow, 'streamId' | 'viewer' | 'id'>,
    executor: Executor = this.#db,
  ): Promise<number> {
    const [row] = await executor
      .select({ count: count() })
      .from(streamWatchings)
      .where(isOther(streamId, viewer, id));
    return row?.count ?? 0;
  }

  async find(streamId: string, id: string): Promise<WatchingRow | null> {
    const [row] = await this.#db.select().from(streamWatchings).where(isPlayer(streamId, id));
    return row ?? null;
  }

  /** The record of a device on this connection. In a transaction, further calls for the connection wait until it ends. */
  async onSocket(
    streamId: string,
    socket: string,
    executor: Executor = this.#db,
  ): Promise<WatchingRow | null> {
    if (executor !== this.#db)
      await executor.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`viewer ${socket}`}, 0))`);
    const [row] = await executor
      .select()
      .from(streamWatchings)
      .where(and(eq(streamWatchings.socket, socket), eq(streamWatchings.streamId, streamId)));
    return row ?? null;
  }

  /** Makes other devices of this viewer wait until the transaction ends. */
  async lock(
    executor: Executor,
    { streamId, viewer }: Pick<WatchingRow, 'streamId' | 'viewer'>,
  ): Promise<void> {
    const name = `viewer ${viewer} of ${streamId}`;
    await executor.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
  }

  /** Removes a viewer's other players. */
  async removeOthers(
    executor: Executor,
    { streamId, viewer, id }: Pick<WatchingRow, 'streamId' | 'viewer' | 'id'>,
  ): Promise<WatchingRow[]> {
    return executor
      .delete(streamWatchings)
      .where(isOther(streamId, viewer, id))
      .returning();
  }

  async ofToken(streamId: string, tokenId: string, executor: Executor = this.#db): Promise<WatchingRow[]> {
    return executor
      .select()
      .from(streamWatchings)
      .where(and(eq(streamWatchings.streamId, streamId), eq(streamWatchings.tokenId, tokenId)));
  }

  async ofWallet(streamId: string, wallet: PartyId, executor: Executor = this.#db): Promise<WatchingRow[]> {
    return executor
      .select()
      .from(streamWatchings)
      .where(and(eq(streamWatchings.streamId, streamId), eq(streamWatchings.viewer, wallet)));
  }

  /** Records that the gate has admitted the wallet again. */
  async checked(executor: Executor, streamId: string, wallet: PartyId, at: Date): Promise<void> {
    await executor
      .update(streamWatchings)
      .set({ gateCheckedAt: at })
      .where(and(eq(streamWatchings.streamId, streamId), eq(streamWatchings.viewer, wallet)));
  }

  /** Which of these records still exist. */
  async known(streamId: string, ids: string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const rows = await this.#db
      .select({ id: streamWatchings.id })
      .from(streamWatchings)
      .where(and(eq(streamWatchings.streamId, streamId), isOneOf(streamWatchings.id, ids)));
    return new Set(rows.map(({ id }) => id));
  }

  /** Each viewer once, by their first record, in the order of arrival. */
  async viewers(streamId: string, limit: number, offset: number): Promise<WatchingRow[]> {
    return this.#db
      .select()
      .from(streamWatchings)
      .where(this.#isFirst(streamId))
      .orderBy(asc(streamWatchings.joinedAt), asc(streamWatchings.viewer))
      .limit(limit)
      .offset(offset);
  }

  /** Like viewers(), the latest first. */
  async viewersPage(streamId: string, { limit, before }: PlacedPage): Promise<WatchingRow[]> {
    const { joinedAt, id } = streamWatchings;
    return this.#db
      .select()
      .from(streamWatchings)
      .where(and(this.#isFirst(streamId), after(before, joinedAt, id)))
      .orderBy(desc(joinedAt), desc(id))
      .limit(limit);
  }

  /** Matches the first record of each viewer, looking only at the records that are read: a stream may have very many viewers. */
  #isFirst(streamId: string) {
    const { joinedAt, id, viewer } = streamWatchings;
    const isEarlier = sql`(${earlier.joinedAt}, ${earlier.id}) < (${joinedAt}, ${id})`;
    const ofViewer = and(eq(earlier.streamId, streamId), eq(earlier.viewer, viewer), isEarlier);
    return and(
      eq(streamWatchings.streamId, streamId),
      notExists(this.#db.select({ id: earlier.id }).from(earlier).where(ofViewer)),
    );
  }

  async remove(streamId: string, ids: string[], executor: Executor = this.#db): Promise<WatchingRow[]> {
    if (ids.length === 0) return [];
    return executor
      .delete(streamWatchings)
      .where(and(eq(streamWatchings.streamId, streamId), isOneOf(streamWatchings.id, ids)))
      .returning();
  }

  /** Marks the device on this connection, or all devices on this node, as disconnected. Their records expire unless they come back. */
  async disconnect(where: { socket: string } | { node: string }): Promise<void> {
    const isOf =
      'socket' in where ? eq(streamWatchings.socket, where.socket) : eq(streamWatchings.node, where.node);
    await this.#db.update(streamWatchings).set({ socket: null, node: null, seenAt: now }).where(isOf);
  }

  /** This node's connections that have records. */
  async socketsHere(): Promise<string[]> {
    const rows = await this.#db
      .selectDistinct({ socket: streamWatchings.socket })
      .from(streamWatchings)
      .where(eq(streamWatchings.node, this.#node.id));
    return rows.flatMap(({ socket }) => socket ?? []);
  }

  /** Removes expired records: devices that stayed away, and silent players. Call it regularly: see Outages. */
  async sweep(awayMs: number, silentMs: number): Promise<WatchingRow[]> {
    if (!(await this.#outages.areOver(silentMs))) return [];
    const since = (ms: number) => sql`now() - make_interval(secs => ${ms / 1_000})`;
    const { seenAt, socket, via, streamId, id } = streamWatchings;
    const limit = sql`CASE WHEN ${via} = 'sdk' THEN ${since(awayMs)} ELSE ${since(silentMs)} END`;
    const over = this.#db
      .select({ streamId, id })
      .from(streamWatchings)
      .where(and(isNull(socket), lt(seenAt, since(Math.min(awayMs, silentMs))), sql`${seenAt} < ${limit}`))
      .limit(sweptAtOnce)
      .for('update', { skipLocked: true });
    return this.#db
      .delete(streamWatchings)
      .where(sql`(${streamId}, ${id}) IN ${over}`)
      .returning();
  }

  /**
   * Counts a stream's viewers, unless they have been counted since a change, or it is too early: all nodes together count once a second,
   * or less often if there are very many viewers.
   * @param changedAt when a viewer came or left, by the database's clock; null for now
   * @returns the count, and whether it differs from the stored one; when to try again, unless the change is counted or the stream is gone
   */
  count(
    streamId: string,
    changedAt: string | null,
  ): Promise<{
    counted: { host: PartyId; viewers: number; isNew: boolean } | null;
    again: { changedAt: string; inMs: number } | null;
  }> {
    return this.#db.transaction(async (tx) => {
      const name = `viewer count of ${streamId}`;
      // A statement of its own, so that the next one sees what the previous holder of the lock has stored.
      const { rows: asked } = await tx.execute<{ isAlone: boolean; now: string }>(sql`
        SELECT pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) AS "isAlone",
          date_trunc('milliseconds', clock_timestamp())::text AS now`);
      const { isAlone, now: startedAt } = asked[0] ?? { isAlone: false, now: '' };
      const since = changedAt ?? startedAt;
      const { rows } = await tx.execute<{
        host: PartyId;
        isCounted: boolean;
        waitMs: number;
        before: number;
        now: number | null;
      }>(sql`
        WITH stream AS (
          SELECT host, viewer_count AS before, coalesce(counted_at >= ${since}::timestamptz, false) AS is_counted,
            greatest(0, extract(epoch FROM counted_at - clock_timestamp()) + greatest(1, viewer_count / ${viewersPerSecond}::float8))
              AS wait_seconds
          FROM streams WHERE id = ${streamId}
        ), due AS (
          SELECT FROM stream WHERE ${isAlone} AND NOT is_counted AND coalesce(wait_seconds, 0) = 0
        ), viewers AS (
          SELECT DISTINCT viewer, wallet IS NULL AS is_guest FROM stream_watchings
          WHERE stream_id = ${streamId} AND EXISTS (SELECT FROM due)
        ), networks AS (
          -- The name of a guest holds its network, and the wider one that is in: guest_<wider>.<network>_<random>
          SELECT split_part(viewer, '_', 2) AS network, least(count(*), ${guestsPerNetwork}) AS guests
          FROM viewers WHERE is_guest GROUP BY 1
        ), wider AS (
          SELECT least(sum(guests), ${16 * guestsPerNetwork}) AS guests
          FROM networks GROUP BY split_part(network, '.', 1)
        ), counted AS (
          UPDATE streams SET counted_at = ${startedAt}::timestamptz,
            viewer_count = (SELECT count(*) FROM viewers WHERE NOT is_guest) + (SELECT coalesce(sum(guests), 0) FROM wider)
          WHERE id = ${streamId} AND EXISTS (SELECT FROM due)
          RETURNING viewer_count
        )
        SELECT host, is_counted AS "isCounted", coalesce(wait_seconds, 0)::float8 * 1000 AS "waitMs", before,
          (SELECT viewer_count FROM counted) AS now
        FROM stream`);
      const [row] = rows;
      if (!row) return { counted: null, again: null };
      const { host, isCounted, before, now, waitMs } = row;
      if (isCounted) return { counted: { host, viewers: before, isNew: false }, again: null };
      if (now === null) return { counted: null, again: { changedAt: since, inMs: waitMs } };
      return { counted: { host, viewers: now, isNew: now !== before }, again: null };
    });
  }
}

const isOther = (streamId: string, viewer: string, id: string) =>
  and(eq(streamWatchings.streamId, streamId), eq(streamWatchings.viewer, viewer), ne(streamWatchings.id, id));

const isPlayer = (streamId: string, id: string) =>
  and(eq(streamWatchings.streamId, streamId), eq(streamWatchings.id, id));
