import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createProgress } from '../../platform/system/progress.mjs';
import { buildCachedWorker, findWorker } from './findWorker.mjs';
import { proveWorker } from './proveWorker.mjs';
import { cachedWorkerPath, workerBinary } from './workerBinary.mjs';

// A working worker. Tests use it as the configured, the prebuilt or the built one.
const good = workerBinary();
// A short time limit for workers that hang. It is not used for working ones, which may need longer on a busy machine.
const proofMs = 1_000;
const unreachable = 'http://127.0.0.1:1';

let folder: string;
let shown: string;
const progress = createProgress({ write: (text) => (shown += text) });
const copyGood = (_folder: string, target: string) => Promise.resolve(copyFileSync(good, target));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-worker-'));
  shown = '';
  vi.stubEnv('PARLEY_CACHE_DIR', join(folder, 'cache'));
  vi.stubEnv('MEDIASOUP_WORKER_BIN', undefined);
  vi.stubEnv('MEDIASOUP_WORKER_PREBUILT_DOWNLOAD_BASE_URL', unreachable);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const hang = '#!/bin/sh\nexec sleep 60\n';
const broken: [name: string, make: (path: string) => void, problem: RegExp][] = [
  [
    'is truncated',
    (path) => writeFileSync(path, readFileSync(good).subarray(0, 100_000), { mode: 0o755 }),
    /./,
  ],
  ['hangs', (path) => writeFileSync(path, hang, { mode: 0o755 }), /no answer within 1 s/],
  ['ends silently', (path) => writeFileSync(path, '#!/bin/sh\nexit 0\n', { mode: 0o755 }), /./],
  ['is not executable', (path) => writeFileSync(path, readFileSync(good), { mode: 0o644 }), /not executable/],
  ['is a folder', (path) => mkdirSync(path), /not a file/],
];

test.each(broken)('rejects a worker that %s', async (_name, make, problem) => {
  const bin = join(folder, 'worker');
  make(bin);
  expect(await proveWorker(bin, proofMs)).toMatch(problem);
});

test('replaces a broken worker in the cache', async () => {
  const cached = cachedWorkerPath();
  writeFileSync(cached, readFileSync(good).subarray(0, 100_000), { mode: 0o755 });

  const { bin, tried } = await findWorker(progress);
  expect(bin).toBeUndefined();
  expect(shown).toContain('The cached media worker does not work');

  expect(await buildCachedWorker(progress, tried, { build: copyGood })).toBe(cached);
  expect(await proveWorker(cached)).toBeUndefined();
  expect(await findWorker(progress)).toMatchObject({ bin: cached });
});

test('tests a worker once, and again when its file has changed', async () => {
  const cached = cachedWorkerPath();
  const starts = join(folder, 'starts');
  writeFileSync(cached, `#!/bin/sh\necho started >> ${starts}\nexec ${good} "$@"\n`, { mode: 0o755 });
  for (let n = 0; n < 3; n++) expect(await findWorker(progress)).toMatchObject({ bin: cached });
  expect(readFileSync(starts, 'utf8')).toBe('started\n');

  writeFileSync(cached, hang);
  expect((await findWorker(progress, { proofMs })).bin).toBeUndefined();
  expect(shown).toContain('The cached media worker does not work: no answer within 1 s');
});

test('prefers MEDIASOUP_WORKER_BIN to the cache', async () => {
  copyFileSync(good, cachedWorkerPath());
  vi.stubEnv('MEDIASOUP_WORKER_BIN', good);
  expect(await findWorker(progress)).toMatchObject({ bin: good });
  expect(workerBinary()).toBe(good);
});

test('reports a MEDIASOUP_WORKER_BIN that does not work, and uses the cache until it works', async () => {
  const given = join(folder, 'given');
  writeFileSync(given, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  vi.stubEnv('MEDIASOUP_WORKER_BIN', given);
  const cached = cachedWorkerPath();
  copyFileSync(good, cached);

  expect(await findWorker(progress)).toMatchObject({ bin: cached });
  expect(shown).toContain(`MEDIASOUP_WORKER_BIN (${given}) does not work`);
  expect(workerBinary()).toBe(cached);

  copyFileSync(good, given);
  chmodSync(given, 0o755);
  await findWorker(progress);
  expect(workerBinary()).toBe(given);
});

test("downloads mediasoup's prebuilt worker into the cache and tests it", async () => {
  copyFileSync(good, join(folder, 'mediasoup-worker'));
  execFileSync('tar', ['-czf', join(folder, 'worker.tgz'), '-C', folder, 'mediasoup-worker']);
  const requested: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    requested.push(request.url);
    response.end(readFileSync(join(folder, 'worker.tgz')));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  vi.stubEnv(
    'MEDIASOUP_WORKER_PREBUILT_DOWNLOAD_BASE_URL',
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  );

  expect(await findWorker(progress)).toMatchObject({ bin: cachedWorkerPath() });
  expect(requested).toEqual([
    expect.stringMatching(/^\/3\.\d+\.\d+\/mediasoup-worker-3\.\d+\.\d+-\w+-\w+(-kernel\d+)?\.tgz$/),
  ]);
  server.close();
});

test('lists all four sources of a worker in order, with the reason why each failed', async () => {
  vi.stubEnv('MEDIASOUP_WORKER_BIN', '/does/not/exist');
  const { tried } = await findWorker(progress);
  const build = () => Promise.reject(new Error('no compiler'));
  const error = await buildCachedWorker(progress, tried, { build }).catch(
    (reason: unknown) => reason as Error,
  );
  expect(String(error)).toMatch(
    /1\. MEDIASOUP_WORKER_BIN \(\/does\/not\/exist\): no such file\n +2\. the cache \(.*\): no such file\n +3\. mediasoup's prebuilt \(.*\): .+\n +4\. a build .*: no compiler\n.*MEDIASOUP_WORKER_BIN/,
  );
});

test('does not cache a built worker that does not work', async () => {
  const build = (_folder: string, target: string) => Promise.resolve(writeFileSync(target, hang));
  await expect(buildCachedWorker(progress, [], { build, proofMs })).rejects.toThrow(
    /does not run here: no answer/,
  );
  expect(await proveWorker(cachedWorkerPath())).toBe('no such file');
});

test('builds only once for two concurrent set-ups', async () => {
  const build = vi.fn(copyGood);
  const [first, second] = await Promise.all([
    buildCachedWorker(progress, [], { build }),
    buildCachedWorker(progress, [], { build }),
  ]);
  expect(first).toBe(second);
  expect(build).toHaveBeenCalledTimes(1);
});

test("names the cached binary after mediasoup's exact version and the inputs of the build", () => {
  const inputs = join(folder, 'inputs');
  mkdirSync(join(inputs, 'compat'), { recursive: true });
  writeFileSync(join(inputs, 'compat/a.h'), 'one');
  const before = cachedWorkerPath(inputs);
  expect(before).toContain(`mediasoup-worker-3.27.1-${process.platform}-${process.arch}-`);
  expect(cachedWorkerPath(inputs)).toBe(before);

  writeFileSync(join(inputs, 'compat/a.h'), 'two');
  const changed = cachedWorkerPath(inputs);
  expect(changed).not.toBe(before);

  writeFileSync(join(inputs, 'compat/b.h'), '');
  expect(cachedWorkerPath(inputs)).not.toBe(changed);
});
