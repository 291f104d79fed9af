/** The Web Locks, which all tabs of an origin share; undefined in a runtime without them, which has no tabs. */
export const tabLocks = (): LockManager | undefined =>
  (globalThis.navigator as Partial<Navigator> | undefined)?.locks;
