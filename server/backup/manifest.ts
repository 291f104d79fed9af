import { z } from 'zod';

/** The format of archives. A change that older releases cannot read raises it. */
export const formatNumber = 1;

/** The first entry of an archive. */
export const headName = 'backup.json';
/** The last entry of an archive. An archive without it is incomplete. */
export const manifestName = 'manifest.json';
/** The folders of the archive. */
export const folders = {
  files: 'files/',
  recordings: 'recordings/',
  tables: 'tables/',
  index: 'index/',
} as const;
/**
 * The names of the server's files and their folders. Others, such as `lost+found`, are not its own: they may be closed to its user, and a
 * name of that form never leads out of a folder.
 */
export const storedName = /^\w[\w.-]*$/;
/** The list of the bucket's objects, in chunks. */
export const objectsFolder = 'objects/';

const migration = z.object({ hash: z.string(), createdAt: z.number() });

export const headSchema = z.object({
  format: z.number(),
  /** The release of Parley that wrote the archive. */
  release: z.string(),
  createdAt: z.string(),
  /** The migrations of the database, oldest first. */
  migrations: z.array(migration),
  /** The fingerprint of the SECRET_KEY of the database; null before its first start. It does not reveal the key. */
  keyFingerprint: z.string().nullable(),
  /** `folder`: the files are in the archive. `s3`: only the list of the bucket's objects is. `none`: this node has no storage. */
  storage: z.enum(['folder', 's3', 'none']),
});
export type Head = z.infer<typeof headSchema>;

const table = z.object({ name: z.string(), columns: z.array(z.string()), rows: z.number() });
const sequence = z.object({ name: z.string(), lastValue: z.string(), isCalled: z.boolean() });
export type Sequence = z.infer<typeof sequence>;

export const manifestSchema = z.object({
  head: headSchema,
  /** In the order in which they can be loaded: a table comes after those that it refers to. */
  tables: z.array(table),
  sequences: z.array(sequence),
  files: z.object({ count: z.number(), bytes: z.number() }),
  objects: z.number(),
  /** Files that the database names, but that were missing in the storage. */
  missing: z.array(z.string()),
  /** The number of entries before this one, and the SHA-256 of all index entries. */
  entries: z.number(),
  indexHash: z.string(),
});
export type Manifest = z.infer<typeof manifestSchema>;

/** One line of an index entry. The index lists the entries since the index before it. */
export const indexLine = z.object({ name: z.string(), size: z.number(), sha256: z.string() });
export type IndexLine = z.infer<typeof indexLine>;

/** An object of the bucket. */
export const objectLine = z.object({ key: z.string(), size: z.number(), etag: z.string() });
export type ObjectLine = z.infer<typeof objectLine>;
