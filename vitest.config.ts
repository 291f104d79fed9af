import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { filesAtATime } from './test/harness/ports.ts';

/** They start programs and change what a process has one of. */
const ofTheSystem = ['platform/embeddedPostgres/**/*.test.ts', 'platform/system/**/*.test.ts'];
const inBrowsers = 'test/browser/**/*.test.ts';
const never = ['**/node_modules/**', '**/dist/**', 'test/full/**'];
/**
 * One at a time: those that wait for Chromium to send its largest pictures, which it does only where a processor is free for them, and
 * those that add a network to this machine, whereupon every browser on it loads anew what it is loading.
 */
const namesAlone = ['bandwidth', 'network', 'roomOfEight', 'roomSizes', 'strangers', 'whip'];
const alone = namesAlone.map((name) => `test/browser/${name}.test.ts`);

/** Files that run together, this many at a time, once those before them are done. */
const together = (
  name: string,
  groupOrder: number,
  maxWorkers: number,
  include: string[],
  exclude: string[],
) => ({
  extends: true as const,
  test: { name, include, exclude: [...never, ...exclude], maxWorkers, sequence: { groupOrder } },
});

/** Small tests beside the code: they share processes, so that what they import is loaded once. */
const units = together(
  'units',
  3,
  filesAtATime,
  ['{server,signaling,sdk,platform}/**/*.test.{ts,tsx}'],
  ofTheSystem,
);

export default defineConfig({
  // As in the console's build: from source, which needs no building first.
  resolve: { alias: { '@parley/sdk': fileURLToPath(new URL('sdk/src/index.ts', import.meta.url)) } },
  test: {
    // Browsers compute all the time; all others start real parts, and wait for them much of it. This many are what two cores carry.
    projects: [
      together('alone', 1, 1, alone, []),
      together('browsers', 2, 3, [inBrowsers], alone),
      together(
        'others',
        3,
        filesAtATime,
        ['{media,scripts,test}/**/*.test.ts', ...ofTheSystem],
        [inBrowsers],
      ),
      { ...units, test: { ...units.test, isolate: false } },
    ],
    // What a quiet machine does in a second, a busy one does in ten: limits end what hangs, and are no measurement.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    globalSetup: 'test/harness/prepareRun.ts',
    setupFiles: process.env.PARLEY_TEST_CPU ? ['test/harness/measureFile.ts'] : [],
    expect: { poll: { timeout: 45_000 } },
  },
});
