import { stat } from 'node:fs/promises';
import { constants } from 'node:os';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { CommandError } from '../../platform/CommandError.ts';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../../platform/ConfigError.ts';
import { connect, openDatabase, type OpenDatabase } from '../../platform/database/database.ts';
import { refuseIncompleteRestore } from '../../platform/database/restoreMarker.ts';
import { EmbeddedPostgres } from '../../platform/embeddedPostgres/EmbeddedPostgres.ts';
import { isOutage } from '../../platform/errors.ts';
import { stackOf } from '../../platform/logger.ts';

/**
 * Opens the database of DATABASE_URL, or else the embedded one. If no server is running, this starts the embedded one. It does not change
 * the tables: the server of the release before may still run, or the settings may name another program's database.
 */
export async function openForCommand(config: Config): Promise<OpenDatabase> {
  const { url, close } = await reachDatabase(config);
  const options = { url, dataDir: config.DATA_DIR, poolSize: 2, migrates: false, logger: quietLog() };
  try {
    const database = await openDatabase(options);
    const closeBoth = async () => {
      try {
        await database.close();
      } finally {
        await close();
      }
    };
    return { ...database, close: closeBoth };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Finds the database without changing it: the one of DATABASE_URL, or else the embedded one. If no server is running, this starts the
 * embedded one.
 */
export async function reachDatabase(config: Config): Promise<{ url: string; close: () => Promise<void> }> {
  const { DATABASE_URL, DATA_DIR } = config;
  const stay = { close: () => Promise.resolve() };
  if (DATABASE_URL) {
    await refuseUnreachable(DATABASE_URL);
    return { url: DATABASE_URL, ...stay };
  }
  refuseIncompleteRestore(DATA_DIR);
  const folder = join(resolve(DATA_DIR), 'postgres');
  await stat(folder).catch(({ code, message }: NodeJS.ErrnoException) => {
    const problem = code === 'ENOENT' ? `There is no database in ${DATA_DIR}` : message;
    throw new CommandError(
      `${problem}. Set DATA_DIR to the folder the server uses, and run this as its user.\n`,
    );
  });
  const url = `postgresql:///postgres?host=${encodeURIComponent(folder)}&user=postgres&ssl=0`;
  if (await answers(url)) return { url, ...stay };
  const embedded = await EmbeddedPostgres.start({ dataDir: DATA_DIR, logger: quietLog(), onLost: () => {} });
  return { url: embedded.url, close: () => embedded.close() };
}

/** @throws {Error} with the reason, at once: unlike a server, a command is started again by the person who reads this */
export async function refuseUnreachable(url: string): Promise<void> {
  await (await connect(url, 0, quietLog())).end();
}

/** Shows errors only. */
export const quietLog = () => pino({ level: 'error' }, pino.destination(2));

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  return client.connect().then(
    () => client.end().then(() => true),
    () => false,
  );
}

/**
 * Runs a command and prints its output. Errors that the reader can correct are printed without their stack. As in main.ts, the message of a
 * plain Error is for the reader, too.
 * @param usage printed for `--help`, instead of running the command
 */
export function runCommand(usage: string, main: () => Promise<string>): void {
  // A signal without a handler would end the process before it removes what removeOnExit() names.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
  (process.argv.includes('--help') ? Promise.resolve(usage) : main()).then(
    // What a check of the doctor gave up may go on for minutes.
    (output) => process.stdout.write(output, () => process.exit()),
    (error: unknown) => {
      process.stderr.write(`${messageOf(error).trimEnd()}\n`);
      process.exitCode = 1;
    },
  );
}

function messageOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const kinds: unknown[] = [Error, CommandError, ConfigError];
  if (kinds.includes((error as Error).constructor) || code === 'ENOENT') return message;
  const cause = causeOf(error);
  const isRefusal = cause instanceof pg.DatabaseError && (cause.code === missingRight || isOutage(cause));
  return isRefusal ? `PostgreSQL: ${cause.message}` : stackOf(error);
}

/** PostgreSQL's code for a right that the role lacks. */
const missingRight = '42501';

/** The driver's error. Drizzle wraps it in one whose message has the values of the query. */
const causeOf = (error: unknown): Error => {
  const { cause } = error as Error;
  return cause instanceof Error ? causeOf(cause) : (error as Error);
};
