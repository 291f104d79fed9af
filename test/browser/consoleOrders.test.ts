import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { goTo } from '../harness/browser/console.ts';
import { loseAnswer, newcomer, numberOf } from '../harness/browser/consolePhone.ts';
import { ConsoleVisitors } from '../harness/browser/ConsoleVisitors.ts';
import { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { FakeTwilio, twilioAccount } from '../harness/services/FakeTwilio.ts';
import { roomySettings } from '../integration/money/accountSupport.ts';

/* Number orders in the console when the carrier does not answer immediately. */

/** Twilio has too many requests, so an order is tried again. After a 5xx it would wait until Twilio certainly did not sell the number. */
const busy = () => ({ status: 429, code: 20429 });

let twilio: FakeTwilio;
let server: ServerProcess;
let visitors: ConsoleVisitors;

beforeAll(async () => {
  [twilio, visitors] = await Promise.all([FakeTwilio.start(), ConsoleVisitors.launch()]);
  server = await ServerProcess.start(({ port }) => ({
    ...roomySettings,
    SIGNUP_CREDITS: '2000',
    CARRIER: 'twilio',
    TWILIO_ACCOUNT_SID: twilioAccount.accountSid,
    TWILIO_AUTH_TOKEN: twilioAccount.authToken,
    TWILIO_API_BASE: twilio.url,
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    SMS_POOL_NUMBERS: '+12025550151',
    SMS_SUBMIT_SECONDS: '3',
  }));
});

afterAll(async () => {
  await visitors?.close();
  await server?.dispose();
  await twilio?.stop();
});

it('follows pending orders to their refund or completion', async () => {
  const page = await newcomer(visitors, `${server.url}/numbers`);
  twilio.onBuy = busy;
  const first = await orderOf(page);
  // The order survives a reload and is refunded when the number is no longer available.
  await page.reload();
  await page.getByTestId('order').waitFor();
  twilio.onBuy = () => ({ status: 400, code: 21422 });
  await page.locator('[data-testid=order][data-status=refunded]').waitFor();
  await page.getByText('Refunded to your balance').waitFor();
  // The number is offered again, so the second order may be for the same number.
  await expect.poll(() => numberOf(page, first).count()).toBe(0);
  await page.getByTestId('order-dismiss').click();

  twilio.onBuy = busy;
  const second = await orderOf(page);
  twilio.onBuy = null;
  await page.locator('[data-testid=order][data-status=completed]').waitFor();
  await page.locator(`[data-testid=number][data-number="${second}"][data-status=active]`).waitFor();
  await goTo(page, 'billing');
  await page.locator('[data-testid=balance][data-credits="1600"]').waitFor();
  // This carrier sells only mobile numbers of one country; the form's other queries fail.
  visitors.allowError('/numbers/available');
  expect(await visitors.closeAll()).toEqual([]);
});

it('keeps a pending order if the page is reloaded right after the answer', async () => {
  const page = await newcomer(visitors, `${server.url}/numbers`);
  twilio.onBuy = busy;
  await chooseNumber(page);
  const credits = '**/api/v1/account/credits';
  // The page reads the balance after the purchase. It does not get it.
  await page.route(credits, () => undefined, { times: 1 });
  const balanceIsRead = page.waitForRequest(credits);
  await page.getByTestId('buy-submit').click();
  await balanceIsRead;
  await page.reload();
  await page.locator('[data-testid=order][data-status=pending]').waitFor();
  // The number is not sold, so the next test can order it.
  twilio.onBuy = () => ({ status: 400, code: 21422 });
  await page.locator('[data-testid=order][data-status=refunded]').waitFor();
  visitors.allowError('/numbers/available');
  expect(await visitors.closeAll()).toEqual([]);
});

it('shows a number whose purchase was under way when the page was reloaded', async () => {
  const page = await newcomer(visitors, `${server.url}/numbers`);
  twilio.onBuy = busy;
  await chooseNumber(page);
  const isBought = loseAnswer(page, '**/api/v1/numbers/buy');
  await page.getByTestId('buy-submit').click();
  await isBought;
  await page.reload();
  await page.locator('[data-testid=number][data-status=pending]').waitFor();
  twilio.onBuy = null;
  await page.locator('[data-testid=number][data-status=active]').waitFor();
  visitors.allowError('/numbers/available');
  expect(await visitors.closeAll()).toEqual([]);
});

/** Orders the first available number of the United Kingdom. @returns the number */
async function orderOf(page: Page): Promise<string> {
  await chooseNumber(page);
  await page.getByTestId('buy-submit').click();
  await page.locator('[data-testid=bought][data-status=pending]').waitFor();
  const number = (await page.getByTestId('bought-number').textContent()) ?? '';
  await page.getByTestId('bought-done').click();
  await page.locator('[data-testid=order][data-status=pending]').waitFor();
  return number;
}

/** Opens the dialog to buy a number, with the first available number of the United Kingdom. */
async function chooseNumber(page: Page): Promise<void> {
  await page.getByTestId('buy-number').click();
  await page.getByTestId('buy-country').selectOption('GB');
  await page.getByTestId('buy-type').selectOption('mobile');
  await page.locator('[data-testid=price][data-credits="400"]').waitFor();
}
