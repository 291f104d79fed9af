import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';

import type { ArchiveWriter } from './ArchiveWriter.ts';
import { storedName } from './manifest.ts';

/** What a backup has copied so far. */
export interface Copied {
  /** Names in the archive. */
  names: Set<string>;
  bytes: number;
}

/**
 * Copies the files of a folder and its subfolders that are not in the archive yet. Files that vanish are left out. So are hidden ones, such
 * as unfinished files of the storage, and all others whose names are none of the server's.
 * @param prefix the folder in the archive, with `/` at the end
 */
export async function copyFolder(
  root: string,
  prefix: string,
  archive: ArchiveWriter,
  copied: Copied,
  onFile: () => void,
): Promise<void> {
  const entries = await readdir(root, { withFileTypes: true }).catch(ignoreMissing);
  for (const entry of entries ?? []) {
    if (!storedName.test(entry.name)) continue;
    const [path, name] = [join(root, entry.name), `${prefix}${entry.name}`];
    if (entry.isDirectory()) await copyFolder(path, `${name}/`, archive, copied, onFile);
    else if (entry.isFile() && !copied.names.has(name) && (await copyFile(path, name, archive, copied)))
      onFile();
  }
}

async function copyFile(path: string, name: string, archive: ArchiveWriter, copied: Copied) {
  const file = await open(path).catch(ignoreMissing);
  if (!file) return false;
  try {
    const { size } = await file.stat();
    // Once it is open, the file can be deleted. A running recording may grow: what is added later is left out.
    const content =
      size === 0 ? Readable.from([]) : file.createReadStream({ start: 0, end: size - 1, autoClose: false });
    await archive.addStream(name, size, content);
    copied.names.add(name);
    copied.bytes += size;
    return true;
  } finally {
    await file.close();
  }
}

/** The keys of all objects that the rows of the database need. */
export async function* neededKeys(client: pg.Client): AsyncGenerator<string> {
  const query = `
    SELECT unnest(array_remove(ARRAY[object_key, thumbnail_key], NULL)) FROM files WHERE discarded_at IS NULL
    UNION ALL SELECT jsonb_array_elements(parts) ->> 'key' FROM files WHERE discarded_at IS NULL AND object_key IS NULL
    UNION ALL SELECT concat_ws('/', 'recordings', p.recording_id, p.id, n) FROM recording_parts p
      JOIN recordings r ON r.id = p.recording_id AND r.discarded_at IS NULL AND r.status IN ('recording', 'processing'),
      generate_series(0, p.chunks - 1) AS n`;
  yield* createInterface({ input: client.query(copyTo(`COPY (${query}) TO STDOUT`)), crlfDelay: Infinity });
}

function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
