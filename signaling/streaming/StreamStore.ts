import { and, between, count, desc, eq, ne, sql, type SQL } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { roomOwners } from '../../media/cluster/tables.ts';
import type { PartyId } from '../../sdk/protocol/party.ts';
import type { StreamStatus } from '../../sdk/protocol/streaming.ts';
import { ChatLog } from '../chat/ChatLog.ts';
import { after, type PlacedPage } from '../../platform/database/places.ts';
import { first } from '../../platform/database/first.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import { LivingStore } from '../../platform/node/LivingStore.ts';
import type { OwnNode } from '../../platform/node/OwnNode.ts';
import { listed, type Subscription } from '../socket/unsubscribeFormer.ts';
import { noSuchStream } from './refusals.ts';
import { streamBans, streamChat, streams, streamWatchings, type StreamRow } from './tables.ts';
import { WatchingStore } from './WatchingStore.ts';

interface ListQuery {
  status?: StreamStatus | undefined;
  limit: number;
  offset: number;
}

const streamsWhere = (executor: Executor, where: SQL | undefined) =>
  executor.select().from(streams).where(where);

/** Streams, bans and chat in the database. Viewers are in WatchingStore. */
export class StreamStore extends LivingStore {
  readonly chat: ChatLog;
  readonly watchings: WatchingStore;
  #onDoubt: (streamId: string) => void = () => undefined;

  constructor(db: NodePgDatabase, node: OwnNode) {
    super(db, node);
    this.chat = new ChatLog(db, streamChat);
    this.watchings = new WatchingStore(db, node);
  }

  /** Sets what is called when a change of a stream may have been stored although it failed. */
  onDoubt(handler: (streamId: string) => void): void {
    this.#onDoubt = handler;
  }

  /** Call when what follows from a stored change has failed: it is repeated. */
  doubt(streamId: string): void {
    this.#onDoubt(streamId);
  }

  /** Runs a transaction that locks the stream. @throws ParleyError NOT_FOUND */
  inStream<T>(streamId: string, run: (executor: Executor, stream: StreamRow) => Promise<T>): Promise<T> {
    return this.transaction(
      async (executor) => run(executor, await this.lock(executor, streamId)),
      () => this.#onDoubt(streamId),
    );
  }

  /** Locks the stream until the transaction ends. @throws ParleyError NOT_FOUND */
  async lock(executor: Executor, streamId: string): Promise<StreamRow> {
    const [stream] = await streamsWhere(executor, eq(streams.id, streamId)).for('update');
    if (!stream) throw noSuchStream();
    return stream;
  }

  async insert(executor: Executor, row: StreamRow): Promise<void> {
    await executor.insert(streams).values(row);
  }

  async change(executor: Executor, streamId: string, changes: Partial<StreamRow>): Promise<StreamRow> {
    const [row] = await executor
      .update(streams)
      .set({ ...changes, revision: sql`${streams.revision} + 1` })
      .where(eq(streams.id, streamId))
      .returning();
    if (!row) throw noSuchStream();
    return row;
  }

  /** @throws ParleyError NOT_FOUND */
  async stream(streamId: string): Promise<StreamRow> {
    const row = await this.find(streamId);
    if (!row) throw noSuchStream();
    return row;
  }

  async find(streamId: string): Promise<StreamRow | null> {
    return first(streamsWhere(this.db, eq(streams.id, streamId)));
  }

  async ofKey(keyHash: string): Promise<StreamRow | null> {
    return first(streamsWhere(this.db, eq(streams.keyHash, keyHash)));
  }

