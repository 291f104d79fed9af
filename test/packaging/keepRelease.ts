// Keeps the database of a release for upgrade.test.ts. Needs the clone in which that release was built, an empty PostgreSQL database of its
// own, and a pg_dump that is not older than that server:
//   DATABASE_URL=postgres://… npx tsx test/packaging/keepRelease.ts <clone> <name>
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import process from 'node:process';
import type { Parley } from '../../sdk/src/index.ts';
import { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { makeRelease, releasesFolder, SECRET_KEY } from './Release.ts';

const [, , clone, name] = process.argv;
const { DATABASE_URL } = process.env;
if (!clone || !name || !DATABASE_URL)
  throw new Error('Usage: DATABASE_URL=postgres://… npx tsx test/packaging/keepRelease.ts <clone> <name>');

const server = await ServerProcess.reserve({ DATABASE_URL, SECRET_KEY }, [], clone);
try {
  await server.start();
  const sdk = pathToFileURL(join(clone, 'sdk/src/index.ts')).href;
  const { Parley: Sdk } = (await import(sdk)) as { Parley: typeof Parley };
  const release = await makeRelease(server.url, Sdk);
  await server.stop();
  const dump = execFileSync('pg_dump', ['--no-owner', '--inserts', DATABASE_URL], { encoding: 'utf8' });
  // psql's own commands and comments are no SQL.
  const sql = dump.replace(/^(\\.*|--.*|)\n/gm, '');
  writeFileSync(join(releasesFolder, `${name}.sql`), sql);
  writeFileSync(join(releasesFolder, `${name}.json`), `${JSON.stringify(release, null, 2)}\n`);
} finally {
  await server.dispose();
}
