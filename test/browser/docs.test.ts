import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchChromium } from '../harness/browser/browser.ts';
import { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { newCustomer, newKey } from '../integration/money/accountSupport.ts';

let server: ServerProcess;
let browser: Browser;

beforeAll(async () => {
  server = await ServerProcess.start();
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await server?.dispose();
});

it('shows every route and runs one with a key, under the content security policy', async () => {
  const { secret } = await newKey(server.url, await newCustomer(server.url));
  const page = await browser.newPage();
  const errors: string[] = [];
  const externalRequests: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(server.url) && !request.url().startsWith('data:'))
      externalRequests.push(request.url());
  });
  await page.goto(`${server.url}/docs`);
  await page.locator('.opblock-summary').first().waitFor();
  await expect.poll(() => page.locator('.opblock-summary').count()).toBeGreaterThan(35);

  await page.getByRole('button', { name: 'Authorize', exact: true }).first().click();
  await page.locator('.auth-container input').first().fill(secret);
  await page.locator('.auth-container button.authorize').first().click();
  await page.locator('button.btn-done').first().click();
  const credits = page.locator('.opblock', { hasText: '/account/credits' }).first();
  await credits.locator('.opblock-summary').click();
  await credits.getByRole('button', { name: 'Try it out' }).click();
  await credits.getByRole('button', { name: 'Execute' }).click();
  await credits.locator('.live-responses-table', { hasText: '"credits": 500' }).waitFor();
  expect(externalRequests).toEqual([]);
  expect(errors).toEqual([]);
});
