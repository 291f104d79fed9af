import { readFile } from 'node:fs/promises';
import { freemem } from 'node:os';

/** What the doctor measures on this machine. Null where the system does not tell. */
export interface Machine {
  /** The largest socket buffers that a program may ask for, in bytes. */
  rmemMax: number | null;
  wmemMax: number | null;
  /** The most connections that may wait to be accepted. */
  somaxconn: number | null;
  /** The limit of file descriptors of the server, or of this process if it is stopped. */
  descriptors: number | null;
  freeMemoryMegabytes: number;
}

/** @param pid the server's process, or `self` */
export async function measureMachine(pid: number | 'self'): Promise<Machine> {
  const [rmemMax, wmemMax, somaxconn] = await Promise.all(
    ['rmem_max', 'wmem_max', 'somaxconn'].map((name) => readNumber(`/proc/sys/net/core/${name}`, /(\d+)/)),
  );
  const available = await readNumber('/proc/meminfo', /^MemAvailable: +(\d+)/m);
  return {
    rmemMax: rmemMax ?? null,
    wmemMax: wmemMax ?? null,
    somaxconn: somaxconn ?? null,
    descriptors: await readNumber(`/proc/${pid}/limits`, /^Max open files +(\d+)/m),
    freeMemoryMegabytes: Math.floor(available === null ? freemem() / 2 ** 20 : available / 1024),
  };
}

async function readNumber(file: string, pattern: RegExp): Promise<number | null> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const found = pattern.exec(text)?.[1];
  return found === undefined ? null : Number(found);
}
