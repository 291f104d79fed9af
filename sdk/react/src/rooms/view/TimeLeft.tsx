import { clock } from '../../core/format.ts';
import { useNow } from '../../core/useNow.ts';

/** The time until a moment, which counts down. */
export function TimeLeft({ until }: { until: Date }) {
  const now = useNow(1_000);
  return (
    <time dateTime={until.toISOString()} data-testid="time-left">
      {clock((until.getTime() - now.getTime()) / 1_000)}
    </time>
  );
}
