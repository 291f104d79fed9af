import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { bundlePrograms } from './buildServer.mjs';
import { openBundle } from './openBundle.mjs';

const run = promisify(execFile);

test('runs each program of a bundle alone, with the lines of the sources in the stacks of errors', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-bundle-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const source = join(folder, 'fails.ts');
  await writeFile(source, "\n\nconst word: string = 'wrong';\nconsole.log(new Error(word).stack);\n");
  const place = join(folder, 'place.ts');
  await writeFile(
    place,
    "import('sharp').then(({ default: sharp }) => console.log(import.meta.url, typeof sharp));\n",
  );
  const dist = join(folder, 'dist');
  await symlink(fileURLToPath(new URL('../node_modules', import.meta.url)), join(folder, 'node_modules'));
  const { bundle } = await bundlePrograms({ fails: source, place }, join(folder, 'making'), dist);
  await writeFile(`${fileURLToPath(bundle)}.cache`, openBundle(bundle).makeCache());
  await rename(join(folder, 'making'), dist);
  const print = async (...args: string[]) => (await run(process.execPath, args)).stdout;

  const mapped = new RegExp(`^Error: wrong\n    at .*${source}:4:13`);
  expect(await print('--enable-source-maps', join(dist, 'fails.js'))).toMatch(mapped);
  // Without the cache.
  expect(await print('--enable-source-maps', '--expose-gc', join(dist, 'fails.js'))).toMatch(mapped);
  const withoutMaps = await print(join(dist, 'fails.js'));
  expect(withoutMaps).toMatch(/^Error: wrong\n {4}at .*programs-\w+\.cjs:\d+:\d+/);
  const map = (await readdir(dist)).find((name) => name.endsWith('.map')) ?? '';
  await rm(join(dist, map));
  expect(await print('--enable-source-maps', join(dist, 'fails.js'))).toBe(withoutMaps);

  expect(await print(join(dist, 'place.js'))).toBe(`file://${place} function\n`);
});

test('V8 takes the cache of the built server, in the server and in its commands', async () => {
  const folder = fileURLToPath(new URL('../server/dist', import.meta.url));
  const name = (await readdir(folder)).find((file) => file.endsWith('.cjs')) ?? '';
  const program = `
    const { openBundle } = await import('${folder}/openBundle.mjs');
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
