import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A file that Node.js writes with --cpu-prof. */
interface CpuProfile {
  nodes: {
    id: number;
    callFrame: { functionName: string; url: string; lineNumber: number };
    children?: number[];
  }[];
  samples: number[];
  /** Microseconds. */
  timeDeltas: number[];
}

const shown = 25;
/**
 * A sample after an idle time comes with all of that time, although the process was busy only in its end. So no sample counts for more
 * than the interval between two samples.
 */
const intervalMs = 1;

/** Describes the profiles in a folder: the functions that took most time, by themselves and with what they call. */
export async function summarize(folder: string): Promise<string> {
  const names = await readdir(folder);
  const parts: string[] = [];
  for (const name of names.filter((each) => each.endsWith('.cpuprofile')).sort()) {
    const profile = JSON.parse(await readFile(join(folder, name), 'utf8')) as CpuProfile;
    parts.push(`${name}\n${describe(profile)}`);
  }
  for (const name of names.filter((each) => each.startsWith('statements.'))) {
    const lines = (await readFile(join(folder, name), 'utf8')).split('\n').slice(0, shown + 1);
    parts.push(`${name}\n${lines.map((line) => line.slice(0, 160)).join('\n')}`);
  }
  return parts.join('\n\n');
}

function describe({ nodes, samples, timeDeltas }: CpuProfile): string {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const [self, total] = [new Map<string, number>(), new Map<string, number>()];
  const lifeMs = timeDeltas.reduce((sum, us) => sum + us, 0) / 1_000;
  let [busyMs, sinceMs] = [0, 0];
  for (const [index, sample] of samples.entries()) {
    const passedMs = (timeDeltas[index] ?? 0) / 1_000;
    sinceMs += passedMs;
    const own = nameOf(byId.get(sample));
    // The first half is the start of the server and the preparation of the load.
    if (own === '(idle)' || sinceMs < lifeMs / 2) continue;
    const ms = Math.min(passedMs, intervalMs);
    busyMs += ms;
    self.set(own, (self.get(own) ?? 0) + ms);
    const callers = new Set<string>();
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id))
      callers.add(nameOf(byId.get(id)));
    for (const caller of callers) total.set(caller, (total.get(caller) ?? 0) + ms);
  }
  const perSecond = (ms: number) => ((2_000 * ms) / lifeMs).toFixed(2);
  const list = (times: Map<string, number>) =>
    [...times]
      .filter(([name]) => name !== '(root)')
      .sort(([, one], [, other]) => other - one)
      .slice(0, shown)
      .map(([name, ms]) => `${perSecond(ms).padStart(8)} ms/s ${name}`)
      .join('\n');
  return `second half of ${(lifeMs / 1_000).toFixed(0)} s: busy for ${perSecond(busyMs)} ms/s\nby themselves\n${list(self)}\nwith what they call\n${list(total)}`;
}

function nameOf(node: CpuProfile['nodes'][number] | undefined): string {
  if (!node) return '(unknown)';
  const { functionName, url, lineNumber } = node.callFrame;
  const file = url.split('/').slice(-3).join('/');
  return `${functionName || '(anonymous)'}${file && ` ${file}:${lineNumber + 1}`}`;
}
