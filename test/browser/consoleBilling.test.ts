import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Parley } from '../../sdk/src/index.ts';
import {
  clipboardOf,
  createKey,
  fits,
  focused,
  goTo,
  hold,
  refreshed,
  screens,
  storedSecret,
  tabTo,
  tryOut,
} from '../harness/browser/console.ts';
import { ConsoleVisitors } from '../harness/browser/ConsoleVisitors.ts';
import { oneNode, type OneNode } from '../harness/nodes/Harness.ts';
import { curlAccount } from '../harness/run/curlAccount.ts';
import { until } from '../harness/until.ts';
import { roomySettings } from '../integration/money/accountSupport.ts';
import { plans } from '../integration/money/stripeSupport.ts';

const run = promisify(execFile);

let harness: OneNode;
let visitors: ConsoleVisitors;

beforeAll(async () => {
  // The server has plans, but Stripe is not configured.
  [harness, visitors] = await Promise.all([
    oneNode({ PLANS: JSON.stringify(plans), ...roomySettings }),
    ConsoleVisitors.launch(),
  ]);
});

afterAll(async () => {
  await visitors?.close();
  await harness?.close();
});

afterEach(async () => expect(await visitors.closeAll()).toEqual([]));

it('lets a new user create a key from the offer and use it with the displayed curl command', async () => {
  const page = await visit();
  await tryOut(page);
  await page.getByTestId('first-key-create').click();
  await page.getByTestId('key-name').fill('Newcomer');
  await page.getByTestId('create-key-submit').click();
  const command = await page.getByTestId('curl').textContent();
  expect(command).toMatch(/^curl -H "Authorization: Bearer svc_live_\w{38}" http:\S+\/api\/v1\/account$/);
  await page.getByTestId('curl-copy').click();
  await expect.poll(() => clipboardOf(page)).toBe(command);
  // Run the command in a shell, exactly as displayed.
  const { stdout } = await run('sh', ['-c', `${command} --silent`]);
  expect(JSON.parse(stdout)).toMatchObject({ credits: 500, authMethod: 'api_key' });
  await page.locator('[data-testid=first-use][data-used=true]').waitFor();

  // The dialog with the secret cannot be closed by accident.
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  await page.getByTestId('secret-done').click();
  await expect
    .poll(() => page.getByTestId('new-secret').textContent())
    .toContain('Confirm that you have stored');
  await page.getByTestId('secret-stored').check();
  await page.getByTestId('secret-done').click();
  await page.getByTestId('new-secret').waitFor({ state: 'detached' });
  // An account with a key does not get the offer.
  await page.getByTestId('first-key').waitFor({ state: 'detached' });
});

it('does not repeat the offer of a key once it is dismissed', async () => {
  const page = await visit();
  await tryOut(page);
  await page.getByTestId('first-key-dismiss').click();
  await page.reload();
  // This page shows that the list of keys has been loaded.
  await goTo(page, 'keys');
  await page.getByText('No keys yet').waitFor();
  await goTo(page, 'calls');
  await page.getByTestId('my-address').waitFor();
  await expect.poll(() => page.getByTestId('first-key').count()).toBe(0);
});

describe('the billing page', () => {
  it('shows credits, transactions and usage', async () => {
    const page = await billing();
    await expect.poll(() => page.title()).toBe('Billing · Parley');
    await expect.poll(() => page.getByTestId('balance').getAttribute('data-credits')).toBe('500');
    await expect.poll(() => page.getByTestId('credits').textContent()).toMatch(/USD\s5\.00/);
    await expect.poll(() => page.getByTestId('reserved').textContent()).toContain('No credits are reserved');
    await expect.poll(() => page.getByTestId('plan').textContent()).toContain('Pay as you go');
    await expect.poll(() => page.getByTestId('movement').textContent()).toMatch(/\+500.*balance 500/);
    await page.getByTestId('movement-filter').getByText('Spent').click();
    await page.getByText('There are no transactions of this kind').waitFor();

    await goTo(page, 'keys');
    const secret = await createKey(page, 'Counter');
    expect(await Promise.all([1, 2, 3].map(() => curl(secret)))).toEqual([200, 200, 200]);
    await goTo(page, 'billing');
    await page.getByTestId('usage-grouping').getByText('By key').click();
    const ofKey = page.locator(`[data-testid=usage-shares] [data-bucket=${prefixOf(secret)}]`);
    await refreshed(
      page,
      async () => (await ofKey.count()) === 1 && (await ofKey.textContent())?.includes('3 requests'),
    );
    await expect.poll(() => ofKey.textContent()).toContain('Counter');
    await page.getByTestId('usage-grouping').getByText('By day').click();
    // The table is available to screen readers and can be made visible.
    await page.getByTestId('usage-chart').waitFor();
    await expect.poll(() => page.getByTestId('usage-table').getByRole('row').count()).toBe(31);
    await page.getByTestId('usage-table-toggle').click();
    await page.getByTestId('usage-chart').waitFor({ state: 'detached' });
  });

  it('says that card payments are unavailable without Stripe', async () => {
    const page = await billing();
    await page.getByTestId('top-up').getByText('Card payments are not available').waitFor();
    await expect.poll(() => page.getByTestId('no-cards').textContent()).toContain('grant credits');
    await page.getByTestId('plan').getByText('Pay as you go').waitFor();
    await expect
      .poll(() => page.getByTestId('top-up-pay').or(page.getByTestId('plan-choose')).count())
      .toBe(0);
  });
});

