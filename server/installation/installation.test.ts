import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isRoot } from '../../test/harness/nodes/embeddedPostgres/support.ts';
import { copyDatabaseTemplate } from '../../test/harness/nodes/databaseTemplate.ts';
import { openDatabase, type OpenDatabase } from '../../platform/database/database.ts';
import { registry } from '../../platform/metrics/metrics.ts';
import { loadSecrets, Secrets } from '../../platform/secrets.ts';
import { checkSecretKey, useNewKey } from './checkSecretKey.ts';
import { prepareFolder } from './prepareFolder.ts';
import { measureResources, ResourceWatch, type Resources } from './ResourceWatch.ts';

let folder: string;
const quiet = pino({ level: 'silent' });
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-test-'));
  await chmod(folder, 0o755);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a database', () => {
  let opened: OpenDatabase;
  const dataDir = () => join(folder, 'data');
  const open = () => openDatabase({ dataDir: dataDir(), logger: quiet });
  const secretsOf = (SECRET_KEY: string) => loadSecrets({ SECRET_KEY, DATA_DIR: '' });
  beforeAll(async () => {
    await mkdir(dataDir());
    await copyDatabaseTemplate(dataDir());
    opened = await open();
  });
  afterAll(() => opened?.close());

  it('accepts only the key it was first used with', async () => {
    const own = await secretsOf('9f86d081884c7d659a2feaa0c55ad015');
    await checkSecretKey(opened.db, own);
    await checkSecretKey(opened.db, own);
    const other = await secretsOf('60303ae22b998861bce3b28f33eec1be');
    await expect(checkSecretKey(opened.db, other)).rejects.toThrow(/SECRET_KEY: .*another key.*Restore/);
    await opened.pool.query('DELETE FROM installation');
    await checkSecretKey(opened.db, other);
    await expect(checkSecretKey(opened.db, own)).rejects.toThrow('SECRET_KEY');
  });

  it('keeps lasting keys through a rotation, also those of a release without rotation', async () => {
    const [former, next] = ['9f86d081884c7d659a2feaa0c55ad015', '60303ae22b998861bce3b28f33eec1be'];
    const lastingOf = async (secrets: Secrets) => {
      await checkSecretKey(opened.db, secrets);
      return secrets.lasting('hashes').toString('hex');
    };
    await opened.pool.query('DELETE FROM installation');
    const values = [1, new Secrets(former).fingerprints[0]];
    await opened.pool.query('INSERT INTO installation (id, key_fingerprint) VALUES ($1, $2)', values);
    const lasting = new Secrets(former).derive('hashes').toString('hex');
    expect(await lastingOf(new Secrets(former))).toBe(lasting);
    // Until the rotation, a server with both keys uses the former one.
    const both = new Secrets(next, former);
    expect(await lastingOf(both)).toBe(lasting);
    expect(both.secret).toBe(former);
    await opened.db.transaction((tx) => useNewKey(tx, both, new Secrets(next).fingerprints[0] ?? ''));
    expect(both.secret).toBe(next);
    expect(await lastingOf(new Secrets(next, former))).toBe(lasting);
    await expect(lastingOf(new Secrets(next))).rejects.toThrow(
      'SECRET_KEY_PREVIOUS: a rotation of SECRET_KEY is',
    );
    await opened.pool.query('UPDATE installation SET former_key_fingerprint = NULL');
    expect(await lastingOf(new Secrets(next))).toBe(lasting);
    await expect(lastingOf(new Secrets(former))).rejects.toThrow('another key');
  });

  it('runs without JIT compilation', async () => {
    const { rows } = await opened.pool.query('SHOW jit');
    expect(rows).toEqual([{ jit: 'off' }]);
  });

  it('is refused if a newer release has written to it', async () => {
    const newer = Date.now() + 1_000;
    await opened.pool.query(
      `INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ('of the future', ${newer})`,
    );
    await opened.close();
    await expect(open()).rejects.toThrow(/written by a newer release/);
  });
});

