import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { createProgress } from '../platform/system/progress.mjs';
import { printSdkTypes } from './build.mjs';
import { pushWorker } from './buildSdk.mjs';
import { entryPoints } from './sdkEntries.mjs';

/*
 * `npm run pack:sdk`: builds the npm package @parley/sdk in a folder of its own, and packs it. Arguments are passed to `npm pack`. The
 * package's dependencies remain imports, which the app's bundler resolves. The types of its main entry are sdk/api.d.ts; those of the other
 * entries are printed from the sources. Code that entries share is in chunks, so that an app that imports two of them has one class ParleyError.
 */

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'parley-pack-'));
const dist = join(folder, 'dist');

/** @type {(text: string) => { files: string[] }} */
const parseManifest = JSON.parse;

try {
  await build({
    absWorkingDir: root,
    entryPoints,
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    target: 'es2022',
    sourcemap: true,
    outdir: dist,
  });
  // Without a source map, because the app serves the worker as it is.
  await build({
    ...pushWorker,
    sourcemap: false,
    absWorkingDir: root,
    outfile: join(dist, 'parley-push.js'),
  });

  const types = await printSdkTypes(createProgress());
  for (const name of readdirSync(types).filter((each) => each.endsWith('.d.ts')))
    copyFileSync(join(types, name), join(dist, name));
  writeFileSync(join(dist, 'parley-push.d.ts'), '/* A service worker: it exports nothing. */\nexport {};\n');

  const { files } = parseManifest(readFileSync(`${root}sdk/package.json`, 'utf8'));
  for (const name of ['package.json', 'README.md', 'LICENSE', ...files.filter((each) => each !== 'dist')])
    copyFileSync(`${root}sdk/${name}`, join(folder, name));
  execFileSync('npm', ['pack', folder, ...process.argv.slice(2)], { stdio: 'inherit' });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
