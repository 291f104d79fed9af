import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { buildOutput, isBuilt } from './setup/buildOutput.mjs';
import { createProgress } from '../platform/system/progress.mjs';

/** @typedef {import('./setup/buildOutput.mjs').Output} Output */

const thisClone = fileURLToPath(new URL('..', import.meta.url));
const sdkEntry = 'sdk/src/index.ts';
const consoleEntry = 'server/console/vite.config.ts';
const serverEntry = 'server/main.ts';
const embedEntry = 'sdk/embed/vite.config.ts';
const docsEntry = 'server/api/docsPage.ts';

/** @type {Output} */
const sdk = {
  label: 'Building the SDK bundle',
  folder: 'sdk/dist',
  inputs: [
    'sdk/src',
    'sdk/protocol',
    'sdk/embed/src',
    'package-lock.json',
    'scripts/build.mjs',
    'scripts/buildSdk.mjs',
    'scripts/compressFolder.mjs',
  ],
  command: (folder) => [fileURLToPath(new URL('buildSdk.mjs', import.meta.url)), folder],
};

/** @type {Output} */
const webConsole = {
  label: 'Building the console',
  folder: 'server/console/dist',
  inputs: [
    ...['server/console', 'sdk/react', 'sdk/src', 'sdk/protocol', 'package-lock.json'],
    ...['scripts/build.mjs', 'scripts/compressFolder.mjs'],
  ],
  command: (folder) => [
    'node_modules/vite/bin/vite.js',
    ...['build', 'server/console', '--config', consoleEntry],
    ...['--outDir', folder, '--emptyOutDir', '--logLevel', 'warn'],
  ],
};

/** @type {Output} */
const embed = {
  label: 'Building the embedded pages',
  folder: 'sdk/embed/dist',
  inputs: [
    ...['sdk/embed', 'sdk/react', 'sdk/src', 'sdk/protocol', 'package-lock.json'],
    ...['scripts/build.mjs', 'scripts/compressFolder.mjs'],
  ],
  command: (folder) => [
    'node_modules/vite/bin/vite.js',
    ...['build', 'sdk/embed', '--config', embedEntry],
    ...['--outDir', folder, '--emptyOutDir', '--logLevel', 'warn'],
  ],
};

/** @type {Output} */
const docs = {
  label: 'Building the reference pages',
  folder: 'server/api/docs/dist',
  inputs: [
    ...['sdk/api.d.ts', 'sdk/protocol.md', 'sdk/README.md', 'package-lock.json'],
    ...[
      'scripts/build.mjs',
      'scripts/buildDocs.mjs',
      'scripts/docs/reference.css',
      'scripts/docs/tsconfig.json',
      'scripts/compressFolder.mjs',
    ],
  ],
  command: (folder) => [fileURLToPath(new URL('buildDocs.mjs', import.meta.url)), folder],
};

/** @type {Output} */
const sdkTypes = {
  label: 'Printing the types of the SDK',
  folder: 'scripts/docs/dist',
  inputs: [
    ...['sdk/src', 'sdk/protocol', 'tsconfig.json', 'package-lock.json', 'scripts/build.mjs'],
    ...['scripts/docs', 'scripts/printSdkTypes.mjs', 'scripts/sdkEntries.mjs'],
  ],
  command: (folder) => [fileURLToPath(new URL('printSdkTypes.mjs', import.meta.url)), folder],
};

/** @type {Output} */
const server = {
  label: 'Building the server',
  folder: 'server/dist',
  isWhole: true,
  inputs: [
    ...['server', 'signaling', 'media', 'platform', 'sdk/src', 'sdk/protocol'],
    ...['package-lock.json', 'scripts/build.mjs', 'scripts/buildServer.mjs', 'scripts/openBundle.mjs'],
  ],
  command: (folder) => [fileURLToPath(new URL('buildServer.mjs', import.meta.url)), folder],
};

/**
 * Builds the server and the files it serves to browsers. Outputs whose sources have not changed since the last build are skipped.
 * @param {import('../platform/system/progress.mjs').Progress} progress
 * @param {string} root the clone; tests pass another one
 */
export async function buildOutputs(progress, root = thisClone) {
  for (const output of presentOutputs(root)) await buildIfChanged(progress, root, output);
}

/**
 * Builds only the server, which is enough for --help, --check and commands.
 * @param {import('../platform/system/progress.mjs').Progress} progress
 */
export async function buildServer(progress) {
  await buildIfChanged(progress, thisClone, server);
}

/**
 * Prints the types of the SDK, which only its packages contain.
 * @param {import('../platform/system/progress.mjs').Progress} progress
 * @returns {Promise<string>} the folder with a file for each entry but the main one
 */
export async function printSdkTypes(progress) {
  await buildIfChanged(progress, thisClone, sdkTypes);
  return join(thisClone, sdkTypes.folder);
}

/** @returns {boolean} whether all outputs are up to date */
export function outputsAreBuilt(root = thisClone) {
  return presentOutputs(root).every((output) => isBuilt(root, output));
}

/**
 * @param {import('../platform/system/progress.mjs').Progress} progress
 * @param {string} root
 * @param {Output} output
 */
async function buildIfChanged(progress, root, output) {
  if (!isBuilt(root, output)) await progress.step(output.label, () => buildOutput(root, output));
}

/**
 * The outputs whose sources exist. In the Dockerfile's first layer, which has only the packages and the media worker, there are none.
 * @param {string} root
 */
function presentOutputs(root) {
  return [
    ...(existsSync(join(root, sdkEntry)) ? [sdk] : []),
    ...(existsSync(join(root, consoleEntry)) ? [webConsole] : []),
    ...(existsSync(join(root, embedEntry)) ? [embed] : []),
    ...(existsSync(join(root, docsEntry)) ? [docs] : []),
    ...(existsSync(join(root, serverEntry)) ? [server] : []),
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildOutputs(createProgress());
