import { describe, expect, it } from 'vitest';
import { goTo, hold } from '../harness/browser/console.ts';
import {
  answer,
  buyNumber,
  messageOf,
  threadWith,
  write,
  phoneConsole,
} from '../harness/browser/consolePhone.ts';
import { until } from '../harness/until.ts';
import { queryDatabase } from '../integration/money/accountSupport.ts';

/* Texts in the console, with the loopback carrier. */

const { server, visitors, newcomer } = phoneConsole();

describe('two users with a number each', () => {
  it('exchange texts with unread counts and delivery status', async () => {
    const [alice, bob] = await Promise.all([newcomer(), newcomer()]);
    const [hers, his] = [await buyNumber(alice), await buyNumber(bob, 'GB')];
    await goTo(bob, 'texts');
    await bob.getByText('No messages yet').waitFor();
    await write(alice, his, 'Hello Bob');
    await alice.getByTestId('conversation-with').waitFor();
    await alice.locator('[data-testid=message][data-status=delivered]').waitFor();

    // Bob's page shows the text without any action.
    const thread = threadWith(bob, hers);
    await thread.waitFor();
    await expect.poll(() => thread.getAttribute('data-unread')).toBe('1');
    await thread.click();
    await expect.poll(() => messageOf(bob, 'Hello Bob').getAttribute('data-direction')).toBe('inbound');
    await bob.locator(`[data-testid=thread][data-counterparty="${hers}"][data-unread="0"]`).waitFor();
    await answer(bob, 'Hello Alice');
    await messageOf(alice, 'Hello Alice').waitFor();
    await goTo(bob, 'numbers');
    const listed = bob.waitForResponse('**/api/v1/messaging/threads?*');
    await goTo(bob, 'texts');
    await listed;
    await expect.poll(() => threadWith(bob, hers).getAttribute('data-unread')).toBe('0');
    // 3,000 minus the price of a number and a text.
    await goTo(alice, 'billing');
    await alice.locator('[data-testid=balance][data-credits="2795"]').waitFor();
  });

  it('see that a recipient has opted out with STOP', async () => {
    const [alice, bob] = await Promise.all([newcomer(), newcomer()]);
    const [hers, his] = [await buyNumber(alice), await buyNumber(bob)];
    await write(bob, hers, 'STOP');
    await bob.locator('[data-testid=message][data-status=delivered]').waitFor();
    await write(alice, his, 'Are you sure?');
    await alice.getByText('The recipient has opted out').waitFor();
    // The text stays in the composer.
    await expect.poll(() => alice.getByTestId('compose').inputValue()).toBe('Are you sure?');
    visitors().allowError('422');
  });
});

it('opens the texts of a sender without a number, and offers no answer to it', async () => {
  const page = await newcomer();
  const number = await buyNumber(page);
  // The loopback carrier has no such senders.
  await queryDatabase(
    server(),
    `WITH thread AS (
       INSERT INTO threads (id, account_id, number, counterparty, last_message_id, last_seq, message_count, unread_count)
       SELECT 'thr_' || repeat('1', 24), account_id, phone_number, 'Bank 24/7', 'msg_' || repeat('1', 24), 1000000, 1, 1
       FROM phone_numbers WHERE phone_number = $1 RETURNING *)
     INSERT INTO messages (id, account_id, thread_id, direction, number, counterparty, text, media, status, segments, encoding, credits, carrier)
     SELECT last_message_id, account_id, id, 'inbound', number, counterparty, 'Your code is 1234', '[]', 'received', 1, 'GSM-7', 0, 'loopback'
     FROM thread`,
    [number],
  );
  await goTo(page, 'texts');
  await threadWith(page, 'Bank 24/7').click();
  await messageOf(page, 'Your code is 1234').waitFor();
  await page.locator('[data-testid=thread][data-counterparty="Bank 24/7"][data-unread="0"]').waitFor();
  await page.getByText('This sender has no phone number').waitFor();
  await expect.poll(() => page.getByTestId('compose').count()).toBe(0);
  await page.reload();
  await messageOf(page, 'Your code is 1234').waitFor();
});

