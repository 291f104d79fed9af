import { expect, it, onTestFinished, vi } from 'vitest';
import { subscribe } from './webPush.ts';

it('says with a code that the service worker cannot be installed', async () => {
  // As Chromium does on a page of another origin, which has no /sdk/parley-push.js.
  const cause = new TypeError('A bad HTTP response code (404) was received when fetching the script.');
  vi.stubGlobal('navigator', { serviceWorker: { register: () => Promise.reject(cause) } });
  vi.stubGlobal('PushManager', class {});
  vi.stubGlobal('Notification', { permission: 'granted' });
  onTestFinished(() => void vi.unstubAllGlobals());
  await expect(subscribe('AA')).rejects.toMatchObject({ code: 'NOT_FOUND', cause });
});
