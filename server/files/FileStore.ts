import { and, eq, inArray, isNotNull, isNull, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { PartyId } from '../../sdk/protocol/party.ts';
import { maxFileBytes } from '../../sdk/protocol/limits.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { Database } from '../../platform/database/database.ts';
import { first } from '../../platform/database/first.ts';
import { Leases } from '../../platform/leases/Leases.ts';
import type { FileQuotas } from './FileQuotas.ts';
import { files, type FileRow, type Part } from './tables.ts';

type InspectedFacts = Pick<
  FileRow,
  | 'objectKey'
  | 'thumbnailKey'
  | 'kind'
  | 'mimeType'
  | 'width'
  | 'height'
  | 'duration'
  | 'name'
  | 'countedBytes'
> & { size: number };

const exists = (id: string) => and(eq(files.id, id), isNull(files.discardedAt));

/** The rows of files. Their bytes are in storage. */
export class FileStore {
  readonly #db: Database;
  readonly #quotas: FileQuotas;
  readonly inspections;

  constructor(db: Database, quotas: FileQuotas, log: Logger) {
    this.#db = db;
    this.#quotas = quotas;
    const [key, until] = [['id'], 'finishingUntil'] as const;
    this.inspections = new Leases({ db, table: files, key, until, seconds: 30, log });
  }

  transaction<T>(run: (tx: Executor) => Promise<T>): Promise<T> {
    return this.#db.transaction(run);
  }

  /**
   * @param row `countedBytes` is what the file counts towards the quotas until its size is known
   * @throws ParleyError CONFLICT if a quota is exceeded
   */
  async insert(
    tx: Executor,
    row: Pick<FileRow, 'id' | 'wallet' | 'name' | 'size' | 'createdAt'> &
      Partial<Pick<FileRow, 'attachedAt' | 'countedBytes' | 'kind'>>,
  ): Promise<FileRow> {
    const [inserted] = await tx.insert(files).values(row).returning();
    if (!inserted) throw new Error('the insert of a file returned no row');
    await this.#quotas.take(tx, inserted.wallet, inserted.countedBytes);
    return inserted;
  }

  /**
   * Counts the uploads of a wallet that are unfinished or not used yet. No other upload of the wallet can start until the transaction
   * ends.
   */
  async pending(tx: Executor, wallet: PartyId): Promise<{ count: number; bytes: number }> {
    await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`files ${wallet}`}, 0))`);
    const [sums] = await tx
      .select({
        count: sql<number>`count(*)::int`,
        bytes: sql<number>`coalesce(sum(coalesce(${files.size}, ${maxFileBytes})), 0)::float8`,
      })
      .from(files)
      .where(and(eq(files.wallet, wallet), isNull(files.attachedAt), isNull(files.discardedAt)));
    return sums ?? { count: 0, bytes: 0 };
  }

  async find(id: string, executor: Executor = this.#db): Promise<FileRow | null> {
    return first(executor.select().from(files).where(exists(id)));
  }

  async findAll(ids: string[]): Promise<FileRow[]> {
    if (ids.length === 0) return [];
    return this.#db
      .select()
      .from(files)
      .where(and(inArray(files.id, ids), isNotNull(files.objectKey), isNull(files.discardedAt)));
  }

  /** Also finds a discarded file, whose bytes may still exist. */
  async findAny(id: string): Promise<FileRow | null> {
    return first(this.#db.select().from(files).where(eq(files.id, id)));
  }

  /** Adds a part. @returns false if the upload was not at this offset; so if two parts are added concurrently, only one succeeds */
  async addPart(id: string, offset: number, part: Part): Promise<boolean> {
    const added = await this.#db
      .update(files)
      .set({
        received: offset + part.size,
        parts: sql`${files.parts} || ${JSON.stringify([part])}::jsonb`,
      })
      .where(and(exists(id), eq(files.received, offset), isNull(files.objectKey)))
      .returning({ id: files.id });
    return added.length > 0;
  }

  /** Sets the size of an upload that announced none to the bytes received so far. */
  async endHere(id: string): Promise<void> {
    await this.#db
      .update(files)
      .set({ size: sql`${files.received}` })
      .where(and(exists(id), isNull(files.size)));
  }

  /** Takes the lease for inspecting an upload. @returns null if it is incomplete, inspected, or being inspected */
  takeUpload(id: string): Promise<FileRow | null> {
    return this.inspections.take(and(exists(id), isNull(files.objectKey), eq(files.received, files.size)));
  }

  /**
   * @param facts including the bytes that the file counts towards the quotas from now on
   * @returns whether the file still existed
   * @throws ParleyError CONFLICT if the file has become larger than a quota allows
   */
  finish(id: string, facts: InspectedFacts): Promise<boolean> {
    return this.#db.transaction(async (tx) => {
      const isWanted = and(exists(id), isNull(files.objectKey));
      const [before] = await tx.select().from(files).where(isWanted).for('update');
      if (!before) return false;
      await tx
        .update(files)
        .set({ ...facts, parts: [], ...this.inspections.freed })
        .where(eq(files.id, id));
      await this.#quotas.take(tx, before.wallet, facts.countedBytes - before.countedBytes);
      return true;
    });
  }

  /**
   * Replaces the bytes of a file. The new bytes are counted even if they exceed a quota.
   * @returns whether the file was still the same
   */
  replace(
    id: string,
    objectKey: string,
    facts: Partial<InspectedFacts> & { size: number },
  ): Promise<boolean> {
    return this.#db.transaction(async (tx) => {
      const isSame = and(exists(id), eq(files.objectKey, objectKey));
      const [before] = await tx.select().from(files).where(isSame).for('update');
      if (!before) return false;
      const countedBytes = facts.size;
      await tx
        .update(files)
        .set({ ...facts, countedBytes })
        .where(eq(files.id, id));
      await this.#quotas.count(tx, before.wallet, countedBytes - before.countedBytes);
      return true;
    });
  }

  /** @returns whether the file was attached: it is ready, of this kind and unused, and belongs to the wallet */
  async attach(tx: Executor, id: string, wallet: PartyId, kind: FileRow['kind']): Promise<boolean> {
    if (kind === null) return false;
    const own = and(exists(id), eq(files.wallet, wallet), eq(files.kind, kind));
    const attached = await tx
      .update(files)
      .set({ attachedAt: new Date() })
      .where(and(own, isNotNull(files.objectKey), isNull(files.attachedAt)))
      .returning({ id: files.id });
    return attached.length > 0;
  }

  /** @returns whether a file was discarded */
  async discard(tx: Executor, id: string, { unusedOnly = false } = {}): Promise<boolean> {
    const unused = unusedOnly ? isNull(files.attachedAt) : undefined;
    const discarded = await tx
      .update(files)
      .set({ discardedAt: new Date() })
      .where(and(exists(id), unused))
      .returning({ id: files.id });
    return discarded.length > 0;
  }

  /** Deletes the row of a discarded file, which then no longer counts towards quotas. Call this after its bytes are deleted. */
  async remove(id: string): Promise<void> {
    await this.#db.transaction(async (tx) => {
      const [gone] = await tx
        .delete(files)
        .where(and(eq(files.id, id), isNotNull(files.discardedAt)))
        .returning();
      if (gone) await this.#quotas.count(tx, gone.wallet, -gone.countedBytes);
    });
  }
}
