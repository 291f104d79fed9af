import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { sql } from 'drizzle-orm';
import { z } from 'zod';
import { readConfig } from '../config/config.ts';
import type { Database } from '../../platform/database/database.ts';
import { checkSecretKey } from '../installation/checkSecretKey.ts';
import { importLeaks, type ImportProgress } from '../leaksearch/importLeaks.ts';
import type { Breach } from '../leaksearch/LeakSource.ts';
import { LocalLeaks } from '../leaksearch/LocalLeaks.ts';
import { CommandError } from '../../platform/CommandError.ts';
import { openForCommand, runCommand } from './openForCommand.ts';
import { showProgress } from './showProgress.ts';
import { loadSecrets } from '../../platform/secrets.ts';

/* `npm run import:leaks -- <file.csv|file.ndjson>` fills the local breach index. The server may or may not be running. */

const usage = `Usage:
  npm run import:leaks -- <file.csv|file.ndjson> [options]

Each line is a leaked account, with the fields email, username, phone, domain and password_sha1 (or password, which is hashed at once), and
the fields of its breach: source, title, breach_domain, breach_date, data_classes (separated by ;), verified and records.
Options set a field of the breach for all lines:
  --source <id>  --title <text>  --domain <domain>  --date <YYYY-MM-DD>  --classes <a;b>  --verified  --records <number>

An interrupted import continues where it stopped. Only hashes are stored.
`;

const options = {
  source: { type: 'string' },
  title: { type: 'string' },
  domain: { type: 'string' },
  date: { type: 'string' },
  classes: { type: 'string' },
  records: { type: 'string' },
  verified: { type: 'boolean' },
} as const;

interface Order {
  path: string;
  usual: Partial<Breach>;
}

function parseOrder(args: string[]): Order {
  let parsed;
  try {
    parsed = parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new CommandError(`${(error as Error).message}\n\n${usage}`);
  }
  const { positionals, values } = parsed;
  const [path, ...more] = positionals;
  if (!path || more.length > 0 || !/\.(csv|ndjson|jsonl)$/i.test(path)) throw new CommandError(usage);
  const { source, title, domain, date, classes, records, verified } = values;
  const isWrong =
    (source !== undefined && !/^[\w.-]{1,64}$/.test(source)) ||
    (date !== undefined && !z.iso.date().safeParse(date).success) ||
    (records !== undefined && !/^\d{1,15}$/.test(records));
  if (isWrong) throw new CommandError(usage);
  return {
    path,
    usual: {
      ...(source === undefined ? {} : { source }),
      ...(title === undefined ? {} : { title }),
      ...(domain === undefined ? {} : { domain: domain.toLowerCase() }),
      ...(date === undefined ? {} : { breachDate: date }),
      ...(classes === undefined ? {} : { dataClasses: classes.split(';').map((name) => name.trim()) }),
      ...(records === undefined ? {} : { records: Number(records) }),
      ...(verified === undefined ? {} : { verified }),
    },
  };
}

async function main(): Promise<string> {
  const { path, usual } = parseOrder(process.argv.slice(2));
  const config = readConfig(process.env);
  const { db, close } = await openForCommand(config);
  try {
    const secrets = await loadSecrets(config);
    await checkSecretKey(db, secrets);
    const key = secrets.lasting('leak index');
    const startedAt = performance.now();
    const outcome = await importLeaks({ db, key, path, usual, onProgress: showImport(startedAt) });
    const seconds = (performance.now() - startedAt) / 1_000;
    const { records, resumedAt, skipped } = outcome;
    await db.execute(sql`ANALYZE leak_entries, leak_breaches, leak_passwords`);
    const memory = Math.round(process.resourceUsage().maxRSS / 1_024);
    return `${records} records, ${records - resumedAt} of them new, ${skipped} skipped as invalid; ${seconds.toFixed(1)} s, at most ${memory} MB of memory.\n${await measure(db, key)}\n`;
  } finally {
    await close();
  }
}

function showImport(startedAt: number): (progress: ImportProgress) => void {
  const show = showProgress();
  let first: number | null = null;
  return ({ records, share }) => {
    first ??= records;
    const rate = Math.round((records - first) / ((performance.now() - startedAt) / 1_000));
    show(`${Math.floor(share * 100)} %  ${records} records  ${rate}/s`);
  };
}

/** Measures how long searches take. It searches for values that are not in the index, which takes as long as for ones that are. */
async function measure(db: Database, key: Buffer): Promise<string> {
  const leaks = new LocalLeaks({ db, key });
  const taken: number[] = [];
  for (let index = 0; index < 200; index++) {
    const startedAt = performance.now();
    await leaks.search('email', `${index}@measured.example`);
    taken.push(performance.now() - startedAt);
  }
  taken.sort((a, b) => a - b);
  const at = (share: number) => (taken[Math.floor(taken.length * share)] ?? 0).toFixed(2);
  return `A search takes ${at(0.5)} ms (99 of 100 within ${at(0.99)} ms).`;
}

runCommand(usage, main);
