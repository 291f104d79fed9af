import { useEffect, useState } from 'react';

/** Returns the value, updated at most once per interval. The latest value is never lost, only delayed. */
export function useThrottled<Value>(value: Value, everyMs: number): Value {
  const [steady, setSteady] = useState({ value, since: 0 });
  useEffect(() => {
    if (Object.is(value, steady.value)) return;
    const waitMs = Math.max(0, steady.since + everyMs - performance.now());
    const timer = setTimeout(() => setSteady({ value, since: performance.now() }), waitMs);
    return () => clearTimeout(timer);
  }, [value, steady, everyMs]);
  return steady.value;
}