describe('the API keys page', () => {
  it('rotates a key in four steps: both work until the old one is revoked', async () => {
    const page = await keys();
    const old = await createKey(page, 'Backend');
    expect(await curl(old)).toBe(200);
    await page.getByTestId('rotate:key').click();
    const steps = page.getByTestId('rotate-dialog').getByRole('heading', { level: 3 });
    await expect
      .poll(() => steps.allTextContents())
      .toEqual([
        'Create a new key with the same scopes',
        'Deploy the new secret',
        'Revoke the old key',
        'Confirm that its traffic has stopped',
      ]);
    await page.getByTestId('rotate-mint').click();
    const next = await storedSecret(page);
    expect(await Promise.all([old, next].map(curl))).toEqual([200, 200]);
    await page.getByTestId('last-used-new').getByText('just now').waitFor();

    // The rotation can be continued after closing the dialog and a reload.
    await page.keyboard.press('Escape');
    await page.getByTestId('rotate-dialog').waitFor({ state: 'detached' });
    await page.reload();
    await keyOf(page, old).getByText('Continue').click();
    await page.getByTestId('rotate-deployed').click();
    await page.getByText('The old key was used a moment ago').waitFor();
    await page.getByTestId('rotate-revoke').click();
    await page.getByTestId('rotate-done').waitFor();
    expect(await Promise.all([old, next].map(curl))).toEqual([401, 200]);

    // The last step links to the audit log, filtered by the old key.
    await page.getByTestId('audit-link').click();
    await page.getByTestId('audit-row').first().waitFor();
    expect(new URL(page.url()).search).toBe(`?keyPrefix=${prefixOf(old)}`);
    const actions = () => rowsOf(page, 'data-action');
    // Requests are logged in batches, up to a second later than changes.
    await until(async () => {
      if ((await actions()).length === 6) return true;
      await page.reload();
      await page.getByTestId('audit-row').first().waitFor();
      return (await actions()).length === 6;
    }, 'the rows of the old key');
    // Two successful requests and one after the revocation.
    expect((await actions()).toSorted()).toEqual([
      'api_key.created',
      'api_key.revoked',
      'api_key.rotated',
      'request',
      'request',
      'request',
    ]);
    expect(new Set(await rowsOf(page, 'data-prefix'))).toEqual(new Set([prefixOf(old)]));
  });

  it('cannot be left while a key is being made, because its secret is shown only once', async () => {
    const page = await keys();
    const [created, rotated] = ['**/api/v1/api-keys', '**/api/v1/api-keys/*/rotate'] as const;
    const old = await whileHeld(page, created, async () => {
      await page.getByTestId('create-key').click();
      await page.getByTestId('key-name').fill('Slow');
      await page.getByTestId('create-key-submit').click();
    });
    await page.getByTestId('rotate:key').click();
    const next = await whileHeld(page, rotated, () => page.getByTestId('rotate-mint').click());
    expect(await Promise.all([old, next].map(curl))).toEqual([200, 200]);
  });

  /** Tries to close the dialog while the request that makes a key is under way. @returns the secret */
  async function whileHeld(page: Page, url: string, make: () => Promise<void>): Promise<string> {
    const release = await hold(page, url);
    const asked = page.waitForRequest((request) => request.method() === 'POST');
    await make();
    await asked;
    const dialog = page.getByRole('dialog');
    await page.keyboard.press('Escape');
    await expect.poll(() => dialog.getByRole('button', { name: 'Close' }).count()).toBe(0);
    await expect.poll(() => dialog.getByRole('button', { name: 'Cancel', disabled: false }).count()).toBe(0);
    release();
    return storedSecret(page);
  }

  it('names the key and its last use before revoking it', async () => {
    const page = await keys();
    const secret = await createKey(page, 'Leaked');
    await curl(secret);
    await refreshed(page, async () =>
      (await page.getByTestId('last-used').textContent())?.includes('just now from 127.0.0.1'),
    );
    await page.getByTestId('revoke-key').click();
    const dialog = page.getByTestId('revoke-dialog');
    await dialog.getByText('Revoke “Leaked”?').waitFor();
    await expect.poll(() => page.getByTestId('revoke-last-used').textContent()).toContain('just now');
    await dialog.getByText('The key is in use').waitFor();
    // Enter keeps the key.
    await page.locator('[data-testid=revoke-dialog] [data-autofocus]:focus').waitFor();
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await curl(secret)).toBe(200);
    await page.getByTestId('revoke-key').click();
    await page.getByTestId('revoke-confirm').click();
    await page.getByTestId('api-key').waitFor({ state: 'detached' });
    expect(await curl(secret)).toBe(401);
    await page.getByTestId('show-revoked').click();
    await expect.poll(() => keyOf(page, secret).getAttribute('data-state')).toBe('revoked');
  });

  it('lists the webhooks that a revoked key leaves behind', async () => {
    const page = await keys();
    const secret = await createKey(page, 'Gone');
    const bot = new Parley({ baseUrl: harness.server.url, auth: { apiKey: secret } });
    const { phoneNumber } = await bot.numbers.buyUs();
    await bot.numbers.setWebhook({ phoneNumber: phoneNumber ?? '', url: 'https://example.org/hook' });
    await page.getByTestId('revoke-key').click();
    await page.getByTestId('revoke-confirm').click();
    await page.getByTestId('kept-webhooks').getByText('https://example.org/hook').waitFor();
    await page.getByTestId('kept-webhooks-close').click();
    await page.getByTestId('kept-webhooks').waitFor({ state: 'detached' });
  });

  it('creates a key with the keyboard only, with other scopes and an expiry date', async () => {
    const page = await keys();
    await tabTo(page, 'create-key');
    await page.keyboard.press('Enter');
    await until(async () => (await focused(page)) === 'key-name', 'the focus on the name');
    // A key needs a name.
    await page.keyboard.press('Enter');
    await page.getByText('Enter a name.').waitFor();
    await page.keyboard.type('By hand');
    await tabTo(page, 'key-expiry');
    // Changes the expiry from never to 7 days and then to 30 days.
    for (let steps = 0; steps < 2; steps++) await page.keyboard.press('ArrowDown');
    await tabTo(page, 'scope-sms:send');
    await page.keyboard.press('Space');
    await tabTo(page, 'scope-lookup:read');
    await page.keyboard.press('Space');
    await tabTo(page, 'create-key-submit');
    await page.keyboard.press('Enter');
    await until(async () => (await focused(page)) === 'secret-copy', 'the focus on the copy button');
    await page.keyboard.press('Enter');
    const secret = await page.getByTestId('secret').textContent();
    await expect.poll(() => clipboardOf(page)).toBe(secret);
    await tabTo(page, 'secret-stored');
    await page.keyboard.press('Space');
    await tabTo(page, 'secret-done');
    await page.keyboard.press('Enter');
    const key = page.getByTestId('api-key');
    await expect
      .poll(() => key.getByRole('listitem').allTextContents())
      .toEqual(['account:read', 'numbers:read', 'numbers:buy', 'lookup:read']);
    await expect.poll(() => key.textContent()).not.toContain('Expiresnever');
    // Escape closes the form and returns the focus.
    await tabTo(page, 'create-key');
    await page.keyboard.press('Enter');
    await page.getByTestId('key-name').waitFor();
    await page.keyboard.press('Escape');
    await page.getByTestId('create-key-dialog').waitFor({ state: 'detached' });
    await expect.poll(() => focused(page)).toBe('create-key');
  });

  it('shows the server’s reason for a refusal', async () => {
    const page = await keys();
    await page.route('**/api/v1/api-keys', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({
            status: 409,
            json: {
              error: 'conflict',
              message: 'The account already has 100 keys, which is the limit. Revoke some first.',
              requestId: 'req_1',
            },
          })
        : route.continue(),
    );
    await page.getByTestId('create-key').click();
    await page.getByTestId('key-name').fill('One too many');
    await page.getByTestId('create-key-submit').click();
    await page
      .getByText('The account already has 100 keys, which is the limit. Revoke some first.')
      .waitFor();
    await expect.poll(() => page.getByTestId('key-name').inputValue()).toBe('One too many');
    // The browser logs each rejected request.
    visitors.allowError('409');
  });
});

