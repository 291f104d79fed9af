import type { BrowserContextOptions, Page, Route, WebSocketRoute } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fits, focusWindow, goTo, hold, storedSecret, tabTo } from '../harness/browser/console.ts';
import {
  buyNumber,
  loseAnswer,
  messageOf,
  phoneConsole,
  threadWith,
  write,
} from '../harness/browser/consolePhone.ts';
import { TestClient } from '../harness/clients/TestClient.ts';
import { badMinute, keepQuality } from '../harness/keptQuality.ts';
import { queryDatabase } from '../integration/money/accountSupport.ts';
import { newWallet } from '../integration/support.ts';

/* When the console reads data, sends requests and shows errors. */

const { server, visitors, newcomer } = phoneConsole();

describe('an action', () => {
  it('runs once on a double click', async () => {
    const page = await newcomer('/keys');
    await page.getByTestId('create-key').click();
    await page.getByTestId('key-name').fill('Only one');
    const created = requestsOf(page, 'POST', '/api/v1/api-keys');
    // Both clicks come before the page renders that the first one is under way.
    await page.getByTestId('create-key-submit').evaluate((button: HTMLElement) => {
      button.click();
      button.click();
    });
    await storedSecret(page);
    expect(created).toHaveLength(1);
    await expect.poll(() => page.getByTestId('api-key').count()).toBe(1);
  });

  it('buys once if the page is reloaded before the answer and the user tries again', async () => {
    const page = await newcomer('/esims');
    const buy = async () => {
      await page.locator('[data-package=jp-3gb]').getByTestId('esim-buy').click();
      await page.getByTestId('esim-submit').click();
    };
    const isBought = loseAnswer(page, '**/api/v1/esim/checkout');
    await buy();
    await isBought;
    await page.reload();
    await page.locator('[data-testid=esim-order][data-package=jp-3gb]').waitFor();
    await buy();
    await page.getByTestId('esim-bought').waitFor();
    await page.getByTestId('esim-done').click();
    await expect.poll(() => page.getByTestId('esim-order').count()).toBe(1);
    await goTo(page, 'billing');
    await page.locator('[data-testid=balance][data-credits="2150"]').waitFor();
  });
});

describe('offers', () => {
  it('of numbers are read again before they are shown again', async () => {
    const [alice, bob] = await Promise.all([newcomer(), newcomer()]);
    await alice.getByTestId('buy-number').click();
    await alice.getByTestId('offer').first().waitFor();
    await alice.keyboard.press('Escape');
    await alice.getByTestId('buy-dialog').waitFor({ state: 'detached' });
    const sold = await buyNumber(bob);
    const release = await hold(alice, '**/api/v1/numbers/available*');
    await alice.getByTestId('buy-number').click();
    await alice.getByRole('status', { name: 'Loading available numbers' }).waitFor();
    await alice.getByTestId('offer').first().waitFor({ state: 'detached' });
    release();
    await alice.getByTestId('offer').first().waitFor();
    await alice.getByTestId('buy-submit').click();
    await expect.poll(() => alice.getByTestId('bought-number').textContent()).not.toBe(sold);
  });

  it('of eSIMs are bought at the price of the moment, and read again when one is sold out', async () => {
    const page = await newcomer('/esims');
    const offer = page.locator('[data-testid=esim-package][data-package=jp-3gb]');
    await offer.waitFor();
    const packages = '**/api/v1/esim/packages*';
    const change = async (changed: object) => {
      await page.unroute(packages);
      await page.route(packages, async (route) => {
        const response = await route.fetch();
        const { data, ...rest } = (await response.json()) as { data: { id: string }[] };
        const all = data.map((each) => (each.id === 'jp-3gb' ? { ...each, ...changed } : each));
        await route.fulfill({ response, json: { ...rest, data: all } });
      });
    };
    await change({ credits: 900 });
    await offer.getByTestId('esim-buy').click();
    await page.locator('[data-testid=price][data-credits="900"]').waitFor();
    await change({ available: false });
    await page.route('**/api/v1/esim/checkout', (route) =>
      route.fulfill({ status: 409, json: { error: 'out_of_stock', message: 'Sold out.' } }),
    );
    await page.getByTestId('esim-submit').click();
    await page.getByText('This package is sold out').waitFor();
    await expect.poll(() => page.getByTestId('esim-submit').isDisabled()).toBe(true);
    await page.getByTestId('esim-dialog').getByText('Cancel').click();
    await offer.getByText('sold out').waitFor();
    visitors().allowError('409');
  });
});

