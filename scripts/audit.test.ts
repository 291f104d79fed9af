import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findVulnerable, packagesOf } from './audit.mjs';

const script = fileURLToPath(new URL('audit.mjs', import.meta.url));
const lockfile = JSON.stringify({
  packages: {
    '': { name: 'app', version: '1.0.0' },
    'node_modules/ladder': { version: '1.4.0' },
    'node_modules/swing/node_modules/ladder': { version: '2.0.0' },
    'node_modules/@park/slide': { version: '3.1.0' },
    'node_modules/tester': { version: '1.0.0', dev: true },
  },
});
const advisory = (name: string, events: object[], extra: object = {}) => ({
  id: 'GHSA-test',
  summary: 'Falls over.',
  affected: [{ package: { ecosystem: 'npm', name }, ranges: [{ type: 'SEMVER', events }] }],
  ...extra,
});
const affectedVersions = (...advisories: ReturnType<typeof advisory>[]) =>
  findVulnerable(packagesOf(lockfile), advisories).map(({ name, version }) => `${name}@${version}`);

describe('findVulnerable', () => {
  it('finds each affected version, at any depth', () => {
    expect(affectedVersions(advisory('ladder', [{ introduced: '0' }]))).toEqual([
      'ladder@1.4.0',
      'ladder@2.0.0',
    ]);
    expect(affectedVersions(advisory('@park/slide', [{ introduced: '3.0.0' }, { fixed: '3.1.1' }]))).toEqual([
      '@park/slide@3.1.0',
    ]);
  });

  it.each([
    ['fixed before', [{ introduced: '0' }, { fixed: '1.4.0' }], ['ladder@2.0.0'], [{ introduced: '2.0.0' }]],
    [
      'fixed and broken again',
      [{ introduced: '0' }, { fixed: '1.0.0' }, { introduced: '2.0.0' }],
      ['ladder@2.0.0'],
      [],
    ],
    ['up to a last version', [{ introduced: '0' }, { last_affected: '1.4.0' }], ['ladder@1.4.0'], []],
  ])('applies version ranges: %s', (_, events, affected, more) => {
    expect(affectedVersions(advisory('ladder', [...events, ...more]))).toEqual(affected);
  });

  it('ignores withdrawn advisories, other ecosystems and development packages', () => {
    expect(
      affectedVersions(advisory('ladder', [{ introduced: '0' }], { withdrawn: '2026-01-01T00:00:00Z' })),
    ).toEqual([]);
    expect(affectedVersions(advisory('tester', [{ introduced: '0' }]))).toEqual([]);
    const other = { package: { ecosystem: 'PyPI', name: 'ladder' }, ranges: [], versions: ['1.4.0'] };
    expect(affectedVersions({ ...advisory('x', []), affected: [other] })).toEqual([]);
  });
});

describe('npm run audit without advisories from the registry', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'audit-'));
    writeFileSync(join(folder, 'package-lock.json'), lockfile);
    writeFileSync(join(folder, 'package.json'), '{"name":"app","version":"1.0.0"}');
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  /** Runs the script with the URL of a registry that does not run: nothing listens on its port. */
  const audit = (env: NodeJS.ProcessEnv) =>
    spawnSync(process.execPath, [script], {
      cwd: folder,
      encoding: 'utf8',
      env: {
        ...process.env,
        npm_config_registry: 'http://127.0.0.1:9',
        npm_config_fetch_retries: '0',
        ...env,
      },
    });

  it('explains how to get a database', () => {
    const { status, stderr } = audit({ OSV_DATABASE: '' });
    expect([status, stderr]).toEqual([2, expect.stringContaining('OSV_DATABASE')]);
  });

  it.each([
    ['HIGH', 1],
    ['LOW', 0],
  ])('reads the database: an advisory of severity %s makes the exit code %s', (severity, code) => {
    const found = advisory('ladder', [{ introduced: '0' }], { database_specific: { severity } });
    const database = mkdtempSync(join(folder, 'osv-'));
    writeFileSync(join(database, 'GHSA-test.json'), JSON.stringify(found));
    const { status, stdout } = audit({ OSV_DATABASE: database });
    expect([status, stdout]).toEqual([code, expect.stringContaining(`${severity}  ladder@1.4.0  GHSA-test`)]);
  });
});
