import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, mkdir, open, readdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { syncFolder } from '../../platform/system/syncFolder.ts';
import { checkKey, ObjectMissing, type ByteRange, type ObjectStorage } from './ObjectStorage.ts';

const draftsName = '.drafts';
/** A draft older than this was left by a process that died. */
const abandonedMs = 60 * 60_000;

/**
 * Stores files in a folder of this machine, or in one that all nodes share. An object appears only when it is complete, and survives a
 * power failure.
 */
export class FolderStorage implements ObjectStorage {
  readonly #root: string;

  static async open(root: string): Promise<FolderStorage> {
    const drafts = join(root, draftsName);
    await mkdir(drafts, { recursive: true, mode: 0o700 });
    for (const name of await readdir(drafts)) {
      const path = join(drafts, name);
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }));
      if (mtimeMs < Date.now() - abandonedMs) await rm(path, { force: true });
    }
    return new FolderStorage(root);
  }

  private constructor(root: string) {
    this.#root = root;
  }

  async put(key: string, bytes: Buffer): Promise<void> {
    await this.#write(key, (draft) => writeFile(draft, bytes, { flag: 'wx', mode: 0o600, flush: true }));
  }

  async putFile(key: string, path: string): Promise<number> {
    const options = { flags: 'wx', mode: 0o600, flush: true };
    await this.#write(key, (draft) => pipeline(createReadStream(path), createWriteStream(draft, options)));
    return (await stat(this.#pathOf(key))).size;
  }

  async get(key: string, range?: ByteRange): Promise<Readable> {
    try {
      const file = await open(this.#pathOf(key));
      return file.createReadStream(range);
    } catch (error) {
      if (isMissing(error)) throw new ObjectMissing(key, error);
      throw error;
    }
  }

  async delete(key: string): Promise<void> {
    const path = this.#pathOf(key);
    await rm(path, { force: true });
    // Removes the folder of an upload when its last part is deleted. If the folder is not empty, this fails and keeps it.
    await rmdir(dirname(path)).catch(() => undefined);
  }

  async exists(key: string): Promise<boolean> {
    return access(this.#pathOf(key)).then(
      () => true,
      () => false,
    );
  }

  async list(folder: string): Promise<string[]> {
    const path = this.#pathOf(folder.replace(/\/$/, ''));
    try {
      const found = await readdir(path, { withFileTypes: true });
      return found.filter((entry) => entry.isFile()).map(({ name }) => `${folder}${name}`);
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  async #write(key: string, writeTo: (draft: string) => Promise<void>): Promise<void> {
    const path = this.#pathOf(key);
    const draft = join(this.#root, draftsName, randomBytes(12).toString('hex'));
    try {
      await writeTo(draft);
      await this.#moveInPlace(draft, path);
    } finally {
      await rm(draft, { force: true });
    }
  }

  /** Moves a draft into place. Tries again if a concurrent deletion has removed the empty folder in between. */
  async #moveInPlace(draft: string, path: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await rename(draft, path);
        return await syncFolder(dirname(path));
      } catch (error) {
        if (!isMissing(error) || attempt === 3) throw error;
      }
    }
  }

  #pathOf(key: string): string {
    checkKey(key);
    return join(this.#root, key);
  }
}

const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT';
