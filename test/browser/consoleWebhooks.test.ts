import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fits, goTo, screens } from '../harness/browser/console.ts';
import { makeRoom, withSmallCamera } from '../harness/browser/consoleRooms.ts';
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
afterEach(() => {
  hook.answer(204);
  hook.received.length = 0;
});

describe('an endpoint', () => {
  it('gets the events of the account, shows its secret once, and can get an event again', async () => {
    const page = await newcomer();
    await addEndpoint(page, 'Attendance');
    const secret = await takeSecret(page);
    await page.getByTestId('endpoint-test').click();
    await page.locator('[data-testid=test-result][data-status=delivered]').waitFor();
    const [tried] = await hook.wait(1, 'webhook.test');
    expect(tried && verify(secret, tried)).toMatchObject({ type: 'webhook.test' });
    const deliveries = page.locator('[data-testid=delivery][data-status=delivered]');
    await deliveries.getByText('Details').click();
    await deliveries.getByTestId('request-body').getByText('"type": "webhook.test"').waitFor();
    await page.getByTestId('replay').click();
    const [, again] = await hook.wait(2, 'webhook.test');
    expect(again?.headers['webhook-id']).toBe(tried?.headers['webhook-id']);
    await deliveries.nth(1).waitFor();
    await page.getByTestId('delivery-filter').selectOption('failed');
    await page.getByTestId('deliveries').getByText('No delivery is in this state.').waitFor();
    await page.getByTestId('all-endpoints').click();
    await page
      .getByTestId('endpoint')
      .locator('[data-testid=last-outcome][data-status=delivered]')
      .getByText('Your server answered 204.')
      .waitFor();
  });

  it('can be edited, disabled, enabled and removed, and get a new secret', async () => {
    const page = await newcomer();
    await addEndpoint(page, 'Attendance');
    const secret = await takeSecret(page);
    await page.getByTestId('endpoint-edit').click();
    await page.getByTestId('all-events').uncheck();
    await page.getByTestId('endpoint-save').click();
    await page.getByText('Choose at least one event.').waitFor();
    await page.getByTestId('events-rooms').check();
    await page.getByTestId('event-call.missed').check();
    await page.getByTestId('endpoint-save').click();
    await page.getByTestId('endpoint-dialog').waitFor({ state: 'detached' });
    await page.getByTestId('endpoint-events').getByText('Rooms, call.missed').waitFor();
    await page.getByTestId('endpoint-rotate').click();
    await page.getByTestId('endpoint-rotate-confirm').click();
    expect(await takeSecret(page)).not.toBe(secret);
    await page.getByTestId('previous-secret').waitFor();
    await page.getByTestId('endpoint-disable').click();
    await page.getByTestId('endpoint-disable-confirm').click();
    await page.getByTestId('endpoint-disabled').waitFor();
    await expect.poll(() => page.getByTestId('endpoint-test').isDisabled()).toBe(true);
    await page.getByTestId('endpoint-enable').click();
    await page.getByTestId('endpoint-disabled').waitFor({ state: 'detached' });
    await page.getByTestId('endpoint-remove').click();
    await page.getByTestId('endpoint-remove-confirm').click();
    await page.getByText('No endpoints yet').waitFor();
  });

  it('needs a valid and allowed URL', async () => {
    const page = await newcomer();
    await goTo(page, 'webhooks');
    await page.getByTestId('new-endpoint').click();
    await page.getByTestId('endpoint-save').click();
    await page.getByText('Enter an address that starts with https://.').waitFor();
    await page.getByTestId('endpoint-url').fill('https://10.0.0.1/hook');
    await page.getByTestId('endpoint-save').click();
    await page.getByText('This address cannot be used as a webhook').waitFor();
    visitors().allowError('422');
  });
});

it('lists the events of the account, latest first, by type and by room', async () => {
  const page = await newcomer('/webhooks');
  await withSmallCamera(page.context());
  await addEndpoint(page, 'Everything');
  await takeSecret(page);
  const roomId = await makeRoom(page, { name: 'Events' });
  await page.getByTestId('join-room').click();
  await page.getByTestId('in-room').waitFor();
  await page.getByTestId('room-leave').click();
  await page.getByTestId('end-room').click();
  await hook.wait(1, 'room.ended');
  await goTo(page, 'webhooks');
  await page.getByTestId('webhooks-view').getByText('Events').click();
  const events = page.getByTestId('event');
  const types = () =>
    events.evaluateAll((items) => items.map((item) => (item as HTMLElement).dataset['type']));
  await expect.poll(async () => (await types())[0]).toBe('room.ended');
  await page.getByTestId('event-type').selectOption('room.started');
  await expect.poll(types).toEqual(['room.started']);
  await events.getByTestId('event-of').click();
  await expect.poll(() => page.getByTestId('event-subject').inputValue()).toBe(roomId);
  await page.getByTestId('event-type').selectOption('');
  await expect.poll(async () => (await types()).at(-1)).toBe('room.started');
  await page.getByTestId('event-subject').fill('room_unknown');
  await page.getByText('No event matches these filters.').waitFor();
});

it.each(screens)('fits endpoints and events on %s', async (_screen, options) => {
  const page = await newcomer('/webhooks', options);
  await fits(page, 'new-endpoint');
  await page.getByTestId('new-endpoint').click();
  await page.getByTestId('endpoint-url').fill(`${hook.url}/${'long'.repeat(60)}`);
  await fits(page, 'endpoint-save');
  await page.getByTestId('endpoint-save').click();
  await page.getByTestId('webhook-secret-done').click();
  await page.getByTestId('endpoint-test').click();
  // Delivered, so that it does not arrive during the next test.
  const delivery = page.locator('[data-testid=delivery][data-status=delivered]');
  await delivery.getByText('Details').click();
  await fits(page, 'request-body');
  await page.getByTestId('all-endpoints').click();
  await fits(page, 'last-outcome');
  await page.getByTestId('webhooks-view').getByText('Events').click();
  await page.getByTestId('event').first().waitFor();
  await fits(page, 'event-subject');
});

describe('the webhook of a number', () => {
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
    await toNumbers(page);
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
    await toNumbers(page);
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
  await toNumbers(page);
  await page.getByTestId('webhook-set').click();
  await page.getByTestId('webhook-address').fill(`${hook.url}/${'long'.repeat(60)}`);
  await fits(page, 'webhook-save');
  await page.getByTestId('webhook-save').click();
  await fits(page, 'webhook-secret');
  await page.getByTestId('webhook-secret-done').click();
  await page.getByTestId('webhook-test').click();
  await fits(page, 'delivery');
});

/** Adds an endpoint for all events. */
async function addEndpoint(page: Page, description: string): Promise<void> {
  await goTo(page, 'webhooks');
  await page.getByTestId('new-endpoint').click();
  await page.getByTestId('endpoint-url').fill(hook.url);
  await page.getByTestId('endpoint-description').fill(description);
  await page.getByTestId('endpoint-save').click();
}

async function toNumbers(page: Page): Promise<void> {
  await goTo(page, 'webhooks');
  await page.getByTestId('webhooks-view').getByText('Single numbers').click();
}

/** Sets a webhook for the only number. @returns the secret */
async function setWebhook(page: Page): Promise<string> {
  await toNumbers(page);
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
