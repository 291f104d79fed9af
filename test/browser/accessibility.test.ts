import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { pagePaths } from '../../server/console/src/shell/paths.ts';
import { ConsoleVisitors } from '../harness/browser/ConsoleVisitors.ts';
import { guestLink } from '../harness/browser/guestLinks.ts';
import type { TestClient } from '../harness/clients/TestClient.ts';
import { keepQuality } from '../harness/keptQuality.ts';
import { oneNode, type OneNode } from '../harness/nodes/Harness.ts';

/* axe-core on every page, on a desktop and on a phone, in light and in dark colours. */

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let harness: OneNode;
let visitors: ConsoleVisitors;
let host: TestClient;
let guest: TestClient;
let stream: string;
let room: string;
let group: string;
let invitation: string;

const privateKey = generatePrivateKey();

beforeAll(async () => {
  [harness, visitors] = await Promise.all([
    oneNode({ SIGNUP_CREDITS: '3000', OPERATOR_WALLETS: privateKeyToAccount(privateKey).address }),
    ConsoleVisitors.launch(),
  ]);
  [host, guest] = await Promise.all([harness.client(privateKeyToAccount(privateKey)), harness.client()]);
  ({ id: stream } = await host.parley.streaming.create({ title: 'Morning show' }));
  ({ id: room } = await host.parley.conference.create({ name: 'Stand-up', maxParticipants: 10 }));
  await keepQuality((...row) => harness.query(...row), room, [host.address, guest.address]);
  await host.parley.people.saveContact(guest.address, 'Grace');
  const stranger = await harness.client();
  ({ id: invitation } = await stranger.parley.groups.create({ name: 'Club', members: [host.address] }));
  ({ id: group } = await host.parley.groups.create({ name: 'Dinner', members: [guest.address] }));
  await guest.parley.groups.join(group);
  await guest.parley.messages.send({ to: group, type: 'text', content: 'At eight?' });
  await guest.parley.messages.send({
    to: host.address,
    type: 'text',
    content: 'Look: https://parley.example/',
  });
});

afterAll(async () => {
  await visitors?.close();
  await harness?.close();
});

afterEach(async () => expect(await visitors.closeAll()).toEqual([]));

describe.each([
  ['a desktop', { viewport: { width: 1280, height: 800 } }],
  ['a phone', { viewport: { width: 390, height: 844 }, hasTouch: true }],
] as const)('on %s', (_size, options) => {
  const visit = (url: string) => visitors.visit(url, { ...options, reducedMotion: 'reduce' });

  it('axe finds nothing on any page of the console', { timeout: 120_000 }, async () => {
    const page = await visit(harness.url());
    await page.getByTestId('try-wallet').waitFor();
    const found = await violations(page, 'the sign-in page');
    // Signs in with the wallet that has the data.
    await page.evaluate((who) => sessionStorage.setItem('parley.who', JSON.stringify(who)), {
      kind: 'throwaway',
      privateKey,
    });
    await page.reload();
    await page.getByTestId('wallet-menu').waitFor();
    for (const path of paths()) {
      await page.evaluate((to) => history.pushState(null, '', to), path);
      found.push(...(await violations(page, path)));
    }
    await page.evaluate((to) => history.pushState(null, '', to), `/quality/${room}`);
    await page.getByTestId('quality-table-toggle').first().click();
    await page.getByTestId('quality-table').waitFor();
    found.push(...(await violations(page, 'the quality of a room')));
    await page.evaluate((to) => history.pushState(null, '', to), `/chats/${invitation}`);
    await page.getByTestId('join-group').waitFor();
    found.push(...(await violations(page, 'an invitation to a group')));
    await page.evaluate((to) => history.pushState(null, '', to), `/chats/${group}`);
    await page.getByTestId('sender').waitFor();
    found.push(...(await violations(page, 'the chat of a group')));
    await page.getByTestId('group-details').click();
    await page.getByTestId('add-to-group').click();
    await page.getByTestId('people-to-add').waitFor();
    found.push(...(await violations(page, 'the details of a group')));
    await page.keyboard.press('Escape');
    await page.evaluate(() => history.pushState(null, '', '/chats/new'));
    await page.getByTestId('chat-kind').getByText('Group').click();
    await page.getByTestId('new-group').waitFor();
    found.push(...(await violations(page, 'the form for a new group')));
    expect(found).toEqual([]);
  });

  it('axe finds nothing on the pages of guests, viewers and developers', async () => {
    const { link } = await guestLink(harness, room, { identity: 'ada', displayName: 'Ada' });
    const page = await visit(link);
    await page.getByTestId('join-room').waitFor();
    const found = await violations(page, 'the door of a guest');
    for (const path of [
      `/watch/${stream}`,
      `/embed/stream/${stream}`,
      `/embed/room/${room}`,
      `/embed/call/${host.address}`,
    ]) {
      await page.goto(harness.url() + path);
      found.push(...(await violations(page, path)));
    }
    // Generated by Swagger UI and TypeDoc, which do not follow all best practices.
    for (const path of ['/docs/', '/docs/reference/']) {
      await page.goto(harness.url() + path);
      found.push(...(await violations(page, path, ['serious', 'critical'])));
    }
    expect(found).toEqual([]);
  });
});

