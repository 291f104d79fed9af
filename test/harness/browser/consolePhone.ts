import type { BrowserContextOptions, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { roomySettings } from '../../integration/money/accountSupport.ts';
import { goTo } from './console.ts';
import { ConsoleVisitors } from './ConsoleVisitors.ts';
import { ServerProcess, type Settings } from '../nodes/ServerProcess.ts';

/* Actions on the console's phone pages. */

/**
 * Provides a server and its console's visitors for a test file. New accounts have 3,000 credits. Each test fails if a page logged an
 * error.
 */
export function phoneConsole(settings: Settings = {}) {
  let server: ServerProcess;
  let visitors: ConsoleVisitors;
  beforeAll(async () => {
    [server, visitors] = await Promise.all([
      ServerProcess.start({ ...roomySettings, SIGNUP_CREDITS: '3000', ...settings }),
      ConsoleVisitors.launch(),
    ]);
  });
  afterAll(async () => {
    await visitors?.close();
    await server?.dispose();
  });
  afterEach(async () => expect(await visitors.closeAll()).toEqual([]));
  return {
    server: () => server,
    visitors: () => visitors,
    /** Opens a page of the console with a new trial wallet. */
    newcomer: (path = '/numbers', options: BrowserContextOptions = {}) =>
      newcomer(visitors, `${server.url}${path}`, options),
  };
}

/** Opens the console with a new trial wallet. */
export async function newcomer(
  visitors: ConsoleVisitors,
  address: string,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const page = await visitors.visit(address, options);
  await page.getByTestId('try-wallet').click();
  await page.getByTestId('wallet-menu').waitFor();
  return page;
}

/** Buys the first number that is offered. @returns the number */
export async function buyNumber(page: Page, country = 'US'): Promise<string> {
  await page.getByTestId('buy-number').click();
  await page.getByTestId('offer').first().waitFor();
  if (country !== 'US') {
    const offered = page.waitForResponse(`**/numbers/available?country=${country}*`);
    await page.getByTestId('buy-country').selectOption(country);
    await offered;
    await page.locator('[data-testid=buy-dialog] [aria-busy=false] [data-testid=offer]').first().waitFor();
  }
  await page.getByTestId('buy-submit').click();
  const number = await page.getByTestId('bought-number').textContent();
  await page.getByTestId('bought-done').click();
  await numberOf(page, number ?? '').waitFor();
  return number ?? '';
}

export const numberOf = (page: Page, number: string) =>
  page.locator(`[data-testid=number][data-number="${number}"]`);

/** Sends a text to a new number. */
export async function write(page: Page, to: string, text: string, from?: string): Promise<void> {
  await goTo(page, 'texts');
  await page.getByTestId('write').click();
  await page.getByTestId('to').fill(to);
  if (from !== undefined) await page.getByTestId('from').selectOption(from);
  await page.getByTestId('compose').fill(text);
  await page.getByTestId('send').click();
}

/** Sends a text in the open thread. */
export async function answer(page: Page, text: string): Promise<void> {
  await page.getByTestId('compose').fill(text);
  await page.getByTestId('send').click();
  await messageOf(page, text).waitFor();
}

export const threadWith = (page: Page, counterparty: string) =>
  page.locator(`[data-testid=thread][data-counterparty="${counterparty}"]`);

export const messageOf = (page: Page, text: string) =>
  page.getByTestId('message').filter({ has: page.getByText(text, { exact: true }) });

/** Passes the page's next request to the server, but not the answer to the page. @returns resolves when the server has answered */
export const loseAnswer = (page: Page, url: string) =>
  new Promise<void>((resolve) => {
    const lose = (route: Route) => route.fetch().then(() => resolve());
    void page.route(url, lose, { times: 1 });
  });
