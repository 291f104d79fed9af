import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { findCommand } from '../../platform/system/findTool.mjs';
import { withLock } from '../../platform/system/lock.mjs';
import { run } from '../../platform/system/run.mjs';

const unattended = { DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' };
const policyFile = '/usr/sbin/policy-rc.d';
const policy =
  '#!/bin/sh\n# From the set-up of Parley: a package installed for its tests starts no service.\nexit 101\n';

/**
 * Installs Debian packages, if this process runs as root on Debian or Ubuntu and not in production.
 * @param {string[]} packages
 * @param {import('../../platform/system/progress.mjs').Progress} progress
 * @returns {Promise<string | undefined>} undefined if all are installed, else a text with the missing packages and how to install them
 */
export async function installMissing(packages, progress) {
  if (packages.length === 0) return undefined;
  const list = packages.join(' ');
  const command = `apt-get install -y --no-install-recommends ${list}`;
  if (!isDebian()) return `missing: ${list} (names of Debian packages). Install the packages of your system.`;
  if (process.getuid?.() !== 0) return `missing: ${list}. Run: sudo apt-get update && sudo ${command}`;
  if (process.env.NODE_ENV === 'production') {
    return `missing: ${list}. In production no packages are installed automatically. Run: apt-get update && ${command}`;
  }
  try {
    progress.note(`Missing: ${list}`);
    await progress.step('Installing them with apt-get', (update) =>
      withLock('apt', () => install(packages, update)),
    );
    return undefined;
  } catch (error) {
    return `missing: ${list}. Installing them failed. ${/** @type {Error} */ (error).message}\n     Fix the problem, or run: apt-get update && ${command}`;
  }
}

function isDebian() {
  if (!existsSync('/etc/os-release') || !findCommand('apt-get')) return false;
  return /^(ID|ID_LIKE)=.*\b(debian|ubuntu)\b/m.test(readFileSync('/etc/os-release', 'utf8'));
}

/**
 * @param {string[]} packages
 * @param {(detail: string) => void} update
 */
async function install(packages, update) {
  // Completes an earlier installation that was killed, because apt-get would otherwise refuse to run.
  await run('dpkg', ['--configure', '-a'], { timeoutMs: 10 * 60_000, log: 'dpkg', env: unattended });
  const refresh = () => apt(['update'], () => update('reading package lists'));
  let fresh = false;
  if (!hasPackageLists()) {
    await refresh();
    fresh = true;
  }
  const installAll = () =>
    withoutServices(packages, () =>
      apt(['install', '--no-install-recommends', ...packages], (line) => {
        const action = /^(Unpacking|Setting up) [^ ]+/.exec(line);
        if (action) update(action[0]);
        else if (line.startsWith('Get:')) update('downloading');
      }),
    );
  try {
    await installAll();
  } catch (error) {
    // Outdated package lists may name files that the mirror no longer has.
    if (fresh) throw error;
    await refresh();
    await installAll();
  }
}

/**
 * @param {string[]} args
 * @param {(line: string) => void} onLine
 */
async function apt(args, onLine) {
  await run('apt-get', ['-y', '-o', 'DPkg::Lock::Timeout=300', ...args], {
    timeoutMs: 20 * 60_000,
    log: `apt-${args[0]}`,
    env: unattended,
    onLine,
  });
}

/** The services in the packages that contain one. @type {Record<string, string>} */
const services = {
  'redis-server': 'redis-server',
  coturn: 'coturn',
  ejabberd: 'ejabberd',
  janus: 'janus',
  kannel: 'kannel',
  prometheus: 'prometheus',
  pgbouncer: 'pgbouncer',
  caddy: 'caddy',
  haproxy: 'haproxy',
  'nginx-light': 'nginx',
};

/**
 * Installs packages without starting their services. Debian starts a service when its package is installed and at each boot, but tests
 * start their own servers.
 * @param {string[]} packages
 * @param {() => Promise<void>} work
 */
async function withoutServices(packages, work) {
  // An existing policy belongs to the administrator, unless it was left by an earlier set-up that was killed.
  const ours = !existsSync(policyFile) || readFileSync(policyFile, 'utf8') === policy;
  if (ours) writeFileSync(policyFile, policy, { mode: 0o755 });
  try {
    await work();
    const installed = packages.flatMap((name) => services[name] ?? []);
    for (const service of findCommand('systemctl') ? installed : []) {
      // A failure is harmless: the service would only start at the next boot, and would listen on loopback.
      await run('systemctl', ['disable', service], { timeoutMs: 60_000 }).catch(() => {});
    }
  } finally {
    if (ours) rmSync(policyFile, { force: true });
  }
}

function hasPackageLists() {
  const folder = '/var/lib/apt/lists';
  return existsSync(folder) && readdirSync(folder).some((name) => name.includes('_Packages'));
}
