import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/* Part of `npm run check`: limits the size of the SDK's bundle and checks that it does not contain zod. */

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
const zodFiles = Object.keys(metafile.inputs).filter((path) => path.includes('node_modules/zod/'));
console.log(`SDK: ${(bytes / 1024).toFixed(1)} KB gzipped of ${limitBytes / 1024} KB.`);
if (bytes > limitBytes) fail('The SDK is over its size limit: find what has grown with esbuild --analyze.');
if (zodFiles.length > 0) fail(`The SDK contains zod: import only types from sdk/protocol (${zodFiles[0]}).`);

/**
 * @param {string} message
 */
function fail(message) {
  console.error(message);
  process.exitCode = 1;
}
