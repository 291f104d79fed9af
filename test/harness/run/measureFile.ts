import { readdirSync, readFileSync } from 'node:fs';
import { afterAll } from 'vitest';

/*
 * Measures the CPU time of a test file, including all processes it starts. The system adds the time of a process to its parent only when
 * the parent waits for it, which browsers do not do for their pages. So this samples all processes, and adds the time of child processes
 * that started and ended between two samples.
 */

declare module 'vitest' {
  interface TaskMeta {
    /** Present on Linux when `npm test -- --durations` asks for it. */
    cpuSeconds?: number;
  }
}

interface Usage {
  pid: number;
  parent: number;
  startedAt: string;
  /** Seconds of the process itself. */
  own: number;
  /** Seconds of the child processes it has waited for, including their descendants. */
  waitedFor: number;
  hasEnded: boolean;
}

/** What this process has measured for earlier test files, because files share processes. */
interface Measured {
  /** This process and all its descendants, each as in the last sample that contained it. */
  seen: Map<string, Usage>;
  /** The seconds counted for earlier files. */
  counted: number;
}

const everyMs = 1_000;
const measured = ((globalThis as { parleyMeasured?: Measured }).parleyMeasured ??= {
  seen: new Map<string, Usage>(),
  counted: 0,
});
const { seen } = measured;

const timer = setInterval(sample, everyMs);
timer.unref();

// Registered before the hooks of the file, so it runs after them, when servers and browsers have ended.
// oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures a hook uses
afterAll(({}, file) => {
  clearInterval(timer);
  sample();
  const self = [...seen.values()].find(({ pid }) => pid === process.pid);
  if (!self) return;
  const total = totalOf(self);
  file.meta.cpuSeconds = total - measured.counted;
  measured.counted = total;
});

function sample(): void {
  const running = new Map<number, Usage>();
  for (const name of readdirSync('/proc')) {
    const usage = /^\d+$/.test(name) && usageOf(Number(name));
    if (usage) running.set(usage.pid, usage);
  }
  const isOwn = (usage: Usage | undefined): boolean =>
    usage !== undefined &&
    (usage.pid === process.pid || seen.has(keyOf(usage)) || isOwn(running.get(usage.parent)));
  for (const usage of seen.values()) usage.hasEnded = true;
  for (const usage of [...running.values()].filter(isOwn)) {
    // The system gives a process a new parent when its parent ends, so keep the first one seen.
    const parent = seen.get(keyOf(usage))?.parent ?? usage.parent;
    seen.set(keyOf(usage), { ...usage, parent });
  }
}

function totalOf(usage: Usage): number {
  let children = 0;
  let endedSeconds = 0;
  for (const child of seen.values()) {
    if (child.parent !== usage.pid) continue;
    const total = totalOf(child);
    children += total;
    if (child.hasEnded) endedSeconds += total;
  }
  return usage.own + children + Math.max(0, usage.waitedFor - endedSeconds);
}

const keyOf = ({ pid, startedAt }: Usage) => `${pid} ${startedAt}`;

/** Reads /proc/<pid>/stat, whose times are in hundredths of a second. */
function usageOf(pid: number): Usage | null {
  try {
    // The name, in parentheses, may contain spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    const seconds = (first: number) => (Number(fields[first]) + Number(fields[first + 1])) / 100;
    return {
      pid,
      parent: Number(fields[1]),
      startedAt: fields[19] ?? '',
      own: seconds(11),
      waitedFor: seconds(13),
      hasEnded: false,
    };
  } catch {
    return null;
  }
}
