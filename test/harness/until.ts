/**
 * Asks until the answer is truthy. For what emits no event: a process that ends, a counter in a browser.
 * @param limitMs of pauses between asking, not of the clock: a machine that stood still for a while has not waited
 * @param pauseMs less where what follows has to be soon
 */
export async function until<T>(
  ask: () => T | Promise<T>,
  what: string,
  limitMs = 45_000,
  pauseMs = 50,
): Promise<NonNullable<T>> {
  for (let waitedMs = 0; ; waitedMs += pauseMs) {
    const answer = await ask();
    if (answer) return answer;
    if (waitedMs > limitMs) throw new Error(`${what}: not within ${limitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Until a count stays as it is: over several looks, since a machine that stood still counts nothing either. */
export async function untilStill(count: () => Promise<number>, what: string): Promise<void> {
  let [last, unchanged] = [NaN, 0];
  await until(async () => {
    const now = await count();
    unchanged = now === last ? unchanged + 1 : 0;
    last = now;
    if (unchanged < 3) await new Promise((resolve) => setTimeout(resolve, 350));
    return unchanged >= 3;
  }, what);
}
