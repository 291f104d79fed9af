const pauseMs = 50;
const tickMs = 20;
/** The maximum time counted between two ticks. A longer one means that the machine stalled. */
const longestTickMs = 200;

/**
 * Measures the time from the call of `begin` until `ask` resolves to a truthy value, to check documented limits. Time during which
 * the machine stalled does not count.
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
