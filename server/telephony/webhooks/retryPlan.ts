/** How much later than planned an attempt may come, so that what failed together does not come back together. */
const jitter = 0.1;

/**
 * When to try again.
 * @param attempts those that failed
 * @returns null: not any more
 */
export function nextAttempt(planSeconds: number[], attempts: number, now: Date): Date | null {
  const seconds = planSeconds[attempts - 1];
  if (seconds === undefined) return null;
  return new Date(now.getTime() + seconds * 1_000 * (1 + Math.random() * jitter));
}
