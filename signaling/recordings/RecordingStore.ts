import { and, asc, desc, eq, inArray, isNull, sql, type SQL } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Logger } from 'pino';
import type { PartyId } from '../../sdk/protocol/party.ts';
import type { RecordingKind, RecordingStatus } from '../../sdk/protocol/recordings.ts';
import { after, type PlacedPage } from '../../platform/database/places.ts';
import { first } from '../../platform/database/first.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import { Leases } from '../../platform/leases/Leases.ts';
import { LivingStore } from '../../platform/node/LivingStore.ts';
import { roomMembers } from '../conference/tables.ts';
import type { OwnNode } from '../../platform/node/OwnNode.ts';
import {
  hasParts,
  recordingFiles,
  recordingParts,
  recordings,
  type PartRow,
  type RecordingFileRow,
  type RecordingRow,
} from './tables.ts';

export interface RecordingQuery {
  kind?: RecordingKind | undefined;
  roomId?: string | undefined;
  status?: RecordingStatus | undefined;
  limit: number;
  offset?: number;
  /** The last recording of the page before. */
  before?: PlacedPage['before'];
}

interface StoreDeps {
  db: NodePgDatabase;
  node: OwnNode;
  jobs: ScheduledJobs;
  log: Logger;
}

type Settled = Pick<RecordingRow, 'status' | 'durationSeconds' | 'sizeBytes'> &
  Partial<Pick<RecordingRow, 'endReason'>>;

const isThere = isNull(recordings.discardedAt);
const unsettled: RecordingRow['status'][] = ['recording', 'processing'];
export const isUnsettled = ({ status }: RecordingRow) => unsettled.includes(status);
/** A lease that is not renewed expires after this time. */
const heldSeconds = 30;
/** The kind of job that looks after a recording until it is settled: it is due when the recording may have no holder. */
export const recordingJob = 'recording';

const recordingsWhere = (executor: Executor, where: SQL | undefined) =>
  executor.select().from(recordings).where(where);

/** Recordings, their parts and their files, in the database. */
export class RecordingStore extends LivingStore {
  readonly #jobs: ScheduledJobs;
  /** The holder is the node that records, or that joins the parts. */
  readonly leases;

  constructor({ db, node, jobs, log }: StoreDeps) {
    super(db, node);
    this.#jobs = jobs;
    this.leases = new Leases({
      db,
      table: recordings,
      key: ['id'],
      until: 'heldUntil',
      holder: { column: 'heldBy', id: () => node.id },
      seconds: heldSeconds,
      log,
    });
  }

  /** Inserts a recording. This node holds it if its status is `recording`. */
  async insert(
    executor: Executor,
    row: Pick<RecordingRow, 'id' | 'kind' | 'roomId' | 'host' | 'title' | 'status' | 'endReason'>,
  ): Promise<RecordingRow> {
    const isRunning = row.status === 'recording';
    const held = isRunning ? this.leases.held : { endedAt: new Date() };
    const [made] = await executor
      .insert(recordings)
      .values({ ...row, startedAt: new Date(), ...held })
      .returning();
    if (!made) throw new Error('the insert of a recording returned no row');
    if (isRunning) await this.#jobs.set(executor, recordingJob, made.id, inSeconds(heldSeconds + 1));
    return made;
  }

  async find(id: string): Promise<RecordingRow | null> {
    return first(recordingsWhere(this.db, eq(recordings.id, id)));
  }

  async own(host: PartyId, id: string): Promise<RecordingRow | null> {
    return first(recordingsWhere(this.db, and(eq(recordings.id, id), eq(recordings.host, host), isThere)));
  }

  /** Newest first. */
  async list(host: PartyId, query: RecordingQuery): Promise<RecordingRow[]> {
    const { kind, roomId, status, limit, offset = 0, before = null } = query;
    return recordingsWhere(
      this.db,
      and(
        eq(recordings.host, host),
        isThere,
        kind && eq(recordings.kind, kind),
        roomId === undefined ? undefined : eq(recordings.roomId, roomId),
        status && eq(recordings.status, status),
        after(before, recordings.startedAt, recordings.id),
      ),
    )
      .orderBy(desc(recordings.startedAt), desc(recordings.id))
      .limit(limit)
      .offset(offset);
  }

