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
 * Installs Debian packages where that is this program's to do: as root, on Debian or Ubuntu, outside production.
 * @param {string[]} packages
 * @param {import('../../platform/system/progress.mjs').Progress} progress
 * @returns {Promise<string | undefined>} what is missing and the command to run, where it could not be done
 */
export async function installMissing(packages, progress) {
  if (packages.length === 0) return undefined;
  const list = packages.join(' ');
  const command = `apt-get install -y --no-install-recommends ${list}`;
  if (!isDebian())
    return `missing: ${list} (the names of Debian's packages). Install what your system calls them.`;
  if (process.getuid?.() !== 0) return `missing: ${list}. Run: sudo apt-get update && sudo ${command}`;
  if (process.env.NODE_ENV === 'production') {
    return `missing: ${list}. In production nothing is installed by itself. Run: apt-get update && ${command}`;
  }
  try {
    progress.note(`Missing: ${list}`);
    await progress.step('Installing them with apt-get', (update) =>
      withLock('apt', () => install(packages, update)),
    );
    return undefined;
  } catch (error) {
    return `missing: ${list}. Installing them failed. ${/** @type {Error} */ (error).message}\n     Put that right, or run: apt-get update && ${command}`;
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
  // If an earlier installation was killed, apt-get refuses until this has been done; else it does nothing.
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
    // Old lists name files that the mirror no longer has.
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

/** Packages that bring a service of the same name. */
const services = ['redis-server', 'coturn', 'ejabberd'];

/**
 * Debian starts a service when its package is installed, and at each boot. Tests start their own servers; nobody asked for others.
 * @param {string[]} packages
 * @param {() => Promise<void>} work
 */
async function withoutServices(packages, work) {
  // One that is there already is the administrator's, unless an earlier set-up was killed before it took its own away.
  const ours = !existsSync(policyFile) || readFileSync(policyFile, 'utf8') === policy;
  if (ours) writeFileSync(policyFile, policy, { mode: 0o755 });
  try {
    await work();
    for (const service of services.filter((name) => packages.includes(name) && findCommand('systemctl'))) {
      // If that fails, a server on loopback at the next boot is no reason to stop here.
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
