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
const versionsHit = (...advisories: ReturnType<typeof advisory>[]) =>
  findVulnerable(packagesOf(lockfile), advisories).map(({ name, version }) => `${name}@${version}`);

describe('an advisory', () => {
  it('names each installed version it affects, at any depth', () => {
    expect(versionsHit(advisory('ladder', [{ introduced: '0' }]))).toEqual(['ladder@1.4.0', 'ladder@2.0.0']);
    expect(versionsHit(advisory('@park/slide', [{ introduced: '3.0.0' }, { fixed: '3.1.1' }]))).toEqual([
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
  ])('is read by its ranges: %s', (_, events, hit, more) => {
    expect(versionsHit(advisory('ladder', [...events, ...more]))).toEqual(hit);
  });

  it('does not count when it was withdrawn, is of another ecosystem or concerns a development package', () => {
    expect(
      versionsHit(advisory('ladder', [{ introduced: '0' }], { withdrawn: '2026-01-01T00:00:00Z' })),
    ).toEqual([]);
    expect(versionsHit(advisory('tester', [{ introduced: '0' }]))).toEqual([]);
    const other = { package: { ecosystem: 'PyPI', name: 'ladder' }, ranges: [], versions: ['1.4.0'] };
    expect(versionsHit({ ...advisory('x', []), affected: [other] })).toEqual([]);
  });
});

describe('npm run audit, where the registry has no advisories', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'audit-'));
    writeFileSync(join(folder, 'package-lock.json'), lockfile);
    writeFileSync(join(folder, 'package.json'), '{"name":"app","version":"1.0.0"}');
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  /** Nothing listens on the registry's port. */
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

  it('says where a database is to be had', () => {
    const { status, stderr } = audit({ OSV_DATABASE: '' });
    expect([status, stderr]).toEqual([2, expect.stringContaining('OSV_DATABASE')]);
  });

  it.each([
    ['HIGH', 1],
    ['LOW', 0],
  ])('reads that database: %s ends with %s', (severity, code) => {
    const found = advisory('ladder', [{ introduced: '0' }], { database_specific: { severity } });
    const database = mkdtempSync(join(folder, 'osv-'));
    writeFileSync(join(database, 'GHSA-test.json'), JSON.stringify(found));
    const { status, stdout } = audit({ OSV_DATABASE: database });
    expect([status, stdout]).toEqual([code, expect.stringContaining(`${severity}  ladder@1.4.0  GHSA-test`)]);
  });
});
