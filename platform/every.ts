interface Task {
  periodMs: number;
  run: () => void;
  /** By performance.now(); a multiple of the period. */
  nextAt: number;
}

/** A timer may be early by a fraction of a millisecond. */
const earlyMs = 1;

const tasks = new Set<Task>();
let timer: NodeJS.Timeout | null = null;
let wakesAt = Infinity;

/**
 * Runs a task periodically, at times that are multiples of its period. Tasks with related periods therefore run together, and wake up an
 * idle process once instead of once each: waking up takes longer than most of them. It does not keep the process alive.
 * @param periodMs the time between two runs in milliseconds. The first run comes after half of it to one and a half times it.
 * @returns a function that ends the runs
 */
export function every(periodMs: number, run: () => void): () => void {
  const task = { periodMs, run, nextAt: nextMultiple(periodMs, performance.now() + periodMs / 2) };
  tasks.add(task);
  if (task.nextAt < wakesAt) schedule();
  return () => {
    tasks.delete(task);
    if (tasks.size === 0) schedule();
  };
}

const nextMultiple = (periodMs: number, after: number) => (Math.floor(after / periodMs) + 1) * periodMs;

function schedule(): void {
  if (timer) clearTimeout(timer);
  timer = null;
  wakesAt = Infinity;
  for (const { nextAt } of tasks) wakesAt = Math.min(wakesAt, nextAt);
  if (tasks.size > 0) timer = setTimeout(runDue, Math.ceil(wakesAt - performance.now())).unref();
}

function runDue(): void {
  const now = performance.now() + earlyMs;
  try {
    for (const task of tasks) {
      if (task.nextAt > now) continue;
      task.nextAt = nextMultiple(task.periodMs, now);
      task.run();
    }
  } finally {
    schedule();
  }
}
