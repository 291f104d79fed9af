import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { createProgress } from '../platform/system/progress.mjs';
import { printSdkTypes } from './build.mjs';

/*
 * Part of `npm run pack:react`: builds the script, the style sheet and the types of the npm package @parley/react into sdk/react/dist. Its
 * dependencies remain imports, which the app's bundler resolves.
 */

const root = fileURLToPath(new URL('..', import.meta.url));

rmSync(`${root}sdk/react/dist`, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: ['sdk/react/src/index.ts'],
  bundle: true,
  packages: 'external',
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  sourcemap: true,
  // Hooks need a browser, so frameworks with server components must treat the package as client code.
  banner: { js: "'use client';" },
  outfile: 'sdk/react/dist/index.js',
});
// sdk/react/tsconfig.json has their paths, so that the declarations refer to the package and not to its sources.
await printSdkTypes(createProgress());
const { status } = spawnSync(
  process.execPath,
  ['node_modules/typescript-native/bin/tsc', '--singleThreaded', '-p', 'sdk/react/tsconfig.json'],
  { cwd: root, stdio: 'inherit' },
);
process.exitCode = status ?? 1;

// The compiler keeps the endings of the sources in imports. An app has the declarations, and no style sheet beside them.
const types = `${root}sdk/react/dist/types`;
for (const name of readdirSync(types, { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.d.ts')) continue;
  const path = join(types, name);
  const text = readFileSync(path, 'utf8')
    .replaceAll(/^import '.*\.css';\n/gm, '')
    .replaceAll(/(['"])(\.[^'"]+)\.tsx?\1/g, '$1$2.js$1');
  writeFileSync(path, text);
}

// TypeScript 6 looks for the types of `import '@parley/react/styles.css'`, too.
writeFileSync(join(types, 'styles.d.ts'), 'export {};\n');
