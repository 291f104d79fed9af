import { createHash, type Hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PassThrough, Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import { pack, type Pack } from 'tar-stream';
import { syncFolder } from '../../platform/system/syncFolder.ts';
import { removeOnExit } from './removeOnExit.ts';
import { folders, headName, manifestName, type Head, type IndexLine, type Manifest } from './manifest.ts';

/** The number of entries that one index lists. */
const indexedAtOnce = 500;

/**
 * Writes a tar archive, compressed with gzip. Index entries with the SHA-256 of the entries before them are interleaved, so that neither
 * the writer nor a reader holds a list of all files. The archive gets its name when it is complete and on disk.
 */
export class ArchiveWriter {
  readonly #path: string;
  readonly #draft: string;
  readonly #pack: Pack = pack();
  readonly #written: Promise<void>;
  readonly #keepOnExit: () => void;
  readonly #indexHash: Hash = createHash('sha256');
  #index: IndexLine[] = [];
  #indexes = 0;
  #entries = 0;
  /** Set when the archive cannot be written any more, for example because the disk is full. */
  readonly #failure: Promise<never>;

  /** @param path the archive. Until it is complete, it is `<path>.part` */
  constructor(path: string) {
    this.#path = path;
    this.#draft = `${path}.part`;
    this.#keepOnExit = removeOnExit(this.#draft);
    const output = createWriteStream(this.#draft, { mode: 0o600, flush: true });
    // Files are mostly compressed media, so a higher level would cost time and save nothing.
    this.#written = pipeline(this.#pack, createGzip({ level: constants.Z_BEST_SPEED }), output);
    this.#failure = this.#written.then(() => new Promise<never>(() => {}));
    this.#failure.catch(() => {});
  }

  addHead(head: Head): Promise<void> {
    return this.add(headName, Buffer.from(JSON.stringify(head)));
  }

  add(name: string, bytes: Buffer): Promise<void> {
    return this.addStream(name, bytes.length, Readable.from([bytes]));
  }

  /** @param source has exactly `size` bytes */
  async addStream(name: string, size: number, source: Readable): Promise<void> {
    const sha256 = await this.#write(name, size, source);
    this.#index.push({ name, size, sha256 });
    if (this.#index.length >= indexedAtOnce) await this.#writeIndex();
  }

  /**
   * Writes the manifest, and gives the archive its name.
   * @param beforeNamed called when the archive is on disk
   */
  async finish(
    manifest: Omit<Manifest, 'entries' | 'indexHash'>,
    beforeNamed: () => Promise<void> | undefined = () => undefined,
  ): Promise<void> {
    await this.#writeIndex();
    const full: Manifest = { ...manifest, entries: this.#entries, indexHash: this.#indexHash.digest('hex') };
    const bytes = Buffer.from(JSON.stringify(full));
    await this.#write(manifestName, bytes.length, Readable.from([bytes]));
    this.#pack.finalize();
    await this.#written;
    await beforeNamed();
    await rename(this.#draft, this.#path);
    this.#keepOnExit();
    await syncFolder(dirname(this.#path));
  }

  /** Removes an archive that was not finished. */
  async abandon(): Promise<void> {
    this.#pack.destroy();
    await this.#written.catch(() => {});
    await rm(this.#draft, { force: true });
    this.#keepOnExit();
  }

  async #writeIndex(): Promise<void> {
    if (this.#index.length === 0) return;
    const bytes = Buffer.from(this.#index.map((line) => `${JSON.stringify(line)}\n`).join(''));
    this.#index = [];
    this.#indexHash.update(bytes);
    await this.#write(`${folders.index}${++this.#indexes}`, bytes.length, Readable.from([bytes]));
  }

  async #write(name: string, size: number, source: Readable): Promise<string> {
    // The archive itself would only say that it is destroyed.
    if (this.#pack.destroyed) await this.#failure;
    const { stream, digest } = hashing();
    const entry = this.#pack.entry({ name, size, mode: 0o600 });
    await Promise.race([pipeline(source, stream, entry), this.#failure]);
    this.#entries++;
    return digest();
  }
}

/** A stream that computes the SHA-256 of what passes through it. */
export function hashing(): { stream: Transform; digest: () => string } {
  const hash = createHash('sha256');
  const stream = new PassThrough();
  stream.on('data', (chunk: Buffer) => hash.update(chunk));
  return { stream, digest: () => hash.digest('hex') };
}
