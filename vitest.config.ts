import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { filesAtATime } from './test/harness/nodes/ports.ts';

/** Tests that change state of the whole process, such as signal handlers. Each of these files gets a process of its own. */
const systemTests = ['platform/embeddedPostgres/**/*.test.ts', 'platform/system/**/*.test.ts'];
const browserTests = 'test/browser/**/*.test.ts';
const excluded = ['**/node_modules/**', '**/dist/**'];
/**
 * Tests that run one at a time: those that wait for Chromium to send its largest video layers, which it does only with a free CPU,
 * those that add a network to this machine, because every browser on it then restarts its requests, and that of WebKit, whose process hangs
 * at times when it plays video beside other browsers.
 */
const sequentialNames = [
  'bandwidth',
  'network',
  'roomOfEight',
  'roomSizes',
  'strangers',
  'switchedVideo',
  'webKit',
  'whip',
];
const sequentialTests = sequentialNames.map((name) => `test/browser/${name}.test.ts`);

/** A group of test files, of which `maxWorkers` run in parallel. Groups run in the order of their numbers (`groupOrder`). */
const group = (
  name: string,
  groupOrder: number,
  maxWorkers: number,
  include: string[],
  exclude: string[],
) => ({
  extends: true as const,
  test: { name, include, exclude: [...excluded, ...exclude], maxWorkers, sequence: { groupOrder } },
});

/** Each concurrent test of `strangers` starts eight players. Two cores are too slow for five such tests at a time: players lose packets. */
const sequential = group('sequential', 3, 1, sequentialTests, []);
const system = group('system', 1, filesAtATime, systemTests, []);

export default defineConfig({
  // Tests import the SDK's source, which needs no build, as the console's build does.
  resolve: {
    alias: {
      '@parley/sdk/effects': fileURLToPath(new URL('sdk/src/effects/index.ts', import.meta.url)),
      '@parley/sdk/player': fileURLToPath(new URL('sdk/src/player/index.ts', import.meta.url)),
      '@parley/sdk': fileURLToPath(new URL('sdk/src/index.ts', import.meta.url)),
      '@parley/react': fileURLToPath(new URL('sdk/react/src/index.ts', import.meta.url)),
    },
  },
  test: {
    // Browsers use the CPU all the time; the other tests mostly wait for the programs they start. Two cores can handle these numbers.
    projects: [
      group('others', 1, filesAtATime, ['**/*.test.{ts,tsx}'], [browserTests, ...systemTests]),
      { ...system, test: { ...system.test, isolate: true } },
      group('browsers', 2, 3, [browserTests], sequentialTests),
      // Last, because by then the checks (npm run check), which start together with the tests, have finished.
      { ...sequential, test: { ...sequential.test, maxConcurrency: 2 } },
    ],
    // Files share processes, so that their imports are loaded once. They must leave nothing behind in the process.
    isolate: false,
    // The limits only end tests that hang. They are this long because a busy machine may take ten times as long as an idle one.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    globalSetup: 'test/harness/run/prepareRun.ts',
    setupFiles: [
      'test/harness/run/removeBrowserGlobals.ts',
      ...(process.env.PARLEY_TEST_CPU ? ['test/harness/run/measureFile.ts'] : []),
    ],
    expect: { poll: { timeout: 45_000 } },
  },
});
