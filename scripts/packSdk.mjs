import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { pushWorker } from './buildSdk.mjs';

/*
 * `npm run pack:sdk`: builds the scripts of the npm package @parley/sdk. Its dependencies remain imports, which the app's bundler resolves.
 * Its types are sdk/api.d.ts.
 */

const root = fileURLToPath(new URL('..', import.meta.url));

await build({
  absWorkingDir: root,
  entryPoints: ['sdk/src/index.ts'],
  bundle: true,
  packages: 'external',
  format: 'esm',
  target: 'es2022',
  sourcemap: true,
  outfile: 'sdk/dist/index.js',
});
await build({ ...pushWorker, absWorkingDir: root, outfile: 'sdk/dist/parley-push.js' });
