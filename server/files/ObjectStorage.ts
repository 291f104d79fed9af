import type { Readable } from 'node:stream';

/** Bytes of an object, the last one included. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Where files lie: names and bytes. A name is parts of letters, digits, `.`, `_` and `-`, divided by `/`. */
export interface ObjectStorage {
  /** Whole, or not at all; whatever had this name before is replaced. */
  put(key: string, bytes: Buffer): Promise<void>;
  /** The same with a file of this machine. @returns its size */
  putFile(key: string, path: string): Promise<number>;
  /** @throws ObjectMissing */
  get(key: string, range?: ByteRange): Promise<Readable>;
  /** What is not there counts as deleted. */
  delete(key: string): Promise<void>;
  exists(key: string): Promise<boolean>;
  /** The names that begin with this folder, which ends with `/`. */
  list(folder: string): Promise<string[]>;
}

export class ObjectMissing extends Error {
  override readonly name = 'ObjectMissing';

  constructor(key: string, cause: unknown) {
    super(`There is no object ${key}.`, { cause });
  }
}

/** Names are ours; a part that leads elsewhere is a mistake in here. */
export function checkKey(key: string): void {
  const isPlain = key.split('/').every((part) => /^\w[\w.-]*$/.test(part));
  if (!isPlain) throw new Error(`not a name of an object: ${key}`);
}
