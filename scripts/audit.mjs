// `npm run audit`: lists the packages in package-lock.json that have known vulnerabilities. Exit codes: 0 if no vulnerability is high or
// critical, 1 if at least one is, 2 if no source of advisories was available.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import semver from 'semver';

/*
 * The configured npm registry is queried first. If it has no advisories, as is the case for many mirrors, a database in the OSV format is
 * read from the folder that OSV_DATABASE names (the unpacked https://osv-vulnerabilities.storage.googleapis.com/npm/all.zip).
 */

/** @typedef {{ id: string, name: string, version: string, severity: string, summary: string }} Finding */
/** @typedef {{ introduced?: string, fixed?: string, last_affected?: string }} Event */
/** @typedef {{ package?: { ecosystem?: string, name?: string }, ranges?: { type: string, events: Event[] }[], versions?: string[] }} Affected */
/** @typedef {{ id: string, summary?: string, withdrawn?: string, affected?: Affected[], database_specific?: { severity?: string } }} Advisory */
/** @typedef {{ packages: Record<string, { name?: string, version?: string, dev?: boolean, link?: boolean }> }} Lockfile */
/** @typedef {{ metadata?: { vulnerabilities?: Record<string, number> } }} NpmAudit */

/** @type {(text: string) => unknown} */
const parseJson = JSON.parse;
const failing = new Set(['HIGH', 'CRITICAL']);

/**
 * @param {string} lockfile the text of a package-lock.json, version 2 or 3
 * @returns {Map<string, Set<string>>} the versions of each package that runs in production, by name
 */
export function packagesOf(lockfile) {
  const { packages } = /** @type {Lockfile} */ (parseJson(lockfile));
  /** @type {Map<string, Set<string>>} */
  const found = new Map();
  for (const [folder, { name, version, dev, link }] of Object.entries(packages)) {
    if (!folder.includes('node_modules/') || dev || link || !version) continue;
    const own = name ?? folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
    found.set(own, (found.get(own) ?? new Set()).add(version));
  }
  return found;
}

/**
 * @param {Map<string, Set<string>>} packages
 * @param {Iterable<Advisory>} advisories
 * @returns {Finding[]}
 */
export function findVulnerable(packages, advisories) {
  /** @type {Finding[]} */
  const findings = [];
  for (const { id, summary = '', withdrawn, affected = [], database_specific } of advisories) {
    if (withdrawn) continue;
    for (const item of affected) {
      const { ecosystem, name = '' } = item.package ?? {};
      if (ecosystem !== 'npm') continue;
      for (const version of packages.get(name) ?? []) {
        if (!isAffected(version, item)) continue;
        // An advisory without a severity counts as high, so that it is reviewed.
        findings.push({ id, name, version, summary, severity: database_specific?.severity ?? 'HIGH' });
      }
    }
  }
  return findings;
}

/**
 * @param {string} version
 * @param {Affected} affected
 */
function isAffected(version, { ranges = [], versions = [] }) {
  return (
    versions.includes(version) ||
    ranges.some(({ type, events }) => type === 'SEMVER' && isIn(version, events))
  );
}

/**
 * Applies OSV's rule: in ascending order of versions, each event switches the state between affected and not affected.
 * @param {string} version
 * @param {Event[]} events
 */
function isIn(version, events) {
  let affected = false;
  for (const { introduced, fixed, last_affected: last } of events) {
    if (introduced !== undefined && (introduced === '0' || semver.gte(version, introduced))) affected = true;
    if (fixed !== undefined && semver.gte(version, fixed)) affected = false;
    if (last !== undefined && semver.gt(version, last)) affected = false;
  }
  return affected;
}

/** @param {string} folder @returns {Iterable<Advisory>} */
function* readDatabase(folder) {
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.json')))
    yield /** @type {Advisory} */ (JSON.parse(readFileSync(join(folder, name), 'utf8')));
}

/** @returns {number | undefined} the exit code, or undefined when the registry has no advisories */
function queryRegistry() {
  const { stdout, status } = spawnSync(
    'npm',
    ['audit', '--audit=true', '--omit=dev', '--audit-level=high', '--json'],
    {
      encoding: 'utf8',
      timeout: 120_000,
    },
  );
  const answer = /** @type {NpmAudit} */ (parseJson(stdout || '{}'));
  const counts = answer.metadata?.vulnerabilities;
  if (!counts) return undefined;
  const summary = Object.entries(counts).map(([severity, count]) => `${count} ${severity}`);
  process.stdout.write(`npm audit: ${summary.join(', ')}. Run "npm audit" for details.\n`);
  return status ?? 2;
}

function main() {
  const code = queryRegistry();
  if (code !== undefined) return code;
  const folder = process.env.OSV_DATABASE;
  if (!folder) {
    process.stderr.write(
      'The npm registry in use has no advisories. Download https://osv-vulnerabilities.storage.googleapis.com/npm/all.zip, unpack it, and set OSV_DATABASE to its folder.\n',
    );
    return 2;
  }
  const packages = packagesOf(readFileSync('package-lock.json', 'utf8'));
  const findings = findVulnerable(packages, readDatabase(folder));
  for (const { id, name, version, severity, summary } of findings)
    process.stdout.write(`${severity}  ${name}@${version}  ${id}  ${summary}\n`);
  process.stdout.write(`${packages.size} packages, ${findings.length} findings.\n`);
  return findings.some(({ severity }) => failing.has(severity.toUpperCase())) ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main();