describe('on returning to the window', () => {
  it('does not check again whether the wallet is the operator’s', async () => {
    const page = await visitors().visit(`${server().url}/keys`, { account: newWallet() });
    const checks = requestsOf(page, 'GET', '/operator/payments');
    await page.getByTestId('connect-wallet').click();
    await page.getByTestId('publishable-key').waitFor();
    await expect.poll(() => checks.length).toBe(1);
    const others = page.waitForResponse('**/messaging/threads*');
    await focusWindow(page);
    await others;
    expect(checks).toHaveLength(1);
  });

  it('reads one page of a list again, but not many', async () => {
    const page = await newcomer('/audit?reads=shown');
    await page.getByTestId('audit-row').first().waitFor();
    await queryDatabase(server(), manyEntries);
    await page.getByTestId('audit-refresh').click();
    await page.getByTestId('list-more').waitFor();
    const reads = requestsOf(page, 'GET', '/audit');
    await focusWindow(page);
    await expect.poll(() => reads.length).toBe(1);
    for (let pages = 2; pages <= 5; pages++) {
      await page.getByTestId('list-more').click();
      await expect.poll(() => page.getByTestId('audit-row').count()).toBe(pages * 25);
    }
    reads.length = 0;
    const others = page.waitForResponse('**/messaging/threads*');
    await focusWindow(page);
    await others;
    expect(reads).toEqual([]);
    await page.getByTestId('audit-refresh').click();
    await expect.poll(() => reads.length).toBe(5);
  });
});

describe('a link to a recording', () => {
  it('shows one that is older than those of the first page, until it is deleted', async () => {
    const account = newWallet();
    await queryDatabase(server(), manyRecordings, [account.address]);
    const id = `rec_${'102'.padStart(24, '0')}`;
    const page = await visitors().visit(`${server().url}/recordings?recording=${id}`, { account });
    await page.getByTestId('connect-wallet').click();
    const linked = page.locator(`[data-recording="${id}"][data-target=true]`);
    await linked.waitFor();
    await expect.poll(() => page.getByTestId('recording').count()).toBe(101);
    await linked.getByTestId('delete-recording').click();
    await page.getByTestId('delete-recording-confirm').click();
    await linked.waitFor({ state: 'detached' });
    await page.getByTestId('list-more').click();
    await expect.poll(() => page.getByTestId('recording').count()).toBe(101);
  });
});

describe('a conversation with many texts', () => {
  it('does not extend the page with the texts for screen readers', async () => {
    const page = await longConversation();
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollHeight - innerHeight)).toBe(0);
  });

  it('clears the composer without waiting until all of them are read again', async () => {
    const page = await longConversation();
    const release = await hold(page, '**/api/v1/messaging/threads/**');
    await page.getByTestId('compose').fill('An answer');
    await page.getByTestId('send').click();
    await expect.poll(() => page.getByTestId('compose').inputValue()).toBe('');
    await page.getByTestId('compose').fill('Another');
    await expect.poll(() => page.getByTestId('send').isEnabled()).toBe(true);
    release();
    await messageOf(page, 'An answer').waitFor();
  });

  /** Opens a conversation of 41 texts, all loaded. */
  async function longConversation(): Promise<Page> {
    const laptop = { viewport: { width: 1280, height: 800 } };
    const [alice, bob] = await Promise.all([newcomer(), newcomer('/numbers', laptop)]);
    const [hers, his] = [await buyNumber(alice), await buyNumber(bob)];
    await write(alice, his, 'The first');
    await alice.locator('[data-testid=message][data-status=delivered]').waitFor();
    await queryDatabase(server(), manyTexts, [his]);
    await goTo(bob, 'texts');
    await threadWith(bob, hers).click();
    await messageOf(bob, 'Copy 40').waitFor();
    await bob.getByTestId('earlier').click();
    await messageOf(bob, 'The first').waitFor({ state: 'attached' });
    return bob;
  }
});