/** The paths of all pages of the console, with the data of this test. */
const paths = () =>
  Object.values(pagePaths)
    .flat()
    .filter((path) => !['/webhooks/endpoints/:endpoint', '/quality/:id'].includes(path))
    .map((path) =>
      path
        .replace(/:callee|:peer|:counterparty/, guest.address)
        .replace(':room', room)
        .replace(':stream', stream)
        .replace(':view', 'events'),
    );

/**
 * What axe finds on this page, in both colour schemes.
 * @param impacts the impacts to list. @default all
 */
async function violations(page: Page, name: string, impacts?: string[]): Promise<string[]> {
  await page.locator('h1, h2').first().waitFor({ state: 'attached' });
  await expect.poll(() => page.locator('[aria-label^=Loading], .mantine-Skeleton-root').count()).toBe(0);
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource);
  const first = await schemeOf(page);
  const found = [...(await run(page)).map((one) => [first, one] as const)];
  const second = first === 'light' ? 'dark' : 'light';
  await page.emulateMedia({ colorScheme: second });
  // The console follows with a script. Colours change with transitions, each of which may start the next.
  await expect.poll(() => schemeOf(page)).toBe(second);
  await expect.poll(() => page.evaluate(countTransitions)).toBe(0);
  // Only the colours are different, so the other rules would find the same again.
  found.push(
    ...(await run(page, ['color-contrast', 'link-in-text-block'])).map((one) => [second, one] as const),
  );
  return found
    .filter(([, { impact }]) => !impacts || impacts.includes(impact ?? ''))
    .map(
      ([scheme, { id, impact, nodes }]) =>
        `${name}, ${scheme}: ${id} (${impact}): ${nodes.map(({ html, any }) => `${html.slice(0, 200)} ${JSON.stringify(any[0]?.data ?? '')}`).join(' ')}`,
    );
}

/** Runs in the page: the number of transitions, two frames from now. */
const countTransitions = () =>
  new Promise<number>((resolve) =>
    requestAnimationFrame(() =>
      requestAnimationFrame(() =>
        resolve(document.getAnimations().filter((one) => one instanceof CSSTransition).length),
      ),
    ),
  );

/** The colour scheme that the page uses. */
const schemeOf = (page: Page) =>
  page.evaluate(() => {
    const own = document.documentElement.dataset['mantineColorScheme'];
    return own ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  });

/** @param rules the rules to apply. @default all */
async function run(page: Page, rules?: string[]): Promise<axe.Result[]> {
  const { violations: found } = await page.evaluate(
    (only) =>
      (window as unknown as { axe: typeof axe }).axe.run(document, {
        resultTypes: ['violations'],
        ...(only && { runOnly: { type: 'rule', values: only } }),
      }),
    rules,
  );
  return found;
}