it('filters the audit log by key, action and day, and keeps the filters in the URL', async () => {
  const page = await keys();
  const secret = await createKey(page, 'Audited');
  await Promise.all([curl(secret), curl(secret)]);
  await page.getByTestId('to-audit').click();
  await page.getByTestId('filter-key').selectOption(prefixOf(secret));
  await page.getByTestId('filter-action').selectOption('request');
  await refreshed(page, async () => (await rowsOf(page, 'data-status')).join() === '200,200');
  await page.getByTestId('audit-row').first().click();
  await page.getByText(/^req_/).first().waitFor();
  await page.reload();
  await page.getByTestId('audit-row').first().waitFor();
  expect(await rowsOf(page, 'data-prefix')).toEqual([prefixOf(secret), prefixOf(secret)]);
  await page.getByTestId('filter-to').fill('2020-01-01');
  await page.getByText('No entry matches these filters').waitFor();
  await page.getByText('Clear filters').click();
  await page.locator('[data-action="session.created"]').first().waitFor();
  // What the page itself reads is listed only on request.
  await expect.poll(() => page.getByText('GET /api/v1/api-keys').count()).toBe(0);
  await page.getByTestId('filter-reads').check();
  await page.getByText('GET /api/v1/api-keys').first().waitFor();
});

it('shows the address and the account id in the profile, and asks before it signs out', async () => {
  const page = await visit('/account');
  await page.getByTestId('try-wallet').click();
  await expect.poll(() => page.getByTestId('account-id').textContent()).toMatch(/^acc_/);
  await page.getByTestId('account-address-copy').click();
  await expect.poll(() => clipboardOf(page)).toMatch(/^0x[0-9a-fA-F]{40}$/);
  await expect.poll(() => page.title()).toBe('Profile · Parley');
  const address = await page.getByTestId('account-address').textContent();
  await page.getByTestId('account-sign-out').click();
  // A temporary wallet with credits is not lost by one click.
  await page.getByTestId('sign-out-throwaway-dialog').getByText('500 credits').waitFor();
  await page.getByTestId('show-private-key').click();
  const key = (await page.getByTestId('private-key').textContent()) as `0x${string}`;
  expect(privateKeyToAccount(key).address).toBe(address);
  await page.getByTestId('sign-out-throwaway-confirm').click();
  await page.getByTestId('try-wallet').waitFor();
  await expect.poll(() => page.title()).toBe('Parley');
});

