import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fits, goTo, screens } from '../harness/browser/console.ts';
import { buyNumber, write, phoneConsole } from '../harness/browser/consolePhone.ts';
import { WebhookReceiver, verify } from '../harness/services/WebhookReceiver.ts';

/* Webhooks in the console, delivered to a real HTTP server. */

const { visitors, newcomer } = phoneConsole({
  WEBHOOK_ALLOW_LOOPBACK: 'true',
  // Prevents a retry while a test inspects a failed delivery.
  WEBHOOK_RETRY_SECONDS: '120',
});
let hook: WebhookReceiver;

beforeAll(async () => {
  hook = await WebhookReceiver.start();
});
afterAll(() => hook?.close());
afterEach(() => hook.answer(204));

describe('a webhook', () => {
  it('can be set and tested, shows its secret once, and receives the event of a text', async () => {
    const page = await newcomer();
    const number = await buyNumber(page);
    const secret = await setWebhook(page);
    await page.getByTestId('webhook-test').click();
    await page.locator('[data-testid=test-result][data-status=delivered]').waitFor();
    await expect
      .poll(() => page.getByTestId('test-result').textContent())
      .toContain('Your server answered 204.');
    const [tried] = await hook.wait(1, 'webhook.test');
    expect(tried && verify(secret, tried)).toMatchObject({ data: { phoneNumber: number } });
    await page.locator('[data-testid=delivery][data-type="webhook.test"][data-status=delivered]').waitFor();

    await write(page, number, 'To myself', number);
    await hook.wait(1, 'message.received');
    await goTo(page, 'webhooks');
    await page.locator('[data-testid=delivery][data-type="message.received"]').waitFor();
  });

  it('shows the response, the next attempt, and that a 410 disabled it', async () => {
    const page = await newcomer();
    await buyNumber(page);
    await setWebhook(page);
    hook.answer(500, {}, 'Something broke here');
    await page.getByTestId('webhook-test').click();
    await page.getByText('Your server answered 500.').first().waitFor();
    await page.getByText(/1 attempt; next/).waitFor();
    await page.getByTestId('delivery').getByText('Details').click();
    await page.getByText('Something broke here').waitFor();
    hook.answer(410);
    await page.getByTestId('webhook-test').click();
    await page.getByTestId('webhook-disabled').waitFor();
    await expect.poll(() => page.getByTestId('webhook-test').isDisabled()).toBe(true);
    hook.answer(204);
    await page.getByTestId('webhook-enable').click();
    await page.getByTestId('webhook-disabled').waitFor({ state: 'detached' });
    await page.getByTestId('webhook-test').click();
    await page.locator('[data-testid=test-result][data-status=delivered]').waitFor();
  });

  it('can get a new secret and other events, and be removed', async () => {
    const page = await newcomer();
    await buyNumber(page);
    const secret = await setWebhook(page);
    await page.getByTestId('webhook-rotate').click();
    await page.getByTestId('webhook-rotate-confirm').click();
    expect(await takeSecret(page)).not.toBe(secret);
    await page.getByTestId('previous-secret').waitFor();
    await page.getByTestId('webhook-edit').click();
    await page.getByTestId('event-message.sent').uncheck();
    await page.getByTestId('webhook-save').click();
    await page.getByTestId('webhook-dialog').waitFor({ state: 'detached' });
    await page.getByTestId('webhook-events').getByText('message.received, message.delivered, ').waitFor();
    await page.getByTestId('webhook-remove').click();
    await page.getByTestId('webhook-remove-confirm').click();
    await page.getByTestId('webhook-set').waitFor();
  });

  it('needs a valid and allowed URL', async () => {
    const page = await newcomer();
    await buyNumber(page);
    await goTo(page, 'webhooks');
    await page.getByTestId('webhook-set').click();
    await page.getByTestId('webhook-save').click();
    await page.getByText('Enter an address that starts with https://.').waitFor();
    await page.getByTestId('webhook-address').fill('https://10.0.0.1/hook');
    await page.getByTestId('webhook-save').click();
    await page.getByText('This address cannot be used as a webhook').waitFor();
    visitors().allowError('422');
  });
});

it.each(screens)('fits webhooks on %s', async (_screen, options) => {
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

/** Sets a webhook for the only number. @returns the secret */
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
