import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { and, eq, sql } from 'drizzle-orm';
import type { Executor } from '../../platform/database/Executor.ts';
import type { Database } from '../../platform/database/database.ts';
import { readRecord, type HashedRecord, type KnownBreach } from './LeakRecord.ts';
import type { Breach } from './LeakSource.ts';
import { readLines } from './readLines.ts';
import { leakBreaches, leakImports } from './tables.ts';

export interface ImportOptions {
  db: Database;
  /** The key of the index; it must be the same as the server's. */
  key: Buffer;
  path: string;
  /** Values for records that do not contain them. */
  usual: Partial<Breach>;
  /** Called after each batch. */
  onProgress?: (progress: ImportProgress) => void;
}

export interface ImportProgress {
  /** Records read so far, including those of an earlier run. */
  records: number;
  /** Records of this run that could not be read. */
  skipped: number;
  /** The processed share of the file, from 0 to 1. */
  share: number;
}

export interface ImportOutcome extends ImportProgress {
  /** The number of records that earlier runs had already processed. */
  resumedAt: number;
}

const batchSize = 10_000;
/** The maximum number of breach ids kept in memory. */
const rememberedBreaches = 10_000;

/**
 * Imports a file into the index. Each batch is one transaction, which also stores the position in the file. So an interrupted import
 * continues where it stopped, a finished import does nothing, and nothing is counted twice.
 * @throws Error if another process is importing the same file
 */
export async function importLeaks(options: ImportOptions): Promise<ImportOutcome> {
  const { db, key, path, usual, onProgress = () => {} } = options;
  const { size } = await stat(path);
  const fingerprint = await fingerprintOf(path, size, usual);
  const { records: resumedAt, isFinished } = await beginImport(db, fingerprint, basename(path));
  if (isFinished) return { records: resumedAt, skipped: 0, share: 1, resumedAt };
  const progress = { records: 0, skipped: 0, share: 0 };
  const breachIds = new Map<string, number>();
  let read = 0;
  let stored = resumedAt;
  let batch: HashedRecord[] = [];
  const store = async () => {
    await db.transaction(async (tx) => {
      await storePosition(tx, fingerprint, stored, progress.records);
      await storeBatch(tx, batch, breachIds);
    });
    stored = progress.records;
    batch = [];
    progress.share = size === 0 ? 1 : Math.min(1, read / size);
    onProgress(progress);
  };
  for await (const line of readLines(path, (bytes) => (read += bytes))) {
    progress.records++;
    if (progress.records <= resumedAt) continue;
    const record = readRecord(line, usual, key);
    if (record) batch.push(record);
    else progress.skipped++;
    if (progress.records - stored >= batchSize) await store();
  }
  if (progress.records > stored) await store();
  await db
    .update(leakImports)
    .set({ finishedAt: sql`now()` })
    .where(eq(leakImports.fingerprint, fingerprint));
  return { ...progress, share: 1, resumedAt };
}

/** Identifies an import by the file's length, beginning and end, and by `usual`. To hash the whole file, it would have to be read twice. */
async function fingerprintOf(path: string, size: number, usual: Partial<Breach>): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([size, usual]));
  const piece = Buffer.alloc(Math.min(size, 1024 * 1024));
  const file = await open(path);
  try {
    for (const position of [0, Math.max(0, size - piece.length)]) {
      const { bytesRead } = await file.read(piece, 0, piece.length, position);
      hash.update(piece.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
  return hash.digest('hex');
}

async function beginImport(db: Database, fingerprint: string, file: string) {
  await db.insert(leakImports).values({ fingerprint, file, records: 0 }).onConflictDoNothing();
  const [row] = await db.select().from(leakImports).where(eq(leakImports.fingerprint, fingerprint));
  return { records: row?.records ?? 0, isFinished: row?.finishedAt != null };
}

async function storePosition(tx: Executor, fingerprint: string, from: number, to: number): Promise<void> {
  const moved = await tx
    .update(leakImports)
    .set({ records: to, updatedAt: sql`now()` })
    .where(and(eq(leakImports.fingerprint, fingerprint), eq(leakImports.records, from)))
    .returning();
  if (moved.length === 0)
    throw new Error('another process is importing this file; wait until it has finished');
}

async function storeBatch(tx: Executor, batch: HashedRecord[], ids: Map<string, number>): Promise<void> {
  const known = new Map(ids);
  const entries = new Map<string, number>();
  const passwords = new Map<string, number>();
  // Rows are stored in a fixed order, so that concurrent imports wait for each other and do not deadlock.
  for (const breach of breachesOf(batch))
    if (!known.has(breach.source)) known.set(breach.source, await storeBreach(tx, breach));
  for (const { breach, entries: hashes, password } of batch) {
    const id = known.get(breach.source) ?? 0;
    for (const hash of hashes) entries.set(`${hash}${id}`, id);
    if (password) passwords.set(password, (passwords.get(password) ?? 0) + 1);
  }
  const bytesOf = (hex: Iterable<string>) => `{${[...hex].map((text) => `"\\\\x${text}"`).join(',')}}`;
  if (entries.size > 0) {
    const hashes = [...entries.keys()].map((name) => name.slice(0, 32));
    // Sorted in the order of the index, so that rows on the same page of the index are inserted together.
    await tx.execute(sql`INSERT INTO leak_entries (hash, breach_id)
      SELECT * FROM unnest(${bytesOf(hashes)}::bytea[], ${`{${[...entries.values()].join(',')}}`}::int[])
        AS entry (hash, breach_id)
      ORDER BY hash, breach_id ON CONFLICT DO NOTHING`);
  }
  if (passwords.size > 0)
    await tx.execute(sql`INSERT INTO leak_passwords (sha1, count)
      SELECT * FROM unnest(${bytesOf(passwords.keys())}::bytea[], ${`{${[...passwords.values()].join(',')}}`}::bigint[])
        AS password (sha1, count)
      ORDER BY sha1 ON CONFLICT (sha1) DO UPDATE SET count = leak_passwords.count + excluded.count`);
  if (known.size > rememberedBreaches) ids.clear();
  // Ids are remembered only after all writes of the transaction, because new ids become invalid if a write fails and is rolled back.
  else for (const [source, id] of known) ids.set(source, id);
}

/** The breaches of a batch, sorted by source. If several records describe a breach, the first one counts. */
function breachesOf(batch: HashedRecord[]): KnownBreach[] {
  const found = new Map<string, KnownBreach>();
  for (const { breach } of batch) if (!found.has(breach.source)) found.set(breach.source, breach);
  return [...found.values()].sort((one, other) => (one.source < other.source ? -1 : 1));
}

/** Details of a known breach that an earlier file has named stay, unless this one names others. */
async function storeBreach(tx: Executor, breach: KnownBreach): Promise<number> {
  const unknown = { title: breach.source, dataClasses: [], verified: false };
  const [row] = await tx
    .insert(leakBreaches)
    .values({ ...unknown, ...breach })
    .onConflictDoUpdate({ target: leakBreaches.source, set: breach })
    .returning({ id: leakBreaches.id });
  if (!row) throw new Error('the upsert of a breach returned no row');
  return row.id;
}