describe('an error', () => {
  it('of the sign-in methods has a button to try again', async () => {
    const page = await newcomer('/keys');
    const identities = '**/api/v1/account/identities';
    await page.route(identities, (route) =>
      route.fulfill({ status: 403, json: { error: 'access_denied', message: 'Not now.' } }),
    );
    await goTo(page, 'account');
    await page.getByTestId('problem').waitFor();
    // Only what the user did can be dismissed.
    await expect.poll(() => page.getByRole('button', { name: 'Dismiss' }).count()).toBe(0);
    await page.unroute(identities);
    await focusWindow(page);
    await page.getByTestId('identity').waitFor();
    await page.getByTestId('problem').waitFor({ state: 'detached' });
    visitors().allowError('403');
  });

  it('of the chains is shown, instead of that there are none', async () => {
    let isDown = true;
    const refuse = (socket: WebSocketRoute) => {
      const upstream = socket.connectToServer();
      socket.onMessage((message) => {
        const [, id] = /^42(\d+)\["gatedRooms\.getChains"/.exec(String(message)) ?? [];
        if (!isDown || id === undefined) return upstream.send(message);
        const error = { code: 'INTERNAL', message: 'The server has failed.' };
        socket.send(`43${id}${JSON.stringify([{ ok: false, error }])}`);
      });
    };
    const page = await visitors().visit(`${server().url}/rooms/new`, {
      prepare: (context) => context.routeWebSocket(/socket\.io/, refuse),
    });
    await page.getByTestId('try-wallet').click();
    await page.getByTestId('problem').waitFor();
    await expect.poll(() => page.getByTestId('no-chains').count()).toBe(0);
    isDown = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByTestId('no-chains').waitFor();
    await page.getByTestId('problem').waitFor({ state: 'detached' });
  });
});

describe('the quality of a call', () => {
  it('names who had a bad network when, and shows all measurements, by keyboard', async () => {
    const { page, own, call, bob } = await afterCall();
    await keepQuality(query, call, [own, bob]);
    await tabTo(page, 'call-quality');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Quality of this call', level: 1 }).waitFor();
    const findings = page.getByTestId('quality-finding');
    await expect
      .poll(() => findings.allTextContents())
      .toEqual([
        expect.stringMatching(
          /^1From .*:01:01 .M to .*:02:01 .M, the network of Bob was bad: packets were late/,
        ),
        expect.stringMatching(/^2From .* to .*, the device of Bob lost its connection to the server\.$/),
      ]);
    const [hisCard, ownCard] = ['Bob', 'You'].map((name) => page.getByRole('region', { name, exact: true }));
    await hisCard!.getByTestId('quality-path').getByText('UDP; then TCP, relayed by a TURN server').waitFor();
    await hisCard!.getByTestId('quality-limits').getByText('missing bandwidth for 1 min').waitFor();
    await hisCard!.getByRole('img', { name: 'Round trip over time: 32 to 540 ms' }).waitFor();
    await ownCard!.getByRole('img', { name: 'Lost packets over time: Sent 0 %, Received 0 %' }).waitFor();
    await hisCard!.getByTestId('quality-events').getByText('connection to the server lost').waitFor();
    await tabTo(page, 'quality-table-toggle');
    await page.keyboard.press('Enter');
    const table = hisCard!.getByTestId('quality-table');
    await expect.poll(() => table.locator('tbody tr').count()).toBe(badMinute.reports);
    const cells = table.locator('tbody tr').nth(badMinute.badFrom).locator('td');
    expect((await cells.allTextContents()).slice(0, 5)).toEqual([
      'TCP, relayed by a TURN server',
      '480',
      '210',
      '2,400',
      '9',
    ]);
    // The table scrolls by keyboard as well.
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
      'Reports of Bob',
    );
  });

  it('fits on a phone, says what is missing, and is loaded in parts', async () => {
    const phone = { viewport: { width: 390, height: 844 }, colorScheme: 'dark', hasTouch: true } as const;
    const { page, own, alice, call, bob } = await afterCall(phone);
    await page.getByTestId('call-quality').click();
    await page.getByTestId('quality-empty').getByText('ten seconds after it has joined').waitFor();
    await keepQuality(query, call, [own, bob]);
    // The first answer holds one minute; the server gives the rest.
    const nextFrom = new Date(badMinute.startedAt.getTime() + 60_000).toISOString();
    await page.route(`**/calls/${call}/quality`, async (route) => {
      const response = await route.fetch();
      const { participants, ...rest } = (await response.json()) as KeptParts;
      const first = participants.map(({ samples, ...one }) => ({
        ...one,
        samples: samples.filter(({ at }) => at < nextFrom),
      }));
      await route.fulfill({ response, json: { ...rest, participants: first, findings: [], nextFrom } });
    });
    await page.getByTestId('quality-refresh').click();
    await page.getByTestId('nothing-wrong').waitFor();
    await page.getByTestId('list-more').getByText('Load more').click();
    await expect.poll(() => page.getByTestId('quality-finding').count()).toBe(2);
    await expect.poll(() => page.getByText(`Table of ${badMinute.reports} reports`).count()).toBe(2);
    await page.getByTestId('quality-table-toggle').first().click();
    await page.getByTestId('quality-table').waitFor();
    await fits(page, 'quality-participant');

    const room = await alice.parley.conference.create({ name: 'Stand-up', maxParticipants: 10 });
    await alice.parley.conference.join({ roomId: room.id });
    await alice.parley.conference.end(room.id);
    await keepQuality(query, room.id, [own, 'guest:ada']);
    await goTo(page, 'rooms');
    await page.getByTestId('past-quality').click();
    await page.getByTestId('quality-finding').first().getByText('the network of ada was bad').waitFor();
  });

  it('of others is not shown, and an error can be tried again', async () => {
    const [{ page }, { call }] = await Promise.all([afterCall(), afterCall()]);
    await page.goto(`${server().url}/quality/${call}`);
    await page.getByTestId('quality-unknown').getByText('There is no such call').waitFor();
    const fail = (route: Route) =>
      route.fulfill({ status: 403, json: { error: 'access_denied', message: 'Not now.' } });
    await page.route('**/quality', fail);
    await page.evaluate(() => history.pushState(null, '', '/quality/room_other'));
    await page.getByTestId('problem').waitFor();
    await page.unroute('**/quality');
    await page.getByTestId('quality-refresh').click();
    await page.getByTestId('quality-unknown').getByText('There is no such room').waitFor();
    visitors().allowError('/quality');
  });

  type KeptParts = { participants: { samples: { at: string }[] }[] };

  const query = (text: string, values: unknown[]) => queryDatabase(server(), text, values);

  /** Opens the console of a wallet after a call with Bob. */
  async function afterCall(options: BrowserContextOptions = {}) {
    const account = newWallet();
    const [alice, bob] = await Promise.all(
      [account, newWallet()].map((who) => TestClient.signIn(server().url, who)),
    );
    if (!alice || !bob) throw new Error('Both wallets have signed in.');
    await alice.parley.people.saveContact(bob.address, 'Bob');
    const { id: call } = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
    await bob.event('call:incoming');
    await bob.parley.calls.answer(call);
    await bob.parley.calls.end(call);
    await alice.event('call:ended');
    onTestFinished(() => [alice, bob].forEach((client) => client.close()));
    const page = await visitors().visit(server().url, { ...options, account });
    await page.getByTestId('connect-wallet').click();
    await page.getByTestId('call-quality').waitFor();
    return { page, own: alice.address, alice, call, bob: bob.address };
  }
});

