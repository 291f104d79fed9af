import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/* The server as one file, which starts in half the time its sources take: `node scripts/buildServer.mjs <folder>`. */

/** Packages of hundreds of small files, which take longer to find than to run. */
const bundled = /^(viem|ox|abitype|@noble|@scure|zod|drizzle-orm|@x402)(\/|$)/;

/**
 * All others stay packages.
 * @type {import('esbuild').Plugin}
 */
const packages = {
  name: 'packages',
  setup(building) {
    building.onResolve({ filter: /^[^./]/ }, ({ path }) =>
      bundled.test(path) ? undefined : { path, external: true },
    );
  },
};

/**
 * A source's `import.meta.url` stays the source's own: it finds files that lie beside it.
 * @type {import('esbuild').Plugin}
 */
const places = {
  name: 'places',
  setup(building) {
    building.onLoad({ filter: /\.m?[jt]s$/ }, async ({ path }) => {
      if (path.includes('/node_modules/')) return undefined;
      const source = await readFile(path, 'utf8');
      // The output's folder is `server/dist` in the end, wherever it is made.
      const url = `new URL('${relative('server/dist', path)}', import.meta.url).href`;
      return {
        contents: source.replaceAll('import.meta.url', url),
        loader: path.endsWith('.ts') ? 'ts' : 'js',
      };
    });
  },
};

const [, program, folder = ''] = process.argv;
if (program === fileURLToPath(import.meta.url)) {
  await build({
    entryPoints: ['./server/main.ts'],
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
    plugins: [packages, places],
  });
}
