import { readFileSync } from 'node:fs';

/** The CPU time in milliseconds (user and system, all threads) that running processes have used so far. */
export const cpuTimeOf = (pids: number[]): number =>
  pids.reduce((sum, pid) => sum + ticksOf(pid), 0) * millisecondsPerTick;

/** The CPU time of each process. Processes that have ended are left out, because a database may end its processes at any time. */
export function cpuTimesOf(pids: number[]): Map<number, number> {
  const times = new Map<number, number>();
  for (const pid of pids) {
    try {
      times.set(pid, cpuTimeOf([pid]));
    } catch (error) {
      if (!hasEnded(error)) throw error;
    }
  }
  return times;
}

/** Whether reading failed because the process has ended: with ENOENT, or with ESRCH if it ended during the read. */
const hasEnded = (error: unknown) =>
  ['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '');

/** Linux reports CPU time in hundredths of a second on every machine. */
const millisecondsPerTick = 10;

function ticksOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the program's name in parentheses, which may contain spaces.
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return Number(user) + Number(system);
}
