/** Asks until the answer is truthy. For what emits no event: a process that ends, a counter in a browser. */
export async function until<T>(
  ask: () => T | Promise<T>,
  what: string,
  limitMs = 45_000,
): Promise<NonNullable<T>> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > deadline) throw new Error(`${what}: not within ${limitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
