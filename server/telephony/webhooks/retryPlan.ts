/** The largest random delay of an attempt, as a share, so that deliveries that failed together are not repeated together. */
const jitter = 0.1;

/**
 * The time of the next attempt.
 * @param attempts the number of failed attempts
 * @returns null after the last attempt
 */
export function nextAttempt(planSeconds: number[], attempts: number, now: Date): Date | null {
  const seconds = planSeconds[attempts - 1];
  if (seconds === undefined) return null;
  return new Date(now.getTime() + seconds * 1_000 * (1 + Math.random() * jitter));
}
