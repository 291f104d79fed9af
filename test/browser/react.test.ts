import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { generatePrivateKey } from 'viem/accounts';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { launchChromium, newContext } from '../harness/browser/browser.ts';
import { oneNode, type OneNode } from '../harness/nodes/Harness.ts';

/* Components of @parley/react that are mounted and unmounted 100 times, in Strict Mode, leave nothing behind. */

const root = fileURLToPath(new URL('../..', import.meta.url));
let harness: OneNode;
let browser: Browser;
let page: Page;
let script: string;

beforeAll(async () => {
  [harness, browser] = await Promise.all([oneNode({ RATE_LIMIT_REALTIME: '10000' }), launchChromium()]);
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['test/harness/browser/mountReact.tsx'],
    bundle: true,
    format: 'iife',
    jsx: 'automatic',
    write: false,
    outfile: 'mount.js',
    alias: {
      '@parley/react': `${root}sdk/react/src/index.ts`,
      '@parley/sdk/player': `${root}sdk/src/player/index.ts`,
      '@parley/sdk/effects': `${root}sdk/src/effects/index.ts`,
      '@parley/sdk': `${root}sdk/src/index.ts`,
    },
    define: { 'process.env.NODE_ENV': '"development"', 'import.meta.url': '""' },
  });
  script = outputFiles.find(({ path }) => path.endsWith('.js'))?.text ?? '';
  page = await (await newContext(browser)).newPage();
});
beforeEach(async () => {
  // A document on the server's origin that has no scripts.
  await page.goto(`${harness.url()}/healthz`);
  await page.evaluate(script);
});
afterAll(async () => {
  await browser?.close();
  await harness?.close();
});

it('with the client of an app: a room, a chat and calls', async () => {
  const host = await harness.client();
  const { id } = await host.parley.conference.create({ name: 'Leaks', maxParticipants: 5 });
  const [early, late] = await page.evaluate(
    ([key, room, peer]) => window.mountWithClient(100, key, room, peer),
    [generatePrivateKey(), id, host.address] as const,
  );
  expect(late).toEqual(early);
  expect(late).toMatchObject({ sockets: 1, tracks: 0 });
});

it('with a client of the provider, which is closed every time', async () => {
  const host = await harness.client();
  const { id } = await host.parley.conference.create({ name: 'Leaks', maxParticipants: 5 });
  const { token } = await harness.token(id, { identity: 'bob' });
  const [early, late] = await page.evaluate(([guest, room]) => window.mountWithToken(100, guest, room), [
    token,
    id,
  ] as const);
  expect(late).toEqual(early);
  expect(late).toMatchObject({ sockets: 0, tracks: 0 });
});
