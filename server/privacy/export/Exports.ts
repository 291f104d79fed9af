import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { and, desc, eq, gt, lt, sql } from 'drizzle-orm';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Database } from '../../../platform/database/database.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import type { JobRow, ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import { hasRoomFor } from '../../../platform/system/diskRoom.ts';
import { toIso } from '../../../sdk/protocol/common.ts';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import { newId } from '../../../sdk/protocol/ids.ts';
import type { WireExport } from '../../../sdk/protocol/privacy.ts';
import type { FileService } from '../../files/FileService.ts';
import { ObjectMissing } from '../../files/ObjectStorage.ts';
import { accounts } from '../../money/account/tables.ts';
import { registry } from '../registry/registry.ts';
import type { Subject } from '../registry/TableData.ts';
import { dataExports, type ExportRow } from '../tables.ts';
import { Archive } from './Archive.ts';
import { mediaOf, recordingFilesOf, type MediaRow } from './media.ts';
import { asJson, pagesOf } from './personRows.ts';
import { readme } from './readme.ts';

interface ExportsDeps {
  db: Database;
  pool: pg.Pool;
  /** Must not have been started yet. */
  jobs: ScheduledJobs;
  files: FileService;
  workDir: string;
  /** How much space stays free on the disk of `workDir`: for the database and for recordings. */
  minFreeBytes: number;
  /** How often an archive is on that disk: also in the storage, if that is a folder. */
  copies: number;
  /** For how many days an archive is kept. */
  days: number;
  log: Logger;
}

const [job, expiryJob] = ['account.export', 'account.export.expired'];
const dayMs = 86_400_000;
const maxPerDay = 3;
const maxAttempts = 5;

/** The lists of an archive. */
const lists = [
  ...registry.flatMap(({ personal }) => (typeof personal === 'string' ? [] : (personal.exports ?? []))),
  recordingFilesOf,
];

/**
 * Makes archives of the data of accounts. A job writes the archive into a local file, and stores it like a recording, which counts for no
 * quota. After a crash, the archive is made again.
 */
export class Exports {
  readonly #deps: ExportsDeps;