  /** The recordings of these rooms that belong to a host, newest first, at most ten of each room. */
  async ofRooms(host: PartyId, roomIds: string[]): Promise<RecordingRow[]> {
    if (roomIds.length === 0) return [];
    const latest = sql`(SELECT latest.id FROM unnest(${sql.param(roomIds)}::text[]) AS given (id), LATERAL (
      SELECT r.id FROM recordings r WHERE r.room_id = given.id AND r.host = ${host} AND r.discarded_at IS NULL
      ORDER BY r.started_at DESC LIMIT 10) AS latest)`;
    return recordingsWhere(this.db, sql`${recordings.id} IN ${latest}`).orderBy(
      desc(recordings.startedAt),
      desc(recordings.id),
    );
  }

  /** Whether there has ever been a recording of this room. */
  async hasAny(executor: Executor, roomId: string): Promise<boolean> {
    const found = await executor
      .select({ id: recordings.id })
      .from(recordings)
      .where(eq(recordings.roomId, roomId))
      .limit(1);
    return found.length > 0;
  }

  /** The storage used by a wallet's recordings: their files, and the parts of unfinished ones. */
  async bytesOf(executor: Executor, host: PartyId): Promise<number> {
    const { rows } = await executor.execute<{ bytes: number }>(sql`
      SELECT (coalesce((SELECT u.bytes FROM recording_usage u WHERE u.host = ${host}), 0)
        + coalesce((SELECT sum(p.bytes) FROM recordings r JOIN recording_parts p ON p.recording_id = r.id
          WHERE r.host = ${host} AND ${hasParts}), 0))::float8 AS bytes`);
    return rows[0]?.bytes ?? 0;
  }

  /** Ends the recording of a room. @returns the recording, if there was one */
  async end(
    executor: Executor,
    which: { roomId: string } | { id: string },
    endReason: string,
  ): Promise<RecordingRow | null> {
    const isIt = 'id' in which ? eq(recordings.id, which.id) : eq(recordings.roomId, which.roomId);
    return first(
      executor
        .update(recordings)
        .set({ status: 'processing', endedAt: new Date(), endReason })
        .where(and(isIt, eq(recordings.status, 'recording')))
        .returning(),
    );
  }

  /** The recording of a room that this node holds. */
  async heldIn(roomId: string): Promise<RecordingRow | null> {
    const { roomId: of, status, heldBy } = recordings;
    const isHeld = and(eq(of, roomId), eq(status, 'recording'), eq(heldBy, this.node.id));
    return first(recordingsWhere(this.db, isHeld));
  }

  /** Takes the lease of a recording. @returns the recording, or null if it is settled or held */
  take(id: string): Promise<RecordingRow | null> {
    const isOpen = inArray(recordings.status, unsettled);
    return this.leases.take(and(eq(recordings.id, id), isOpen, isThere, this.node.stillAlive));
  }

  /** Frees a recording that this node holds. @param seconds the delay before any node tries to take it */
  async release(row: RecordingRow, seconds = 0): Promise<void> {
    if (await this.leases.release(row)) await this.#checkAfter(row.id, seconds);
  }

  /** Frees all recordings of a dead node. */
  async releaseAllOf(nodeId: string): Promise<void> {
    for (const { id } of await this.leases.releaseAllOf(nodeId)) await this.#checkAfter(id, 0);
  }

  /** Checks again when the present lease would end. */
  async checkLater(id: string): Promise<void> {
    const now = await this.find(id);
    if (!now || !isUnsettled(now)) return;
    const freeInMs = (now.heldUntil?.getTime() ?? 0) - Date.now();
    await this.#checkAfter(id, Math.max(1, freeInMs / 1_000 + 1));
  }

  /**
   * Stores that these participants were not recorded for part of the time.
   * @returns null if that is already known, or if the recording was deleted
   */
  async leaveOut(id: string, wallets: PartyId[]): Promise<RecordingRow | null> {
    const left = sql`${sql.param(wallets)}::text[]`;
    return first(
      this.db
        .update(recordings)
        .set({ leftOut: sql`ARRAY(SELECT DISTINCT unnest(${recordings.leftOut} || ${left}))` })
        .where(and(eq(recordings.id, id), sql`NOT ${recordings.leftOut} @> ${left}`))
        .returning(),
    );
  }

