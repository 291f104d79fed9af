import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadSecrets } from './secrets.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-secrets-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('creates a secret once, readable only by its owner', async () => {
  const first = await loadSecrets({ DATA_DIR: join(folder, 'new') });
  const second = await loadSecrets({ DATA_DIR: join(folder, 'new') });
  expect(first.derive('a')).toEqual(second.derive('a'));
  expect(first.derive('a')).not.toEqual(first.derive('b'));
  expect((await stat(join(folder, 'new/secret.key'))).mode & 0o777).toBe(0o600);
  expect(await readdir(join(folder, 'new'))).toEqual(['secret.key']);
});

it('gives the same secret to all servers that start at the same time', async () => {
  const all = await Promise.all(Array.from({ length: 20 }, () => loadSecrets({ DATA_DIR: folder })));
  expect(new Set(all.map((secrets) => secrets.derive('a').toString('hex'))).size).toBe(1);
});

it('prefers SECRET_KEY to the file, and then writes no file', async () => {
  const one = await loadSecrets({ SECRET_KEY: 'k'.repeat(32), DATA_DIR: folder });
  const other = await loadSecrets({ SECRET_KEY: 'l'.repeat(32), DATA_DIR: folder });
  expect(one.derive('a')).not.toEqual(other.derive('a'));
  expect(await readdir(folder)).toEqual([]);
});

it('rejects a damaged file and does not replace it', async () => {
  for (const content of ['', 'short', ' '.repeat(64)]) {
    await writeFile(join(folder, 'secret.key'), content);
    await expect(loadSecrets({ DATA_DIR: folder })).rejects.toThrow('is damaged');
    expect(await readFile(join(folder, 'secret.key'), 'utf8')).toBe(content);
  }
});