  constructor(deps: ExportsDeps) {
    this.#deps = deps;
    deps.jobs.on(job, (row) => this.#run(row), { atOnce: 1 });
    deps.jobs.on(expiryJob, ({ subject }) => this.#expire(subject));
  }

  /**
   * Requests an archive. If one is being made, that one is returned.
   * @throws ParleyError RATE_LIMIT_EXCEEDED after three in a day
   */
  async request(tx: Executor, accountId: string): Promise<{ id: string; isNew: boolean }> {
    const { jobs } = this.#deps;
    await tx.execute(sql`SELECT FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`);
    const recent = await tx
      .select()
      .from(dataExports)
      .where(
        and(eq(dataExports.accountId, accountId), gt(dataExports.requestedAt, sql`now() - interval '1 day'`)),
      )
      .orderBy(desc(dataExports.requestedAt));
    const running = recent.find(({ status }) => status === 'running');
    if (running) return { id: running.id, isNew: false };
    if (recent.length >= maxPerDay) {
      const oldest = recent.at(-1)?.requestedAt.getTime() ?? 0;
      const retryAfter = Math.max(1, Math.ceil((oldest + dayMs - Date.now()) / 1_000));
      const message = `An account can request ${maxPerDay} exports a day. Download the latest one, or wait.`;
      throw new ParleyError('RATE_LIMIT_EXCEEDED', message, { retryAfter });
    }
    const id = newId('exp');
    await tx.insert(dataExports).values({ id, accountId, status: 'running' });
    await jobs.set(tx, job, id, new Date());
    return { id, isNew: true };
  }

  /** @returns the latest export of an account, with a fresh address if it is ready; null if there was none */
  async latest(accountId: string): Promise<WireExport | null> {
    const { db, files } = this.#deps;
    const [row] = await db
      .select()
      .from(dataExports)
      .where(eq(dataExports.accountId, accountId))
      .orderBy(desc(dataExports.requestedAt))
      .limit(1);
    if (!row) return null;
    const isReady = row.status === 'ready' && row.fileId !== null;
    const media = isReady && row.fileId ? (await files.describe([row.fileId])).get(row.fileId) : undefined;
    return toExport(row, media?.url ?? null);
  }

  async #run({ subject: id, attempts }: JobRow): Promise<void> {
    const { workDir, log } = this.#deps;
    const row = await this.#find(id);
    if (row?.status !== 'running') return;
    const folder = await mkdtemp(join(workDir, 'export-'));
    try {
      const path = join(folder, 'archive');
      await this.#write(row, path);
      if (await this.#store(row, path))
        log.info({ export: id, accountId: row.accountId }, 'data of an account exported');
    } catch (err) {
      if (attempts < maxAttempts) throw err;
      log.error({ err, export: id }, 'data of an account not exported');
      await this.#fail(id);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #write(row: ExportRow, path: string): Promise<void> {
    const { db, pool } = this.#deps;
    const subject = await this.#subjectOf(row.accountId);
    const media: MediaRow[] = [];
    for await (const page of pagesOf<MediaRow>(pool, mediaOf(subject))) media.push(...page);
    await this.#checkRoomFor(media);
    await this.#change(row.id, { done: 0, total: lists.length + media.length });
    const archive = new Archive(createWriteStream(path, { mode: 0o600 }));
    let done = 0;
    const onRead = () => void this.#count(db, row.id, ++done);
    const names = lists.map(({ file }) => file);
    archive.addText('README.txt', readme(row.accountId, new Date(), names));
    for (const { file, rows } of lists)
      archive.add(
        `data/${file}.json`,
        () => Promise.resolve(Readable.from(asJson(pagesOf(pool, rows(subject))), { objectMode: false })),
        { compress: true, onRead },
      );
    // Media is compressed already.
    for (const { id, name } of media)
      archive.add(`media/${id}${name ? ` ${withoutSlashes(name)}` : ''}`, () => this.#read(id), {
        compress: false,
        onRead,
      });
    await archive.end();
  }

  /** @throws ParleyError SERVICE_UNAVAILABLE if the archive would fill the disk, where the database may be and others record */
  async #checkRoomFor(media: MediaRow[]): Promise<void> {
    const { workDir, minFreeBytes, copies } = this.#deps;
    const needed = copies * media.reduce((sum, { size }) => sum + size, 0);
    if (await hasRoomFor(needed, workDir, minFreeBytes)) return;
    const megabytes = Math.ceil(needed / 1024 / 1024);
    throw new ParleyError(
      'SERVICE_UNAVAILABLE',
      `The disk has no room for this export, which takes ${megabytes} MB in DATA_DIR.`,
    );
  }

  /** The bytes of a file. None if it was deleted since the list of the files was read: the archive is written for as long as hours. */
  async #read(fileId: string): Promise<Readable> {
    const { files, log } = this.#deps;
    try {
      const { objectKey } = await files.find(fileId);
      return await files.read(objectKey);
    } catch (err) {
      const isGone = err instanceof ObjectMissing || (err instanceof ParleyError && err.code === 'NOT_FOUND');
      if (!isGone) throw err;
      log.warn({ err, file: fileId }, 'file missing in an export');
      return Readable.from([]);
    }
  }

