import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessCpu {
  pid: number;
  kind: 'node' | 'workers' | 'postgres';
  /** The process's CPU time since its start, in milliseconds. */
  ms: number;
}

type Kind = ProcessCpu['kind'];

/** The resident memory of a server's processes, in kB. */
export function memoryByKind(server: number): Record<Kind, number> {
  const memory: Record<Kind, number> = { node: 0, workers: 0, postgres: 0 };
  for (const { pid, kind } of cpuByProcess(server)) {
    const status = read(() => readFileSync(`/proc/${pid}/status`, 'utf8')) ?? '';
    memory[kind] += Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0);
  }
  return memory;
}

/** The CPU time that each of a server's processes has used so far: the server itself, its media workers and its PostgreSQL. */
export function cpuByProcess(server: number): ProcessCpu[] {
  const running = runningProcesses();
  const isBelow = (pid: number): boolean => {
    const parent = running.get(pid)?.parent ?? 0;
    return parent === server || (parent > 1 && isBelow(parent));
  };
  return [...running].flatMap(([pid, { name }]) => {
    const kind = pid === server ? 'node' : name.startsWith('mediasoup-worke') ? 'workers' : 'postgres';
    return pid === server || isBelow(pid) ? (read(() => ({ pid, kind, ms: cpuMsOf(pid) })) ?? []) : [];
  });
}

/** The CPU time of all threads, in milliseconds. The scheduler counts nanoseconds, where the process's own figure counts hundredths of a second. */
const cpuMsOf = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
    const [nanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
    return sum + Number(nanoseconds) / 1_000_000;
  }, 0);

function runningProcesses(): Map<number, { name: string; parent: number }> {
  const running = new Map<number, { name: string; parent: number }>();
  for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const stat = read(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
    if (!stat) continue;
    const end = stat.lastIndexOf(')');
    const parent = Number(stat.slice(end + 2).split(' ')[1]);
    running.set(Number(pid), { name: stat.slice(stat.indexOf('(') + 1, end), parent });
  }
  return running;
}

/** Reads from /proc. Returns null if the process has ended in the meantime. */
function read<T>(run: () => T): T | null {
  try {
    return run();
  } catch {
    return null;
  }
}
