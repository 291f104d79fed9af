import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { focusWindow, fits, focused, goTo, hold, screens, tabTo } from '../harness/browser/console.ts';
import { buyNumber, numberOf, write, phoneConsole } from '../harness/browser/consolePhone.ts';
import { until } from '../harness/until.ts';
import { queryDatabase } from '../integration/money/accountSupport.ts';

/* Numbers in the console: buy, renew, release. */

const { server, visitors, newcomer } = phoneConsole();

describe('the numbers page', () => {
  it('buys a number with the keyboard only', async () => {
    const page = await newcomer();
    await tabTo(page, 'buy-number');
    await page.keyboard.press('Enter');
    await page.getByTestId('offer').first().waitFor();
    await tabTo(page, 'buy-type');
    await page.keyboard.press('T');
    await page.locator('[data-testid=price][data-credits="400"]').waitFor();
    await tabTo(page, 'offer');
    await page.keyboard.press('ArrowDown');
    await tabTo(page, 'buy-auto-renew');
    await page.keyboard.press('Space');
    await tabTo(page, 'buy-submit');
    await page.keyboard.press('Enter');
    await until(async () => (await focused(page)) === 'bought-done', 'the focus on the done button');
    const number = (await page.getByTestId('bought-number').textContent()) ?? '';
    expect(number).toMatch(/^\+18/);
    await page.keyboard.press('Enter');
    await numberOf(page, number).waitFor();
    await expect.poll(() => page.getByTestId('auto-renew').isChecked()).toBe(false);
    // The focus moves to the main element, because the button that opened the dialog disappeared with the empty page.
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('MAIN');
  });

  it('renews a number, switches automatic renewal off, and releases the number after a warning', async () => {
    const page = await newcomer();
    const number = await buyNumber(page);
    const item = numberOf(page, number);
    const before = await item.getByTestId('number-expires').textContent();
    await item.getByTestId('number-renew').click();
    await page.getByTestId('renew-months').selectOption('2');
    await page.locator('[data-testid=price][data-credits="400"]').waitFor();
    await cannotBeCancelled(page, 'renew', () => page.getByTestId('renew-confirm').click());
    await page.getByTestId('renew-dialog').waitFor({ state: 'detached' });
    await expect.poll(() => item.getByTestId('number-expires').textContent()).not.toBe(before);
    await item.getByTestId('auto-renew').click();
    await item.getByText('unless you renew it').waitFor();
    await page.reload();
    await expect.poll(() => item.getByTestId('auto-renew').isChecked()).toBe(false);

    await item.getByTestId('number-release').click();
    await page.getByText('is not refunded').waitFor();
    // Enter keeps the number.
    await page.locator('[data-testid=release-dialog] [data-autofocus]:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.getByTestId('release-dialog').waitFor({ state: 'detached' });
    await item.getByTestId('number-release').click();
    await cannotBeCancelled(page, 'release', () => page.getByTestId('release-confirm').click());
    await page.getByText('No numbers yet').waitFor();
    await page.getByTestId('show-released').click();
    await expect.poll(() => item.getAttribute('data-status')).toBe('released');
  });

  /** While the request is under way, closing the dialog would not cancel it. */
  async function cannotBeCancelled(page: Page, what: 'renew' | 'release', confirm: () => Promise<void>) {
    const url = `**/api/v1/numbers/mine/${what}`;
    const release = await hold(page, url);
    const asked = page.waitForRequest(url);
    await confirm();
    await asked;
    await page.keyboard.press('Escape');
    const cancel = page.getByTestId(`${what}-dialog`).getByRole('button', { name: 'Cancel' });
    await expect.poll(() => cancel.isDisabled()).toBe(true);
    release();
  }

  it('shows before a purchase that there are too few credits', async () => {
    const page = await newcomer();
    await queryDatabase(server(), 'UPDATE accounts SET credits = 150 WHERE credits = 3000');
    await focusWindow(page);
    await page.getByTestId('buy-number').click();
    await page.getByText('You have 150, 50 too few.').waitFor();
    await expect.poll(() => page.getByTestId('buy-submit').isDisabled()).toBe(true);
    await page.getByText('Add credits').click();
    await page.getByTestId('top-up').waitFor();
  });

  it('buys nothing when Enter ends the input of an area code', async () => {
    const page = await newcomer();
    await page.getByTestId('buy-number').click();
    await page.getByTestId('offer').first().waitFor();
    const release = await hold(page, '**/numbers/available?*areaCode=212*');
    const asked = page.waitForRequest('**/numbers/available?*areaCode=212*');
    await page.getByTestId('buy-area').fill('212');
    // The list still shows numbers of any area.
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByTestId('buy-submit').isDisabled()).toBe(true);
    await asked;
    release();
    const second = page.getByTestId('offer').nth(1);
    await second.waitFor();
    // Nobody has picked the first number of the area yet.
    await page.keyboard.press('Enter');
    await second.check();
    const picked = await second.inputValue();
    expect(picked).toMatch(/^\+1212/);
    await page.getByTestId('buy-submit').click();
    await expect.poll(() => page.getByTestId('bought-number').textContent()).toBe(picked);
  });

  it('shows that no numbers are available', async () => {
    const page = await newcomer();
    await page.getByTestId('buy-number').click();
    await page.getByTestId('buy-country').selectOption('JP');
    await page.getByText('No such numbers are available').waitFor();
    visitors().allowError('422');
  });
});

it.each(screens)('fits numbers and texts on %s', async (_screen, options) => {
  const page = await newcomer('/numbers', options);
  await page.getByTestId('buy-number').click();
  await fits(page, 'buy-submit');
  await page.keyboard.press('Escape');
  const number = await buyNumber(page);
  await fits(page, 'number');
  await page.getByTestId('number-release').click();
  await fits(page, 'release-confirm');
  await page.keyboard.press('Escape');
  await goTo(page, 'texts');
  await page.getByTestId('write').click();
  await fits(page, 'compose');
  await write(page, number, 'To myself, with a very long word: '.padEnd(200, 'x'));
  await fits(page, 'message');
});
