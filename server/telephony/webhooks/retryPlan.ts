/**
 * The maximum random delay of an attempt, as a share of its planned delay. It keeps deliveries that failed together from being repeated
 * together.
 */
const jitter = 0.1;

/**
 * The time of the next attempt; null after the last one.
 * @param attempts the number of failed attempts
 */
export function nextAttempt(planSeconds: number[], attempts: number, now: Date): Date | null {
  const seconds = planSeconds[attempts - 1];
  if (seconds === undefined) return null;
  return new Date(now.getTime() + seconds * 1_000 * (1 + Math.random() * jitter));
}
