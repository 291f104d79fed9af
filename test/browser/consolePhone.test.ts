import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { comesBack, fits, focused, goTo, tabTo } from '../harness/console.ts';
import {
  answer,
  buyNumber,
  messageOf,
  numberOf,
  onNumbers,
  threadWith,
  write,
} from '../harness/consolePhone.ts';
import { ConsoleVisitors } from '../harness/ConsoleVisitors.ts';
import { ServerProcess } from '../harness/ServerProcess.ts';
import { until } from '../harness/until.ts';
import { queryDatabase, roomySettings } from '../integration/accountSupport.ts';

/* Numbers and messages on the console's pages, on the loopback carrier: what one writes, another one reads. */

let server: ServerProcess;
let visitors: ConsoleVisitors;

beforeAll(async () => {
  [server, visitors] = await Promise.all([
    ServerProcess.start({ ...roomySettings, SIGNUP_CREDITS: '3000' }),
    ConsoleVisitors.launch(),
  ]);
});

afterAll(async () => {
  await visitors?.close();
  await server?.dispose();
});

afterEach(async () => expect(await visitors.leave()).toEqual([]));

describe('two people with a number each', () => {
  it('text each other: it arrives unread, is read, answered, and delivered', async () => {
    const [alice, bob] = await Promise.all([newcomer(), newcomer()]);
    const [hers, his] = [await buyNumber(alice), await buyNumber(bob, 'GB')];
    await goTo(bob, 'messages');
    await bob.getByText('No messages yet').waitFor();
    await write(alice, his, 'Hello Bob');
    await alice.getByTestId('conversation-with').waitFor();
    await alice.locator('[data-testid=message][data-status=delivered]').waitFor();

    // He did nothing but wait.
    const thread = threadWith(bob, hers);
    await thread.waitFor();
    expect(await thread.getAttribute('data-unread')).toBe('1');
    await thread.click();
    expect(await messageOf(bob, 'Hello Bob').getAttribute('data-direction')).toBe('inbound');
    await bob.locator(`[data-testid=thread][data-counterparty="${hers}"][data-unread="0"]`).waitFor();
    await answer(bob, 'Hello Alice');
    await messageOf(alice, 'Hello Alice').waitFor();
    await goTo(bob, 'numbers');
    await goTo(bob, 'messages');
    expect(await threadWith(bob, hers).getAttribute('data-unread')).toBe('0');
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
    await alice.getByText('They want no texts from this number').waitFor();
    // What was written is still there.
    expect(await alice.getByTestId('compose').inputValue()).toBe('Are you sure?');
    visitors.forgive('422');
  });
});

