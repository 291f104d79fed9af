import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { buildOutputs, outputsAreBuilt } from './build.mjs';
import { createProgress } from '../platform/system/progress.mjs';

const progress = createProgress({ write: () => undefined });
const nodeModules = fileURLToPath(new URL('../node_modules', import.meta.url));

let clone: string;
const bundle = () => readFileSync(join(clone, 'sdk/dist/parley.js'), 'utf8');
const writeSource = (name: string, text: string) => writeFileSync(join(clone, 'sdk/src', name), text);

beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), 'parley-build-'));
  vi.stubEnv('PARLEY_CACHE_DIR', join(clone, 'cache'));
  for (const folder of ['src/worker', 'src/effects', 'src/player', 'embed/src'])
    mkdirSync(join(clone, 'sdk', folder), { recursive: true });
  symlinkSync(nodeModules, join(clone, 'node_modules'));
  writeSource('index.ts', "export const name: string = 'first';");
  for (const name of ['effects/index.ts', 'player/index.ts', '../embed/src/embed.ts']) writeSource(name, '');
  writeSource('worker/parleyPush.ts', "const shown: string = 'a push'; self.postMessage(shown);");
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(clone, { recursive: true });
});

test('bundles the SDK for browsers, and again only when a source has changed', async () => {
  await buildOutputs(progress, clone);
  expect(bundle()).toContain('first');
  expect(readFileSync(join(clone, 'sdk/dist/parley-push.js'), 'utf8')).toContain('a push');

  writeFileSync(join(clone, 'sdk/dist/parley.js'), 'unchanged');
  writeSource('index.test.ts', '// Tests are not part of the bundle.');
  await buildOutputs(progress, clone);
  expect(bundle()).toBe('unchanged');

  writeSource('index.ts', "export const name: string = 'second';");
  await buildOutputs(progress, clone);
  expect(bundle()).toContain('second');
});

test('gives what pages load later a name without a hash, which is still there after an upgrade', async () => {
  writeSource('index.ts', "export const load = () => import('mediasoup-client');");
  writeSource('effects/index.ts', "export const load = () => import('@sapphi-red/web-noise-suppressor');");
  writeSource('player/index.ts', "export const load = () => import('hls.js/light');");
  await buildOutputs(progress, clone);
  const scripts = readdirSync(join(clone, 'sdk/dist')).filter((name) => name.endsWith('.js'));
  const libraries = { parley: 'mediasoup', effects: 'noise-suppressor', player: 'hls' };
  const entries = Object.keys(libraries);
  expect(scripts.sort()).toEqual(
    [...entries, ...Object.values(libraries), 'parley-push', 'embed'].map((name) => `${name}.js`).sort(),
  );
  for (const [entry, library] of Object.entries(libraries))
    expect(readFileSync(join(clone, 'sdk/dist', `${entry}.js`), 'utf8')).toContain(
      `import("./${library}.js")`,
    );
});

test('refuses a library that pages would load later under an unknown name', async () => {
  writeSource('index.ts', "export const load = () => import('viem');");
  await expect(buildOutputs(progress, clone)).rejects.toThrow('Add viem to the libraries');
});

test('reports the error of a failed build and keeps the old output, which counts as outdated', async () => {
  await buildOutputs(progress, clone);
  writeSource('index.ts', "import './missing.ts';");
  await expect(buildOutputs(progress, clone)).rejects.toThrow(/Could not resolve "\.\/missing\.ts"/);
  expect(bundle()).toContain('first');
  expect(outputsAreBuilt(clone)).toBe(false);
});
