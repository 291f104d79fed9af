import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { openDatabase } from '../../platform/database/database.ts';

/** Where the test run's processes find the template. */
const variable = 'PARLEY_TEST_DATABASE';

/**
 * Makes a database as the first start of a server leaves it: the real tables with nothing in them. To copy it costs a twentieth of making it,
 * and nearly every suite needs one.
 * @returns what removes it again
 */
export async function makeDatabaseTemplate(): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-template-'));
  const { close } = await openDatabase({ dataDir, logger: pino({ level: 'silent' }) });
  await close();
  process.env[variable] = join(dataDir, 'postgres');
  return () => rm(dataDir, { recursive: true, force: true });
}

/** Puts a copy into a DATA_DIR that has none. Without a template, outside of the test run, the server makes its own. */
export async function layDatabase(dataDir: string): Promise<void> {
  const template = process.env[variable];
  if (!template || existsSync(join(dataDir, 'postgres'))) return;
  await promisify(execFile)('cp', ['-a', '--reflink=auto', template, dataDir]);
}
