const pauseMs = 50;
const tickMs = 20;
/** A longer time between two ticks means that the machine stalled: only this much of it counts. */
const longestTickMs = 200;

/**
 * Measures the time from the call of `begin` until `ask` resolves to a truthy value, for documented limits. It does not count time in
 * which the machine stalled.
 * @returns milliseconds
 * @throws after `limitMs`
 */
export async function measureUntil(
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
