import { existsSync } from 'node:fs';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { processIdentity, serverProcesses } from './processes.ts';
import { CleanUp, isRoot, postmasterPid, query } from '../../test/harness/nodes/embeddedPostgres/support.ts';

const folders = new CleanUp();
const cleanUp = new CleanUp();
let dataDir: string;

beforeAll(async () => {
  dataDir = await folders.temporaryFolder();
  return () => folders.run();
});
afterEach(() => cleanUp.run());

test('keeps its rows across a restart and leaves no process behind', async () => {
  const first = await cleanUp.start(dataDir);
  await query(first, 'CREATE TABLE notes AS SELECT 7 AS id');
  const pid = await postmasterPid(dataDir);
  await Promise.all([first.close(), first.close()]);
  expect(await processIdentity(pid)).toBeUndefined();
  expect(await serverProcesses(join(dataDir, 'postgres'))).toEqual([]);

  const second = await cleanUp.start(dataDir);
  expect(await query(second, 'SELECT id FROM notes')).toEqual([{ id: 7 }]);
  expect(await query(second, "SELECT upper('grün') AS upper")).toEqual([{ upper: 'GRÜN' }]);
});

test('listens only on its Unix socket and writes every commit to disk', async () => {
  const server = await cleanUp.start(dataDir);
  const rows = await query(
    server,
    `SELECT name, setting FROM pg_settings WHERE name IN ('listen_addresses', 'fsync', 'synchronous_commit') ORDER BY name`,
  );
  expect(rows.map((row) => row['setting'])).toEqual(['on', '', 'on']);
  expect((await stat(join(dataDir, 'postgres'))).mode & 0o777).toBe(0o700);
  expect(await readdir(dataDir)).toEqual(['postgres', 'postgres.lock']);
});

test.runIf(isRoot)('does not run as root, and lets its user only traverse DATA_DIR', async () => {
  await cleanUp.start(dataDir);
  expect((await stat(join(dataDir, 'postgres'))).uid).not.toBe(0);
  expect((await stat(`/proc/${await postmasterPid(dataDir)}`)).uid).not.toBe(0);
  expect((await stat(dataDir)).mode & 0o777).toBe(0o711);
});

describe('a server that dies', () => {
  test('is restarted', async () => {
    const server = await cleanUp.start(dataDir, { restartDelaysMs: [0] });
    const pid = await postmasterPid(dataDir);
    process.kill(pid, 'SIGKILL');
    await vi.waitFor(() => query(server, 'SELECT 1'), { timeout: 30_000 });
    expect(await postmasterPid(dataDir)).not.toBe(pid);
  });

  test('is restarted while a query still runs in its child process', async () => {
    const server = await cleanUp.start(dataDir, { restartDelaysMs: [0] });
    const busy = query(server, 'SELECT count(*) FROM generate_series(1, 1000000000)').catch(String);
    await vi.waitFor(async () => expect(await query(server, activeQueries)).toHaveLength(1), {
      timeout: 30_000,
    });
    process.kill(await postmasterPid(dataDir), 'SIGKILL');
    expect(await busy).toMatch(/terminat/);
    await vi.waitFor(() => query(server, 'SELECT 1'), { timeout: 30_000 });
  });

  test('is reported as lost after the last restart', async () => {
    const onLost = vi.fn();
    await cleanUp.start(dataDir, { restartDelaysMs: [], onLost });
    process.kill(await postmasterPid(dataDir), 'SIGKILL');
    await vi.waitFor(() => expect(onLost).toHaveBeenCalledOnce(), { timeout: 30_000 });
  });

  const activeQueries = `SELECT 1 FROM pg_stat_activity WHERE query LIKE '%generate_series%' AND state = 'active' AND pid <> pg_backend_pid()`;
});

describe('start', () => {
  test('rejects a second owner of the same DATA_DIR', async () => {
    await cleanUp.start(dataDir);
    await expect(cleanUp.start(dataDir)).rejects.toThrow(
      new RegExp(`process ${process.pid}\\) already runs`),
    );
  });

  test('rejects a DATA_DIR whose path is too long for a socket', async () => {
    const long = join(dataDir, 'x'.repeat(90));
    await expect(cleanUp.start(long)).rejects.toThrow(/DATA_DIR is too long.* bytes shorter/);
    expect(existsSync(long)).toBe(false);
  });

  test.runIf(isRoot)(
    'rejects a DATA_DIR below an inaccessible folder, before it creates anything',
    async () => {
      const closed = await cleanUp.temporaryFolder();
      await expect(cleanUp.start(join(closed, 'a/b'))).rejects.toThrow(
        `is below ${closed}, which is not accessible to the user`,
      );
      await expect(cleanUp.start(join(closed, 'a/b'))).rejects.toThrow('such as /var/lib/parley');
      expect(await readdir(closed)).toEqual([]);
    },
  );

  test('rejects a cluster of another major version', async () => {
    const other = await cleanUp.temporaryFolder();
    await mkdir(join(other, 'postgres'));
    await writeFile(join(other, 'postgres/PG_VERSION'), '16\n');
    await expect(cleanUp.start(other)).rejects.toThrow(
      /written by PostgreSQL 16, but this Parley includes PostgreSQL 18/,
    );
    expect(await readdir(other)).toEqual(['postgres']);
  });

  test('rejects a folder with other content', async () => {
    const other = await cleanUp.temporaryFolder();
    await mkdir(join(other, 'postgres/photos'), { recursive: true });
    await expect(cleanUp.start(other)).rejects.toThrow(/neither empty nor a PostgreSQL cluster/);
  });
});
