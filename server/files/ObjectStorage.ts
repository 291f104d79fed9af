import type { Readable } from 'node:stream';

/** A range of bytes, including the last one. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * The port to file storage, which knows only names and bytes. A name consists of parts of letters, digits, `.`, `_` and `-`, separated by
 * `/`.
 */
export interface ObjectStorage {
  /** Stores an object completely or not at all. Replaces an existing one. */
  put(key: string, bytes: Buffer): Promise<void>;
  /**
   * Stores a local file.
   * @returns its size
   */
  putFile(key: string, path: string): Promise<number>;
  /** @throws ObjectMissing */
  get(key: string, range?: ByteRange): Promise<Readable>;
  /** Deletes an object. A missing one is not an error. */
  delete(key: string): Promise<void>;
  exists(key: string): Promise<boolean>;
  /** Lists the names in a folder, which ends with `/`. */
  list(folder: string): Promise<string[]>;
}

export class ObjectMissing extends Error {
  override readonly name = 'ObjectMissing';

  constructor(key: string, cause: unknown) {
    super(`There is no object ${key}.`, { cause });
  }
}

/** Names come from this server. A part that leads outside the storage is a programming error. */
export function checkKey(key: string): void {
  const isPlain = key.split('/').every((part) => /^\w[\w.-]*$/.test(part));
  if (!isPlain) throw new Error(`not a name of an object: ${key}`);
}
