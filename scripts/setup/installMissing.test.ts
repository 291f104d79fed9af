import { afterEach, expect, test, vi } from 'vitest';
import { installMissing } from './installMissing.mjs';
import { createProgress } from '../../platform/system/progress.mjs';

afterEach(() => vi.unstubAllEnvs());

test('installs nothing in production, but names the missing packages', async () => {
  vi.stubEnv('NODE_ENV', 'production');
  const progress = createProgress({ write: () => expect.unreachable() });
  expect(await installMissing([], progress)).toBeUndefined();
  expect(await installMissing(['chromium', 'ffmpeg'], progress)).toMatch(/missing: chromium ffmpeg/);
});
