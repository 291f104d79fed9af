import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { ended, goTo, hold } from '../harness/browser/console.ts';
import { newcomer } from '../harness/browser/consoleChats.ts';
import { ConsoleVisitors } from '../harness/browser/ConsoleVisitors.ts';
import { oneNode, type OneNode } from '../harness/nodes/Harness.ts';
import { until } from '../harness/until.ts';
import { picture } from '../integration/files/mediaSupport.ts';
import { newWallet } from '../integration/support.ts';

/* The profile and the contacts of a wallet in the console, and where its names appear. */

let harness: OneNode;
let visitors: ConsoleVisitors;

beforeAll(async () => {
  [harness, visitors] = await Promise.all([oneNode(), ConsoleVisitors.launch()]);
});

afterAll(async () => {
  await visitors?.close();
  await harness?.close();
});

afterEach(async () => expect(await visitors.closeAll()).toEqual([]));

const come = (options = {}) => newcomer(visitors, harness.url(), options);
const avatarOf = (page: Page) => page.getByTestId('account').getByTestId('avatar');

it('sets a name and a picture, which a called wallet sees, and removes them', async () => {
  const [alice, bob] = await Promise.all([come({ viewport: { width: 390, height: 844 } }), come()]);
  const { page } = alice;
  await goTo(page, 'account');
  await page.getByTestId('profile-name').fill('Alice');
  const input = page.getByTestId('profile').locator('input[type=file]');
  await input.setInputFiles({
    name: 'face.png',
    mimeType: 'image/png',
    buffer: await picture({ width: 300, height: 200 }),
  });
  // The preview.
  await page.getByTestId('profile').getByTestId('avatar').waitFor();
  // Otherwise the browser would not report it if the same file were chosen again, after a click on “Remove picture”.
  await expect.poll(() => input.inputValue()).toBe('');
  await expect.poll(() => avatarOf(page).count()).toBe(0);
  await page.getByTestId('save-profile').click();
  await page.getByText('Saved.').waitFor();
  await avatarOf(page).waitFor();
  const sizes = () =>
    avatarOf(page).evaluate((image: HTMLImageElement) => [image.naturalWidth, image.naturalHeight]);
  await expect.poll(sizes).toEqual([256, 256]);

  await goTo(page, 'calls');
  await page.getByTestId('callee').fill(bob.address);
  await page.getByTestId('start-audio').click();
  await bob.page.getByTestId('decline').click();
  await ended(page, 'declined');
  const call = bob.page.getByTestId('history-item');
  await call.getByText('Alice', { exact: true }).waitFor();
  await call.getByTestId('avatar').waitFor();
  await call.getByRole('button', { name: 'Audio call to Alice' }).waitFor();

  await goTo(page, 'account');
  await page.getByTestId('remove-picture').click();
  await page.getByTestId('profile-name').fill('');
  await page.getByTestId('save-profile').click();
  await page.getByText('Saved.').waitFor();
  // Bob's page hears of the change.
  await call.getByText('Alice', { exact: true }).waitFor({ state: 'detached' });
  await expect.poll(() => call.getByTestId('avatar').count()).toBe(0);
});

it('keeps what is changed while the profile is being saved', async () => {
  const { page } = await come();
  await goTo(page, 'account');
  const [name, save] = [page.getByTestId('profile-name'), page.getByTestId('save-profile')];
  const saved = page.getByTestId('profile-saved');
  const choose = async (file: string, width: number) =>
    page
      .getByTestId('profile')
      .locator('input[type=file]')
      .setInputFiles({ name: file, mimeType: 'image/png', buffer: await picture({ width, height: width }) });
  await name.fill('Alice');
  await choose('first.png', 300);
  const release = await hold(page, '**/api/v1/media/uploads');
  const asked = page.waitForRequest('**/api/v1/media/uploads');
  await save.click();
  await asked;
  await name.fill('Alicia');
  await choose('second.png', 200);
  release();
  await avatarOf(page).waitFor();
  await expect.poll(() => save.getAttribute('data-loading')).toBeNull();
  await expect.poll(() => saved.textContent()).toBe('');
  const preview = page.getByTestId('profile').getByTestId('avatar');
  const width = () => preview.evaluate((image: HTMLImageElement) => image.naturalWidth);
  await expect.poll(width).toBe(200);
  await save.click();
  await expect.poll(() => saved.textContent()).toBe('Saved.');
  await expect.poll(width).toBe(256);
});

