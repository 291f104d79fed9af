import { useEffect, useState } from 'react';

/** The value, updated at most once per interval. The latest value always arrives in the end. */
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
