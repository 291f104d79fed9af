import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const everything = '{server,signaling,media,sdk,test,scripts}/**/*.test.{ts,tsx}';
const never = ['**/node_modules/**', '**/dist/**', 'test/full/**'];
/**
 * One at a time: those that wait for Chromium to send its largest pictures, which it does only where a processor is free for them, and
 * the one that adds a network to this machine, whereupon every browser on it loads anew what it is loading.
 */
const alone = ['bandwidth', 'roomOfEight', 'roomSizes', 'whip'].map((name) => `test/browser/${name}.test.ts`);

export default defineConfig({
  // As in the console's build: from source, which needs no building first.
  resolve: { alias: { '@parley/sdk': fileURLToPath(new URL('sdk/src/index.ts', import.meta.url)) } },
  test: {
    projects: [
      { extends: true, test: { name: 'alone', include: alone, maxWorkers: 1, sequence: { groupOrder: 1 } } },
      {
        extends: true,
        test: {
          name: 'all',
          include: [everything],
          exclude: [...never, ...alone],
          sequence: { groupOrder: 2 },
        },
      },
    ],
    // Every suite starts real parts, and waits for them much of its time: three at a time are what two cores carry.
    maxWorkers: 3,
    // What a quiet machine does in a second, a busy one does in ten: limits end what hangs, and are no measurement.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    globalSetup: 'test/harness/prepareRun.ts',
    expect: { poll: { timeout: 45_000 } },
  },
});
