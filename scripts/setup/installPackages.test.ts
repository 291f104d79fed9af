import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { packagesAreInstalled, type Entries } from './installPackages.mjs';

let clone: string;
const wanted: Entries = {
  '': { version: '0.1.0' },
  sdk: { version: '0.1.0' },
  'node_modules/@parley/sdk': { link: true },
  'node_modules/express': { version: '5.3.0' },
  'node_modules/vitest': { version: '4.1.12', dev: true },
  'node_modules/fsevents': { version: '2.3.3', optional: true, os: ['not-this-one'] },
};
const production: Entries = {
  'node_modules/@parley/sdk': { link: true },
  'node_modules/express': { version: '5.3.0' },
};
const all: Entries = { ...production, 'node_modules/vitest': { version: '4.1.12', dev: true } };

beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), 'parley-packages-'));
  mkdirSync(join(clone, 'node_modules'));
  writeFileSync(join(clone, 'package-lock.json'), JSON.stringify({ packages: wanted }));
});
afterEach(() => rmSync(clone, { recursive: true }));

function installed(packages: Entries, dev = true): boolean {
  writeFileSync(join(clone, 'node_modules/.package-lock.json'), JSON.stringify({ packages }));
  return packagesAreInstalled(clone, dev);
}

test('accepts the packages of this clone', () => {
  expect(packagesAreInstalled(fileURLToPath(new URL('../..', import.meta.url)), true)).toBe(true);
});

test('rejects node_modules without npm’s record', () => {
  expect(packagesAreInstalled(clone, true)).toBe(false);
});

test('requires every package that the lockfile lists for this machine, in the listed version', () => {
  expect(installed(all)).toBe(true);
  expect(installed(production)).toBe(false);
  expect(installed({ ...all, 'node_modules/express': { version: '5.2.0' } })).toBe(false);
});

test('does not require development packages in a production image', () => {
  expect(installed(production, false)).toBe(true);
  expect(installed(all, false)).toBe(true);
});

test('rejects packages that were installed on another system', () => {
  expect(installed({ ...all, 'node_modules/fsevents': { version: '2.3.3', os: ['not-this-one'] } })).toBe(
    false,
  );
  expect(installed({ ...all, 'node_modules/fsevents': { version: '2.3.3', os: ['!not-this-one'] } })).toBe(
    true,
  );
});