  /** Stores the result of a recording and frees it. @returns the recording, or null if the lease is lost */
  async settle(executor: Executor, row: RecordingRow, settled: Settled): Promise<RecordingRow | null> {
    const [done] = await executor
      .update(recordings)
      .set({ ...settled, ...this.leases.freed })
      .where(and(this.leases.isMine(row), eq(recordings.status, 'processing')))
      .returning();
    if (done) await this.#jobs.cancel(executor, recordingJob, done.id);
    return done ?? null;
  }

  async countFailure(id: string): Promise<void> {
    await this.db
      .update(recordings)
      .set({ attempts: sql`${recordings.attempts} + 1` })
      .where(eq(recordings.id, id));
  }

  async discard(executor: Executor, id: string): Promise<void> {
    await executor.update(recordings).set({ discardedAt: new Date() }).where(eq(recordings.id, id));
  }

  async remove(id: string): Promise<void> {
    await this.db.delete(recordings).where(eq(recordings.id, id));
  }

  async addPart(part: Pick<PartRow, 'id' | 'recordingId' | 'wallet' | 'isScreen'>): Promise<PartRow> {
    // Kept with the recording, because the room forgets its guests.
    const named = sql`(SELECT m.display_name FROM ${roomMembers} m JOIN ${recordings} r ON r.room_id = m.room_id
      WHERE r.id = ${part.recordingId} AND m.wallet = ${part.wallet})`;
    const values = { ...part, displayName: named, node: this.node.id, startedAt: new Date() };
    const [row] = await this.db.insert(recordingParts).values(values).returning();
    if (!row) throw new Error('the insert of a part returned no row');
    return row;
  }

  async growPart(id: string, { bytes, chunks }: Pick<PartRow, 'bytes' | 'chunks'>): Promise<void> {
    await this.db.update(recordingParts).set({ bytes, chunks }).where(eq(recordingParts.id, id));
  }

  /** The number of bytes stored so far, in all parts by all nodes. */
  async bytesOfParts(recordingId: string): Promise<number> {
    const [row] = await this.db
      .select({ bytes: sql<number>`coalesce(sum(${recordingParts.bytes}), 0)::float8` })
      .from(recordingParts)
      .where(eq(recordingParts.recordingId, recordingId));
    return row?.bytes ?? 0;
  }

  async part(id: string): Promise<PartRow | null> {
    return first(this.db.select().from(recordingParts).where(eq(recordingParts.id, id)));
  }

  /** In the order in which the parts were started. */
  async partsOf(recordingId: string): Promise<PartRow[]> {
    return this.db
      .select()
      .from(recordingParts)
      .where(eq(recordingParts.recordingId, recordingId))
      .orderBy(asc(recordingParts.startedAt), asc(recordingParts.id));
  }

  async removeParts(recordingId: string): Promise<void> {
    await this.db.delete(recordingParts).where(eq(recordingParts.recordingId, recordingId));
  }

  async addFile(executor: Executor, row: RecordingFileRow): Promise<void> {
    await executor.insert(recordingFiles).values(row);
  }

  async filesOf(recordingIds: string[]): Promise<RecordingFileRow[]> {
    if (recordingIds.length === 0) return [];
    return this.db
      .select()
      .from(recordingFiles)
      .where(inArray(recordingFiles.recordingId, recordingIds))
      .orderBy(asc(recordingFiles.startSeconds), asc(recordingFiles.fileId));
  }

  async removeFiles(executor: Executor, recordingId: string): Promise<void> {
    await executor.delete(recordingFiles).where(eq(recordingFiles.recordingId, recordingId));
  }

  #checkAfter(id: string, seconds: number): Promise<void> {
    return this.transaction((executor) => this.#jobs.set(executor, recordingJob, id, inSeconds(seconds)));
  }
}

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000);

/** Whether a wallet may read a file without a signed URL, because it owns the file's recording. */
export async function isRecordingOf(db: NodePgDatabase, fileId: string, wallet: PartyId): Promise<boolean> {
  const [row] = await db
    .select({ id: recordings.id })
    .from(recordingFiles)
    .innerJoin(recordings, eq(recordings.id, recordingFiles.recordingId))
    .where(and(eq(recordingFiles.fileId, fileId), eq(recordings.host, wallet), isThere));
  return row !== undefined;
}
