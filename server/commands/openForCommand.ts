import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pino } from 'pino';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../../platform/ConfigError.ts';
import { openDatabase, type OpenDatabase } from '../../platform/database/database.ts';

/** An error that is shown to the user of a command without a stack trace. Other errors, except ConfigError, are treated as bugs. */
export class CommandError extends Error {}

/** Opens the database of DATABASE_URL, or else the embedded one. If no server is running, this starts the embedded one. */
export async function openForCommand(config: Config): Promise<OpenDatabase> {
  const { DATABASE_URL, DATA_DIR } = config;
  const logger = pino({ level: 'error' }, pino.destination(2));
  const options = { dataDir: DATA_DIR, poolSize: 2, logger };
  if (DATABASE_URL) return openDatabase({ ...options, url: DATABASE_URL });
  const folder = join(resolve(DATA_DIR), 'postgres');
  if (!existsSync(folder))
    throw new CommandError(
      `There is no database in ${DATA_DIR}. Set DATA_DIR to the folder the server uses.\n`,
    );
  const socket = `postgresql:///postgres?host=${encodeURIComponent(folder)}&user=postgres&ssl=0`;
  return openDatabase({ ...options, url: socket, connectLimitMs: 0 }).catch(() => openDatabase(options));
}

/** Runs a command and prints its output. Errors that the reader can correct are printed without their stack. */
export function runCommand(main: () => Promise<string>): void {
  main().then(
    (output) => process.stdout.write(output),
    (error: unknown) => {
      const { code, message, stack } = error as NodeJS.ErrnoException;
      const isForReader = error instanceof CommandError || error instanceof ConfigError || code === 'ENOENT';
      process.stderr.write(`${(isForReader ? message : String(stack ?? error)).trimEnd()}\n`);
      process.exitCode = 1;
    },
  );
}
