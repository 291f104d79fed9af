import { afterAll } from 'vitest';

/*
 * Test files share processes. Some give Node the WebRTC of a browser; in the next file the SDK would take the process for a browser.
 * Registered before the hooks of the file, so it runs after them.
 */

afterAll(() => {
  for (const name of Object.getOwnPropertyNames(globalThis))
    if (/^(RTC|MediaStream)/.test(name)) Reflect.deleteProperty(globalThis, name);
});
