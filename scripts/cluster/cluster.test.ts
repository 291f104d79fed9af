import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePorts } from '../../test/harness/nodes/ports.ts';
import { TestClient } from '../../test/harness/clients/TestClient.ts';
import { until } from '../../test/harness/until.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A run of `npm run cluster` with its own ports and its own folder. */
class ClusterProgram {
  readonly child: ChildProcess;
  output = '';

  constructor(env: NodeJS.ProcessEnv, options: string[] = []) {
    this.child = spawn(process.execPath, ['scripts/cluster.mjs', ...options], {
      cwd: root,
      env: { ...process.env, LOG_PRETTY: 'false', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
  }

  prints(pattern: RegExp): Promise<RegExpExecArray> {
    return until(
      () => {
        if (this.child.exitCode !== null && !pattern.test(this.output)) throw new Error(this.output);
        return pattern.exec(this.output);
      },
      `${pattern} in the output`,
      60_000,
    );
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      this.child.kill(signal);
      await once(this.child, 'exit');
    }
    return this.child.exitCode;
  }
}

/** All processes of the installation in a folder: those with the folder in their arguments, environment or working directory. */
async function processesOf(folder: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const read = (file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
      const [command, environment] = [await read('cmdline'), await read('environ')];
      const workingFolder = await readlink(`/proc/${pid}/cwd`).catch(() => '');
      return { pid, command, text: `${command} ${environment} ${workingFolder}` };
    }),
  );
  return found
    .filter(({ text }) => text.includes(folder))
    .map(({ pid, command }) => `${pid} ${command.replaceAll('\0', ' ').slice(0, 80)}`);
}

// The tests find processes through /proc, which only Linux has.
describe.runIf(process.platform === 'linux')('npm run cluster', () => {
  let folder: string;
  let env: NodeJS.ProcessEnv;
  let port: number;
  let program: ClusterProgram;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-run-cluster-'));
    // If this test runs as root, PostgreSQL runs as another user, who must be able to traverse the folder.
    await chmod(folder, 0o711);
    port = await freePorts(2, 10);
    env = {
      DATA_DIR: folder,
      PORT: String(port),
      CLUSTER_PORT: String(await freePorts(5, 10)),
      MEDIA_PORT: String(await freePorts(3, 1_000)),
      MEDIA_WORKERS: '1',
      RTMP_PORT: '0',
    };
    program = new ClusterProgram(env);
    await program.prints(/Ctrl\+C stops everything/);
  });
  afterAll(async () => {
    await program?.end('SIGTERM');
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  it('starts two nodes, and keeps a call between them when one is killed', async () => {
    const [, first, pid] = await program.prints(/node 1 {2}(\S+) {2}\(process (\d+)\)/);
    const [, second] = await program.prints(/node 2 {2}(\S+) {2}\(process \d+\)/);
    expect([first, second]).toEqual([`http://127.0.0.1:${port}`, `http://127.0.0.1:${port + 10}`]);
    const [alice, bob] = [await TestClient.signIn(first ?? ''), await TestClient.signIn(second ?? '')];
    const call = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
    await bob.event('call:incoming');
    await bob.parley.calls.answer(call.id);
    await alice.event('call:answered');
    process.kill(Number(pid), 'SIGKILL');
    await program.prints(/node 1 +\| has died \(SIGKILL\)/);
    await program.prints(/node 1 +\| is back as process \d+/);
    await until(() => alice.seen('connection:changed').at(-1)?.state === 'connected', 'alice');
    expect(await alice.parley.calls.getActive()).toMatchObject([{ id: call.id, status: 'active' }]);
    await alice.parley.calls.end(call.id);
    await bob.event('call:ended');
    for (const client of [alice, bob]) client.close();
  });

  it('restarts killed services', async () => {
    for (const name of ['redis-server', 'turnserver'] as const) {
      const line = (await processesOf(folder)).find((text) => text.includes(name));
      process.kill(Number.parseInt(line ?? '', 10), 'SIGKILL');
      await program.prints(name === 'turnserver' ? /TURN server is back/ : /redis +\| is back/);
    }
    for (const url of [`http://127.0.0.1:${port}`, `http://127.0.0.1:${port + 10}`])
      await until(async () => (await fetch(`${url}/readyz`)).ok, `${url}/readyz`);
  });

  it('starts nothing when it is asked for its usage', async () => {
    const asking = new ClusterProgram({ ...env, DATA_DIR: join(folder, 'other') }, ['--help']);
    expect(await once(asking.child, 'close')).toEqual([0, null]);
    expect(asking.output).toMatch(/^Usage: npm run cluster\n/);
  });

  it('names all ports that are in use', async () => {
    const second = new ClusterProgram({ ...env, DATA_DIR: join(folder, 'other') });
    await second.prints(new RegExp(`${port} \\(node 1, pages and WebSockets\\): PORT changes it`));
    await second.prints(/\(Redis\): CLUSTER_PORT changes it/);
    await until(() => second.child.exitCode !== null, 'its end');
    expect(second.child.exitCode).toBe(1);
  });

  it('leaves no processes when it is stopped just after Redis and a node were killed', async () => {
    const running = await processesOf(folder);
    for (const name of ['redis-server', 'server/dist/main'])
      process.kill(Number.parseInt(running.find((text) => text.includes(name)) ?? '', 10), 'SIGKILL');
    expect(await program.end('SIGTERM')).toBe(0);
    // The guard of the killed node's TURN server takes a moment.
    await until(async () => (await processesOf(folder)).length === 0, 'the end of all processes', 20_000);
  });

  it('leaves no processes when it is killed', async () => {
    program = new ClusterProgram(env);
    await program.prints(/Ctrl\+C stops everything/);
    const running = (await processesOf(folder)).join('\n');
    for (const part of ['postgres', 'redis-server', 'turnserver', 'server/dist/main', 'mediasoup-worker'])
      expect(running).toContain(part);
    await program.end('SIGKILL');
    await until(async () => (await processesOf(folder)).length === 0, 'the end of all processes', 20_000);
  });

  it('reports why a node did not start, and stops the others', async () => {
    const broken = new ClusterProgram({ ...env, CALL_RING_SECONDS: 'soon' });
    await broken.prints(/node 1 did not start[^]*CALL_RING_SECONDS: not a number/);
    await until(() => broken.child.exitCode !== null, 'its end');
    expect(await processesOf(folder)).toEqual([]);
  });
});
