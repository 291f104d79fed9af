import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pino } from 'pino';
import type { Config } from '../config/config.ts';
import { openDatabase, type OpenDatabase } from '../../platform/database/database.ts';

/** What the person who typed a command reads; anything else that fails is a mistake of ours. */
export class CommandError extends Error {}

/** The database of a server that runs; else, where that is the embedded one, started for this command. */
export async function openForCommand(config: Config): Promise<OpenDatabase> {
  const { DATABASE_URL, DATA_DIR } = config;
  const logger = pino({ level: 'error' }, pino.destination(2));
  const options = { dataDir: DATA_DIR, poolSize: 2, logger };
  if (DATABASE_URL) return openDatabase({ ...options, url: DATABASE_URL });
  const folder = join(resolve(DATA_DIR), 'postgres');
  if (!existsSync(folder))
    throw new CommandError(`There is no database in ${DATA_DIR}: is DATA_DIR right?\n`);
  const socket = `postgresql:///postgres?host=${encodeURIComponent(folder)}&user=postgres&ssl=0`;
  return openDatabase({ ...options, url: socket, connectLimitMs: 0 }).catch(() => openDatabase(options));
}
