import { afterAll } from 'vitest';

/*
 * Test files share processes. Some define a browser's WebRTC globals in Node, which would make the SDK in the next file mistake the
 * process for a browser.
 * Registered before the hooks of the file, so it runs after them.
 */

afterAll(() => {
  for (const name of Object.getOwnPropertyNames(globalThis))
    if (/^(RTC|MediaStream)/.test(name)) Reflect.deleteProperty(globalThis, name);
});
