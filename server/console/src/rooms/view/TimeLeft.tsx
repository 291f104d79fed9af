import { clock, useNow } from '@parley/react';

/** The time until a moment, which counts down. */
export function TimeLeft({ until }: { until: Date }) {
  const now = useNow(1_000);
  return (
    <time dateTime={until.toISOString()} data-testid="time-left">
      {clock(Math.max(0, (until.getTime() - now.getTime()) / 1_000))}
    </time>
  );
}
