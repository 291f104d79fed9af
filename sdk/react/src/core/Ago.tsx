import { ago, atMoment } from './format.ts';
import { useNow } from './useNow.ts';
import { useIsBrowser } from './useSupport.ts';

/** The time since a moment, with the exact time as a tooltip. */
export function Ago({ at }: { at: Date }) {
  const now = useNow(15_000);
  const isBrowser = useIsBrowser();
  return (
    <time dateTime={at.toISOString()} title={isBrowser ? atMoment(at) : undefined}>
      {isBrowser && ago(at, now)}
    </time>
  );
}
