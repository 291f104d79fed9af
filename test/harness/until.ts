/**
 * Polls until the answer is truthy, for conditions without an event: the end of a process, a counter in a browser.
 * @param limitMs the maximum sum of the pauses. Elapsed time is not used, so that time during which the machine stalls does not count.
 * @param pauseMs the pause between two polls
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

/**
 * Waits until a count stays the same over several polls. A single poll is not enough, because a count also stays the same while the
 * machine stalls.
 */
export async function untilUnchanged(count: () => Promise<number>, what: string): Promise<void> {
  let [last, unchanged] = [NaN, 0];
  await until(async () => {
    const now = await count();
    unchanged = now === last ? unchanged + 1 : 0;
    last = now;
    if (unchanged < 3) await new Promise((resolve) => setTimeout(resolve, 350));
    return unchanged >= 3;
  }, what);
}
