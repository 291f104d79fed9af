import { and, eq, inArray, isNotNull, isNull, sql } from 'drizzle-orm';
import type { Address } from '../../sdk/protocol/common.ts';
import { maxFileBytes } from '../../sdk/protocol/limits.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { Database } from '../../platform/database/database.ts';
import type { FileQuotas } from './FileQuotas.ts';
import { files, type FileRow, type Part } from './tables.ts';

type Looked = Pick<
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

const isThere = (id: string) => and(eq(files.id, id), isNull(files.discardedAt));

/** Files in the database: what is known of them, not their bytes. */
export class FileStore {
  readonly #db: Database;

  readonly #quotas: FileQuotas;

  constructor(db: Database, quotas: FileQuotas) {
    this.#db = db;
    this.#quotas = quotas;
  }

  transaction<T>(run: (tx: Executor) => Promise<T>): Promise<T> {
    return this.#db.transaction(run);
  }

  /**
   * @param row what it counts until its size is known is in `countedBytes`
   * @throws ParleyError CONFLICT where a quota of files does not allow it
   */
  async insert(
    tx: Executor,
    row: Pick<FileRow, 'id' | 'wallet' | 'name' | 'size' | 'createdAt'> &
      Partial<Pick<FileRow, 'attachedAt' | 'countedBytes'>>,
  ): Promise<FileRow> {
    const [made] = await tx.insert(files).values(row).returning();
    if (!made) throw new Error('a file that was just made is not there');
    await this.#quotas.take(tx, made.wallet, made.countedBytes);
    return made;
  }

  /** What a wallet has uploaded, or is uploading, and not used. Until the transaction ends nobody begins another one for it. */
  async pending(tx: Executor, wallet: Address): Promise<{ count: number; bytes: number }> {
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
    const [row] = await executor.select().from(files).where(isThere(id));
    return row ?? null;
  }

  async findAll(ids: string[]): Promise<FileRow[]> {
    if (ids.length === 0) return [];
    return this.#db
      .select()
      .from(files)
      .where(and(inArray(files.id, ids), isNotNull(files.objectKey), isNull(files.discardedAt)));
  }

  /** Also one that is discarded: its bytes may be there yet. */
  async findAny(id: string): Promise<FileRow | null> {
    const [row] = await this.#db.select().from(files).where(eq(files.id, id));
    return row ?? null;
  }

  /** @returns whether the part goes where the upload has got to: of two that come at once, one does */
  async addPart(id: string, offset: number, part: Part): Promise<boolean> {
    const added = await this.#db
      .update(files)
      .set({
        received: offset + part.size,
        parts: sql`${files.parts} || ${JSON.stringify([part])}::jsonb`,
      })
      .where(and(isThere(id), eq(files.received, offset), isNull(files.objectKey)))
      .returning({ id: files.id });
    return added.length > 0;
  }

  /** Of an upload whose size nobody had said. */
  async endHere(id: string): Promise<void> {
    await this.#db
      .update(files)
      .set({ size: sql`${files.received}` })
      .where(and(isThere(id), isNull(files.size)));
  }

  /** @returns the upload, if all of it is there, and nobody looks at it or has done so; for the caller until the lease ends */
  async claim(id: string, leaseSeconds: number): Promise<FileRow | null> {
    const lease = sql`now() + make_interval(secs => ${leaseSeconds})`;
    const isFree = sql`(${files.finishingUntil} is null or ${files.finishingUntil} < now())`;
    const [row] = await this.#db
      .update(files)
      .set({ finishingUntil: lease })
      .where(and(isThere(id), isNull(files.objectKey), eq(files.received, files.size), isFree))
      .returning();
    return row ?? null;
  }

  async release(id: string): Promise<void> {
    await this.#db.update(files).set({ finishingUntil: null }).where(eq(files.id, id));
  }

  /**
   * @param looked with what it counts from now on
   * @returns whether it was still wanted
   * @throws ParleyError CONFLICT where it has become larger, and a quota of files does not allow it
   */
  finish(id: string, looked: Looked): Promise<boolean> {
    return this.#db.transaction(async (tx) => {
      const isWanted = and(isThere(id), isNull(files.objectKey));
      const [before] = await tx.select().from(files).where(isWanted).for('update');
      if (!before) return false;
      await tx
        .update(files)
        .set({ ...looked, parts: [], finishingUntil: null })
        .where(eq(files.id, id));
      await this.#quotas.take(tx, before.wallet, looked.countedBytes - before.countedBytes);
      return true;
    });
  }

  /** Other bytes take the place of those, and are counted even over a quota. @returns whether the file is still what it was */
  replace(id: string, objectKey: string, looked: Partial<Looked> & { size: number }): Promise<boolean> {
    return this.#db.transaction(async (tx) => {
      const isSame = and(isThere(id), eq(files.objectKey, objectKey));
      const [before] = await tx.select().from(files).where(isSame).for('update');
      if (!before) return false;
      const countedBytes = looked.size;
      await tx
        .update(files)
        .set({ ...looked, countedBytes })
        .where(eq(files.id, id));
      await this.#quotas.count(tx, before.wallet, countedBytes - before.countedBytes);
      return true;
    });
  }

  /** @returns the file, if nothing uses it yet and it is the wallet's */
  async attach(tx: Executor, id: string, wallet: Address, kind: FileRow['kind']): Promise<boolean> {
    if (kind === null) return false;
    const own = and(isThere(id), eq(files.wallet, wallet), eq(files.kind, kind));
    const attached = await tx
      .update(files)
      .set({ attachedAt: new Date() })
      .where(and(own, isNotNull(files.objectKey), isNull(files.attachedAt)))
      .returning({ id: files.id });
    return attached.length > 0;
  }

  /** @returns whether there was something to discard */
  async discard(tx: Executor, id: string, { unusedOnly = false } = {}): Promise<boolean> {
    const unused = unusedOnly ? isNull(files.attachedAt) : undefined;
    const discarded = await tx
      .update(files)
      .set({ discardedAt: new Date() })
      .where(and(isThere(id), unused))
      .returning({ id: files.id });
    return discarded.length > 0;
  }

  /** Its bytes are gone, and count no longer. */
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
