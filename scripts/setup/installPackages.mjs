import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { withLock } from '../../platform/system/lock.mjs';
import { readJson } from '../../platform/system/readJson.mjs';
import { run } from '../../platform/system/run.mjs';

/** @typedef {{ version?: string, link?: boolean, dev?: boolean, devOptional?: boolean, optional?: boolean, os?: string[], cpu?: string[] }} Entry */
/** @typedef {Record<string, Entry>} Entries the packages, by their folders */

/**
 * Installs the packages of package-lock.json, unless all of them are installed.
 * @param {string} root the folder with package-lock.json
 * @param {import('../../platform/system/progress.mjs').Progress} progress
 * @param {{ dev: boolean, of?: string }} options `dev`: also install the packages for building and testing; `of`: the folder's name, for the
 *   progress
 */
export async function installPackages(root, progress, { dev, of }) {
  if (packagesAreInstalled(root, dev)) return;
  const clone = createHash('sha256').update(root).digest('hex').slice(0, 12);
  await progress.step(of ? `Installing packages of ${of}` : 'Installing packages', () =>
    withLock(`npm-${clone}`, async () => {
      // Another set-up of this clone may have installed them while this one waited for the lock.
      if (packagesAreInstalled(root, dev)) return;
      const [command, first] = npm();
      // `npm ci` is not used, because it rejects the lockfile when a registry lacks a package for another platform, and it removes
      // node_modules while programs run from it. Warnings about "engines" are silenced, because package.json pins versions that were
      // tested with this Node.
      const args = [
        ...first,
        'install',
        '--no-save',
        dev ? '--include=dev' : '--omit=dev',
        '--loglevel=error',
      ];
      await run(command, args, { cwd: root, log: 'npm-install', timeoutMs: 15 * 60_000 }).catch(
        (/** @type {Error} */ cause) => {
          const advice =
            'Check that npm can reach its registry and that this user can write here, then start again.';
          throw new Error(`${cause.message}\n${advice}`, { cause });
        },
      );
    }),
  );
}

/**
 * Compares package-lock.json with npm's own record of node_modules. npm writes the record last, so packages that the user installed with
 * npm are accepted, and an interrupted installation is not.
 * @param {string} root
 * @param {boolean} dev
 */
export function packagesAreInstalled(root, dev) {
  const record = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(record)) return false;
  const wanted = readEntries(join(root, 'package-lock.json'));
  const installed = readEntries(record);
  return (
    Object.entries(wanted).every(([folder, entry]) =>
      installed[folder] ? installed[folder].version === entry.version : isDispensable(folder, entry, dev),
    ) && Object.values(installed).every(isForThisMachine)
  );
}

/**
 * Whether npm may have left a package out.
 * @param {string} folder
 * @param {Entry} entry
 * @param {boolean} dev
 */
function isDispensable(folder, entry, dev) {
  const isWorkspace = !folder.startsWith('node_modules/');
  const isDev = entry.dev === true || entry.devOptional === true;
  return isWorkspace || entry.optional === true || (isDev && !dev);
}

/**
 * Whether a package is for this operating system and CPU. Two systems may share a clone, for example a container and its host, but
 * binaries for one do not run on the other.
 * @param {Entry} entry
 */
function isForThisMachine({ os, cpu }) {
  return allows(os, process.platform) && allows(cpu, process.arch);
}

/**
 * @param {string[] | undefined} list allowed names, or excluded names, which begin with an exclamation mark
 * @param {string} name
 */
function allows(list, name) {
  if (!list || list.includes(name) || list.includes('any')) return true;
  return list.every((item) => item.startsWith('!')) && !list.includes(`!${name}`);
}

/**
 * @param {string} path
 * @returns {Entries}
 */
function readEntries(path) {
  /** @type {{ packages: Entries }} */
  const { packages } = readJson(path);
  return packages;
}

/** @returns {[command: string, args: string[]]} the npm that runs this script, else the one installed with Node, else the one in PATH */
function npm() {
  const beside = join(dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js');
  const script = [process.env.npm_execpath, beside].find(
    (path) => path?.endsWith('npm-cli.js') && existsSync(path),
  );
  return script ? [process.execPath, [script]] : ['npm', []];
}