it.each(screens)('fits every page and dialog on %s', async (_screen, options) => {
  const page = await visit('/', options);
  await tryOut(page);
  await fits(page, 'first-key');
  await goTo(page, 'billing');
  await fits(page, 'movement');
  await goTo(page, 'keys');
  await fits(page, 'publishable-key');
  await page.getByTestId('create-key').click();
  await page.getByTestId('key-name').fill('A name that is as long as a name may be, which is 64 characters');
  await fits(page, 'create-key-submit');
  await page.getByTestId('create-key-submit').click();
  await fits(page, 'new-secret');
  await storedSecret(page);
  await fits(page, 'api-key');
  await page.getByTestId('rotate:key').click();
  await page.getByTestId('rotate-mint').click();
  await fits(page, 'new-secret');
  await storedSecret(page);
  await fits(page, 'rotate-deployed');
  await page.getByTestId('rotate-deployed').click();
  await fits(page, 'rotate-revoke');
  await page.keyboard.press('Escape');
  await page.getByTestId('revoke-key').first().click();
  await fits(page, 'revoke-confirm');
  await page.keyboard.press('Escape');
  await goTo(page, 'audit');
  await page.getByTestId('audit-row').first().click();
  await fits(page, 'audit-log');
  await goTo(page, 'account');
  await fits(page, 'account-id');
});

const visit = (path = '/', options: BrowserContextOptions = {}): Promise<Page> =>
  visitors.visit(`${harness.url()}${path}`, options);

/** Opens the API keys page as a new user. */
async function keys(): Promise<Page> {
  const page = await visit('/keys');
  await page.getByTestId('try-wallet').click();
  await expect.poll(() => page.getByTestId('publishable-key').textContent()).toMatch(/^pk_live_/);
  return page;
}

/** Opens the billing page as a new user. */
async function billing(): Promise<Page> {
  const page = await visit('/billing');
  await page.getByTestId('try-wallet').click();
  await page.getByTestId('balance').waitFor();
  return page;
}

/** Sends a request with this key using curl. @returns the status of the response */
const curl = (secret: string) => curlAccount(harness.url(), secret);

const prefixOf = (secret: string) => secret.slice(0, 'svc_live_'.length + 6);
const keyOf = (page: Page, secret: string) =>
  page.locator(`[data-testid=api-key][data-prefix=${prefixOf(secret)}]`);

const rowsOf = async (page: Page, attribute: string) =>
  page
    .getByTestId('audit-row')
    .evaluateAll((rows, name) => rows.map((row) => row.getAttribute(name)), attribute);
