import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fits, goTo } from '../harness/console.ts';
import { buyNumber, write, newcomer as comeToConsole } from '../harness/consolePhone.ts';
import { ConsoleVisitors } from '../harness/ConsoleVisitors.ts';
import { HookReceiver, verify } from '../harness/HookReceiver.ts';
import { ServerProcess } from '../harness/ServerProcess.ts';
import { roomySettings } from '../integration/accountSupport.ts';

/* Webhooks on the console's pages, posted to a real server. */

let server: ServerProcess;
let hook: HookReceiver;
let visitors: ConsoleVisitors;

beforeAll(async () => {
  [server, hook, visitors] = await Promise.all([
    ServerProcess.start({ ...roomySettings, SIGNUP_CREDITS: '3000', WEBHOOK_ALLOW_LOOPBACK: 'true' }),
    HookReceiver.start(),
    ConsoleVisitors.launch(),
  ]);
});

afterAll(async () => {
  await visitors?.close();
  await hook?.close();
  await server?.dispose();
});

afterEach(async () => {
  hook.answer(204);
  expect(await visitors.leave()).toEqual([]);
});

describe('a webhook', () => {
  it('is set, shows its secret once, is tried, and hears of a text', async () => {
    const page = await newcomer();
    const number = await buyNumber(page);
    const secret = await setWebhook(page);
    await page.getByTestId('webhook-test').click();
    await page.locator('[data-testid=test-result][data-status=delivered]').waitFor();
    expect(await page.getByTestId('test-result').textContent()).toContain('It answered 204.');
    const [tried] = await hook.wait(1, 'webhook.test');
    expect(tried && verify(secret, tried)).toMatchObject({ data: { phoneNumber: number } });
    await page.locator('[data-testid=delivery][data-type="webhook.test"][data-status=delivered]').waitFor();

    await write(page, number, 'To myself', number);
    await hook.wait(1, 'message.received');
    await goTo(page, 'webhooks');
    await page.locator('[data-testid=delivery][data-type="message.received"]').waitFor();
  });

  it('says what was answered, when it is tried again, and that 410 switched it off', async () => {
    const page = await newcomer();
    await buyNumber(page);
    await setWebhook(page);
    hook.answer(500, {}, 'Something broke here');
    await page.getByTestId('webhook-test').click();
    await page.getByText('It answered 500.').first().waitFor();
    await page.getByText(/1 attempt; next/).waitFor();
    await page.getByTestId('delivery').getByText('Details').click();
    await page.getByText('Something broke here').waitFor();
    hook.answer(410);
    await page.getByTestId('webhook-test').click();
    await page.getByTestId('webhook-disabled').waitFor();
    expect(await page.getByTestId('webhook-test').isDisabled()).toBe(true);
    hook.answer(204);
    await page.getByTestId('webhook-enable').click();
    await page.getByTestId('webhook-disabled').waitFor({ state: 'detached' });
    await page.getByTestId('webhook-test').click();
    await page.locator('[data-testid=test-result][data-status=delivered]').waitFor();
  });

  it('gets a new secret, other events, and is removed', async () => {
    const page = await newcomer();
    await buyNumber(page);
    const secret = await setWebhook(page);
    await page.getByTestId('webhook-rotate').click();
    await page.getByTestId('ask-again-confirm').click();
    expect(await takeSecret(page)).not.toBe(secret);
    await page.getByTestId('previous-secret').waitFor();
    await page.getByTestId('webhook-edit').click();
    await page.getByTestId('event-message.sent').uncheck();
    await page.getByTestId('webhook-save').click();
    await page.getByTestId('webhook-dialog').waitFor({ state: 'detached' });
    expect(await page.getByTestId('webhook').textContent()).not.toContain('message.sent');
    await page.getByTestId('webhook-remove').click();
    await page.getByTestId('ask-again-confirm').click();
    await page.getByTestId('webhook-set').waitFor();
  });

  it('has to be an address that may be one', async () => {
    const page = await newcomer();
    await buyNumber(page);
    await goTo(page, 'webhooks');
    await page.getByTestId('webhook-set').click();
    await page.getByTestId('webhook-save').click();
    await page.getByText('An address that begins with https://').waitFor();
    await page.getByTestId('webhook-address').fill('https://10.0.0.1/hook');
    await page.getByTestId('webhook-save').click();
    await page.getByText('This address can’t be a webhook').waitFor();
    visitors.forgive('422');
  });
});

it.each([
  ['a small phone, in the dark', { viewport: { width: 360, height: 640 }, colorScheme: 'dark' }],
  ['a laptop', { viewport: { width: 1280, height: 800 }, colorScheme: 'light' }],
] as const)('webhooks fit %s', async (_what, options) => {
  const page = await newcomer('/numbers', options);
  await buyNumber(page);
  await goTo(page, 'webhooks');
  await page.getByTestId('webhook-set').click();
  await page.getByTestId('webhook-address').fill(`${hook.url}/${'long'.repeat(60)}`);
  await fits(page, 'webhook-save');
  await page.getByTestId('webhook-save').click();
  await fits(page, 'webhook-secret');
  await page.getByTestId('webhook-secret-done').click();
  await page.getByTestId('webhook-test').click();
  await fits(page, 'delivery');
});

/** Somebody who was never here, on a page. */
const newcomer = (path = '/numbers', options: BrowserContextOptions = {}) =>
  comeToConsole(visitors, `${server.url}${path}`, options);

/** Of one's only number. @returns the secret */
async function setWebhook(page: Page): Promise<string> {
  await goTo(page, 'webhooks');
  await page.getByTestId('webhook-set').click();
  await page.getByTestId('webhook-address').fill(hook.url);
  await page.getByTestId('webhook-save').click();
  return takeSecret(page);
}

async function takeSecret(page: Page): Promise<string> {
  const secret = (await page.getByTestId('webhook-secret').textContent()) ?? '';
  expect(secret).toMatch(/^whsec_/);
  await page.getByTestId('webhook-secret-done').click();
  return secret;
}
