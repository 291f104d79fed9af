import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isRunning } from '../../test/harness/nodes/processes.ts';
import { until } from '../../test/harness/until.ts';
import { startWorker } from './startWorker.ts';

/* Each test runs a separate program that has a worker and survives signals, as the server does while it drains. */

const program = `
  import { startWorker } from '${new URL('startWorker.ts', import.meta.url).href}';
  import { workerBinary } from '${new URL('workerBinary.mjs', import.meta.url).href}';
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => console.log(signal));
  const worker = await startWorker(workerBinary());
  console.log(worker.pid, process.listenerCount('SIGINT'), process.listenerCount('SIGTERM'));
  process.stdin.once('data', async () => {
    // Two requests: the worker handles signals between them.
    for (const question of [1, 2]) await worker.dump();
    console.log('it answers');
    worker.close();
    process.stdin.destroy();
  });`;

let child: ChildProcess;
let worker: number;
let exited: Promise<unknown>;
const lines: string[] = [];

beforeEach(async () => {
  lines.length = 0;
  child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    // Makes it the leader of a process group, like a job in a terminal.
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  exited = once(child, 'exit');
  if (child.stdout) createInterface(child.stdout).on('line', (line) => lines.push(line));
  await until(() => lines.length > 0, 'the worker has started');
  worker = Number(lines[0]?.split(' ')[0]);
});
afterEach(() => {
  child.kill('SIGKILL');
});

it('leaves signals to the program', () => {
  expect(lines[0]).toBe(`${worker} 1 1`);
});

// Only GNU env can start another program with signals blocked.
it.runIf(process.platform === 'linux')(
  'keeps a worker running through signals to it, its program and its process group, until it is closed',
  async () => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.kill(worker, signal);
      process.kill(-(child.pid ?? 0), signal);
      await until(() => lines.includes(signal), `the program got ${signal}`);
    }
    child.stdin?.write('close\n');
    await until(() => lines.includes('it answers'), 'the worker answers');
    await until(() => !isRunning(worker), 'the worker has ended');
    await exited;
    expect(child.exitCode).toBe(0);
  },
);

it('ends the worker when its program is killed', async () => {
  child.kill('SIGKILL');
  await until(() => !isRunning(worker), 'the worker has ended');
});

it('names a worker that is missing', async () => {
  await expect(startWorker('/nowhere/worker')).rejects.toThrow('There is no media worker at /nowhere/worker');
});