/** The addresses of the requests that a page sends from now on. */
function requestsOf(page: Page, method: string, path: string): string[] {
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === method && request.url().includes(path)) sent.push(request.url());
  });
  return sent;
}

/** Copies an entry of the newest account. The latest entry of all may still be one of another test. */
const manyEntries = `
  INSERT INTO audit_log (id, account_id, at, actor_type, actor_id, action, method, path, status, request_id)
  SELECT 'aud_' || lpad(n::text, 24, '0'), account_id, at, actor_type, actor_id, action, method, path, status, request_id
  FROM (SELECT * FROM audit_log WHERE account_id = (SELECT id FROM accounts ORDER BY created_at DESC LIMIT 1) LIMIT 1) entry,
    generate_series(1, 150) n`;

/** Inserts 102 recordings of a wallet, which failed one minute after the other. */
const manyRecordings = `
  INSERT INTO recordings (id, kind, room_id, host, title, status, started_at, ended_at)
  SELECT 'rec_' || lpad(n::text, 24, '0'), 'conference', 'room_' || lpad(n::text, 24, '0'), $1, 'Meeting ' || n, 'failed',
    now() - n * interval '1 minute', now() - n * interval '1 minute'
  FROM generate_series(1, 102) n`;

/** Inserts forty copies of the text that a number has received. */
const manyTexts = `
  INSERT INTO messages (id, account_id, thread_id, direction, number, number_id, counterparty, text, media, status, segments,
    encoding, credits, carrier, is_secret)
  SELECT 'msg_' || left(md5(id || n), 24), account_id, thread_id, direction, number, number_id, counterparty, 'Copy ' || n, media,
    status, segments, encoding, credits, carrier, is_secret
  FROM messages, generate_series(1, 40) n WHERE number = $1 AND direction = 'inbound' ORDER BY n`;
