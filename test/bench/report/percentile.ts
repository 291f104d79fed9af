/**
 * A percentile by the nearest-rank method: the smallest sample that is at least as large as the given share of the samples.
 * @param share the share, from 0 to 1
 * @returns NaN without samples
 */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}

/** The middle sample, or the mean of the two in the middle. @returns NaN without samples */
export function median(samples: readonly number[]): number {
  const sorted = [...samples].sort((one, other) => one - other);
  const half = sorted.length / 2;
  const [low = NaN, high = NaN] = [sorted[Math.ceil(half) - 1], sorted[Math.floor(half)]];
  return (low + high) / 2;
}
