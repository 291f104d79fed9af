import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { openDatabase } from '../../../platform/database/database.ts';

/** The environment variable with the template's path, for the processes of the test run. */
const variable = 'PARLEY_TEST_DATABASE';

/**
 * Creates a database in the state after the first start of a server: with all tables but no rows. Copying it costs a twentieth of
 * creating a new one, and nearly every test file needs a database.
 * @returns a function that removes it
 */
export async function makeDatabaseTemplate(): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-template-'));
  const { close } = await openDatabase({ dataDir, logger: pino({ level: 'silent' }) });
  await close();
  process.env[variable] = join(dataDir, 'postgres');
  return () => rm(dataDir, { recursive: true, force: true });
}

/** Copies the template into a DATA_DIR without a database. Outside a test run there is no template: the server creates the database. */
export async function copyDatabaseTemplate(dataDir: string): Promise<void> {
  const template = process.env[variable];
  if (!template || existsSync(join(dataDir, 'postgres'))) return;
  await promisify(execFile)('cp', ['-a', '--reflink=auto', template, dataDir]);
}
