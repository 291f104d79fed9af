import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchChromium, newContext } from '../harness/browser/browser.ts';
import { ownAddress, tryOut, withWallet } from '../harness/browser/console.ts';
import { oneNode, type OneNode } from '../harness/nodes/Harness.ts';
import type { Session } from '../../sdk/src/types.ts';
import { until } from '../harness/until.ts';
import { newWallet, tokenForger } from '../integration/support.ts';

let harness: OneNode;
let browser: Browser;

beforeAll(async () => {
  harness = await oneNode();
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  await harness?.close();
});

/** A tab of an app that has loaded the SDK. */
async function openTab(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${harness.url()}/healthz`);
  await page.evaluate("import('/sdk/parley.js').then((sdk) => { window.sdk = sdk; })");
  return page;
}

/** Connects with the session that the app stores in localStorage. */
async function connect(page: Page): Promise<void> {
  await page.evaluate(async () => {
    window.parley = new window.sdk.Parley({ apiKey: '', storage: localStorage });
    window.seen = [];
    window.parley.on('connection:changed', (payload) => window.seen.push({ name: payload.state, payload }));
    await window.parley.calls.getActive();
  });
}

it('refreshes the session in only one of several tabs, and all of them use the new one', async () => {
  const wallet = await harness.client();
  const { session } = wallet.parley;
  if (!session) throw new Error('not signed in');
  const forge = await tokenForger(harness.server.dataDir);
  const context = await newContext(browser);
  const refreshes: string[] = [];
  context.on('request', (request) => {
    if (request.url().endsWith('/auth/refresh')) refreshes.push(request.url());
  });
  const key = `parley.session ${harness.url()}`;
  const tabs = await Promise.all([openTab(context), openTab(context), openTab(context)]);
  const [first] = tabs;
  // Stores a token that is about to expire in the storage that the tabs share.
  const expiresAt = Math.ceil(Date.now() / 1_000) + 14;
  const token = forge(session.token, { exp: expiresAt });
  await first.evaluate(
    ([name, value]) => localStorage.setItem(name ?? '', value ?? ''),
    [key, JSON.stringify({ ...session, token })],
  );
  // Each tab is a separate process and gets stored values some milliseconds later.
  await Promise.all(tabs.map((tab) => tab.waitForFunction((name) => name in localStorage, key)));
  await Promise.all(tabs.map(connect));

  await until(async () => {
    const stored = await first.evaluate((name) => localStorage.getItem(name), key);
    return (JSON.parse(stored ?? '{}') as { token?: string }).token !== token;
  }, 'the new session is stored');
  // Wait until the first token has expired. A tab that still used it would be disconnected.
  await new Promise((resolve) => setTimeout(resolve, expiresAt * 1_000 + 500 - Date.now()));
  for (const tab of tabs) {
    expect(await tab.evaluate(() => window.seen.map(({ name }) => name))).toEqual([
      'connecting',
      'connected',
    ]);
    expect(await tab.evaluate(() => window.parley.calls.getActive())).toEqual([]);
  }
  expect(refreshes).toHaveLength(1);
  await context.close();
});

it.each(['close', 'signOut'] as const)(
  'sends what a client has not sent before its %s() with the next client of the page',
  async (end) => {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const context = await newContext(browser);
    const page = await openTab(context);
    const session = [`parley.session ${harness.url()}`, JSON.stringify(alice.parley.session)] as const;
    const store = () => page.evaluate(([name, value]) => localStorage.setItem(name, value), session);
    await store();
    await connect(page);
    await harness.server.stop();
    await page.evaluate(
      async ([how, to]) => {
        const { messages } = window.parley;
        messages.send({ to, content: 'Not sent', type: 'text' }).catch(() => undefined);
        // Without the server, the session stays valid.
        await Promise.resolve(window.parley[how]()).catch(() => undefined);
      },
      [end, bob.address] as const,
    );
    await harness.server.start();
    await store();
    await connect(page);
    const { from } = await bob.event('message:received', ({ content }) => content === 'Not sent');
    expect(from).toBe(alice.address);
    await context.close();
  },
);

it('shares the session of a wallet between tabs of the console, but not that of a temporary wallet', async () => {
  const context = await newContext(browser);
  const account = newWallet();
  const open = async () => {
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    await withWallet(page, account);
    await page.goto(harness.url());
    return page;
  };
  const [first, second] = await Promise.all([open(), open()]);
  await second.getByTestId('connect-wallet').waitFor();
  await first.getByTestId('connect-wallet').click();
  const own = await ownAddress(first);
  expect(own).toBe(account.address);
  // Neither a tab that waits for the sign-in nor a new one signs again.
  const third = await open();
  const shared = [first, second, third];
  expect(await Promise.all(shared.map(ownAddress))).toEqual([own, own, own]);

  // The second window is another person, also after a reload.
  const opened = context.waitForEvent('page');
  await third.getByTestId('second-window').click();
  const guest = await opened;
  await guest.getByRole('heading', { name: 'Call 0x' }).waitFor();
  await guest.reload();
  const guestAddress = await tryOut(guest);
  expect(guestAddress).not.toBe(own);
  await guest.reload();
  expect(await ownAddress(guest)).toBe(guestAddress);

  // All tabs begin with an expired token at the same moment.
  const refreshes: string[] = [];
  context.on('request', (request) => {
    if (request.url().endsWith('/auth/refresh')) refreshes.push(request.url());
  });
  const key = `parley.session ${harness.url()}`;
  const forge = await tokenForger(harness.server.dataDir);
  const session = JSON.parse(
    (await first.evaluate((name) => localStorage.getItem(name), key)) ?? '',
  ) as Session;
  const expired = JSON.stringify({ ...session, token: forge(session.token, { exp: 1 }) });
  await first.evaluate(([name, value]) => localStorage.setItem(name ?? '', value ?? ''), [key, expired]);
  await Promise.all(
    shared.map((page) =>
      page.waitForFunction(([name, value]) => localStorage.getItem(name ?? '') === value, [key, expired]),
    ),
  );
  await Promise.all(shared.map((page) => page.reload()));
  expect(await Promise.all(shared.map(ownAddress))).toEqual([own, own, own]);
  expect(refreshes).toHaveLength(1);

  await second.getByTestId('wallet-menu').click();
  await second.getByText('Signed in with your own wallet in all tabs of this browser').waitFor();
  await second.getByTestId('sign-out').click();
  for (const page of shared) await page.getByTestId('connect-wallet').waitFor();
  expect(
    await first.evaluate(() => Object.keys(localStorage).filter((name) => /session|who/.test(name))),
  ).toEqual([]);
  expect(await ownAddress(guest)).toBe(guestAddress);
  await guest.reload();
  expect(await ownAddress(guest)).toBe(guestAddress);
  await context.close();
});

it('shares the session of another tab when a sign-in that began before that one fails', async () => {
  const context = await newContext(browser);
  const account = newWallet();
  let refuse: (() => void) | null = null;
  const hesitant = {
    address: account.address,
    signMessage: () =>
      new Promise<never>((_, reject) => (refuse = () => reject(new Error('The user closed the window.')))),
  };
  const [waiting, other] = [await context.newPage(), await context.newPage()];
  await Promise.all([withWallet(waiting, hesitant), withWallet(other, account)]);
  for (const page of [waiting, other]) {
    page.setDefaultTimeout(30_000);
    await page.goto(harness.url());
  }
  await waiting.getByTestId('connect-wallet').click();
  const refusal = await until(() => refuse, 'the wallet is asked');
  await other.getByTestId('connect-wallet').click();
  expect(await ownAddress(other)).toBe(account.address);
  refusal();
  expect(await ownAddress(waiting)).toBe(account.address);
  await other.reload();
  expect(await ownAddress(other)).toBe(account.address);
  await context.close();
});
