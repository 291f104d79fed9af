import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Logger } from 'pino';
import { toIso, type Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { FileKind, WireMediaInfo, WireUpload } from '../../sdk/protocol/files.ts';
import { newId } from '../../sdk/protocol/ids.ts';
import type { JobRow, ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { Addresses } from './addresses.ts';
import { withExtension } from './fileName.ts';
import type { FileStore } from './FileStore.ts';
import type { Inspector } from './Inspector.ts';
import type { ByteRange, ObjectStorage } from './ObjectStorage.ts';
import type { FileRow } from './tables.ts';
import { expired, partsOf, type Uploads } from './Uploads.ts';

interface FileDeps {
  store: FileStore;
  storage: ObjectStorage;
  uploads: Uploads;
  inspector: Inspector;
  addresses: Addresses;
  jobs: ScheduledJobs;
  /** For what is being looked at. */
  workDir: string;
  log: Logger;
}

/** What was made on this machine, of what is known to be good. */
export interface MadeFile {
  path: string;
  kind: FileKind;
  mimeType: string;
  /** What its name may end with. */
  extensions: string[];
  width: number | null;
  height: number | null;
  /** Seconds. */
  duration: number | null;
}

/** A file that was looked at. */
export type ReadyFile = FileRow & { objectKey: string; kind: FileKind; mimeType: string; size: number };
/** Whether a wallet may see a file that was sent: as its sender or recipient. Until then it is who uploaded it that may. */
export type MayRead = (fileId: string, wallet: Address) => Promise<boolean>;

const discarded = 'file.discarded';
/** Where the bytes lie that took the place of what was uploaded. */
export const replaced = 'speech/';
const leaseSeconds = 60;
const patienceMs = 20_000;
const pollMs = 250;

/** Media files: what becomes of an upload, who has it, where it is, and its end. */
export class FileService {
  readonly #deps: FileDeps;
  readonly #readers: MayRead[] = [];

  constructor(deps: FileDeps) {
    this.#deps = deps;
    deps.jobs.on(expired, (row) => this.#onExpired(row));
    deps.jobs.on(discarded, (row) => this.#onDiscarded(row));
  }

  /** Asks this one too, who may see a file without a signed address. */
  addReaders(mayRead: MayRead): void {
    this.#readers.push(mayRead);
  }

  /** An upload of the wallet's own, that nothing uses yet. @throws ParleyError NOT_FOUND */
  async uploadOf(wallet: Address, fileId: string): Promise<FileRow> {
    const row = await this.#deps.store.find(fileId);
    if (row?.wallet !== wallet || row.attachedAt !== null) throw noSuchFile();
    return row;
  }

  describeUpload(row: FileRow): WireUpload {
    const { id, received, size } = row;
    return {
      id,
      offset: isReady(row) ? row.size : received,
      size,
      expiresAt: toIso(this.#deps.uploads.expiryOf(row)),
      media: isReady(row) ? this.#infoOf(row) : null,
    };
  }

  /**
   * Looks at an upload whose bytes are all there, and makes a file of it; what is not taken is removed. Where another process is just
   * doing so, waits for it.
   * @returns null where that takes its time
   * @throws ParleyError VALIDATION_ERROR (415) for what is not taken, CONFLICT for what has become larger than the quotas allow: it can be
   * finished once something was deleted
   */
  async finish(fileId: string): Promise<WireMediaInfo | null> {
    const deadline = Date.now() + patienceMs;
    const { store } = this.#deps;
    for (;;) {
      const claimed = await store.claim(fileId, leaseSeconds);
      if (claimed) await this.#finishClaimed(claimed);
      const row = await store.find(fileId);
      if (!row) throw noSuchFile();
      if (isReady(row)) return this.#infoOf(row);
      if (row.received !== row.size || Date.now() > deadline) return null;
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }

  /** The same for one whose body has ended, whatever was announced. */
  async finishReceived(fileId: string): Promise<WireMediaInfo> {
    await this.#deps.store.endHere(fileId);
    const media = await this.finish(fileId);
    if (media) return media;
    throw new ParleyError(
      'SERVICE_UNAVAILABLE',
      'Looking at the file takes too long: try again in a moment.',
    );
  }

  /** In the sender's transaction: from now on the file is what was sent. */
  async attach(
    tx: Executor,
    { fileId, wallet, type }: { fileId: string; wallet: Address; type: FileKind },
  ): Promise<void> {
    const { store, jobs } = this.#deps;
    if (await store.attach(tx, fileId, wallet, type)) {
      await jobs.cancel(tx, expired, fileId);
      return;
    }
    const row = await store.find(fileId, tx);
    if (row?.wallet !== wallet) throw noSuchFile();
    if (!isReady(row)) throw new ParleyError('CONFLICT', 'The file has not been uploaded whole yet.');
    if (row.kind !== type) {
      const message = `This file is ${row.kind}, not ${type}.`;
      throw new ParleyError('VALIDATION_ERROR', message, {
        details: [{ path: 'type', code: 'wrong_type', message }],
      });
    }
    throw new ParleyError(
      'CONFLICT',
      'The file has been sent already: upload it again to send it once more.',
    );
  }

  /** A place for a file that is made here, for whoever has what it is a part of: it is used from the start. */
  async reserve(tx: Executor, { wallet, name }: Pick<FileRow, 'wallet' | 'name'>): Promise<string> {
    const now = new Date();
    const row = { id: newId('med'), wallet, name, size: null, createdAt: now, attachedAt: now };
    return (await this.#deps.store.insert(tx, row)).id;
  }

  /** @returns its size */
  async fill(fileId: string, { path, extensions, ...looked }: MadeFile): Promise<number> {
    const { store, storage } = this.#deps;
    const objectKey = `media/${fileId}`;
    const row = await store.find(fileId);
    if (!row) throw noSuchFile();
    const size = await storage.putFile(objectKey, path);
    const name = withExtension(row.name, extensions);
    // Only recordings are made here: their quota is not that of files.
    const file = { ...looked, objectKey, thumbnailKey: null, size, name, countedBytes: 0 };
    if (!(await store.finish(fileId, file))) await storage.delete(objectKey);
    return size;
  }

  /** Freshly signed. Of what is not there any more nothing is told. */
  async describe(fileIds: string[]): Promise<Map<string, WireMediaInfo>> {
    const rows = await this.#deps.store.findAll(fileIds);
    return new Map(rows.filter(isReady).map((row) => [row.id, this.#infoOf(row)]));
  }

  /** Nobody sees it once the transaction has ended; then its bytes go. */
  async discard(tx: Executor, fileId: string): Promise<void> {
    if (await this.#deps.store.discard(tx, fileId))
      await this.#deps.jobs.set(tx, discarded, fileId, new Date());
  }

  /** By the wallet that uploads it, as long as nothing uses it. */
  async abandon(wallet: Address, fileId: string): Promise<void> {
    const row = await this.uploadOf(wallet, fileId);
    await this.#discardUnused(row.id);
  }

  /** What a wallet without a signed address may see. @throws ParleyError NOT_FOUND */
  async visibleTo(wallet: Address, fileId: string): Promise<ReadyFile> {
    const file = await this.find(fileId);
    if (file.wallet === wallet && file.attachedAt === null) return file;
    for (const mayRead of this.#readers) if (await mayRead(fileId, wallet)) return file;
    throw noSuchFile();
  }

  /** @throws ParleyError NOT_FOUND */
  async find(fileId: string): Promise<ReadyFile> {
    const row = await this.#deps.store.find(fileId);
    if (!row || !isReady(row)) throw noSuchFile();
    return row;
  }

  read(key: string, range?: ByteRange): Promise<Readable> {
    return this.#deps.storage.get(key, range);
  }

  async bytesOf(fileId: string): Promise<{ bytes: Buffer; mimeType: string }> {
    const { objectKey, mimeType } = await this.find(fileId);
    return { bytes: await buffer(await this.read(objectKey)), mimeType };
  }

  /**
   * A sound becomes Opus, as every browser plays it. Done once, however often it is asked for.
   * @returns its length in seconds
   * @throws ParleyError VALIDATION_ERROR for what does not decode
   */
  async toOpus(fileId: string): Promise<number> {
    const file = await this.find(fileId);
    const key = `${replaced}${fileId}`;
    if (file.objectKey === key) return file.duration ?? 0;
    const { inspector, storage, store } = this.#deps;
    const duration = await this.#inWorkDir(async (folder) => {
      const source = join(folder, 'source');
      await pipeline(await storage.get(file.objectKey), createWriteStream(source, { mode: 0o600 }));
      const speech = await inspector.toOpus(source, folder, file);
      const size = await storage.putFile(key, speech.path);
      const name = withExtension(file.name, ['webm']);
      const looked = { objectKey: key, mimeType: 'audio/webm', size, name, duration: speech.duration };
      if (!(await store.replace(fileId, file.objectKey, looked)) && !(await store.find(fileId)))
        await storage.delete(key);
      return speech.duration;
    });
    await storage.delete(file.objectKey);
    return duration;
  }

  async #finishClaimed(row: FileRow): Promise<void> {
    const { store, storage, log } = this.#deps;
    try {
      await this.#inWorkDir((folder) => this.#makeFile(row, folder));
    } catch (error) {
      const isRefused = error instanceof ParleyError && error.code === 'VALIDATION_ERROR';
      if (isRefused) await this.#discardUnused(row.id);
      else await store.release(row.id);
      if (isRefused) log.debug({ err: error, file: row.id }, 'a file was not taken');
      throw error;
    }
    for (const key of await storage.list(partsOf(row.id))) await storage.delete(key);
  }

  async #makeFile({ id, wallet, name, parts }: FileRow, folder: string): Promise<void> {
    const { store, storage, inspector, log } = this.#deps;
    const whole = join(folder, 'upload');
    await pipeline(Readable.from(this.#bytesOf(parts)), createWriteStream(whole, { mode: 0o600 }));
    const { path, thumbnailPath, extensions, ...looked } = await inspector.inspect(whole, folder, wallet);
    const objectKey = `media/${id}`;
    const size = await storage.putFile(objectKey, path);
    const thumbnailKey = thumbnailPath && `thumbnails/${id}`;
    const thumbnailSize = thumbnailKey ? await storage.putFile(thumbnailKey, thumbnailPath) : 0;
    const countedBytes = size + thumbnailSize;
    const file = {
      ...looked,
      objectKey,
      thumbnailKey,
      size,
      name: withExtension(name, extensions),
      countedBytes,
    };
    if (await store.finish(id, file)) {
      log.info({ file: id, mimeType: looked.mimeType, size }, 'file taken');
      return;
    }
    // Given up meanwhile, or finished by somebody else, whose bytes these are as well.
    const now = await store.find(id);
    if (!now) await this.#deleteObjects({ id, objectKey, thumbnailKey });
  }

  async *#bytesOf(parts: FileRow['parts']) {
    for (const { key } of parts) yield* await this.#deps.storage.get(key);
  }

  async #inWorkDir<T>(work: (folder: string) => Promise<T>): Promise<T> {
    const folder = await mkdtemp(join(this.#deps.workDir, 'file-'));
    try {
      return await work(folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #discardUnused(fileId: string): Promise<void> {
    const { store, jobs } = this.#deps;
    await store.transaction(async (tx) => {
      if (!(await store.discard(tx, fileId, { unusedOnly: true }))) return;
      await jobs.cancel(tx, expired, fileId);
      await jobs.set(tx, discarded, fileId, new Date());
    });
  }

  async #onExpired({ subject }: JobRow): Promise<void> {
    await this.#discardUnused(subject);
  }

  async #onDiscarded({ subject }: JobRow): Promise<void> {
    const row = await this.#deps.store.findAny(subject);
    if (!row?.discardedAt) return;
    await this.#deleteObjects(row);
    await this.#deps.store.remove(subject);
  }

  async #deleteObjects({
    id,
    objectKey,
    thumbnailKey,
  }: Pick<FileRow, 'id' | 'objectKey' | 'thumbnailKey'>): Promise<void> {
    const { storage } = this.#deps;
    const parts = await storage.list(partsOf(id));
    // Those it would have, too: a process that died may have got as far as storing them.
    const keys = new Set([
      `media/${id}`,
      `thumbnails/${id}`,
      `${replaced}${id}`,
      objectKey,
      thumbnailKey,
      ...parts,
    ]);
    for (const key of keys) if (key !== null) await storage.delete(key);
  }

  #infoOf(row: ReadyFile): WireMediaInfo {
    const { id, mimeType, size, name, width, height, duration } = row;
    return { id, url: this.#deps.addresses.sign(row), mimeType, size, name, width, height, duration };
  }
}

export const isReady = (row: FileRow): row is ReadyFile => row.objectKey !== null;
export const noSuchFile = () =>
  new ParleyError('NOT_FOUND', 'There is no such file.', { extra: { resource: 'file' } });
