import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { ConsoleVisitors } from '../harness/ConsoleVisitors.ts';
import { clientId, IdentityProvider } from '../harness/IdentityProvider.ts';
import { ServerProcess } from '../harness/ServerProcess.ts';
import { roomySettings } from '../integration/money/accountSupport.ts';
import { newWallet } from '../integration/support.ts';

/* The ways to sign in, on the pages: a real server, a real OpenID provider, and a wallet in the browser. */

let provider: IdentityProvider;
let server: ServerProcess;
let visitors: ConsoleVisitors;

beforeAll(async () => {
  [provider, visitors] = await Promise.all([IdentityProvider.start(), ConsoleVisitors.launch(isForeign)]);
  server = await ServerProcess.start({
    ...roomySettings,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: clientId,
  });
  provider.allow(`${server.url}/sign-in/return`);
});

afterAll(async () => {
  await visitors?.close();
  await server?.dispose();
  await provider?.down();
});

afterEach(async () => expect(await visitors.closeAll()).toEqual([]));

it('signs in at the provider, links a wallet, unlinks the other', async () => {
  const page = await visit('/', server.url, newWallet());
  await signInAtProvider(page, 'judy');
  // There is no wallet to call with, and it says what to do.
  await page.getByTestId('no-wallet').waitFor();
  await page.reload();
  await page.getByTestId('no-wallet-link').click();
  await expect.poll(() => page.getByTestId('account-email').textContent()).toBe('judy@example.org');
  await page.getByTestId('identity').waitFor();
  await expect.poll(() => page.getByTestId('unlink').isDisabled()).toBe(true);
  await page.getByTestId('link-wallet').click();
  await page.locator('[data-testid=identity][data-id=wallet]').waitFor();
  const linked = await page.getByTestId('account-address').textContent();
  await page.getByTestId('to-calls').click();
  await expect.poll(() => page.getByTestId('my-address').getAttribute('data-address')).toBe(linked);

  // Signed in with the wallet it is the same account; the provider's identity goes, and this session stays.
  await page.getByTestId('wallet-menu').click();
  await page.getByTestId('sign-out').click();
  await page.getByTestId('connect-wallet').click();
  await page.getByTestId('my-address').waitFor();
  await page.getByTestId('to-account').click();
  const outside = page.locator('[data-testid=identity]:not([data-id=wallet])');
  await outside.getByTestId('unlink').click();
  await page.getByTestId('unlink-dialog').getByText('Cancel').click();
  await page.getByTestId('unlink-dialog').waitFor({ state: 'detached' });
  await outside.getByTestId('unlink').click();
  await page.getByTestId('unlink-confirm').click();
  await outside.waitFor({ state: 'detached' });
  await page.getByTestId('my-address').waitFor({ state: 'detached' });
  await expect.poll(() => page.getByTestId('identity').count()).toBe(1);
});

it('links the provider to a wallet’s account; what signed in here and is unlinked signs out here', async () => {
  const page = await visit('/account');
  await page.getByTestId('try-wallet').click();
  const before = await page.getByTestId('account-id').textContent();
  await throughProvider(page, 'mike', () => page.getByTestId('provider-link').click());
  await page.getByTestId('identity').nth(1).waitFor();
  await expect.poll(() => page.getByTestId('account-id').textContent()).toBe(before);
  await page.locator('[data-id=wallet]').getByTestId('unlink').click();
  await page.getByText('You will be signed out').waitFor();
  await page.getByTestId('unlink-confirm').click();
  await page.getByTestId('try-wallet').waitFor();
  // The same account again, by the other way in.
  await throughProvider(page, 'mike', () => page.getByTestId('provider-signIn').click());
  await page.getByTestId('to-account').click();
  await expect.poll(() => page.getByTestId('account-id').textContent()).toBe(before);
  visitors.allowError('401');
});

const signInAtProvider = (page: Page, login: string) =>
  throughProvider(page, login, () => page.getByTestId('provider-signIn').click());

/** Through the provider's login and consent, and back; who was there before is asked for less. */
async function throughProvider(page: Page, login: string, leave: () => Promise<void>): Promise<void> {
  const back = page.getByTestId('wallet-menu');
  // Somebody who links was signed in before, too: the page that is left is no answer, however late it shows that.
  await page.evaluate(() => Reflect.set(window, 'isLeft', true));
  await leave();
  await page.waitForFunction(() => !Reflect.has(window, 'isLeft'));
  const name = page.locator('input[name=login]');
  const agree = page.locator('button[type=submit]').filter({ hasText: 'Continue' });
  await name.or(agree).or(back).first().waitFor();
  if (await name.isVisible()) {
    await name.fill(login);
    await page.locator('input[name=password]').fill('any');
    await page.locator('button[type=submit]').click();
    await agree.or(back).first().waitFor();
  }
  if (await agree.isVisible()) await agree.click();
  await back.waitFor();
}

/** Opens the console as somebody else; given an account, with a wallet in the browser. */
const visit = (path: string, url = server.url, account?: ReturnType<typeof newWallet>): Promise<Page> =>
  visitors.visit(`${url}${path}`, account && { account });

/** The provider's pages have troubles of their own. */
const isForeign = (address: string) =>
  !address.startsWith('http://127.0.0.1') || address.startsWith(provider.issuer);
