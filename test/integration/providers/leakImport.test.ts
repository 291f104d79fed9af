import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase, type OpenDatabase } from '../../../platform/database/database.ts';
import { importLeaks } from '../../../server/leaksearch/importLeaks.ts';
import { LocalLeaks } from '../../../server/leaksearch/LocalLeaks.ts';
import { loadSecrets } from '../../../platform/secrets.ts';
import { queryDatabase } from '../money/accountSupport.ts';
import { copyDatabaseTemplate } from '../../harness/nodes/databaseTemplate.ts';

const records = 60_000;
let dataDir: string;
let path: string;
let database: OpenDatabase;
let key: Buffer;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  path = join(dataDir, 'large.csv');
  await copyDatabaseTemplate(dataDir);
  database = await openDatabase({ dataDir, logger: pino({ level: 'silent' }) });
  key = (await loadSecrets({ DATA_DIR: dataDir })).derive('leak index');
  const file = createWriteStream(path);
  file.write('email,password_sha1,source\n');
  for (let index = 0; index < records; index++) {
    const sha1 = (index % 30_000).toString(16).padStart(40, '0');
    if (!file.write(`user${index}@mail${index % 500}.example,${sha1},breach${index % 3}\n`))
      await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
});
afterAll(async () => {
  await database?.close();
  await rm(dataDir, { recursive: true, force: true });
});

const countOf = async (query: string) => Number((await queryDatabase({ dataDir }, query))[0]?.n);

it('resumes a killed import and counts no record twice', async () => {
  const env = { PATH: process.env.PATH, NODE_ENV: 'test', DATA_DIR: dataDir };
  const child = spawn(process.execPath, ['server/dist/importLeaks.js', path], { env });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    // Kill it at the first progress line, when it is in the middle of another batch.
    if (/\d+ records/.test(output)) child.kill('SIGKILL');
  });
  await once(child, 'close');
  expect(child.signalCode).toBe('SIGKILL');
  expect(output).toMatch(/\d+ %\s+\d+ records/);
  const importedBefore = await countOf('SELECT records AS n FROM leak_imports');
  expect(importedBefore).toBeGreaterThan(0);
  expect(importedBefore).toBeLessThan(records);

  // Two imports resume at the same time: they share the work or one of them fails, and the result is correct either way.
  const options = { db: database.db, key, path, usual: {} };
  const outcomes = await Promise.allSettled([importLeaks(options), importLeaks(options)]);
  const done = outcomes.filter(({ status }) => status === 'fulfilled');
  expect(done.length).toBeGreaterThanOrEqual(1);
  expect(done[0]).toMatchObject({ value: { records, skipped: 0 } });
  expect(await countOf('SELECT sum(count) AS n FROM leak_passwords')).toBe(records);
  expect(await countOf('SELECT count(*) AS n FROM leak_passwords')).toBe(30_000);
  // Every address, and 500 domains in each of the three breaches.
  expect(await countOf('SELECT count(*) AS n FROM leak_entries')).toBe(records + 1_500);

  expect(await importLeaks(options)).toMatchObject({ records, resumedAt: records });
  expect(await countOf('SELECT sum(count) AS n FROM leak_passwords')).toBe(records);
  const leaks = new LocalLeaks({ db: database.db, key });
  expect(await leaks.search('email', `user${records - 1}@mail499.example`)).toMatchObject({ total: 1 });
});

it('skips a line with a stray quote, and reads the others', async () => {
  const file = join(dataDir, 'quotes.csv');
  const lines = [
    '\uFEFF"E-mail",Email,source,"title"',
    'x,"quoted@mail.example",quotes,"Quotes, and a ""title"""\r',
    'x,"stray@mail.example,quotes,t',
    '',
    'x,in"side@mail.example,quotes,t',
    ...Array.from({ length: 3_000 }, (_, index) => `x,after${index}@mail.example,quotes,${'t'.repeat(40)}`),
    `x,${'a'.repeat(700_000)}@mail.example,quotes,t`,
    'x,short@mail.example,quotes',
  ];
  await writeFile(file, lines.join('\n'));
  const done = await importLeaks({ db: database.db, key, path: file, usual: {} });
  expect(done).toMatchObject({ records: 3_005, skipped: 2 });
  const leaks = new LocalLeaks({ db: database.db, key });
  const found = (name: string) => leaks.search('email', `${name}@mail.example`);
  for (const name of ['quoted', 'in"side', 'after2999', 'short'])
    expect(await found(name)).toMatchObject({ total: 1 });
  expect(await found('stray')).toMatchObject({ total: 0 });
  const [breach] = await queryDatabase(
    { dataDir },
    `SELECT title FROM leak_breaches WHERE source = 'quotes'`,
  );
  expect(breach).toEqual({ title: 'Quotes, and a "title"' });
});

it('imports texts that are padded with NUL', async () => {
  const file = join(dataDir, 'padded.csv');
  const fields = ['padded@mail.example', 'padded', 'A title', 'site.example', 'Names;Phones', '2024-01-02'];
  const line = fields.map((field) => field.padEnd(32, '\0')).join(',');
  await writeFile(file, `email,source,title,breach_domain,data_classes,breach_date\n${line}\n`);
  const done = await importLeaks({ db: database.db, key, path: file, usual: {} });
  expect(done).toMatchObject({ records: 1, skipped: 0, share: 1 });
  const found = await new LocalLeaks({ db: database.db, key }).search('email', 'padded@mail.example');
  const breach = { source: 'padded', title: 'A title', domain: 'site.example', breachDate: '2024-01-02' };
  expect(found.results).toMatchObject([{ ...breach, dataClasses: ['Names', 'Phones'] }]);
});

it('keeps the details of a breach when another file of it does not name them', async () => {
  const details = async (name: string, content: string, usual: object) => {
    const file = join(dataDir, name);
    await writeFile(file, content);
    await importLeaks({ db: database.db, key, path: file, usual });
    return (await queryDatabase({ dataDir }, `SELECT * FROM leak_breaches WHERE source = 'parts'`))[0];
  };
  const usual = { source: 'parts', title: 'In parts', breachDate: '2024-01-02', verified: true };
  const first = await details('one.csv', 'email,data_classes\none@parts.example,Names\n', usual);
  expect(first).toMatchObject({ title: 'In parts', breach_date: '2024-01-02', verified: true });
  expect(await details('two.csv', 'email\ntwo@parts.example\n', { source: 'parts' })).toEqual(first);
  const third = await details('three.csv', 'email,title\nthree@parts.example,Other\n', { source: 'parts' });
  expect(third).toEqual({ ...first, title: 'Other' });
});

it('imports two files with the same records in opposite order at the same time', async () => {
  const lines = Array.from({ length: 8_000 }, (_, index) => {
    const sha1 = `${index % 4_000}`.padStart(40, 'f');
    return `shared${index}@mail.example,${sha1},shared${index % 1_000}\n`;
  });
  const head = 'email,password_sha1,source\n';
  const paths = ['up.csv', 'down.csv'].map((name) => join(dataDir, name));
  const [up = '', down = ''] = paths;
  await writeFile(up, head + lines.join(''));
  await writeFile(down, head + [...lines].reverse().join(''));
  const done = await Promise.all(
    paths.map((each) => importLeaks({ db: database.db, key, path: each, usual: {} })),
  );
  expect(done).toMatchObject([{ records: 8_000 }, { records: 8_000 }]);
  const counts = `SELECT sum(count) AS n FROM leak_passwords WHERE encode(sha1, 'hex') LIKE 'ffff%'`;
  expect(await countOf(counts)).toBe(16_000);
});