describe('the composer', () => {
  it('counts as the server does, and knows the price before', async () => {
    const page = await newcomer('/messages/new');
    const cost = page.getByTestId('text-cost');
    await page.getByTestId('to').fill('+44 20 7946 0123');
    await page.getByTestId('compose').fill('a'.repeat(161));
    await page.locator('[data-testid=text-cost][data-credits="10"]').waitFor();
    expect(await cost.getAttribute('data-segments')).toBe('2');
    expect(await cost.getAttribute('data-encoding')).toBe('GSM-7');
    await page.getByTestId('compose').fill('a “quote”');
    expect(await cost.getAttribute('data-encoding')).toBe('UCS-2');
    expect(await cost.textContent()).toContain('for “““');
    // From nobody's own number: one of the pool writes.
    expect(await page.getByTestId('from').inputValue()).toBe('');
    await page.getByTestId('send').click();
    await page.locator('[data-testid=message][data-status=delivered]').waitFor();
    await page.getByText('a shared number').waitFor();
  });

  it('says at once where nothing can be sent to, and what is no number', async () => {
    const page = await newcomer('/messages/new');
    await page.getByTestId('compose').fill('Hello');
    await page.getByTestId('to').fill('12');
    await page.getByTestId('send').click();
    await page.getByText('A phone number: + and the country code first.').waitFor();
    await page.getByTestId('to').fill('+79161234567');
    await page.getByText('This server sends no texts to Russia').waitFor();
    expect(await page.getByTestId('send').isDisabled()).toBe(true);
  });

  it('keeps one’s place while messages come in, and loads earlier ones above it', async () => {
    const [alice, bob] = await Promise.all([newcomer(), newcomer()]);
    const [hers, his] = [await buyNumber(alice), await buyNumber(bob)];
    await write(alice, his, 'The first');
    await alice.locator('[data-testid=message][data-status=delivered]').waitFor();
    // Forty more of which nobody has to wait for each.
    await queryDatabase(server, copies, [his]);
    await goTo(bob, 'messages');
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

describe('the page of numbers', () => {
  it('buys a number by the keyboard alone', async () => {
    const page = await newcomer();
    await tabTo(page, 'buy-number');
    await page.keyboard.press('Enter');
    await page.getByTestId('offer').first().waitFor();
    await tabTo(page, 'buy-type');
    await page.keyboard.type('Toll');
    await page.locator('[data-testid=price][data-credits="400"]').waitFor();
    await tabTo(page, 'offer');
    await page.keyboard.press('ArrowDown');
    await tabTo(page, 'buy-auto-renew');
    await page.keyboard.press('Space');
    await tabTo(page, 'buy-submit');
    await page.keyboard.press('Enter');
    await until(async () => (await focused(page)) === 'bought-done', 'the focus on what ends it');
    const number = (await page.getByTestId('bought-number').textContent()) ?? '';
    expect(number).toMatch(/^\+18/);
    await page.keyboard.press('Enter');
    await numberOf(page, number).waitFor();
    expect(await page.getByTestId('auto-renew').isChecked()).toBe(false);
    expect(await focused(page)).not.toBeNull();
  });

  it('renews, switches the renewal, and gives back once it has said what is lost', async () => {
    const page = await newcomer();
    const number = await buyNumber(page);
    const item = numberOf(page, number);
    const before = await item.getByTestId('number-expires').textContent();
    await item.getByTestId('number-renew').click();
    await page.getByTestId('renew-months').selectOption('2');
    await page.locator('[data-testid=price][data-credits="400"]').waitFor();
    await page.getByTestId('renew-confirm').click();
    await page.getByTestId('renew-dialog').waitFor({ state: 'detached' });
    expect(await item.getByTestId('number-expires').textContent()).not.toBe(before);
    await item.getByTestId('auto-renew').click();
    await item.getByText('unless you renew it').waitFor();
    await page.reload();
    expect(await item.getByTestId('auto-renew').isChecked()).toBe(false);

    await item.getByTestId('number-release').click();
    await page.getByText('is not given back').waitFor();
    // Whoever just presses Enter keeps it.
    await page.keyboard.press('Enter');
    await page.getByTestId('release-dialog').waitFor({ state: 'detached' });
    await item.getByTestId('number-release').click();
    await page.getByTestId('release-confirm').click();
    await page.getByText('No number yet').waitFor();
    await page.getByTestId('show-released').click();
    expect(await item.getAttribute('data-status')).toBe('released');
  });

  it('says when credits are missing, before anything is bought', async () => {
    const page = await newcomer();
    await queryDatabase(server, 'UPDATE accounts SET credits = 150 WHERE credits = 3000');
    await comesBack(page);
    await page.getByTestId('buy-number').click();
    await page.getByText('You have 150: 50 too few.').waitFor();
    expect(await page.getByTestId('buy-submit').isDisabled()).toBe(true);
    await page.getByText('Add credits').click();
    await page.getByTestId('top-up').waitFor();
  });

  it('says where no numbers are sold', async () => {
    const page = await newcomer();
    await page.getByTestId('buy-number').click();
    await page.getByTestId('buy-country').selectOption('JP');
    await page.getByText('There are no such numbers here').waitFor();
    visitors.forgive('422');
  });
});

it.each([
  ['a small phone, in the dark', { viewport: { width: 360, height: 640 }, colorScheme: 'dark' }],
  ['a laptop', { viewport: { width: 1280, height: 800 }, colorScheme: 'light' }],
] as const)('numbers and messages fit %s', async (_what, options) => {
  const page = await newcomer('/numbers', options);
  await page.getByTestId('buy-number').click();
  await fits(page, 'buy-submit');
  await page.keyboard.press('Escape');
  const number = await buyNumber(page);
  await fits(page, 'number');
  await page.getByTestId('number-release').click();
  await fits(page, 'release-confirm');
  await page.keyboard.press('Escape');
  await goTo(page, 'messages');
  await page.getByTestId('write').click();
  await fits(page, 'compose');
  await write(page, number, 'To myself, with a word that is too long: '.padEnd(200, 'x'));
  await fits(page, 'message');
});

/** Somebody who was never here, on a page. */
async function newcomer(path = '/numbers', options: BrowserContextOptions = {}): Promise<Page> {
  const page = await visitors.visit(`${server.url}${path}`, options);
  await page.getByTestId('try-wallet').click();
  await page.getByTestId('wallet-menu').waitFor();
  return path === '/numbers' ? onNumbers(page) : page;
}

/** Of the text that came to a number. */
const copies = `
  INSERT INTO messages (id, account_id, thread_id, direction, number, number_id, counterparty, text, media, status, segments,
    encoding, credits, carrier, is_secret)
  SELECT 'msg_' || lpad(n::text, 24, '0'), account_id, thread_id, direction, number, number_id, counterparty, 'Copy ' || n, media,
    status, segments, encoding, credits, carrier, is_secret
  FROM messages, generate_series(1, 40) n WHERE number = $1 AND direction = 'inbound' ORDER BY n`;