  /** Counts a wallet's streams that have not ended. Until the transaction ends, the wallet cannot create another stream. */
  async countOf(executor: Executor, host: PartyId): Promise<number> {
    await executor.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`streams of ${host}`}, 0))`);
    const [row] = await executor
      .select({ count: count() })
      .from(streams)
      .where(and(eq(streams.host, host), ne(streams.status, 'ended')));
    return row?.count ?? 0;
  }

  /** A host's streams, newest first. Ended streams are listed only on request. @param isOwn whether to include private streams */
  async of(host: PartyId, isOwn: boolean, { status, limit, offset }: ListQuery): Promise<StreamRow[]> {
    return streamsWhere(
      this.db,
      and(
        eq(streams.host, host),
        isOwn ? undefined : eq(streams.isPublic, true),
        status ? eq(streams.status, status) : ne(streams.status, 'ended'),
      ),
    )
      .orderBy(desc(streams.createdAt), desc(streams.id))
      .limit(limit)
      .offset(offset);
  }

  /** A host's streams in any state, newest first. */
  async page(
    host: PartyId,
    { status, limit, before }: { status?: StreamStatus | undefined } & PlacedPage,
  ): Promise<StreamRow[]> {
    return streamsWhere(
      this.db,
      and(
        eq(streams.host, host),
        status && eq(streams.status, status),
        after(before, streams.createdAt, streams.id),
      ),
    )
      .orderBy(desc(streams.createdAt), desc(streams.id))
      .limit(limit);
  }

  /** Public live streams, newest first. */
  async open({ limit, offset }: ListQuery): Promise<StreamRow[]> {
    return streamsWhere(this.db, sql`${streams.status} = 'live' AND ${streams.isPublic}`)
      .orderBy(desc(streams.createdAt))
      .limit(limit)
      .offset(offset);
  }

  /** Deletes the viewers and the chat of an ended stream. */
  async clear(executor: Executor, streamId: string): Promise<void> {
    await executor.delete(streamWatchings).where(eq(streamWatchings.streamId, streamId));
    await this.chat.clear(executor, streamId);
  }

  async ban(executor: Executor, streamId: string, wallet: PartyId): Promise<void> {
    await executor
      .insert(streamBans)
      .values({ streamId, wallet, bannedAt: new Date() })
      .onConflictDoNothing();
  }

  async countBans(executor: Executor, streamId: string): Promise<number> {
    const [row] = await executor
      .select({ count: count() })
      .from(streamBans)
      .where(eq(streamBans.streamId, streamId));
    return row?.count ?? 0;
  }

  async unban(executor: Executor, streamId: string, wallet: PartyId): Promise<void> {
    await executor.delete(streamBans).where(banOf(streamId, wallet));
  }

  async isBanned(streamId: string, wallet: PartyId, executor: Executor = this.db): Promise<boolean> {
    const found = await executor
      .select({ wallet: streamBans.wallet })
      .from(streamBans)
      .where(banOf(streamId, wallet));
    return found.length > 0;
  }

  /** Who was banned between these times. @param streamId only from this stream, if given */
  async bannedBetween(
    from: Date,
    to: Date,
    streamId?: string,
  ): Promise<{ streamId: string; wallet: PartyId }[]> {
    const isOfStream = streamId === undefined ? undefined : eq(streamBans.streamId, streamId);
    return this.db
      .select({ streamId: streamBans.streamId, wallet: streamBans.wallet })
      .from(streamBans)
      .where(and(between(streamBans.bannedAt, from, to), isOfStream));
  }

  /** Streams that a device on this connection publishes. */
  async publishedOn(socket: string): Promise<StreamRow[]> {
    return streamsWhere(this.db, and(eq(streams.publisherSocket, socket), ne(streams.status, 'ended')));
  }

  /** Streams whose publisher is connected to this node, by any protocol. */
  async publishedAt(nodeId: string): Promise<StreamRow[]> {
    return streamsWhere(this.db, and(eq(streams.publisherNode, nodeId), ne(streams.status, 'ended')));
  }

  /** Those of these connections that neither watch nor publish any more, in streams that have not ended. */
  async former(subscribed: Subscription[]): Promise<Subscription[]> {
    const { rows } = await this.db.execute<{ n: number }>(sql`
      SELECT g.n::int FROM ${listed(subscribed)}
      JOIN streams s ON s.id = g.id AND s.status <> 'ended' AND s.publisher_socket IS DISTINCT FROM g.socket
      WHERE NOT EXISTS (SELECT FROM stream_watchings w WHERE w.stream_id = g.id AND w.socket = g.socket)`);
    return rows.flatMap(({ n }) => subscribed[n - 1] ?? []);
  }

  async endedBetween(from: Date, to: Date): Promise<StreamRow[]> {
    return streamsWhere(this.db, between(streams.endedAt, from, to));
  }

  /** Streams whose media is no longer needed: ended ones, and idle ones with neither a publisher nor viewers. */
  async withMediaLeft(): Promise<string[]> {
    const rows = await this.db
      .select({ id: streams.id })
      .from(roomOwners)
      .innerJoin(streams, eq(streams.id, roomOwners.roomId))
      .where(
        sql`${streams.status} = 'ended' OR (${streams.status} = 'idle' AND ${streams.publisherNode} IS NULL
          AND NOT EXISTS (SELECT FROM stream_watchings w WHERE w.stream_id = ${streams.id}))`,
      )
      .limit(1_000);
    return rows.map(({ id }) => id);
  }
}

const banOf = (streamId: string, wallet: PartyId) =>
  and(eq(streamBans.streamId, streamId), eq(streamBans.wallet, wallet));
