/** Runs a function at most once in the given time. Further calls in that time do nothing. */
export function atMostEvery<Args extends unknown[]>(ms: number, run: (...args: Args) => void) {
  let next = 0;
  return (...args: Args): void => {
    const now = performance.now();
    if (now < next) return;
    next = now + ms;
    run(...args);
  };
}
