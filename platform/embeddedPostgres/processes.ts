import { execFile } from 'node:child_process';
import { readdir, readFile, readlink, realpath } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const hasProc = process.platform === 'linux';

/**
 * Identifies a process by the machine's boot id and the process's start time, since a later process may have the same process id. Without
 * /proc all living processes have the same identity.
 * @returns undefined when no such process lives. A zombie does not count as living.
 */
export async function processIdentity(pid: number): Promise<string | undefined> {
  if (!hasProc) return isAlive(pid) ? 'alive' : undefined;
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in parentheses, which may itself contain parentheses and spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
    return `${boot} ${fields[19]}`;
  } catch {
    return undefined;
  }
}

/** The process id in the cluster's postmaster.pid, if that process is this cluster's server. */
export async function livePostmaster(clusterDir: string): Promise<number | undefined> {
  const text = await readFile(`${clusterDir}/postmaster.pid`, 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  return pid > 0 && (await isServerProcess(pid, clusterDir)) ? pid : undefined;
}

/** All processes of this cluster, including children of the server, which may outlive it. Without /proc only the server is found. */
export async function serverProcesses(clusterDir: string): Promise<number[]> {
  if (!hasProc) {
    const pid = await livePostmaster(clusterDir);
    return pid === undefined ? [] : [pid];
  }
  const found: number[] = [];
  for (const entry of await readdir('/proc')) {
    const pid = Number(entry);
    if (Number.isInteger(pid) && (await isServerProcess(pid, clusterDir))) found.push(pid);
  }
  return found;
}

/** The working directory of each PostgreSQL process is the folder of its cluster. */
async function isServerProcess(pid: number, clusterDir: string): Promise<boolean> {
  try {
    if (!hasProc) {
      const { stdout } = await run('ps', ['-o', 'comm=', '-p', String(pid)]);
      return /(^|\/)postgres\b/.test(stdout.trim());
    }
    const name = await readFile(`/proc/${pid}/comm`, 'utf8');
    return (
      name.trim() === 'postgres' && (await readlink(`/proc/${pid}/cwd`)) === (await realpath(clusterDir))
    );
  } catch {
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
