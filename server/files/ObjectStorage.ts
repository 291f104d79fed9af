import type { Readable } from 'node:stream';

/** A range of bytes. The byte at `end` is part of it. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * The port to file storage, which knows only names and bytes. A name consists of parts separated by `/`. A part consists of letters,
 * digits, `.`, `_` and `-`.
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
  /** Lists the names of objects in a folder. @param folder ends with `/` */
  list(folder: string): Promise<string[]>;
}

export class ObjectMissing extends Error {
  override readonly name = 'ObjectMissing';

  constructor(key: string, cause: unknown) {
    super(`There is no object ${key}.`, { cause });
  }
}

/** Checks that a name does not lead outside the storage. Names come from this server, so such a name is a programming error. */
export function checkKey(key: string): void {
  const isPlain = key.split('/').every((part) => /^\w[\w.-]*$/.test(part));
  if (!isPlain) throw new Error(`not a name of an object: ${key}`);
}
