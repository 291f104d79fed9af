import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../sdk/protocol/ids.ts';
import { fits, goTo } from '../harness/browser/console.ts';
import { ConsoleVisitors } from '../harness/browser/ConsoleVisitors.ts';
import { clientId, IdentityProvider } from '../harness/services/IdentityProvider.ts';
import { keepQuality } from '../harness/keptQuality.ts';
import { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { StripeServer } from '../harness/services/StripeServer.ts';
import { queryDatabase } from '../integration/money/accountSupport.ts';
import { stripeSettings } from '../integration/money/stripeSupport.ts';
import { newWallet } from '../integration/support.ts';

/* Payments in the console, with a real server and a fake Stripe. Only Stripe's checkout page is replaced. */

const operator = newWallet();
let stripe: StripeServer;
let provider: IdentityProvider;
let server: ServerProcess;
let visitors: ConsoleVisitors;

beforeAll(async () => {
  [stripe, provider, visitors] = await Promise.all([
    StripeServer.start(),
    IdentityProvider.start(),
    ConsoleVisitors.launch(isForeign),
  ]);
  server = await ServerProcess.start((ports) => ({
    ...stripeSettings(stripe),
    PUBLIC_URL: `http://127.0.0.1:${ports.port}`,
    OPERATOR_WALLETS: operator.address,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: clientId,
  }));
  provider.allow(`${server.url}/sign-in/return`);
});

afterAll(async () => {
  await visitors?.close();
  await server?.dispose();
  await provider?.down();
  await stripe?.close();
});

afterEach(async () => expect(await visitors.closeAll()).toEqual([]));

it('tops up through Stripe and lists the payment', async () => {
  const page = await visit('/billing');
  await page.getByTestId('try-wallet').click();
  await balance(page, 0);
  await page.getByText('No payments yet').waitFor();
  await page.getByTestId('top-up-amounts').getByText('Other').click();
  for (const wrong of ['0.5', '1,250', '12.50 €']) {
    await page.getByTestId('top-up-own').fill(wrong);
    await page.getByTestId('top-up-pay').click();
    await page.getByText('Enter an amount from $1 to $10,000.').waitFor();
  }
  for (const amount of ['12,50', '12.50']) {
    await page.getByTestId('top-up-own').fill('');
    await page.getByTestId('top-up-own').pressSequentially(amount);
    await page.getByText('1,250 credits for').waitFor();
  }
  const left = await atStripe(page, () => page.getByTestId('top-up-pay').click());
  await page.goto(`${server.url}/billing?checkout=left`);
  await page.getByTestId('checkout-left').waitFor();
  await page.locator('[data-testid=payment][data-status=pending]').waitFor();
  stripe.state.pay(left);
  await page.goto(`${server.url}/billing?checkout=done`);
  await page.locator('[data-testid=checkout-done][data-arrived=false]').waitFor();
  await balance(page, 0);
  await stripe.deliver(server.url);
  await page.locator('[data-testid=checkout-done][data-arrived=true]').waitFor();
  await balance(page, 1_250);
  await page.locator('[data-testid=payment][data-status=paid][data-kind=top_up]').waitFor();
  await page.locator('[data-testid=movement][data-type=credit]').waitFor();
});

it('starts a plan and cancels it at the end of the month', async () => {
  const page = await visit('/billing');
  await page.getByTestId('try-wallet').click();
  const team = page.locator('[data-testid=plan-offer][data-plan=team]');
  const session = await atStripe(page, () => team.getByTestId('plan-choose').click());
  stripe.state.pay(session);
  await page.goto(`${server.url}/billing?checkout=done`);
  // The plan is active before its credits arrive.
  let release = () => {};
  const until = new Promise<void>((resolve) => (release = resolve));
  stripe.hold = { matches: (name) => name.startsWith('GET /v1/invoices/'), until };
  await stripe.deliver(server.url);
  await page.getByTestId('plan').getByText('Next credits on').waitFor();
  await page.locator('[data-testid=checkout-done][data-arrived=false]').waitFor();
  await balance(page, 0);
  release();
  stripe.hold = null;
  await page.locator('[data-testid=checkout-done][data-arrived=true]').waitFor();
  await balance(page, 2_000);
  await page.locator('[data-testid=payment][data-status=paid][data-kind=plan]').waitFor();
  await page.getByTestId('plan-cancel').click();
  await page.getByTestId('plan-cancel-confirm').click();
  await page.getByTestId('plan').getByText('Ends on').waitFor();
  await expect.poll(() => page.getByTestId('plan-cancel').count()).toBe(0);
});

it('can be left again after Back to a page that the browser has kept', async () => {
  const page = await visit('/billing');
  // Pages that open nothing, so that this page stays as it was when it was left.
  for (const elsewhere of [`${provider.issuer}/auth?*`, 'https://checkout.stripe.test/**'])
    await page.route(elsewhere, (route) => route.fulfill({ status: 204 }));
  const leaveTwice = async (testId: string) => {
    const button = page.getByTestId(testId);
    for (let times = 0; times < 2; times++) {
      const left = page.waitForRequest((request) => request.isNavigationRequest());
      await button.click();
      await left;
      await page.locator(`[data-testid=${testId}][data-loading]`).waitFor();
      await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
      await page.locator(`[data-testid=${testId}]:not([data-loading])`).waitFor();
    }
  };
  await leaveTwice('provider-signIn');
  await page.getByTestId('try-wallet').click();
  await leaveTwice('top-up-pay');
});

describe('the operator page', () => {
  it('shows the payments to an operator', async () => {
    await queryDatabase(
      server,
      `INSERT INTO x402_payments (id, network, asset, payer, nonce, pay_to, amount, service, units, credits, method, path,
         request_hash, sender, status, since_block, valid_before, lease_until, expires_at)
       VALUES ('pay_000000000000000000000000', 'eip155:31337', $1, $1, '0x1', '0xb', 20000, 'sms', 1, 2, 'POST',
         '/api/v1/sms/send', '', '', 'failed', 0, now(), now(), now())`,
      [operator.address],
    );
    const page = await visit('/', server.url, operator);
    await page.getByTestId('connect-wallet').click();
    await page.getByTestId('to-operator/payments').click();
    await page.locator(`[data-testid=request-payment][data-payer="${operator.address}"]`).waitFor();
    await page.getByTestId('payment-filter').getByText('Done').click();
    await page.getByText('There are no payments with this status').waitFor();
  });

  it('shows what is going on, the errors, and the accounts, which get credits and are blocked', async () => {
    const page = await visit('/', server.url, operator);
    await page.getByTestId('connect-wallet').click();
    await page.getByTestId('to-operator').click();
    await page.locator('[data-testid=node][data-draining=false]').waitFor();
    await page.getByTestId('now-calls').getByText('0').waitFor();
    // A single node cannot be drained.
    await expect.poll(() => page.getByTestId('node-drain').count()).toBe(0);
    // It may be the only one left of those that served while it was drained.
    await queryDatabase(server, 'UPDATE nodes SET drains = true WHERE died_at IS NULL', []);
    await page.getByTestId('node-serve').click();
    await page.locator('[data-testid=node][data-draining=false]').waitFor();
    const [worker] = server.logged('media worker started');
    process.kill(Number(worker?.['pid']), 'SIGKILL');
    await expect
      .poll(async () => {
        await page.getByTestId('server-errors').getByText('Refresh').click();
        return page.locator('[data-testid=server-error][data-level=error]').count();
      })
      .toBeGreaterThan(0);
    await page.getByTestId('server-error').getByText('media worker died').first().waitFor();

    const { address } = newWallet();
    await queryDatabase(
      server,
      `INSERT INTO accounts (id, wallet) VALUES ('acc_000000000000000000000001', $1)`,
      [address],
    );
    await page.getByTestId('to-operator/accounts').click();
    await page.getByTestId('accounts-find').fill(address);
    await page.keyboard.press('Enter');
    const account = page.getByTestId('operator-account');
    await expect.poll(() => account.count()).toBe(1);
    await account.getByTestId('account-grant').click();
    await page.getByTestId('grant-credits').fill('1500');
    await page.getByTestId('operator-reason').fill('for the outage');
    await page.getByTestId('grant-confirm').click();
    await account.getByText('1,500 credits').waitFor();
    await account.getByTestId('account-block').click();
    await page.getByTestId('operator-reason').fill('sends spam');
    await page.getByTestId('block-confirm').click();
    await account.getByText('blocked: sends spam').waitFor();
    await account.getByTestId('account-unblock').click();
    await page.locator('[data-testid=operator-account][data-blocked=false]').waitFor();
  });

  it('grants once if the answer is lost and the operator tries again', async () => {
    const { address } = newWallet();
    await queryDatabase(
      server,
      `INSERT INTO accounts (id, wallet) VALUES ('acc_000000000000000000000002', $1)`,
      [address],
    );
    const page = await visit('/', server.url, operator);
    await page.getByTestId('connect-wallet').click();
    await goTo(page, 'operator/accounts');
    await page.getByTestId('accounts-find').fill(address);
    await page.keyboard.press('Enter');
    const account = page.getByTestId('operator-account');
    await expect.poll(() => account.count()).toBe(1);
    await account.getByTestId('account-grant').click();
    await page.getByTestId('grant-credits').fill('700');
    await page.getByTestId('operator-reason').fill('for the outage');
    const credits = '**/api/v1/operator/accounts/*/credits';
    // The server grants, but none of its answers arrives.
    await page.route(credits, async (route) => {
      await route.fetch();
      await route.abort();
    });
    await page.getByTestId('grant-confirm').click();
    await page.locator('[data-testid=problem][data-code=NETWORK_ERROR]').waitFor();
    await page.unroute(credits);
    await page.getByTestId('grant-confirm').click();
    await page.getByTestId('grant-dialog').waitFor({ state: 'detached' });
    await account.getByText('700 credits', { exact: true }).waitFor();
  });

  it('explains any call or room', async () => {
    const call = newId('call');
    const parties = [newWallet().address, newWallet().address];
    await keepQuality((text, values) => queryDatabase(server, text, values), call, parties);
    const page = await visit('/', server.url, operator);
    await page.getByTestId('connect-wallet').click();
    await page.getByTestId('to-operator').waitFor();
    await page.evaluate((to) => history.pushState(null, '', to), `/quality/${call}`);
    const finding = page.getByTestId('quality-finding').first();
    await expect.poll(() => finding.getAttribute('data-party')).toBe(parties[1]);
  });

  it('is not accessible to others', async () => {
    const page = await visit('/', server.url, newWallet());
    const asked = page.waitForResponse('**/api/v1/operator/payments*');
    await page.getByTestId('connect-wallet').click();
    expect((await asked).status()).toBe(403);
    await page.getByTestId('my-address').waitFor();
    for (const path of ['/operator', '/operator/accounts', '/operator/payments']) {
      await page.goto(`${server.url}${path}`);
      await page.getByText('You do not have access').first().waitFor();
    }
    await expect.poll(() => page.getByTestId('to-operator').count()).toBe(0);
  });
});

it.each([
  ['a phone', { width: 390, height: 844 }],
  ['a laptop', { width: 1280, height: 800 }],
])('fits the pages on %s', async (screen, viewport) => {
  const page = await visit('/', server.url, operator);
  await page.setViewportSize(viewport);
  const takeScreenshot = (name: string) =>
    process.env['SCREENSHOTS'] &&
    page.screenshot({ path: `${process.env['SCREENSHOTS']}/${name} on ${screen}.png`, fullPage: true });
  await fits(page, 'provider-signIn');
  await takeScreenshot('sign-in');
  await page.getByTestId('connect-wallet').click();
  await goTo(page, 'billing');
  await page.getByTestId('plan-offer').first().waitFor();
  await fits(page, 'payments');
  await takeScreenshot('billing');
  await goTo(page, 'account');
  await fits(page, 'identity');
  await takeScreenshot('account');
  await goTo(page, 'operator/payments');
  await fits(page, 'request-payment');
  await goTo(page, 'operator/accounts');
  await fits(page, 'operator-account');
  await takeScreenshot('operator accounts');
  await goTo(page, 'operator');
  await fits(page, 'node');
  await takeScreenshot('operator server');
});

/** Goes to Stripe's checkout page. @returns id of the checkout session */
async function atStripe(page: Page, leave: () => Promise<void>): Promise<string> {
  await page.route('https://checkout.stripe.test/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<title>Stripe</title>' }),
  );
  await leave();
  await page.waitForURL('https://checkout.stripe.test/**');
  return page.url().split('/').at(-1) ?? '';
}

const balance = (page: Page, credits: number) =>
  page.locator(`[data-testid=balance][data-credits="${credits}"]`).waitFor();

/** Opens the console in a new context, with a wallet in the browser if an account is given. */
const visit = (path: string, url = server.url, account?: ReturnType<typeof newWallet>): Promise<Page> =>
  visitors.visit(`${url}${path}`, account && { account });

/** Whether a console message comes from a page of the provider and can be ignored. */
const isForeign = (address: string) =>
  !address.startsWith('http://127.0.0.1') || address.startsWith(provider.issuer);
