/**
 * A percentile by the nearest-rank method: the smallest sample that is at least as large as the given share of the samples.
 * @param share the share, from 0 to 1
 */
export function percentile(samples: number[], share: number): number {
  const sorted = [...samples].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}

interface Compared {
  what: string;
  /** Times in milliseconds. */
  ours: number[];
  bare: number[];
  /** The maximum ratio of the median of `ours` to that of `bare`. */
  goal: number;
}

/**
 * Prints both results and their ratio.
 * @returns whether the ratio of the medians meets the goal
 */
export function report({ what, ours, bare, goal }: Compared): boolean {
  const line = (samples: number[]) =>
    `p50 ${percentile(samples, 0.5).toFixed(1).padStart(8)} ms   p95 ${percentile(samples, 0.95).toFixed(1).padStart(8)} ms   n ${samples.length}`;
  const ratio = percentile(ours, 0.5) / percentile(bare, 0.5);
  const ratio95 = percentile(ours, 0.95) / percentile(bare, 0.95);
  const met = ratio <= goal;
  console.log(`\n${what}`);
  console.log(`  parley  ${line(ours)}`);
  console.log(`  bare    ${line(bare)}`);
  console.log(
    `  ratio   p50 ${ratio.toFixed(2)}, p95 ${ratio95.toFixed(2)} (goal: at most ${goal}) ${met ? 'met' : 'NOT MET'}`,
  );
  return met;
}
