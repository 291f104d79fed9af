/**
 * Runs a task at most once at a time per key. If the task is asked for while it runs, it runs once more afterwards, however often it was
 * asked for.
 * @param run the task. It must not fail.
 * @returns a function that asks for the task
 */
export function oneAtATime<Key>(run: (key: Key) => Promise<void>): (key: Key) => void {
  /** The keys whose task runs, and whether it was asked for meanwhile. */
  const running = new Map<Key, boolean>();
  const begin = async (key: Key): Promise<void> => {
    do {
      running.set(key, false);
      await run(key);
    } while (running.get(key));
    running.delete(key);
  };
  return (key) => {
    if (running.has(key)) running.set(key, true);
    else void begin(key);
  };
}
