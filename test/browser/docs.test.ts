import { readdirSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchChromium } from '../harness/browser/browser.ts';
import { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { newCustomer, newKey } from '../integration/money/accountSupport.ts';
import { root } from '../docs/blocks.ts';
import { faintTexts } from '../harness/browser/faintTexts.ts';

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

/** Opens the group of operations that have this tag, or closes it. */
const toggleGroup = (page: Page, tag: string) => page.locator(`.opblock-tag[data-tag="${tag}"]`).click();

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
  const answer = await fetch(`${server.url}/api/v1/openapi.json`);
  const { paths } = (await answer.json()) as { paths: Record<string, Record<string, { tags?: string[] }>> };
  const tags = Object.values(paths).flatMap((path) =>
    Object.values(path).flatMap((operation) => operation.tags ?? []),
  );
  expect(tags.length).toBeGreaterThan(35);
  for (const tag of new Set(tags)) {
    await toggleGroup(page, tag);
    const expected = tags.filter((other) => other === tag).length;
    await expect.poll(() => page.locator('.opblock-summary').count(), { message: tag }).toBe(expected);
    await toggleGroup(page, tag);
    await expect.poll(() => page.locator('.opblock-summary').count(), { message: tag }).toBe(0);
  }

  await page.getByRole('button', { name: 'Authorize', exact: true }).first().click();
  await page.locator('.auth-container input').first().fill(secret);
  await page.locator('.auth-container button.authorize').first().click();
  await page.locator('button.btn-done').first().click();
  await toggleGroup(page, 'account');
  const credits = page.locator('.opblock', { hasText: '/account/credits' }).first();
  await credits.locator('.opblock-summary').click();
  await credits.getByRole('button', { name: 'Try it out' }).click();
  await credits.getByRole('button', { name: 'Execute' }).click();
  await credits.locator('.live-responses-table', { hasText: '"credits": 500' }).waitFor();
  expect(externalRequests).toEqual([]);
  expect(errors).toEqual([]);
});

it('shows every page of the reference without scrolling sideways on a phone', async () => {
  const names = readdirSync(`${root}server/api/docs/dist/reference`, { recursive: true, encoding: 'utf8' });
  const pages = names.filter((name) => name.endsWith('.html'));
  expect(pages.length).toBeGreaterThan(150);
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
  await page.goto(`${server.url}/docs/reference/`);
  // Only the content is exchanged, because the header and the navigation are the same on all pages.
  const wide = await page.evaluate(async (all) => {
    const content = document.querySelector('.col-content') as HTMLElement;
    const found: string[] = [];
    for (const name of all) {
      const text = await (await fetch(`/docs/reference/${name}`)).text();
      const other = new DOMParser().parseFromString(text, 'text/html').querySelector('.col-content');
      content.innerHTML = other?.innerHTML ?? '';
      const { scrollWidth } = document.documentElement;
      if (scrollWidth > innerWidth || !other) found.push(`${name}: ${scrollWidth}`);
    }
    return found;
  }, pages);
  expect(wide).toEqual([]);
  await page.close();
});

it('is readable in dark mode', async () => {
  const page = await browser.newPage({ colorScheme: 'dark' });
  await page.goto(`${server.url}/docs`);
  for (const tag of ['account', 'sms']) await toggleGroup(page, tag);
  const blocks = ['/account/credits', '/sms/send'].map((route) =>
    page.locator('.opblock', { has: page.locator(`[data-path="${route}"]`) }).first(),
  );
  for (const block of blocks) await block.locator('.opblock-summary').click();
  for (const block of blocks) await block.locator('.responses-wrapper').waitFor();
  expect(await faintTexts(page)).toEqual([]);
  for (const block of blocks) {
    for (const tab of await block.getByRole('tab', { name: 'Schema' }).all()) await tab.click();
    await block.locator('.json-schema-2020-12-expand-deep-button').first().click();
  }
  expect(await faintTexts(page)).toEqual([]);
  for (const path of ['interfaces/Calls', 'types/GateConfig', 'classes/ParleyError', 'documents/protocol']) {
    await page.goto(`${server.url}/docs/reference/${path}.html`);
    expect(await faintTexts(page)).toEqual([]);
  }
  await page.close();
});

it('finds an event by its name', async () => {
  const page = await browser.newPage();
  await page.goto(`${server.url}/docs/reference/`);
  await page.locator('#tsd-search-trigger').click();
  await page.locator('#tsd-search-input').fill('call:incoming');
  await page.locator('#tsd-search-results a', { hasText: 'call:incoming' }).first().waitFor();
  await page.close();
});
