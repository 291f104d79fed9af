import { afterEach, expect, test, vi } from 'vitest';
import { installMissing } from './installMissing.mjs';
import { createProgress } from '../../platform/system/progress.mjs';

afterEach(() => vi.unstubAllEnvs());

test('in production nothing is installed: what is missing is named, with the command', async () => {
  vi.stubEnv('NODE_ENV', 'production');
  const progress = createProgress({ write: () => expect.unreachable() });
  expect(await installMissing([], progress)).toBeUndefined();
  expect(await installMissing(['chromium', 'ffmpeg'], progress)).toMatch(/missing: chromium ffmpeg/);
});
