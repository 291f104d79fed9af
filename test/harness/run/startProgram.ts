import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import process from 'node:process';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { bundlePrograms } from '../../../scripts/buildServer.mjs';

const packages = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const bundles = new Map<string, Promise<string>>();

/**
 * Starts a test's TypeScript program in a separate process. The program is bundled once, because compiling its imports at each start
 * would take three times as long.
 * @param script the program's URL
 */
export async function startProgram(
  script: URL,
  args: string[],
  env: Record<string, string> = {},
): Promise<ChildProcess & { stdout: Readable }> {
  const path = fileURLToPath(script);
  const bundle = bundles.get(path) ?? bundleOf(path);
  bundles.set(path, bundle);
  return spawn(process.execPath, ['--enable-source-maps', await bundle, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
}

async function bundleOf(path: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-program-'));
  // The bundle imports some packages at run time.
  symlinkSync(packages, join(folder, 'node_modules'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const name = basename(path, '.ts');
  await bundlePrograms({ [name]: path }, folder);
  return join(folder, `${name}.js`);
}
