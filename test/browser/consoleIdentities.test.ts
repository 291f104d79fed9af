import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import {
  call,
  ended,
  ownAddress,
  problem,
  refuseSignIns,
  tryOut,
  waitForAudio,
  waitForVideo,
  type WalletAccount,
} from '../harness/browser/console.ts';
import { withSmallCamera } from '../harness/browser/consoleRooms.ts';
import { ConsoleVisitors } from '../harness/browser/ConsoleVisitors.ts';
import { clientId, IdentityProvider } from '../harness/services/IdentityProvider.ts';
import { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { roomySettings } from '../integration/money/accountSupport.ts';
import { newWallet } from '../integration/support.ts';

/* Signing in to the console, with a real server, a real OpenID provider and a wallet in the browser. */

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

it('signs in at the provider, links a wallet, and unlinks the provider', async () => {
  const page = await visit('/', server.url, newWallet());
  await signInAtProvider(page, 'judy');
  // Without a wallet the calls page explains what to do.
  await page.getByTestId('no-wallet').waitFor();
  await page.reload();
  await page.getByTestId('no-wallet-link').click();
  await expect.poll(() => page.getByTestId('account-email').textContent()).toBe('judy@example.org');
  await page.getByTestId('identity').waitFor();
  // Other tabs have the same session, and follow its changes.
  const tab = await page.context().newPage();
  await tab.goto(server.url);
  await tab.getByTestId('no-wallet').waitFor();
  await expect.poll(() => page.getByTestId('unlink').isDisabled()).toBe(true);
  await page.getByTestId('link-wallet').click();
  await page.locator('[data-testid=identity][data-id=wallet]').waitFor();
  const linked = await page.getByTestId('account-address').textContent();
  await page.getByTestId('to-calls').click();
  await expect.poll(() => page.getByTestId('my-address').getAttribute('data-address')).toBe(linked);
  await expect.poll(() => ownAddress(tab)).toBe(linked);
  await tab.close();

  // The wallet signs in to the same account. Unlinking the provider keeps this session.
  await page.getByTestId('wallet-menu').click();
  await page.getByTestId('sign-out').click();
  await page.getByTestId('connect-wallet').click();
  await page.getByTestId('my-address').waitFor();
  await page.getByTestId('to-account').click();
  const providerIdentity = page.locator('[data-testid=identity]:not([data-id=wallet])');
  await providerIdentity.getByTestId('unlink').click();
  await page.getByTestId('unlink-dialog').getByText('Cancel').click();
  await page.getByTestId('unlink-dialog').waitFor({ state: 'detached' });
  await providerIdentity.getByTestId('unlink').click();
  await page.getByTestId('unlink-confirm').click();
  await providerIdentity.waitFor({ state: 'detached' });
  await page.getByTestId('my-address').waitFor({ state: 'detached' });
  await expect.poll(() => page.getByTestId('identity').count()).toBe(1);
});

it('deletes an account without a wallet after another sign-in at the provider, and restores it', async () => {
  const page = await visit('/account');
  await signInAtProvider(page, 'nina');
  await page.getByTestId('to-account').click();
  await page.getByTestId('delete-account').click();
  await throughProvider(page, 'nina', () => page.getByTestId('provider-delete').click());
  await page.getByTestId('deletion-banner').waitFor();
  await page.getByTestId('deletion-banner').getByRole('button').click();
  await page.getByTestId('deletion-banner').waitFor({ state: 'detached' });
});

it('links the provider to a wallet’s account, and signs out when the identity of the session is unlinked', async () => {
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
  // Signing in at the provider opens the same account.
  await throughProvider(page, 'mike', () => page.getByTestId('provider-signIn').click());
  await page.getByTestId('to-account').click();
  await expect.poll(() => page.getByTestId('account-id').textContent()).toBe(before);
  visitors.allowError('401');
});

it('signs in with one signature of a browser wallet, and stays signed in after a reload', async () => {
  const wallet = hesitantWallet();
  const page = await visit('/', server.url, wallet.account);
  await page.getByRole('button', { name: 'Sign in with Pocket' }).click();
  await expect.poll(() => ownAddress(page)).toBe(wallet.account.address);
  expect(wallet.signed[0]).toContain('This costs nothing and sends no transaction.');
  await page.reload();
  await expect.poll(() => ownAddress(page)).toBe(wallet.account.address);
  expect(wallet.signed).toHaveLength(1);
  await page.getByTestId('wallet-menu').click();
  await page.getByTestId('sign-out').click();
  await page.getByTestId('connect-wallet').waitFor();
  await page.reload();
  await page.getByTestId('connect-wallet').waitFor();
});

it('explains that a wallet refused to sign, and can ask it again', async () => {
  const wallet = hesitantWallet();
  const page = await visit('/', server.url, wallet.account);
  wallet.refuses = true;
  await page.getByTestId('connect-wallet').click();
  const { code, text } = await problem(page);
  expect(code).toBe('WALLET');
  expect(text).toMatch(/Your wallet did not sign.*confirm the message/s);
  wallet.refuses = false;
  await page.getByTestId('connect-wallet').click();
  await expect.poll(() => ownAddress(page)).toBe(wallet.account.address);
  await expect.poll(() => page.getByTestId('problem').count()).toBe(0);
});

it('keeps a temporary wallet that cannot sign in for now, whatever else fails meanwhile', async () => {
  const wallet = hesitantWallet();
  wallet.refuses = true;
  const page = await visit('/', server.url, wallet.account);
  const address = await tryOut(page);
  await refuseSignIns(page);
  await page.reload();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  const answered = page.waitForResponse('**/api/v1/auth/**');
  await page.getByTestId('try-wallet').click();
  await answered;
  await page.getByTestId('problem').waitFor();
  await page.unroute('**/api/v1/auth/**');
  await page.getByTestId('connect-wallet').click();
  await page.locator('[data-testid=problem][data-code=WALLET]').waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(() => ownAddress(page)).toBe(address);
  visitors.allowError('503');
});

it('a wallet on two devices rings on both, answers on one, and moves the call to the other', async () => {
  const account = newWallet();
  const [alice, laptop, tablet] = await Promise.all([
    visit('/'),
    visit('/', server.url, account),
    visit('/', server.url, account),
  ]);
  await Promise.all([laptop, tablet].map((page) => page.getByTestId('connect-wallet').click()));
  await Promise.all([tryOut(alice), ownAddress(laptop), ownAddress(tablet)]);
  await call(alice, account.address);
  await tablet.getByTestId('incoming').waitFor();
  await laptop.getByTestId('answer').click();
  await tablet.getByTestId('incoming').waitFor({ state: 'detached' });
  await Promise.all([waitForVideo(alice), waitForVideo(laptop)]);
  await tablet.getByTestId('rejoin-audio').click();
  await laptop.getByTestId('running-call').waitFor();
  await expect.poll(() => laptop.getByTestId('in-call').count()).toBe(0);
  await Promise.all([waitForVideo(tablet), waitForAudio(tablet), waitForAudio(alice)]);
  await alice.getByTestId('peer-camera-off').waitFor();
  await alice.getByTestId('hang-up').click();
  await ended(tablet, 'ended');
  await laptop.getByTestId('running-call').waitFor({ state: 'detached' });
});

const signInAtProvider = (page: Page, login: string) =>
  throughProvider(page, login, () => page.getByTestId('provider-signIn').click());

/** Completes the provider's login and consent and returns to the console. The provider skips steps for a known user. */
async function throughProvider(page: Page, login: string, leave: () => Promise<void>): Promise<void> {
  const back = page.getByTestId('wallet-menu');
  // When linking, the page shows a signed-in user before and after, so wait until the old page is gone.
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

/** Opens the console in a new context, with a wallet in the browser if an account is given. */
const visit = (path: string, url = server.url, account?: WalletAccount): Promise<Page> =>
  visitors.visit(`${url}${path}`, { prepare: withSmallCamera, ...(account && { account }) });

/** Whether a console message comes from a page of the provider and can be ignored. */
const isForeign = (address: string) =>
  !address.startsWith('http://127.0.0.1') || address.startsWith(provider.issuer);

interface HesitantWallet {
  account: WalletAccount;
  refuses: boolean;
  /** The messages that the wallet has signed. */
  signed: string[];
}

/** A wallet that refuses to sign while `refuses` is true. */
function hesitantWallet(): HesitantWallet {
  const signer = newWallet();
  const wallet: HesitantWallet = {
    refuses: false,
    signed: [],
    account: {
      address: signer.address,
      signMessage: ({ message }) => {
        if (wallet.refuses || typeof message === 'string') throw new Error('refused');
        wallet.signed.push(Buffer.from(String(message.raw).slice(2), 'hex').toString());
        return signer.signMessage({ message });
      },
    },
  };
  return wallet;
}
