import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // As in the console's build: from source, which needs no building first.
  resolve: { alias: { '@parley/sdk': fileURLToPath(new URL('sdk/src/index.ts', import.meta.url)) } },
  test: {
    include: ['{server,signaling,media,sdk,test,scripts}/**/*.test.{ts,tsx}'],
    exclude: ['**/node_modules/**', '**/dist/**', 'test/full/**'],
    // Every suite starts real parts; two at a time is what two cores carry.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // As long as a page of the browser tests waits for anything.
    expect: { poll: { timeout: 15_000 } },
  },
});
