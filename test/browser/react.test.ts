import type { Browser, Page } from 'playwright-core';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium, newContext } from '../harness/browser/browser.ts';
import { call, waitForVideo } from '../harness/browser/console.ts';
import { withSmallCamera } from '../harness/browser/consoleRooms.ts';
import { oneNode, type OneNode } from '../harness/nodes/Harness.ts';
import { bundleReact, reactVersions } from '../harness/react/bundleReact.ts';
import { renderOnServer } from '../harness/react/renderOnServer.ts';

/* @parley/react in a browser, with each version of React that it supports. */

let harness: OneNode;
let browser: Browser;
const pages: Page[] = [];

beforeAll(async () => {
  [harness, browser] = await Promise.all([oneNode({ RATE_LIMIT_REALTIME: '10000' }), launchChromium()]);
});
afterEach(async () => {
  for (const page of pages.splice(0)) await page.context().close();
});
afterAll(async () => {
  await browser?.close();
  await harness?.close();
});

describe.each(reactVersions)('with React %i', (version) => {
  let script: string;

  beforeAll(async () => {
    script = await bundleReact('mountReact.tsx', version, 'browser');
  });

  async function open(): Promise<Page> {
    const context = await newContext(browser);
    await withSmallCamera(context);
    const page = await context.newPage();
    pages.push(page);
    // A document on the server's origin that has no scripts.
    await page.goto(`${harness.url()}/healthz`);
    await page.evaluate(script);
    expect(await page.evaluate(() => window.reactVersion)).toMatch(new RegExp(`^${version}\\.`));
    return page;
  }

  // Mounted and unmounted 100 times in Strict Mode, components leave nothing behind.
  it('leaks nothing with the client of an app: a room, a chat and calls', async () => {
    const host = await harness.client();
    const { id } = await host.parley.conference.create({ name: 'Leaks', maxParticipants: 5 });
    const page = await open();
    const [early, late] = await page.evaluate(
      ([key, room, peer]) => window.mountWithClient(100, key, room, peer),
      [generatePrivateKey(), id, host.address] as const,
    );
    expect(late).toEqual(early);
    expect(late).toMatchObject({ sockets: 1, tracks: 0 });
  });

  it('leaks nothing with a client of the provider, which is closed every time', async () => {
    const host = await harness.client();
    const { id } = await host.parley.conference.create({ name: 'Leaks', maxParticipants: 5 });
    const { token } = await harness.token(id, { identity: 'bob' });
    const page = await open();
    const [early, late] = await page.evaluate(([guest, room]) => window.mountWithToken(100, guest, room), [
      token,
      id,
    ] as const);
    expect(late).toEqual(early);
    expect(late).toMatchObject({ sockets: 0, tracks: 0 });
  });

  it.runIf(version >= 19)(
    'closes its client in a page that was left, and opens another one when the page is shown again',
    async () => {
      const host = await harness.client();
      const { id } = await host.parley.conference.create({ name: 'Kept', maxParticipants: 5 });
      const { token } = await harness.token(id, { identity: 'bob' });
      const page = await open();
      await page.evaluate(([guest, room]) => window.mountKept(guest, room), [token, id] as const);
      const join = page.getByTestId('join-room');
      for (let visits = 0; visits < 2; visits += 1) {
        await join.click();
        await page.getByTestId('in-room').waitFor({ state: 'attached' });
        expect(await page.evaluate(() => window.showKept(false))).toMatchObject({ sockets: 0, tracks: 0 });
        await page.evaluate(() => window.showKept(true));
        await join.waitFor();
      }
    },
  );

  it('renders a tile only if something in it changes', async () => {
    const [ada, ben] = [await harness.client(), await harness.client()];
    const { id } = await ada.parley.conference.create({ name: 'Tiles', maxParticipants: 5 });
    for (const [{ parley }, displayName] of [[ada, 'Ada'] as const, [ben, 'Ben'] as const])
      await parley.conference.join(id, { displayName, audio: false, video: false });
    const { token } = await harness.token(id, { identity: 'bob' });
    const page = await open();
    await page.evaluate(([guest, room]) => window.mountRoom(guest, room), [token, id] as const);
    await page.getByTestId('join-room').click();
    await page.getByTestId('tile').nth(2).locator('video').waitFor();
    await page.getByRole('listitem', { name: /^Ada.*muted/ }).waitFor();
    const renders = async () => {
      const { Ada = 0, Ben = 0 } = await page.evaluate(() => window.tileRenders);
      return [Ada, Ben] as const;
    };
    const [rendersOfAda, rendersOfBen] = await renders();
    await ada.parley.conference.raiseHand(id);
    await page.getByRole('listitem', { name: /^Ada.*hand raised/ }).waitFor();
    await ada.parley.conference.sendChat(id, 'Hello');
    await page.getByRole('button', { name: 'Chat, 1 unread' }).waitFor();
    expect(await renders()).toEqual([rendersOfAda + 1, rendersOfBen]);
  });

  it('renders a message only if something in it changes', async () => {
    const ben = await harness.client();
    const key = generatePrivateKey();
    const to = privateKeyToAccount(key).address;
    const { id } = await ben.parley.messages.send({ to, type: 'text', content: 'Lunch?' });
    await ben.parley.messages.addReaction(id, '🍕');
    const page = await open();
    await page.evaluate(([own, peer]) => window.mountChat(own, peer), [key, ben.address] as const);
    await page.locator('[data-testid=message][data-status=read]').waitFor();
    const renders = () => page.evaluate(() => window.messageRenders['🍕'] ?? 0);
    const before = await renders();
    await page.getByTestId('compose').pressSequentially('Yes');
    await page.getByTestId('compose').press('Enter');
    await page.locator('[data-own=true] [data-status=delivered]').first().waitFor();
    expect(await renders()).toBe(before);
    await ben.parley.messages.edit(id, 'Dinner?');
    await page.getByText('Dinner?').waitFor();
    expect(await renders()).toBe(before + 1);
  });

  it.each(['getToken', 'sessionToken', 'storage'] as const)(
    'opens a room and a chat for a wallet that is signed in by %s',
    async (how) => {
      const host = await harness.client();
      const { id } = await host.parley.conference.create({ name: 'Tokens', maxParticipants: 5 });
      const page = await open();
      await page.evaluate(([way, key, room, peer]) => window.mountSignedIn(way, key, room, peer), [
        how,
        generatePrivateKey(),
        id,
        host.address,
      ] as const);
      await page.getByTestId('join-room').waitFor();
      await page.getByTestId('compose').fill('Hello');
      await page.getByTestId('compose').press('Enter');
      await page.locator('[data-own=true]').getByText('Hello').waitFor();
      await page.locator('[data-testid=message][data-status=delivered]').waitFor();
    },
  );

  it('keeps its client when an item of its storage has changed', async () => {
    const page = await open();
    expect(await page.evaluate(() => window.renderStored())).toEqual([1, 1, 2]);
  });

  it('keeps the theme of a provider when another one is unmounted', async () => {
    const page = await open();
    expect(await page.evaluate(() => window.mountThemes())).toEqual(['dark', 'light', 'dark', undefined]);
  });

  it('opens a room when the app signs its client in', async () => {
    const host = await harness.client();
    const { id } = await host.parley.conference.create({ name: 'Later', maxParticipants: 5 });
    const page = await open();
    await page.evaluate(([key, room]) => window.mountAndSignIn(key, room), [
      generatePrivateKey(),
      id,
    ] as const);
    await page.getByTestId('join-room').waitFor();
  });

  it('is at the door after it has stopped waiting, also if it joins rooms at once', async () => {
    const host = await harness.client();
    const settings = { waitingRoom: true };
    const { id } = await host.parley.conference.create({ name: 'Doors', maxParticipants: 5, settings });
    await host.parley.conference.join(id, { displayName: 'Ada', audio: false, video: false });
    const waiters = () => host.parley.conference.state(id).get().waiters.length;
    const page = await open();
    await page.evaluate(([key, room]) => window.mountAtOnce(key, room), [generatePrivateKey(), id] as const);
    const stopWaiting = page.getByTestId('stop-waiting');
    await stopWaiting.click();
    await page.getByTestId('join-room').waitFor();
    await expect.poll(waiters).toBe(0);
    await page.getByTestId('join-room').click();
    await stopWaiting.waitFor();
    await expect.poll(waiters).toBe(1);
  });

  it('tells the app that the user is no longer in the room when the session ends', async () => {
    const host = await harness.client();
    const { id } = await host.parley.conference.create({ name: 'Short', maxParticipants: 5 });
    const page = await open();
    const left = ([key, room]: readonly [`0x${string}`, string]) => window.mountAndSignOut(key, room);
    expect(await page.evaluate(left, [generatePrivateKey(), id] as const)).toBe(1);
  });

  it('shows the gate of the room that is wanted, in whatever order the answers arrive', async () => {
    const page = await open();
    expect(await page.evaluate((key) => window.mountGates(key), generatePrivateKey())).toEqual([
      'first',
      'unknown',
      'latest',
      'latest',
    ]);
  });

  it('offers a guest to try again if the server does not answer, and opens the room when it does', async () => {
    const host = await harness.client();
    const { id } = await host.parley.conference.create({ name: 'Soon', maxParticipants: 5 });
    const { token } = await harness.token(id, { identity: 'early' });
    const page = await open();
    await harness.server.kill();
    await page.evaluate(([guest, room]) => window.mountRoom(guest, room), [token, id] as const);
    const problem = page.locator('[data-testid=problem][data-code=NETWORK_ERROR]');
    await problem.waitFor();
    await expect.poll(() => page.getByTestId('sign-in-as-guest').count()).toBe(0);
    await problem.getByRole('button', { name: 'Try again' }).click();
    await problem.waitFor({ state: 'detached' });
    await problem.waitFor();
    await harness.server.start();
    await page.getByTestId('join-room').waitFor();
  });

  it('holds a call', async () => {
    const [ada, ben] = [await open(), await open()];
    const phone = (page: Page) => page.evaluate((key) => window.mountPhone(key), generatePrivateKey());
    const [, address] = await Promise.all([phone(ada), phone(ben)]);
    await call(ada, address);
    await ben.getByTestId('answer').click();
    await Promise.all([waitForVideo(ada), waitForVideo(ben)]);
    await ben.getByTestId('hang-up').click();
    for (const page of [ada, ben]) await page.getByTestId('in-call').waitFor({ state: 'detached' });
  });

  it('shows what belongs to a wallet only to that wallet, and reads it again', async () => {
    const peer = await harness.client();
    const [ada, ben] = [generatePrivateKey(), generatePrivateKey()];
    for (const [key, content] of [[ada, 'For Ada'] as const, [ben, 'For Ben'] as const])
      await peer.parley.messages.send({ to: privateKeyToAccount(key).address, type: 'text', content });
    const page = await open();
    await page.evaluate(([key, other]) => window.mountWallet(key, other), [ada, peer.address] as const);
    const studio = page.getByTestId('studio');
    await Promise.all([page.getByText('For Ada').waitFor(), studio.waitFor()]);
    await page.evaluate((key) => window.changeWallet(key), ben);
    await page.getByText('For Ben').waitFor();
    await expect.poll(() => page.getByText('For Ada').count()).toBe(0);
    await studio.waitFor({ state: 'detached' });
    await page.evaluate((key) => window.changeWallet(key), ada);
    await Promise.all([page.getByText('For Ada').waitFor(), studio.waitFor()]);
  });

  it('takes over the HTML of a server without a complaint', async () => {
    const { html } = await renderOnServer(version);
    const page = await open();
    const complaints = await page.evaluate(([key, rendered]) => window.hydrate(key, rendered), [
      generatePrivateKey(),
      html.app,
    ] as const);
    expect(complaints).toEqual([]);
  });
});
