import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Logger } from 'pino';
import { toIso, type Address } from '../../sdk/protocol/common.ts';
import type { PartyId } from '../../sdk/protocol/party.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { FileKind, WireMediaInfo, WireUpload } from '../../sdk/protocol/files.ts';
import { newId } from '../../sdk/protocol/ids.ts';
import type { JobRow, ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { Addresses } from './addresses.ts';
import { withExtension } from './fileName.ts';
import type { FileStore } from './FileStore.ts';
import type { Inspected } from './Inspected.ts';
import type { Inspector } from './Inspector.ts';
import { ObjectMissing, type ByteRange, type ObjectStorage } from './ObjectStorage.ts';
import type { FileRow } from './tables.ts';
import { expired, partsOf, type Uploads } from './Uploads.ts';
import { noSuch } from '../http/refusals.ts';

interface FileDeps {
  store: FileStore;
  storage: ObjectStorage;
  uploads: Uploads;
  inspector: Inspector;
  addresses: Addresses;
  jobs: ScheduledJobs;
  /** The folder for inspecting and converting files. */
  workDir: string;
  log: Logger;
}

/** A file that this server has created itself, so it needs no inspection. */
export type MadeFile = Omit<Inspected, 'thumbnailPath'>;

/** An inspected file. */
export type ReadyFile = FileRow & { objectKey: string; kind: FileKind; mimeType: string; size: number };
/** Whether a wallet may read a sent file, as its sender or recipient. Before it is sent, only its uploader may read it. */
export type MayRead = (fileId: string, wallet: Address) => Promise<boolean>;

/** The kind of job that deletes the bytes of a discarded file. */
export const discarded = 'file.discarded';
/** How many files are deleted at the same time: the storage may not answer for long, and retention deletes thousands of files. */
const discardedAtOnce = 20;
/** The prefix of the keys of objects that have replaced the uploaded bytes. */
export const replaced = 'speech/';
/** The key of the audio that toOpus() makes of a file. */
const opusKeyOf = (fileId: string) => `${replaced}${fileId}`;
const avatars = 'avatars/';
const patienceMs = 20_000;
const pollMs = 250;

/** Manages media files: finishes uploads, controls access, and reads and deletes files. */
export class FileService {
  readonly #deps: FileDeps;
  readonly #readers: MayRead[] = [];

  constructor(deps: FileDeps) {
    this.#deps = deps;
    deps.jobs.on(expired, ({ subject }) => this.#discardUnused(subject));
    deps.jobs.on(discarded, (row) => this.#onDiscarded(row), { atOnce: discardedAtOnce });
  }

  /** Adds a check that lets wallets read a file without a signed URL. */
  addReaders(mayRead: MayRead): void {
    this.#readers.push(mayRead);
  }

  /**
   * Finds an unused upload of the wallet.
   * @throws ParleyError NOT_FOUND
   */
  async uploadOf(wallet: Address, fileId: string): Promise<FileRow> {
    const row = await this.#deps.store.find(fileId);
    if (row?.wallet !== wallet || row.attachedAt !== null) throw noSuchFile();
    return row;
  }

  /** The size is that of the upload. The file that was made of it may have another one. */
  describeUpload(row: FileRow): WireUpload {
    const { id, received, size } = row;
    return {
      id,
      offset: received,
      size: isReady(row) ? received : size,
      expiresAt: toIso(this.#deps.uploads.expiryOf(row)),
      media: isReady(row) ? this.#infoOf(row) : null,
    };
  }

  /**
   * Inspects a complete upload and turns it into a file. A refused upload is deleted. If another process is already doing this, waits for
   * that process.
   * @returns null if the upload is not complete, or the other process takes too long
   * @throws ParleyError VALIDATION_ERROR (415) for a refused upload, or CONFLICT if the converted file is larger than the quotas allow. In
   *   that case it can be finished once something else has been deleted
   */
  async finish(fileId: string): Promise<WireMediaInfo | null> {
    const deadline = performance.now() + patienceMs;
    const { store } = this.#deps;
    for (;;) {
      const held = await store.takeUpload(fileId);
      if (held) await this.#finishHeld(held);
      const row = await store.find(fileId);
      if (!row) throw noSuchFile();
      if (isReady(row)) return this.#infoOf(row);
      if (row.received !== row.size || performance.now() > deadline) return null;
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }

  /** Finishes an upload whose body has ended, whatever size was announced. */
  async finishReceived(fileId: string): Promise<WireMediaInfo> {
    await this.#deps.store.endHere(fileId);
    const media = await this.finish(fileId);
    if (media) return media;
    throw new ParleyError(
      'SERVICE_UNAVAILABLE',
      'Processing the file takes too long. Try again in a moment.',
    );
  }

  /** Marks the file as sent, in the sender's transaction. */
  async attach(
    tx: Executor,
    { fileId, wallet, type }: { fileId: string; wallet: PartyId; type: FileKind },
  ): Promise<void> {
    const { store, jobs } = this.#deps;
    if (await store.attach(tx, fileId, wallet, type)) {
      await jobs.cancel(tx, expired, fileId);
      return;
    }
    const row = await store.find(fileId, tx);
    if (row?.wallet !== wallet) throw noSuchFile();
    if (!isReady(row)) throw notComplete();
    if (row.kind !== type) {
      const message = `This file is ${row.kind}, not ${type}. Set type to ${row.kind}.`;
      throw new ParleyError('VALIDATION_ERROR', message, {
        details: [{ path: 'type', code: 'wrong_type', message }],
      });
    }
    throw new ParleyError('CONFLICT', 'The file was already sent. Upload it again to send it again.');
  }

  /** Inserts the row of a file that this server is about to create. The file counts as used from the start. */
  async reserve(tx: Executor, { wallet, name }: Pick<FileRow, 'wallet' | 'name'>): Promise<string> {
    const now = new Date();
    const row = { id: newId('med'), wallet, name, size: null, createdAt: now, attachedAt: now };
    return (await this.#deps.store.insert(tx, row)).id;
  }

  /**
   * Stores the bytes of a reserved file.
   * @returns its size
   */
  async fill(fileId: string, { path, extensions, ...facts }: MadeFile): Promise<number> {
    const { store, storage } = this.#deps;
    const objectKey = `media/${fileId}`;
    const row = await store.find(fileId);
    if (!row) throw noSuchFile();
    const size = await storage.putFile(objectKey, path);
    const name = withExtension(row.name, extensions);
    // Only recordings are stored this way, and they have their own quota.
    const file = { ...facts, objectKey, thumbnailKey: null, size, name, countedBytes: 0 };
    if (!(await store.finish(fileId, file))) await storage.delete(objectKey);
    return size;
  }

  /** Describes files with freshly signed URLs. Deleted files are left out. */
  async describe(fileIds: string[]): Promise<Map<string, WireMediaInfo>> {
    const rows = await this.#deps.store.findAll(fileIds);
    return new Map(rows.filter(isReady).map((row) => [row.id, this.#infoOf(row)]));
  }

  /** Hides a file when the transaction commits. Its bytes are deleted afterwards. */
  async discard(tx: Executor, fileId: string): Promise<void> {
    if (await this.#deps.store.discard(tx, fileId))
      await this.#deps.jobs.set(tx, discarded, fileId, new Date());
  }

  /** Deletes an unused upload, for the wallet that uploaded it. */
  async abandon(wallet: Address, fileId: string): Promise<void> {
    const row = await this.uploadOf(wallet, fileId);
    await this.#discardUnused(row.id);
  }

  /**
   * Finds a file that the wallet may read without a signed URL.
   * @throws ParleyError NOT_FOUND
   */
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
   * Converts audio to Opus, which every browser plays. A file that is already converted stays as it is.
   * @returns the duration in seconds
   * @throws ParleyError VALIDATION_ERROR if the file cannot be decoded, NOT_FOUND if it is deleted meanwhile
   */
  async toOpus(fileId: string): Promise<number> {
    const file = await this.find(fileId);
    const key = opusKeyOf(fileId);
    if (file.objectKey === key) return file.duration ?? 0;
    await this.#replace(file, key, async (source, folder) => {
      const { path, duration } = await this.#deps.inspector.toOpus(source, folder, file);
      return { path, extensions: ['webm'], facts: { mimeType: 'audio/webm', duration } };
    });
    return (await this.find(fileId)).duration ?? 0;
  }

  /** A newly signed URL of a file that toOpus() has converted. */
  opusUrlOf(fileId: string): string {
    return this.#deps.addresses.sign({ id: fileId, objectKey: opusKeyOf(fileId) });
  }

  /**
   * Replaces an unused upload of the wallet with a small square image. An image that is already one stays as it is.
   * @throws ParleyError NOT_FOUND, VALIDATION_ERROR (not an image), CONFLICT (the upload is not complete)
   */
  async toAvatar(wallet: Address, fileId: string): Promise<void> {
    const file = await this.uploadOf(wallet, fileId);
    if (!isReady(file)) throw notComplete();
    if (file.kind !== 'image') {
      const message = `avatarId: this file is ${file.kind}, not image. Upload an image.`;
      throw new ParleyError('VALIDATION_ERROR', message, {
        details: [{ path: 'avatarId', code: 'wrong_type', message }],
      });
    }
    const key = `${avatars}${fileId}`;
    if (file.objectKey === key) return;
    const { inspector } = this.#deps;
    await this.#replace(file, key, async (source, folder) => {
      const { path, pixels } = await inspector.toAvatar(source, folder, wallet);
      const facts = { mimeType: 'image/webp', thumbnailKey: null, width: pixels, height: pixels };
      return { path, extensions: ['webp'], facts };
    });
    if (file.thumbnailKey) await this.#deps.storage.delete(file.thumbnailKey);
  }

  /** Replaces the bytes of a file with those that `make` creates from them. */
  async #replace(
    file: ReadyFile,
    key: string,
    make: (
      source: string,
      folder: string,
    ) => Promise<{ path: string; extensions: string[]; facts: Partial<FileRow> & { mimeType: string } }>,
  ): Promise<void> {
    const { storage, store } = this.#deps;
    await this.#inWorkDir(async (folder) => {
      const source = join(folder, 'source');
      try {
        await pipeline(await storage.get(file.objectKey), createWriteStream(source, { mode: 0o600 }));
      } catch (error) {
        // Another request may have replaced the file meanwhile, and deleted these bytes.
        if (error instanceof ObjectMissing && (await this.find(file.id)).objectKey === key) return;
        throw error;
      }
      const { path, extensions, facts } = await make(source, folder);
      const size = await storage.putFile(key, path);
      const changes = { ...facts, objectKey: key, size, name: withExtension(file.name, extensions) };
      if (!(await store.replace(file.id, file.objectKey, changes)) && !(await store.find(file.id)))
        await storage.delete(key);
    });
    await storage.delete(file.objectKey);
  }

  async #finishHeld(row: FileRow): Promise<void> {
    const { store, storage, log } = this.#deps;
    try {
      await store.inspections.whileHeld(row, () => this.#inWorkDir((folder) => this.#makeFile(row, folder)));
    } catch (error) {
      const isRefused = error instanceof ParleyError && error.code === 'VALIDATION_ERROR';
      if (isRefused) await this.#discardUnused(row.id);
      else await store.inspections.release(row);
      if (isRefused) log.debug({ err: error, file: row.id }, 'file refused');
      throw error;
    }
    for (const key of await storage.list(partsOf(row.id))) await storage.delete(key);
  }

  async #makeFile({ id, wallet, name, parts, kind }: FileRow, folder: string): Promise<void> {
    const { store, storage, inspector, log } = this.#deps;
    const uploadPath = join(folder, 'upload');
    await pipeline(Readable.from(this.#bytesOf(parts)), createWriteStream(uploadPath, { mode: 0o600 }));
    const { path, thumbnailPath, extensions, ...facts } = await (kind === 'file'
      ? inspector.document(uploadPath, wallet)
      : inspector.inspect(uploadPath, folder, wallet));
    const objectKey = `media/${id}`;
    const size = await storage.putFile(objectKey, path);
    const thumbnailKey = thumbnailPath && `thumbnails/${id}`;
    const thumbnailSize = thumbnailKey ? await storage.putFile(thumbnailKey, thumbnailPath) : 0;
    const countedBytes = size + thumbnailSize;
    const file = {
      ...facts,
      objectKey,
      thumbnailKey,
      size,
      name: withExtension(name, extensions),
      countedBytes,
    };
    if (await store.finish(id, file)) {
      log.info({ file: id, mimeType: facts.mimeType, size }, 'file stored');
      return;
    }
    // The upload was deleted in the meantime, or another process finished it and uses the same objects.
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
    // Includes the keys under which a process that died may have stored objects without recording them in the row.
    const keys = new Set([
      `media/${id}`,
      `thumbnails/${id}`,
      opusKeyOf(id),
      `${avatars}${id}`,
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
const notComplete = () =>
  new ParleyError('CONFLICT', 'The upload is not complete. Send the rest of the file first.');
export const noSuchFile = () =>
  noSuch('file', 'This file does not exist or was deleted, or you may not read it.');
