import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { compressFolder } from './compressFolder.mjs';

/* Builds the files that browsers load from /sdk: `node scripts/buildSdk.mjs <folder>`. */

/** @type {import('esbuild').BuildOptions} */
const forBrowsers = {
  bundle: true,
  platform: 'browser',
  target: 'es2022',
  minify: true,
  sourcemap: true,
  logLevel: 'warning',
};

/**
 * The service worker that shows push notifications. It is built as an IIFE, so that an app's own worker can import it without getting
 * further global names.
 * @type {import('esbuild').BuildOptions}
 */
export const pushWorker = { ...forBrowsers, entryPoints: ['sdk/src/worker/parleyPush.ts'], format: 'iife' };

const [, program, folder] = process.argv;
if (program === fileURLToPath(import.meta.url)) {
  const module = { ...forBrowsers, entryPoints: ['sdk/src/index.ts'] };
  await build({ ...module, format: 'esm', outfile: `${folder}/parley.js` });
  await build({ ...pushWorker, outfile: `${folder}/parley-push.js` });
  // The elements for pages without a build, which load it with a plain <script>.
  const elements = { ...forBrowsers, entryPoints: ['sdk/embed/src/embed.ts'] };
  await build({ ...elements, format: 'iife', outfile: `${folder}/embed.js` });
  await compressFolder(String(folder));
}
