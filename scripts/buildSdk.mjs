import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
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

/**
 * mediasoup-client is a file of its own, which parley.js imports when it needs media. Its name has no hash, unlike the chunks of esbuild: a
 * page that has loaded parley.js before an upgrade of the server can still load it afterwards.
 * @type {import('esbuild').BuildOptions}
 */
export const mediasoup = {
  ...forBrowsers,
  format: 'esm',
  stdin: { contents: "export { Device, detectDevice } from 'mediasoup-client';", resolveDir: '.' },
};

/** @type {import('esbuild').Plugin} */
const mediasoupApart = {
  name: 'mediasoup-apart',
  setup: (bundle) =>
    bundle.onResolve({ filter: /^mediasoup-client$/ }, () => ({ path: './mediasoup.js', external: true })),
};

/**
 * A script of /sdk for pages.
 * @param {string} source
 * @returns {import('esbuild').BuildOptions}
 */
export const pageScript = (source) => ({
  ...forBrowsers,
  format: 'esm',
  entryPoints: [source],
  plugins: [mediasoupApart],
});

/** The files that effects load when they are switched on. All current browsers have SIMD, so MediaPipe's build without it is left out. */
const effectFolders = {
  'node_modules/@sapphi-red/web-noise-suppressor/dist': /^rnnoise.*\.wasm$/,
  'node_modules/@mediapipe/selfie_segmentation':
    /^selfie_segmentation(_landscape|_solution_simd_wasm_bin)?\.\w+$/,
};

/** @param {string} target */
async function copyEffects(target) {
  await mkdir(target, { recursive: true });
  for (const [from, pattern] of Object.entries(effectFolders))
    for (const name of await readdir(from))
      if (pattern.test(name)) await copyFile(join(from, name), join(target, name));
  const worklet = 'node_modules/@sapphi-red/web-noise-suppressor/dist/rnnoise/workletProcessor.js';
  await copyFile(worklet, join(target, 'rnnoiseWorklet.js'));
}

const [, program, folder] = process.argv;
if (program === fileURLToPath(import.meta.url)) {
  await build({ ...pageScript('sdk/src/index.ts'), outfile: `${folder}/parley.js` });
  await build({ ...mediasoup, outfile: `${folder}/mediasoup.js` });
  await build({ ...pushWorker, outfile: `${folder}/parley-push.js` });
  // The elements for pages without a build, which load it with a plain <script>.
  const elements = { ...forBrowsers, entryPoints: ['sdk/embed/src/embed.ts'] };
  await build({ ...elements, format: 'iife', outfile: `${folder}/embed.js` });
  const entries = { effects: 'sdk/src/effects/index.ts', player: 'sdk/src/player/index.ts' };
  await build({
    ...forBrowsers,
    entryPoints: entries,
    format: 'esm',
    splitting: true,
    outdir: String(folder),
  });
  await copyEffects(`${folder}/effects`);
  await compressFolder(String(folder));
}
