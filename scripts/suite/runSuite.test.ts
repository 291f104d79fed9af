import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { until } from '../../test/harness/until.ts';

/** A program that runs the tests of a folder, as scripts/test.mjs does. */
const program = `
  import { runSuite } from ${JSON.stringify(new URL('runSuite.mjs', import.meta.url).href)};
  process.exitCode = await runSuite(JSON.parse(process.argv[1]));
`;
/** This process's environment without the variables of the test run that this test belongs to. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/VITEST|^NODE_ENV$|^PARLEY_/.test(name)),
);

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'parley-suite-'));
});

afterEach(() => rm(root, { recursive: true, force: true }));

/** The first lines of a test file. They set `isFirst` to true in the first run of the file and to false in later runs. */
const isFirstRun = `
  import { existsSync, writeFileSync } from 'node:fs';
  const mark = import.meta.filename + '.ran';
  const isFirst = !existsSync(mark);
  writeFileSync(mark, '');
`;
const passing = `test('passes', () => {});`;

async function write(files: Record<string, string>, config = ''): Promise<void> {
  const all = { ...files, 'vitest.config.mjs': `export default { test: { globals: true, ${config} } };` };
  await Promise.all(Object.entries(all).map(([name, text]) => writeFile(join(root, name), text)));
}

function start(options: { filters?: string[]; durations?: boolean } = {}) {
  const args = ['--input-type=module', '--eval', program, JSON.stringify({ root, ...options })];
  // The program gets its own process group, as it would in a terminal.
  const child = spawn(process.execPath, args, { env: { ...env, NO_COLOR: '1' }, detached: true });
  const run = { child, output: '', code: null as number | null };
  const collect = (chunk: Buffer) => (run.output += chunk.toString());
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  return run;
}

async function runToEnd(options: Parameters<typeof start>[0] = {}) {
  const run = start(options);
  [run.code] = (await once(run.child, 'close')) as [number | null];
  return run;
}

test('passes without failures and reports no flaky files', async () => {
  await write({ 'one.test.js': passing, 'two.test.js': passing });
  const { code, output } = await runToEnd();
  expect(output).toMatch(/2 passed/);
  expect(output).toMatch(/all 2 files/);
  expect(output).not.toMatch(/FLAKY|FAILED|again by itself/);
  expect(code).toBe(0);
});

test('passes, and reports a file that fails only once as flaky, however it fails', async () => {
  await write({
    'inTest.test.js': `${isFirstRun} describe('sums', () => { test('adds', () => expect(isFirst).toBe(false)); ${passing} });`,
    'atLoad.test.js': `${isFirstRun} if (isFirst) throw new Error('not loaded'); ${passing}`,
    'inHook.test.js': `${isFirstRun} beforeAll(() => { if (isFirst) throw new Error('no server'); }); ${passing}`,
    'afterTest.test.js': `${isFirstRun}
      test('waits', async () => {
        if (isFirst) void Promise.reject(new Error('not caught'));
        await new Promise((resolve) => setTimeout(resolve, 50));
      });`,
    'crash.test.js': `${isFirstRun} test('crashes', () => { if (isFirst) process.kill(process.pid, 'SIGKILL'); });`,
    'other.test.js': passing,
  });
  const { code, output } = await runToEnd();
  expect(code, output).toBe(0);
  expect(output).not.toContain('FAILED');
  const last = output.slice(output.indexOf('\nFLAKY: 5 files failed'));
  expect(last).toMatch(
    /inTest\.test\.js > sums > adds\n\s+AssertionError: expected true to be false.*\n\s+at inTest\.test\.js:\d/,
  );
  expect(last).toMatch(/atLoad\.test\.js\n\s+Error: not loaded/);
  expect(last).toMatch(/inHook\.test\.js\n\s+Error: no server/);
  expect(last).toMatch(/afterTest\.test\.js\n\s+Outside any test: Error: not caught/);
  expect(last).toMatch(/crash\.test\.js\n\s+The file did not finish/);
  expect(last).not.toContain('other.test.js');
});

test('fails when a file fails twice, and still reports another file as flaky', async () => {
  await write({
    'always.test.js': `test('never passes', () => { throw new Error('broken'); });`,
    'throws.test.js': `setTimeout(() => { throw new Error('thrown outside'); }); test('waits', () => new Promise((resolve) => setTimeout(resolve, 50)));`,
    'once.test.js': `${isFirstRun} test('fails once', () => expect(isFirst).toBe(false));`,
  });
  const { code, output } = await runToEnd();
  expect(code, output).toBe(1);
  expect(output).toMatch(/FLAKY: 1 file failed.*\n\s+once\.test\.js > fails once/);
  const last = output.slice(output.indexOf('\nFAILED: 2 files failed twice'));
  expect(last).toMatch(/always\.test\.js > never passes\n\s+Error: broken/);
  expect(last).toMatch(/throws\.test\.js\n\s+Outside any test: Error: thrown outside/);
});

test('fails on an error outside the tests, without running a file again', async () => {
  await write(
    { 'setUp.js': `export default () => { throw new Error('no database'); };`, 'one.test.js': passing },
    `globalSetup: './setUp.js'`,
  );
  const settingUp = await runToEnd();
  expect(settingUp.code, settingUp.output).toBe(1);
  expect(settingUp.output).toContain('no database');
  expect(settingUp.output).toContain('FAILED: ');

  const thrown = `export default () => { setTimeout(() => Promise.reject(new Error('of no file')), 500); };`;
  await writeFile(join(root, 'setUp.js'), thrown);
  await writeFile(
    join(root, 'one.test.js'),
    `test('waits', () => new Promise((resolve) => setTimeout(resolve, 2_000)));`,
  );
  const beside = await runToEnd();
  expect(beside.code, beside.output).toBe(1);
  expect(beside.output).toMatch(/FAILED: /);
  expect(beside.output).toContain('of no file');
  expect(beside.output).not.toContain('again by itself');
});

test('selects files by parts of their paths, and fails when none matches', async () => {
  await write({ 'calls.test.js': passing, 'rooms.test.js': passing });
  const some = await runToEnd({ filters: ['room'] });
  expect(some.code, some.output).toBe(0);
  expect(some.output).toContain('rooms.test.js');
  expect(some.output).not.toContain('calls.test.js');
  const none = await runToEnd({ filters: ['nothing'] });
  expect(none.code, none.output).toBe(1);
  expect(none.output).toContain('FAILED: no test file has any of these in its path');
});

test('Ctrl-C ends the run without running a file again', async () => {
  await write({
    'fails.test.js': `test('fails', () => { throw new Error('broken'); });`,
    'waits.test.js': `test('waits', () => new Promise(() => {}), 60_000);`,
  });
  const run = start();
  const { pid } = run.child;
  if (!pid) throw new Error('the run did not start');
  await until(() => run.output.includes('fails.test.js'), 'the first failure');
  const closed = once(run.child, 'close');
  process.kill(-pid, 'SIGINT');
  const [code] = (await closed) as [number | null];
  expect(code, run.output).toBe(130);
  expect(run.output).not.toContain('again by itself');
});

test('npm test explains its options', async () => {
  const script = fileURLToPath(new URL('../test.mjs', import.meta.url));
  const help = spawn(process.execPath, [script, '--help'], { env });
  let output = '';
  help.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  expect(await once(help, 'close')).toEqual([0, null]);
  expect(output).toContain('--durations');
  const unknown = spawn(process.execPath, [script, '--fast'], { env, stdio: 'ignore' });
  expect(await once(unknown, 'close')).toEqual([2, null]);
});
