import { ago, atMoment } from './format.ts';
import { useNow } from './useNow.ts';

/** The time since a moment, with the exact time as a tooltip. */
export function Ago({ at }: { at: Date }) {
  const now = useNow(15_000);
  return (
    <time dateTime={at.toISOString()} title={atMoment(at)}>
      {ago(at, now)}
    </time>
  );
}
