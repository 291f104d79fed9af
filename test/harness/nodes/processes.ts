import { readdirSync, readFileSync } from 'node:fs';

/** Whether a process runs. A zombie does not. */
export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** The command lines of a process's descendants. */
export function childrenOf(pid: number): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const parent = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1]);
        return parent === pid
          ? [readFileSync(`/proc/${name}/cmdline`, 'utf8'), ...childrenOf(Number(name))]
          : [];
      } catch {
        return [];
      }
    });
}

/** Processes with this folder among their arguments. */
export const stillRunning = (dataDir: string) =>
  readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(dataDir);
    } catch {
      return false;
    }
  });
