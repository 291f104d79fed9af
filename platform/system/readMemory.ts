import { readFile } from 'node:fs/promises';

/** The resident memory of a process in bytes. @throws Error on systems without /proc, or when the process is gone */
export async function readMemory(pid: number): Promise<number> {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  if (kilobytes === undefined) throw new Error(`process ${pid} has no memory`);
  return Number(kilobytes) * 1_024;
}
