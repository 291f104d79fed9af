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
 * Libraries that the scripts of /sdk load when they need them. Each is a file of its own, whose name has no hash, unlike the chunks of
 * esbuild: a page that was opened before an upgrade of the server can still load it afterwards.
 */
const libraries = {
  'mediasoup-client': { file: 'mediasoup.js', names: 'Device, detectDevice' },
  '@sapphi-red/web-noise-suppressor': {
    file: 'noise-suppressor.js',
    names: 'loadRnnoise, RnnoiseWorkletNode',
  },
  'hls.js/light': { file: 'hls.js', names: 'default' },
};

/**
 * @param {keyof typeof libraries} name
 * @returns {import('esbuild').BuildOptions}
 */
export const library = (name) => ({
  ...forBrowsers,
  format: 'esm',
  stdin: { contents: `export { ${libraries[name].names} } from '${name}';`, resolveDir: '.' },
});

/** @type {import('esbuild').Plugin} */
const librariesApart = {
  name: 'libraries-apart',
  setup: (bundle) =>
    bundle.onResolve({ filter: /^[^.]/, namespace: 'file' }, ({ path, kind }) => {
      if (kind !== 'dynamic-import') return undefined;
      const found = Object.entries(libraries).find(([name]) => name === path);
      if (found) return { path: `./${found[1].file}`, external: true };
      return { errors: [{ text: `Add ${path} to the libraries in scripts/buildSdk.mjs.` }] };
    }),
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
  plugins: [librariesApart],
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
  /** @type {Record<string, import('esbuild').BuildOptions>} */
  const scripts = {
    'parley.js': pageScript('sdk/src/index.ts'),
    'effects.js': pageScript('sdk/src/effects/index.ts'),
    'player.js': pageScript('sdk/src/player/index.ts'),
    'parley-push.js': pushWorker,
    // The elements for pages without a build, which load it with a plain <script>.
    'embed.js': { ...forBrowsers, entryPoints: ['sdk/embed/src/embed.ts'], format: 'iife' },
  };
  for (const [file, options] of Object.entries(scripts))
    await build({ ...options, outfile: `${folder}/${file}` });
  for (const name of /** @type {(keyof typeof libraries)[]} */ (Object.keys(libraries)))
    await build({ ...library(name), outfile: `${folder}/${libraries[name].file}` });
  await copyEffects(`${folder}/effects`);
  await compressFolder(String(folder));
}
