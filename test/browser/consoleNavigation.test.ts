import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { focused, goTo, tabTo } from '../harness/browser/console.ts';
import { buyNumber, phoneConsole, write } from '../harness/browser/consolePhone.ts';

/* The console's navigation: a column on a desktop, a bar and a sheet on a phone. */

const { newcomer, visitors } = phoneConsole();

const phone = { viewport: { width: 390, height: 844 }, colorScheme: 'dark', hasTouch: true } as const;

const groups = {
  Talk: ['Calls', 'Chats', 'Rooms', 'Streams', 'Voicemail', 'Recordings'],
  Phone: ['SMS', 'Numbers', 'eSIMs', 'Lookups'],
  Developers: ['API keys', 'Backend rooms', 'Webhooks', 'Audit log', 'Docs'],
  Account: ['Profile', 'Billing', 'Notifications'],
};

describe('on a desktop', () => {
  it('lists every page in a labelled group and marks the current one', async () => {
    const page = await newcomer('/numbers');
    expect(await groupsIn(page, 'Main')).toEqual(groups);
    const main = page.getByRole('navigation', { name: 'Main' });
    await main.getByRole('link', { name: 'Webhooks' }).click();
    await expect.poll(() => main.locator('[aria-current=page]').allTextContents()).toEqual(['Webhooks']);
    await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Webhooks');
  });

  it('has room for every page without scrolling on a laptop', async () => {
    const page = await newcomer('/numbers', { viewport: { width: 1280, height: 800 } });
    const main = page.getByRole('navigation', { name: 'Main' });
    expect(await main.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)).toBe(0);
  });

  it('opens a page whose file an upgrade of the server has replaced', async () => {
    const page = await newcomer('/numbers');
    visitors().allowError('/assets/WebhooksPage-');
    let missing = 0;
    await page.route('**/assets/WebhooksPage-*.js', (route) =>
      missing++ === 0 ? route.fulfill({ status: 404 }) : route.continue(),
    );
    await page.getByTestId('to-webhooks').click();
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
    expect(missing).toBe(2);
  });

  it('says that a page cannot be loaded, and shows it when the server can be reached again', async () => {
    const page = await newcomer('/numbers');
    const unreachable = /\/assets\/BillingPage-|\/healthz/;
    for (const part of ['/assets/BillingPage-', '/healthz']) visitors().allowError(part);
    await page.route(unreachable, (route) => route.abort());
    await page.getByTestId('to-billing').click();
    const alert = page.getByTestId('problem').filter({ hasText: 'This page could not be shown' });
    await alert.waitFor();
    // All else goes on.
    await page.getByTestId('to-numbers').click();
    await page.getByTestId('buy-number').waitFor();
    await page.getByTestId('to-billing').click();
    await alert.waitFor();
    await page.unroute(unreachable);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Billing', level: 1 }).waitFor();
  });

  it('can be used and skipped with the keyboard', async () => {
    const page = await newcomer('/numbers');
    await page.reload();
    await page.getByTestId('buy-number').waitFor();
    await tabTo(page, 'skip-to-content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('content');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.closest('main')?.id)).toBe('content');
    await page.reload();
    await tabTo(page, 'to-chats');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Chats', level: 1 }).waitFor();
  });
});

describe('on a phone', () => {
  it.each([320, 360, 390])('shows whole labels on %i pixels with text of twice the size', async (width) => {
    const page = await newcomer('/chats', { ...phone, viewport: { width, height: 844 } });
    await page.evaluate(() => (document.documentElement.style.fontSize = '200%'));
    const labels = page.getByRole('navigation', { name: 'Main' }).locator('span[class*=label]');
    await expect.poll(() => labels.count()).toBe(5);
    const cut = () =>
      labels.evaluateAll((all) =>
        all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent),
      );
    await expect.poll(cut).toEqual([]);
  });

  it('has four pages in the bar and every page in the sheet, with large enough touch targets', async () => {
    const page = await newcomer('/numbers', phone);
    const bar = page.getByRole('navigation', { name: 'Main' });
    await expect
      .poll(() => bar.getByRole('listitem').allTextContents())
      .toEqual(['Calls', 'Chats', 'Rooms', 'SMS', 'More']);
    // The current page is listed in the sheet.
    const more = bar.getByRole('button', { name: 'More' });
    await expect.poll(() => more.getAttribute('aria-current')).toBe('true');
    await more.click();
    await page.getByRole('dialog', { name: 'All pages' }).waitFor();
    expect(await groupsIn(page, 'All pages')).toEqual(groups);
    const sizes = await page
      .locator('nav a, nav button, [role=dialog] button')
      // The sizes of the layout: the sheet's opening animation scales what getBoundingClientRect() returns.
      .evaluateAll((targets) =>
        (targets as HTMLElement[]).map(({ offsetWidth, offsetHeight }) => ({ offsetWidth, offsetHeight })),
      );
    expect(sizes.length).toBeGreaterThan(0);
    expect(sizes.filter(({ offsetWidth, offsetHeight }) => Math.min(offsetWidth, offsetHeight) < 44)).toEqual(
      [],
    );
  });

  it('moves focus into the sheet when it opens and restores it when it closes', async () => {
    const page = await newcomer('/numbers', phone);
    await tabTo(page, 'to-more');
    await page.keyboard.press('Enter');
    const sheet = page.getByRole('dialog', { name: 'All pages' });
    await sheet.locator(':focus').waitFor();
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    await expect.poll(() => focused(page)).toBe('to-more');
    await page.keyboard.press('Enter');
    await tabTo(page, 'to-billing');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Billing', level: 1 }).waitFor();
    await sheet.waitFor({ state: 'detached' });
  });
});

it('counts unread texts, without a reload, until they are read', async () => {
  const [alice, bob] = await Promise.all([newcomer(), newcomer('/numbers', phone)]);
  const [, his] = [await buyNumber(alice), await buyNumber(bob)];
  await write(alice, his, 'Hello Bob');
  await alice.locator('[data-testid=message][data-status=delivered]').waitFor();
  await bob.getByTestId('unread-texts').waitFor();
  await bob.getByRole('link', { name: /^SMS.* 1 unread item$/ }).click();
  await bob.getByTestId('thread').click();
  await bob.getByTestId('unread-texts').waitFor({ state: 'detached' });
  await goTo(bob, 'billing');
});

/** The labels of the groups in a navigation, with those of their pages. */
async function groupsIn(page: Page, name: string): Promise<Record<string, string[]>> {
  const lists = page.getByRole('navigation', { name }).getByRole('list');
  await lists.first().waitFor();
  const found = await lists.evaluateAll((elements) =>
    elements.map((list) => {
      const label = document.getElementById(list.getAttribute('aria-labelledby') ?? '');
      return [label?.textContent ?? '', [...list.children].map((item) => item.textContent ?? '')] as const;
    }),
  );
  return Object.fromEntries(found);
}
