import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { library, pageScript } from './buildSdk.mjs';
import { sdkEntries, wholeLimitKB } from './sdkEntries.mjs';

/*
 * Part of `npm run check`: limits the size of the SDK's bundle and of each entry, checks that it does not contain zod, and runs publint and
 * @arethetypeswrong/cli on the packed package.
 */

const root = fileURLToPath(new URL('..', import.meta.url));

const later = await sizeOf(library('mediasoup-client'));
console.log('SDK, gzipped, in KB:');
for (const { name, source, limitKB } of sdkEntries) {
  const kb = await sizeOf(pageScript(source));
  report(name === 'index' ? '@parley/sdk without mediasoup-client' : `@parley/sdk/${name}`, kb, limitKB);
  if (name === 'index') report('@parley/sdk, whole', kb + later, wholeLimitKB);
}

/**
 * The size of a script with what it imports, without what it loads later.
 * @param {import('esbuild').BuildOptions} options
 */
async function sizeOf(options) {
  const { outputFiles, metafile } = await build({
    ...options,
    absWorkingDir: root,
    sourcemap: false,
    write: false,
    metafile: true,
    outdir: 'out',
  });
  const zodFile = Object.keys(metafile.inputs).find((path) => path.includes('node_modules/zod/'));
  if (zodFile) fail(`The SDK contains zod: import only types from sdk/protocol (${zodFile}).`);
  return outputFiles.reduce((kb, { contents }) => kb + gzipSync(contents).length / 1024, 0);
}

/**
 * @param {string} what
 * @param {number} kb
 * @param {number} limitKB
 */
function report(what, kb, limitKB) {
  console.log(`  ${kb.toFixed(1).padStart(6)} of ${String(limitKB).padStart(3)}  ${what}`);
  if (kb > limitKB) fail(`${what} is over its size limit: find what has grown with esbuild --analyze.`);
}

const packed = mkdtempSync(join(tmpdir(), 'parley-check-'));
try {
  run('npm', ['run', '-s', 'pack:sdk', '--', '--pack-destination', packed]);
  const archive = join(packed, readdirSync(packed).find((name) => name.endsWith('.tgz')) ?? '');
  run('npx', ['publint', '--strict', archive]);
  // The package has ES modules only, which every supported version of Node can also load with require().
  run('npx', ['attw', '--profile', 'esm-only', '--no-definitely-typed', '--format', 'ascii', archive]);
} finally {
  rmSync(packed, { recursive: true, force: true });
}

/**
 * @param {string} command
 * @param {string[]} args
 */
function run(command, args) {
  try {
    execFileSync(command, args, { cwd: root, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const { stdout, stderr } = /** @type {{ stdout: string, stderr: string }} */ (error);
    fail(`${command} ${args[0]} failed:\n${stdout}${stderr}`);
  }
}

/** @param {string} message */
function fail(message) {
  console.error(message);
  process.exitCode = 1;
}
