import { describe, expect, it } from 'vitest';
import { goTo } from '../harness/console.ts';
import { answer, buyNumber, messageOf, threadWith, write, phoneConsole } from '../harness/consolePhone.ts';
import { until } from '../harness/until.ts';
import { queryDatabase } from '../integration/money/accountSupport.ts';

/* Texts on the console's pages, on the loopback carrier: what one writes, another one reads. */

const { server, visitors, newcomer } = phoneConsole();

describe('two people with a number each', () => {
  it('text each other: it arrives unread, is read, answered, and delivered', async () => {
    const [alice, bob] = await Promise.all([newcomer(), newcomer()]);
    const [hers, his] = [await buyNumber(alice), await buyNumber(bob, 'GB')];
    await goTo(bob, 'texts');
    await bob.getByText('No messages yet').waitFor();
    await write(alice, his, 'Hello Bob');
    await alice.getByTestId('conversation-with').waitFor();
    await alice.locator('[data-testid=message][data-status=delivered]').waitFor();

    // He did nothing but wait.
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
    // 3,000 less a number and a text.
    await goTo(alice, 'billing');
    await alice.locator('[data-testid=balance][data-credits="2795"]').waitFor();
  });

  it('one who wants no more says STOP, and the other is told why nothing is sent', async () => {
    const [alice, bob] = await Promise.all([newcomer(), newcomer()]);
    const [hers, his] = [await buyNumber(alice), await buyNumber(bob)];
    await write(bob, hers, 'STOP');
    await bob.locator('[data-testid=message][data-status=delivered]').waitFor();
    await write(alice, his, 'Are you sure?');
    await alice.getByText('The recipient has opted out').waitFor();
    // What was written is still there.
    await expect.poll(() => alice.getByTestId('compose').inputValue()).toBe('Are you sure?');
    visitors().allowError('422');
  });
});

describe('the composer', () => {
  it('counts as the server does, and knows the price before', async () => {
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
    // From nobody's own number: one of the pool writes.
    await expect.poll(() => page.getByTestId('from').inputValue()).toBe('');
    await page.getByTestId('send').click();
    await messageOf(page, 'a “quote”').waitFor();
    await page.getByText('a shared number').waitFor();
  });

  it('says at once where nothing can be sent to, and what is no number', async () => {
    const page = await newcomer('/texts/new');
    await page.getByTestId('compose').fill('Hello');
    await page.getByTestId('to').fill('12');
    await page.getByTestId('send').click();
    await page.getByText('Enter a phone number that starts with + and the country code.').waitFor();
    await page.getByTestId('to').fill('+79161234567');
    await page.getByText('This server does not send texts to Russia').waitFor();
    await expect.poll(() => page.getByTestId('send').isDisabled()).toBe(true);
  });

  it('keeps one’s place while messages come in, and loads earlier ones above it', async () => {
    const [alice, bob] = await Promise.all([newcomer(), newcomer()]);
    const [hers, his] = [await buyNumber(alice), await buyNumber(bob)];
    await write(alice, his, 'The first');
    await alice.locator('[data-testid=message][data-status=delivered]').waitFor();
    // Forty more of which nobody has to wait for each.
    await queryDatabase(server(), copies, [his]);
    await goTo(bob, 'texts');
    await threadWith(bob, hers).click();
    await messageOf(bob, 'Copy 40').waitFor();
    const place = () => bob.getByTestId('messages').evaluate((element) => element.scrollTop);
    await bob.getByTestId('messages').evaluate((element) => element.scrollTo(0, 0));
    const above = messageOf(bob, 'Copy 11');
    const before = (await above.boundingBox())?.y ?? 0;
    await bob.getByTestId('earlier').click();
    await messageOf(bob, 'The first').waitFor({ state: 'attached' });
    expect(Math.abs(((await above.boundingBox())?.y ?? 0) - before)).toBeLessThan(60);
    const kept = await place();
    expect(kept).toBeGreaterThan(0);
    await answer(alice, 'The last');
    await bob.getByTestId('new-below').click();
    await until(async () => (await place()) > kept, 'the end of the conversation');
    await bob.getByTestId('new-below').waitFor({ state: 'detached' });
  });
});

/** Of the text that came to a number. */
const copies = `
  INSERT INTO messages (id, account_id, thread_id, direction, number, number_id, counterparty, text, media, status, segments,
    encoding, credits, carrier, is_secret)
  SELECT 'msg_' || lpad(n::text, 24, '0'), account_id, thread_id, direction, number, number_id, counterparty, 'Copy ' || n, media,
    status, segments, encoding, credits, carrier, is_secret
  FROM messages, generate_series(1, 40) n WHERE number = $1 AND direction = 'inbound' ORDER BY n`;
