/** The Web Locks, which all tabs of an origin share; undefined in a runtime without them, which has no tabs. */
export const tabLocks = (): LockManager | undefined =>
  (globalThis.navigator as Partial<Navigator> | undefined)?.locks;

/**
 * Runs a task in only one tab of this origin at a time. A page that gets no lock runs it at once: in a sandboxed frame, and where the user
 * blocks the data of pages, the browser refuses them, and tabs share nothing.
 */
export async function oneTabAtATime<T>(name: string, run: () => Promise<T>): Promise<T> {
  let running = null as Promise<T> | null;
  const begin = () => (running = run());
  await tabLocks()
    ?.request(name, begin)
    .catch(() => undefined);
  return running ?? run();
}
