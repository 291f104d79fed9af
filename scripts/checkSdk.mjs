import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/* Part of `npm run check`: what the SDK weighs on a page, and that nothing is in it that has no business there. */

const limitBytes = 120 * 1024;

const { outputFiles, metafile } = await build({
  entryPoints: ['sdk/src/index.ts'],
  bundle: true,
  format: 'esm',
  platform: 'browser',
  minify: true,
  write: false,
  metafile: true,
  outfile: 'parley.js',
});

const bytes = gzipSync(outputFiles[0]?.contents ?? '').length;
const intruders = Object.keys(metafile.inputs).filter((path) => path.includes('node_modules/zod/'));
console.log(`SDK: ${(bytes / 1024).toFixed(1)} KB gzipped of ${limitBytes / 1024} KB.`);
if (bytes > limitBytes) fail('The SDK has grown over its limit: see what is new with esbuild --analyze.');
if (intruders.length > 0) fail(`The SDK carries zod: import types only from sdk/protocol (${intruders[0]}).`);

/**
 * @param {string} message
 */
function fail(message) {
  console.error(message);
  process.exitCode = 1;
}
