import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { bundlePrograms } from './buildServer.mjs';

const run = promisify(execFile);

test('runs each program of a bundle alone, with the lines of the sources in the stacks of errors', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-bundle-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const source = join(folder, 'fails.ts');
  await writeFile(source, "\n\nconst word: string = 'wrong';\nconsole.log(new Error(word).stack);\n");
  const place = join(folder, 'place.ts');
  await writeFile(place, 'console.log(import.meta.url);\n');
  await bundlePrograms({ fails: source, place }, join(folder, 'dist'));

  const failed = await run(process.execPath, ['--enable-source-maps', join(folder, 'dist/fails.js')]);
  expect(failed.stdout).toMatch(new RegExp(`^Error: wrong\n    at .*${source}:4:13`));
  const withoutMaps = await run(process.execPath, [join(folder, 'dist/fails.js')]);
  expect(withoutMaps.stdout).toMatch(/^Error: wrong\n {4}at .*programs-\w+\.cjs:\d+:\d+/);
  const map = (await readdir(join(folder, 'dist'))).find((name) => name.endsWith('.map')) ?? '';
  await rm(join(folder, 'dist', map));
  const afterBuild = await run(process.execPath, ['--enable-source-maps', join(folder, 'dist/fails.js')]);
  expect(afterBuild.stdout).toBe(withoutMaps.stdout);

  const printed = await run(process.execPath, [join(folder, 'dist/place.js')]);
  expect(printed.stdout).toBe(`file://${place}\n`);
});

test('V8 takes the cache of the built server, in the server and in its commands', async () => {
  const folder = fileURLToPath(new URL('../server/dist', import.meta.url));
  const name = (await readdir(folder)).find((file) => file.endsWith('.cjs')) ?? '';
  const program = `
    const { openBundle } = await import('${folder}/runProgram.mjs');
    console.log(openBundle(new URL('file://${join(folder, name)}')).hasCache);`;
  for (const [options, expected] of [
    [['--max-semi-space-size=32'], true],
    [[], true],
    // An operator's own options only make the start slower.
    [['--max-old-space-size=4096'], false],
  ] as const) {
    const { stdout } = await run(process.execPath, [...options, '--input-type=module', '--eval', program]);
    expect(stdout, options.join(' ')).toBe(`${expected}\n`);
  }
});
