import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { drizzle } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import type { Logger } from 'pino';
import { checkBalances } from '../money/account/checkBalances.ts';
import { objectLine, objectsFolder, type Manifest, type ObjectLine } from './manifest.ts';
import { readArchive } from './readArchive.ts';
import { neededKeys } from './storedFiles.ts';

/** One line of the report. */
export interface Finding {
  what: string;
  /** What is wrong; empty if nothing is. */
  problems: string[];
}

/** The most problems that the report names of one kind. */
const shown = 20;

/**
 * Checks a restored database against the manifest of its backup: row counts, balances against the ledger, and that every file that a row
 * needs was restored.
 * @param filesDir the folder with the restored files; null if the backup contains none
 */
export async function checkRestored(
  client: pg.Client,
  manifest: Manifest,
  filesDir: string | null,
  log: Logger,
): Promise<Finding[]> {
  const wrongCounts: string[] = [];
  let total = 0;
  for (const { name, rows } of manifest.tables) {
    const { rows: counted } = await client.query<{ count: string }>(`SELECT count(*) FROM ${name}`);
    const count = Number(counted[0]?.count);
    total += count;
    if (count !== rows) wrongCounts.push(`${name} has ${count} rows instead of ${rows}`);
  }
  const { rows: accounts } = await client.query<{ count: string }>('SELECT count(*) FROM accounts');
  const wrong = await checkBalances(drizzle({ client }), log);
  const missing: string[] = [];
  let needed = 0;
  if (filesDir !== null)
    for await (const key of neededKeys(client)) {
      needed++;
      const isThere = await stat(join(filesDir, key)).then(
        (found) => found.isFile(),
        () => false,
      );
      if (!isThere && missing.length < shown) missing.push(key);
    }
  return [
    { what: `${manifest.tables.length} tables with ${total} rows`, problems: wrongCounts },
    {
      what: `balances of ${accounts[0]?.count ?? 0} accounts against the ledger`,
      problems: wrong > 0 ? [`${wrong} balances differ from the ledger`] : [],
    },
    { what: `${needed} files that the database needs`, problems: missing.map((key) => `${key} is missing`) },
  ];
}

/** Compares the list of the bucket's objects in a backup with the bucket. Objects that were added since do not matter. */
export async function checkBucket(archive: string, bucket: AsyncIterable<ObjectLine>): Promise<Finding> {
  const found = new Map<string, string>();
  for await (const { key, size, etag } of bucket) found.set(key, `${size} ${etag}`);
  const problems: string[] = [];
  let count = 0;
  const compare = (line: string) => {
    const { key, size, etag } = objectLine.parse(JSON.parse(line));
    count++;
    const now = found.get(key);
    if (now === `${size} ${etag}` || problems.length === shown) return;
    problems.push(now === undefined ? `${key} is missing` : `${key} was changed`);
  };
  // A chunk may end within a character.
  const decoder = new TextDecoder();
  let rest = '';
  await readArchive(archive, {
    onEntry: async (name, content) => {
      if (!name.startsWith(objectsFolder)) return;
      for await (const chunk of content) {
        const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split('\n');
        rest = lines.pop() ?? '';
        lines.forEach(compare);
      }
    },
  });
  return { what: `${count} objects of the bucket`, problems };
}

/** The files of the archive, which are compared with their SHA-256 whenever it is read. */
export const filesFinding = ({ files, missing, head }: Manifest): Finding => ({
  what:
    head.storage === 'folder'
      ? `${files.count} files with ${files.bytes} bytes against their SHA-256`
      : 'files are not in the archive',
  problems: missing.slice(0, shown).map((key) => `${key} was missing when the backup was made`),
});
