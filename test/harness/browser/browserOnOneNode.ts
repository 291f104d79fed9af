import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { launchChromium, openClient, type BrowserClient } from './browser.ts';
import { oneNode, type OneNode } from '../nodes/Harness.ts';
import type { Settings } from '../nodes/ServerProcess.ts';

/** Provides one server and one browser for a whole test file. Call this at the top of the file, before its own hooks. */
export function browserOnOneNode(settings: Settings = {}) {
  let harness: OneNode;
  let browser: Browser;
  beforeAll(async () => {
    [harness, browser] = await Promise.all([oneNode(settings), launchChromium()]);
  });
  afterAll(async () => {
    await browser?.close();
    await harness?.close();
  });
  const client = () => openClient(browser, harness.url());
  return {
    harness: () => harness,
    browser: () => browser,
    /** Opens a page with a new, signed-in wallet. */
    client,
    pair: async (): Promise<[BrowserClient, BrowserClient]> => [await client(), await client()],
  };
}