describe('the composer', () => {
  it('counts segments like the server and shows the price in advance', async () => {
    const page = await newcomer('/texts/new');
    const cost = page.getByTestId('text-cost');
    await page.getByTestId('to').fill('+44 20 7946 0123');
    await page.getByTestId('compose').fill('a'.repeat(161));
    await page.locator('[data-testid=text-cost][data-credits="10"]').waitFor();
    await expect.poll(() => cost.getAttribute('data-segments')).toBe('2');
    await expect.poll(() => cost.getAttribute('data-encoding')).toBe('GSM-7');
    await page.getByTestId('compose').fill('a “quote”');
    await expect.poll(() => cost.getAttribute('data-encoding')).toBe('UCS-2');
    await expect.poll(() => cost.textContent()).toContain('UCS-2 because of ““”');
    // The account has no number, so the pool sends the text.
    await expect.poll(() => page.getByTestId('from').inputValue()).toBe('');
    await page.getByTestId('send').click();
    await messageOf(page, 'a “quote”').waitFor();
    await page.getByText('a shared number').waitFor();
  });

  it('keeps what is typed while a text is being sent', async () => {
    const page = await newcomer('/texts/new');
    const compose = page.getByTestId('compose');
    const sendAndType = async (more: string) => {
      const release = await hold(page, '**/api/v1/messaging/send');
      const asked = page.waitForRequest('**/api/v1/messaging/send');
      await page.getByTestId('send').click();
      await asked;
      await compose.press('End');
      await compose.pressSequentially(` ${more}`);
      release();
      await expect.poll(() => compose.inputValue()).toBe(more);
    };
    await page.getByTestId('to').fill('+44 20 7946 0123');
    await compose.fill('One.');
    // The page of the first text stays, because it has the second one.
    await sendAndType('Two.');
    await page.getByTestId('send').click();
    await messageOf(page, 'One.').waitFor();
    await messageOf(page, 'Two.').waitFor();
    await compose.fill('Three.');
    await sendAndType('Four.');
    await messageOf(page, 'Three.').waitFor();
  });

  it('shows unsupported destinations and invalid numbers immediately', async () => {
    const page = await newcomer('/texts/new');
    await page.getByTestId('compose').fill('Hello');
    await page.getByTestId('to').fill('12');
    await page.getByTestId('send').click();
    await page.getByText('Enter a phone number that starts with + and the country code.').waitFor();
    await page.getByTestId('to').fill('+79161234567');
    await page.getByText('This server does not send texts to Russia').waitFor();
    await expect.poll(() => page.getByTestId('send').isDisabled()).toBe(true);
  });

  it('keeps the scroll position while texts arrive and earlier ones are loaded', async () => {
    const [alice, bob] = await Promise.all([newcomer(), newcomer()]);
    const [hers, his] = [await buyNumber(alice), await buyNumber(bob)];
    await write(alice, his, 'The first');
    await alice.locator('[data-testid=message][data-status=delivered]').waitFor();
    // Insert forty copies, because sending them one by one would take too long.
    await queryDatabase(server(), copies, [his]);
    await goTo(bob, 'texts');
    await threadWith(bob, hers).click();
    await messageOf(bob, 'Copy 40').waitFor();
    const scrollTop = () => bob.getByTestId('messages').evaluate((element) => element.scrollTop);
    await bob.getByTestId('messages').evaluate((element) => element.scrollTo(0, 0));
    const above = messageOf(bob, 'Copy 11');
    const before = (await above.boundingBox())?.y ?? 0;
    await bob.getByTestId('earlier').click();
    await messageOf(bob, 'The first').waitFor({ state: 'attached' });
    expect(Math.abs(((await above.boundingBox())?.y ?? 0) - before)).toBeLessThan(60);
    const scrollTopBefore = await scrollTop();
    expect(scrollTopBefore).toBeGreaterThan(0);
    await answer(alice, 'The last');
    await bob.getByTestId('new-below').click();
    await until(async () => (await scrollTop()) > scrollTopBefore, 'the end of the conversation');
    await bob.getByTestId('new-below').waitFor({ state: 'detached' });
  });
});

/** Inserts forty copies of the text that a number has received. */
const copies = `
  INSERT INTO messages (id, account_id, thread_id, direction, number, number_id, counterparty, text, media, status, segments,
    encoding, credits, carrier, is_secret)
  SELECT 'msg_' || lpad(n::text, 24, '0'), account_id, thread_id, direction, number, number_id, counterparty, 'Copy ' || n, media,
    status, segments, encoding, credits, carrier, is_secret
  FROM messages, generate_series(1, 40) n WHERE number = $1 AND direction = 'inbound' ORDER BY n`;
