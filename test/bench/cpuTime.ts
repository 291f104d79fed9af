import { readFileSync } from 'node:fs';

/** Milliseconds of processor time (user and system, all threads) that running processes have used so far. */
export const cpuTimeOf = (pids: number[]): number =>
  pids.reduce((sum, pid) => sum + ticksOf(pid), 0) * millisecondsPerTick;

/** The same for each process by itself. One that has ended is left out: a database ends its own processes whenever it likes. */
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

/** Reading a process that ends meanwhile fails with ESRCH, one that has ended with ENOENT. */
const hasEnded = (error: unknown) =>
  ['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '');

/** Linux counts these in hundredths of a second on every machine, whatever its clock does. */
const millisecondsPerTick = 10;

function ticksOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the program's name in brackets, and may hold spaces.
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return Number(user) + Number(system);
}