  /** @returns false if the erasure of the account has deleted the export, or another attempt has stored it: then nothing of this one is kept */
  async #store({ id, accountId, requestedAt }: ExportRow, path: string): Promise<boolean> {
    const { db, jobs, files, days } = this.#deps;
    const fileId = await db.transaction(async (tx) => {
      const isRunning = and(eq(dataExports.id, id), eq(dataExports.status, 'running'));
      const [row] = await tx.select().from(dataExports).where(isRunning).for('update');
      if (!row) return undefined;
      // An attempt that was interrupted may have stored its archive already, and a file can be filled only once.
      if (row.fileId) await files.discard(tx, row.fileId);
      const reserved = await files.reserve(tx, { wallet: `account:${accountId}`, name: 'your data' });
      await tx.update(dataExports).set({ fileId: reserved }).where(eq(dataExports.id, id));
      return reserved;
    });
    if (!fileId) return false;
    const facts = { width: null, height: null, duration: null };
    const size = await files.fill(fileId, {
      path,
      extensions: ['zip'],
      kind: 'file',
      mimeType: 'application/zip',
      ...facts,
    });
    const expiresAt = new Date(Date.now() + days * dayMs);
    return db.transaction(async (tx) => {
      const ready = { status: 'ready', size, finishedAt: new Date(), expiresAt } as const;
      const isOurs = and(eq(dataExports.id, id), eq(dataExports.fileId, fileId));
      const changed = await tx.update(dataExports).set(ready).where(isOurs).returning();
      // An erasure that has deleted the row, or a later attempt, has discarded this file as well.
      if (changed.length === 0) return false;
      await this.#discardEarlier(tx, accountId, requestedAt);
      await jobs.set(tx, expiryJob, id, expiresAt);
      return true;
    });
  }

  /** Deletes the archives of earlier exports: only the latest one can be downloaded, and they count for no quota. */
  async #discardEarlier(tx: Executor, accountId: string, before: Date): Promise<void> {
    const { id, status, requestedAt } = dataExports;
    const isEarlier = and(eq(dataExports.accountId, accountId), eq(status, 'ready'), lt(requestedAt, before));
    for (const row of await tx.select().from(dataExports).where(isEarlier).for('update')) {
      if (row.fileId) await this.#deps.files.discard(tx, row.fileId);
      await tx.update(dataExports).set({ status: 'expired', fileId: null }).where(eq(id, row.id));
    }
  }

  /** Gives an export up, with the archive of an attempt that failed later. The answer of one that was stored may have been lost. */
  async #fail(id: string): Promise<void> {
    const { db, files } = this.#deps;
    await db.transaction(async (tx) => {
      const isRunning = and(eq(dataExports.id, id), eq(dataExports.status, 'running'));
      const [row] = await tx.select().from(dataExports).where(isRunning).for('update');
      if (!row) return;
      if (row.fileId) await files.discard(tx, row.fileId);
      const failed = { status: 'failed', fileId: null, finishedAt: new Date() } as const;
      await tx.update(dataExports).set(failed).where(eq(dataExports.id, id));
    });
  }

  async #expire(id: string): Promise<void> {
    const { db, files } = this.#deps;
    const row = await this.#find(id);
    if (!row?.fileId) return;
    const { fileId } = row;
    await db.transaction(async (tx) => {
      await files.discard(tx, fileId);
      await tx.update(dataExports).set({ status: 'expired', fileId: null }).where(eq(dataExports.id, id));
    });
  }

  async #subjectOf(accountId: string): Promise<Subject> {
    const [account] = await this.#deps.db.select().from(accounts).where(eq(accounts.id, accountId));
    const wallet = account?.wallet ?? null;
    return { accountId, wallet, party: wallet ?? `account:${accountId}` };
  }

  async #find(id: string): Promise<ExportRow | undefined> {
    const [row] = await this.#deps.db.select().from(dataExports).where(eq(dataExports.id, id));
    return row;
  }

  async #change(id: string, changes: Partial<ExportRow>): Promise<void> {
    await this.#deps.db.update(dataExports).set(changes).where(eq(dataExports.id, id));
  }

  /** Shows the progress. The archive does not depend on it. */
  async #count(db: Database, id: string, done: number): Promise<void> {
    await db
      .update(dataExports)
      .set({ done: sql`greatest(${dataExports.done}, ${done})` })
      .where(eq(dataExports.id, id))
      .catch(() => undefined);
  }
}

const withoutSlashes = (name: string) => name.replace(/[/\\]/g, '_').slice(0, 200);

const toExport = (row: ExportRow, url: string | null): WireExport => ({
  status: row.status,
  done: row.done,
  total: row.total,
  url,
  size: row.size,
  requestedAt: toIso(row.requestedAt),
  finishedAt: row.finishedAt && toIso(row.finishedAt),
  expiresAt: row.expiresAt && toIso(row.expiresAt),
});
