import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { serverAccount } from './account.ts';
import { processIdentity, serverProcesses } from './processes.ts';
import {
  CleanUp,
  isRoot,
  OtherProgram,
  postmasterPid,
  query,
} from '../../test/harness/nodes/embeddedPostgres/support.ts';

const folders = new CleanUp();
const cleanUp = new CleanUp();
let dataDir: string;

beforeAll(async () => {
  dataDir = await folders.temporaryFolder();
  return () => folders.run();
});
afterEach(() => cleanUp.run());

const isGone = async (pid: number) => expect(await processIdentity(pid)).toBeUndefined();

test('stops the server after kill -9 and keeps committed rows', async () => {
  const program = OtherProgram.spawn(dataDir, cleanUp);
  await program.line();
  expect(await program.line()).toBe('committed');
  const pid = await postmasterPid(dataDir);
  await program.kill();
  await vi.waitFor(() => isGone(pid), { timeout: 30_000 });
  expect(await serverProcesses(join(dataDir, 'postgres'))).toEqual([]);

  const server = await cleanUp.start(dataDir);
  expect(await query(server, 'SELECT id FROM kept')).toEqual([{ id: 1 }]);
});

test('a start right after kill -9 waits for the dying server', async () => {
  const program = OtherProgram.spawn(dataDir, cleanUp);
  await program.line();
  const pid = await postmasterPid(dataDir);
  await expect(cleanUp.start(dataDir)).rejects.toThrow(`process ${program.child.pid})`);
  program.child.kill('SIGKILL');
  const server = await vi.waitFor(() => cleanUp.start(dataDir), { timeout: 30_000 });
  await isGone(pid);
  await query(server, 'SELECT 1');
});

test('stops and replaces an orphaned server', async () => {
  const program = OtherProgram.spawn(dataDir, cleanUp);
  await program.line();
  const pid = await postmasterPid(dataDir);
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const guard = Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]);
  const children = await readFile(`/proc/${guard}/task/${guard}/children`, 'utf8');
  const watchers = children
    .trim()
    .split(' ')
    .map(Number)
    .filter((child) => child !== pid);
  expect(watchers).toHaveLength(1);
  // Suspend the program first, so that it does not react to the end of the guard. The guard's watcher would stop the server.
  program.child.kill('SIGSTOP');
  for (const each of [...watchers, guard]) process.kill(each, 'SIGKILL');
  await program.kill();
  expect(await processIdentity(pid)).toBeDefined();

  const server = await cleanUp.start(dataDir);
  await isGone(pid);
  await query(server, 'SELECT 1');
});

test('ignores a stale postmaster.pid with the process id of another program', async () => {
  const account = await serverAccount(join(dataDir, 'postgres'));
  const other = spawn('sleep', ['60'], { ...account, stdio: 'ignore' });
  cleanUp.add(async () => {
    other.kill('SIGKILL');
    await once(other, 'exit');
  });
  for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock']) {
    await writeFile(
      join(dataDir, 'postgres', name),
      `${other.pid}\n${dataDir}/postgres\n0\n5432\n.\n\n0 0\n`,
    );
  }
  const server = await cleanUp.start(dataDir);
  await query(server, 'SELECT 1');
  expect(other.exitCode).toBeNull();
});

test('ignores a stale lock with the process id of another program', async () => {
  const content = JSON.stringify({ pid: process.pid, identity: 'an earlier boot 1' });
  await writeFile(join(dataDir, 'postgres.lock'), content);
  const starts = await Promise.allSettled([cleanUp.start(dataDir), cleanUp.start(dataDir)]);
  expect(starts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

test('refuses a lock that cannot be read', async () => {
  const fresh = await cleanUp.temporaryFolder();
  await mkdir(join(fresh, 'postgres.lock'));
  await expect(cleanUp.start(fresh)).rejects.toThrow('postgres.lock cannot be read (EISDIR)');
});

test.runIf(isRoot)('does not start on a cluster that another container uses', async () => {
  const server = await cleanUp.start(dataDir);
  // Like a container, this hides the processes outside it.
  const hidden = ['unshare', '--pid', '--ipc', '--fork', '--kill-child', '--mount-proc'];
  expect(await OtherProgram.spawn(dataDir, cleanUp, hidden).exited()).not.toBe(0);
  await query(server, 'SELECT 1');
  expect(await readFile(join(dataDir, 'postgres.lock'), 'utf8')).toContain(`"pid":${process.pid},`);
});

test('Ctrl-C in the terminal reaches the program but not its database', async () => {
  const program = OtherProgram.spawn(dataDir, cleanUp);
  await program.line();
  await program.line();
  process.kill(-(program.child.pid ?? 0), 'SIGINT');
  expect(await program.line()).toMatch(/^\d rows$/);
  expect(await program.exited()).toBe(0);
});

test('recovers from a start that was killed during initdb', async () => {
  const fresh = await cleanUp.temporaryFolder();
  const program = OtherProgram.spawn(fresh, cleanUp);
  await vi.waitFor(async () => expect((await readdir(fresh)).join()).toMatch('postgres.new.'), {
    timeout: 45_000,
    interval: 5,
  });
  await program.kill();
  expect(await readdir(fresh)).not.toContain('postgres');
  const server = await cleanUp.start(fresh);
  await query(server, 'SELECT 1');
  expect(await readdir(fresh)).toEqual(['postgres', 'postgres.lock']);
});

test.runIf(isRoot)('runs for users other than root', async () => {
  const own = await cleanUp.temporaryFolder();
  const nobody = { uid: 65534, gid: 65534 };
  await chown(own, nobody.uid, nobody.gid);
  // The program may read all files, since the checkout may be in a folder of root. It may write only where `nobody` may.
  const reads = ['--inh-caps=+dac_read_search', '--ambient-caps=+dac_read_search'];
  const program = OtherProgram.spawn(own, cleanUp, [
    'setpriv',
    `--reuid=${nobody.uid}`,
    `--regid=${nobody.gid}`,
    '--clear-groups',
    ...reads,
  ]);
  await program.line();
  expect(await program.line()).toBe('committed');
  expect((await stat(`/proc/${await postmasterPid(own)}`)).uid).toBe(nobody.uid);
  program.child.kill('SIGINT');
  expect(await program.exited()).toBe(0);
});