it('calls nobody, and opens no chat with one, whose name has left the field before it was looked up', async () => {
  const other = await harness.client();
  let answer: (() => void) | null = null;
  // This server reads no chain. The names are looked up here.
  const prepare = (context: BrowserContext) =>
    context.routeWebSocket(/socket\.io/, (socket) => {
      const server = socket.connectToServer();
      socket.onMessage((message) => {
        const [, id] = /^42(\d+)\["people\.find"/.exec(String(message)) ?? [];
        if (id === undefined) return server.send(message);
        const found = { ok: true, data: { walletAddress: other.address } };
        answer = () => socket.send(`43${id}[${JSON.stringify(found)}]`);
      });
    });
  const [{ page, address }, bob] = await Promise.all([come({ prepare }), come()]);
  const find = async (field = 'callee') => {
    answer = null;
    await page.getByTestId(field).fill('slow.eth');
    await page.getByTestId(field).press('Enter');
    return until(() => answer, 'the name is looked up');
  };
  for (const leave of [
    () => page.getByTestId('callee').fill(bob.address),
    async () => {
      await goTo(page, 'account');
      await goTo(page, 'calls');
      await page.getByTestId('callee').fill(bob.address);
    },
  ]) {
    const answerLate = await find();
    await leave();
    answerLate();
    // Long enough for a call to begin.
    await page.waitForTimeout(500);
    await page.getByTestId('start-audio').click();
    await bob.page.locator(`[data-testid=incoming][data-from="${address}"]`).waitFor();
    await bob.page.getByTestId('decline').click();
    await ended(page, 'declined');
  }
  expect(other.seen('call:incoming')).toEqual([]);
  (await find())();
  await other.event('call:incoming');
  await page.getByTestId('hang-up').click();

  await goTo(page, 'chats');
  await page.getByTestId('new-chat').click();
  const answerLate = await find('peer');
  await page.getByTestId('peer').fill(bob.address);
  answerLate();
  // Long enough for a chat to open.
  await page.waitForTimeout(500);
  await expect.poll(() => new URL(page.url()).pathname).toBe('/chats/new');
  await page.getByTestId('open-chat').click();
  await expect.poll(() => new URL(page.url()).pathname).toBe(`/chats/${bob.address}`);

  await goTo(page, 'calls');
  await page.getByTestId('callee').fill(bob.address);
  await page.getByTestId('start-audio').click();
  await bob.page.getByTestId('answer').click();
  await page.locator('[data-testid=in-call][data-status=active]').waitFor();
  await page.getByTestId('call-more').click();
  await page.getByTestId('add-people').click();
  const addLate = await find('people-to-add');
  await page.keyboard.press('Escape');
  await page.getByTestId('add-people-dialog').waitFor({ state: 'detached' });
  addLate();
  // Long enough for the call to become a room.
  await page.waitForTimeout(500);
  await page.getByTestId('hang-up').click();
  await ended(page, 'ended');
});

it('says what is wrong with a name, and keeps what was typed', async () => {
  const { page } = await come();
  await goTo(page, 'account');
  await page.getByTestId('profile-name').fill('vitalik.eth');
  await page.getByTestId('save-profile').click();
  await page.getByTestId('profile').getByText('ENS name').waitFor();
  await expect.poll(() => page.getByTestId('profile-name').inputValue()).toBe('vitalik.eth');
});

it('adds, renames and removes contacts, page by page', async () => {
  const { page, address } = await come();
  const wallet = newWallet().address;
  await goTo(page, 'account');
  await page.getByTestId('no-contacts').waitFor();
  await page.getByTestId('add-contact').click();
  await page.getByTestId('save-contact').click();
  await page.getByText('Enter a name.').waitFor();
  await page.getByText('Enter a wallet address').waitFor();
  await page.getByTestId('contact-name').fill('Zoe');
  await page.getByTestId('contact-address').fill('zoe.eth');
  await page.getByTestId('save-contact').click();
  // This server reads no chain.
  await page.getByTestId('contact-dialog').getByRole('alert').waitFor();
  await page.getByTestId('contact-address').fill(wallet);
  await page.getByTestId('save-contact').click();
  const contact = page.locator(`[data-testid=contact][data-address="${wallet}"]`);
  await contact.getByText('Zoe').waitFor();
  await contact.getByTestId('edit-contact').click();
  await page.getByTestId('contact-name').fill('Zoë');
  await page.getByTestId('save-contact').click();
  await contact.getByText('Zoë').waitFor();

  await harness.query(
    `INSERT INTO saved_contacts (wallet, contact, name)
     SELECT $1, '0x' || lpad(to_hex(n), 40, '0'), 'Contact ' || n FROM generate_series(1, 30) n`,
    [address],
  );
  await page.reload();
  await expect.poll(() => page.getByTestId('contact').count()).toBe(25);
  await page.getByTestId('contacts').getByTestId('list-more').click();
  await expect.poll(() => page.getByTestId('contact').count()).toBe(31);
  await contact.getByTestId('remove-contact').click();
  await page.getByTestId('remove-contact-confirm').click();
  await contact.waitFor({ state: 'detached' });
  await expect.poll(() => page.getByTestId('contact').count()).toBe(30);
});

it('prepares an archive of the data, asks for the deletion of the account, and keeps it', async () => {
  const { page } = await come({ acceptDownloads: true });
  await goTo(page, 'account');
  await page.getByTestId('start-export').click();
  const [archive] = await Promise.all([
    page.waitForEvent('download'),
    page.getByTestId('download-export').click({ timeout: 30_000 }),
  ]);
  expect(archive.suggestedFilename()).toBe('your data.zip');
  await page.getByTestId('delete-account').click();
  await page.getByTestId('delete-account-confirm').click();
  const banner = page.getByTestId('deletion-banner');
  await banner.getByText('Your account and all its data will be deleted on').waitFor();
  await expect.poll(() => page.getByTestId('delete-account').count()).toBe(0);
  await goTo(page, 'calls');
  await page.reload();
  await page.getByTestId('keep-account').click();
  await banner.waitFor({ state: 'detached' });
  await goTo(page, 'account');
  await page.getByTestId('delete-account').waitFor();
});
