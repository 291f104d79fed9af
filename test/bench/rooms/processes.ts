import { readdirSync, readFileSync } from 'node:fs';

export interface ServerPids {
  node: number;
  workers: number[];
  /** Whatever else it has started: PostgreSQL. */
  others: number[];
}

/** The processes of a server, by what they are. */
export function processesOf(node: number): ServerPids {
  const parents = new Map<number, { name: string; parent: number }>();
  for (const entry of readdirSync('/proc')) {
    const known = /^\d+$/.test(entry) && parentOf(Number(entry));
    if (known) parents.set(Number(entry), known);
  }
  const isBelow = (pid: number): boolean => {
    const parent = parents.get(pid)?.parent;
    return parent === node || (parent !== undefined && parent > 1 && isBelow(parent));
  };
  const below = [...parents.keys()].filter(isBelow);
  const isWorker = (pid: number) => parents.get(pid)?.name.startsWith('mediasoup-worke') ?? false;
  return { node, workers: below.filter(isWorker), others: below.filter((pid) => !isWorker(pid)) };
}

function parentOf(pid: number): { name: string; parent: number } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const end = stat.lastIndexOf(')');
    return {
      name: stat.slice(stat.indexOf('(') + 1, end),
      parent: Number(stat.slice(end + 2).split(' ')[1]),
    };
  } catch {
    // It has ended meanwhile.
    return null;
  }
}
