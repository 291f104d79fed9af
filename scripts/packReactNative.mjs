import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { createProgress } from '../platform/system/progress.mjs';
import { run } from '../platform/system/run.mjs';
import { installPackages } from './setup/installPackages.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Builds the script of the npm package @parley/react-native. It is CommonJS, in which a `require` of an optional package stays one: Metro
 * then leaves it out of apps that do not have it.
 */
export async function buildReactNative() {
  await build({
    absWorkingDir: root,
    entryPoints: ['sdk/react-native/src/index.ts'],
    bundle: true,
    packages: 'external',
    platform: 'neutral',
    format: 'cjs',
    target: 'es2022',
    jsx: 'automatic',
    // Without the paths of tsconfig.json, which lead to the types of React Native.
    tsconfigRaw: {},
    sourcemap: true,
    outfile: 'sdk/react-native/dist/index.js',
  });
}

/** `npm run pack:react-native`: builds the script and the types, which refer to those of React Native. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const of = 'test/native';
  await installPackages(root + of, createProgress(), { dev: true, of });
  await buildReactNative();
  const tsc = 'node_modules/typescript/bin/tsc';
  await run(process.execPath, [tsc, '-p', 'sdk/react-native/tsconfig.pack.json'], {
    cwd: root,
    timeoutMs: 120_000,
  });
}
