/* Runs in Node before all other modules: records what a program does that needs a browser, or that lasts longer than a rendering. */

/** What was read, called or constructed. */
export const used: string[] = [];

// Storage of a browser, which newer versions of Node have too.
for (const name of ['localStorage', 'sessionStorage', 'indexedDB'])
  Object.defineProperty(globalThis, name, { configurable: true, get: () => void used.push(name) });

for (const name of ['fetch', 'WebSocket', 'setTimeout', 'setInterval']) {
  const original = Reflect.get(globalThis, name) as ((...given: unknown[]) => unknown) | undefined;
  if (!original) continue;
  const proxy = new Proxy(original, {
    apply: (target, self, given) => {
      used.push(name);
      return Reflect.apply(target, self, given);
    },
    construct: (target, given) => {
      used.push(name);
      return Reflect.construct(target, given) as object;
    },
  });
  Reflect.set(globalThis, name, proxy);
}
