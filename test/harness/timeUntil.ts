const pauseMs = 50;
const tickMs = 20;
/** What takes longer between two ticks is a machine that stood still: no more than this is counted of it. */
const longestTickMs = 200;

/**
 * How long it takes from when `begin` is called until the answer is truthy. For figures that are promised: it ends when the limit is
 * over, and forgives a machine that stood still.
 */
export async function timeUntil(
  begin: () => void,
  ask: () => Promise<unknown>,
  what: string,
  limitMs: number,
): Promise<number> {
  let [elapsedMs, last] = [0, performance.now()];
  const count = () => {
    const now = performance.now();
    elapsedMs += Math.min(now - last, longestTickMs);
    last = now;
  };
  const clock = setInterval(count, tickMs);
  try {
    begin();
    while (!(await ask())) {
      if (elapsedMs > limitMs) throw new Error(`${what}: not within ${limitMs} ms`);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    count();
    return Math.round(elapsedMs);
  } finally {
    clearInterval(clock);
  }
}