describe('DATA_DIR', () => {
  it('is created if it is missing', async () => {
    await prepareFolder(join(folder, 'a/b'));
    await prepareFolder(join(folder, 'a/b'));
  });

  it.runIf(isRoot)('can be reached by the user of PostgreSQL, whatever the umask', async () => {
    const url = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
    const dataDir = JSON.stringify(join(folder, 'missing/data'));
    const script = `
      const { prepareFolder } = await import(${url('./prepareFolder.ts')});
      const { EmbeddedPostgres } = await import(${url('../../platform/embeddedPostgres/EmbeddedPostgres.ts')});
      const { pino } = await import('pino');
      process.umask(0o077);
      await prepareFolder(${dataDir}, { hasPostgres: true });
      await (await EmbeddedPostgres.start({ dataDir: ${dataDir}, logger: pino({ level: 'silent' }), onLost() {} })).close();`;
    const options = ['--import', import.meta.resolve('tsx'), '--input-type=module', '--eval', script];
    await promisify(execFile)(process.execPath, options);
    for (const path of ['missing', 'missing/data'])
      expect((await stat(join(folder, path))).mode & 0o777).toBe(0o711);
  });

  it('is refused if it is a file or inside one', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    await expect(prepareFolder(file)).rejects.toThrow(`DATA_DIR: ${file} is a file; set a folder`);
    await expect(prepareFolder(join(file, 'below'))).rejects.toThrow('is inside a file');
  });

  it('is refused if it is not writable', async () => {
    await expect(prepareFolder('/sys/parley')).rejects.toThrow('DATA_DIR: /sys/parley cannot be written');
  });
});

describe('ResourceWatch', () => {
  const lines: { msg: string }[] = [];
  const log = pino(
    new Writable({
      write(line: Buffer, _, done) {
        lines.push(JSON.parse(line.toString()) as { msg: string });
        done();
      },
    }),
  );
  const plenty: Resources = { freeMegabytes: 50_000, descriptors: { used: 100, limit: 65_536 } };
  let now: Resources;
  const start = () =>
    ResourceWatch.start({
      folder,
      warnBelowMegabytes: 1_024,
      log,
      intervalMs: 5,
      measure: () => Promise.resolve(now),
    });
  const messages = () => lines.map(({ msg }) => msg);
  beforeEach(() => {
    lines.length = 0;
    now = plenty;
  });

  it('measures the disk and file descriptors', async () => {
    const { freeMegabytes, descriptors } = await measureResources(folder);
    expect(freeMegabytes).toBeGreaterThan(1);
    if (process.platform === 'linux') expect(descriptors?.used).toBeLessThan(descriptors?.limit ?? 0);
  });

  it('warns once before disk or file descriptors run out, and again after a recovery', async () => {
    const watch = await start();
    expect(messages()).toEqual([]);
    now = { freeMegabytes: 900, descriptors: { used: 950, limit: 1_000 } };
    await expect.poll(messages).toEqual(['running out of disk', 'running out of file descriptors']);
    await watch.check();
    now = plenty;
    await new Promise((resolve) => setTimeout(resolve, 50));
    now = { ...plenty, freeMegabytes: 900 };
    await expect.poll(messages).toHaveLength(3);
    watch.close();
  });

  it('warns before the disk of the files runs out, and goes on without a folder of files', async () => {
    const lacking = new Error('no such folder');
    const measure = (path: string) =>
      path === folder
        ? Promise.resolve(plenty)
        : path === 'none'
          ? Promise.reject(lacking)
          : Promise.resolve(now);
    now = { ...plenty, freeMegabytes: 900 };
    for (const filesDir of ['none', '/mnt/files'])
      (await ResourceWatch.start({ folder, filesDir, warnBelowMegabytes: 1_024, log, measure })).close();
    expect(messages()).toEqual(['running out of disk at FILES_DIR']);
    const watch = await ResourceWatch.start({
      folder,
      filesDir: '/mnt/files',
      warnBelowMegabytes: 1_024,
      log,
      measure,
    });
    const metrics = await registry.metrics();
    watch.close();
    expect(metrics).toContain(`parley_disk_free_bytes{folder="DATA_DIR"} ${plenty.freeMegabytes * 2 ** 20}`);
    expect(metrics).toContain(`parley_disk_free_bytes{folder="FILES_DIR"} ${900 * 2 ** 20}`);
  });

  it('fails the readiness check when the disk is almost full', async () => {
    now = { ...plenty, freeMegabytes: 20 };
    const watch = await start();
    await expect(watch.check()).rejects.toThrow('Only 20 MB are free');
    watch.close();
  });

  it('warns at the start about a low limit on file descriptors', async () => {
    now = { ...plenty, descriptors: { used: 50, limit: 1_024 } };
    (await start()).close();
    expect(messages()).toEqual([expect.stringContaining('LimitNOFILE')]);
  });
});
