import { expect, it } from 'vitest';
import { fits, focused, goTo, screens } from '../harness/browser/console.ts';
import { withSmallCamera } from '../harness/browser/consoleRooms.ts';
import { phoneConsole } from '../harness/browser/consolePhone.ts';

/* The rooms of the account in the console, and the guest links that it creates to try them. */

const { visitors, newcomer } = phoneConsole();

it('makes a room and a token, opens the room as that guest, and revokes the token', async () => {
  const page = await newcomer('/backend');
  await page.getByText('No open rooms').waitFor();
  await page.getByTestId('try-it').click();
  await page.getByTestId('token-identity').fill('not an identity');
  await page.getByTestId('create-token').click();
  await page.getByText('Use 1 to 64 letters, digits').waitFor();
  await page.getByTestId('token-identity').fill('alice');
  await page.getByTestId('token-room-name').fill('Stand-up');
  await page.getByTestId('may-screen').uncheck();
  await page.getByTestId('create-token').click();
  const link = (await page.getByTestId('guest-link').textContent()) ?? '';
  const code = page.getByTestId('token-code');
  await code.getByText(`client.rooms.create({`).waitFor();
  await page.getByTestId('code-language').getByText('curl').click();
  await code.getByText('"identity":"alice"').waitFor();
  await expect.poll(() => page.getByTestId('open-as-guest').getAttribute('href')).toBe(link);

  const guest = await visitors().visit(link, { prepare: withSmallCamera });
  await guest.getByTestId('guest-name').getByText('Alice').waitFor();
  await guest
    .locator('[data-testid=guest-right][data-allowed=false]')
    .getByText('Share your screen')
    .waitFor();
  await guest.getByTestId('join-room').click();
  await guest.getByTestId('in-room').waitFor();

  await page.getByTestId('try-done').click();
  await page.locator('[data-testid=account-room][data-status=active]').getByText('1 person').waitFor();
  await page.getByTestId('open-account-room').click();
  const person = page.locator('[data-testid=account-room-person][data-identity=alice]');
  await person.getByText('Guest', { exact: true }).waitFor();
  await page.locator('[data-testid=room-token][data-status=valid]').getByTestId('revoke-token').click();
  await page.getByTestId('revoke-token-dialog').getByText('Revoke the token of Alice?').waitFor();
  await page.getByTestId('revoke-token-confirm').click();
  await guest.locator('[data-testid=departed][data-departure=revoked]').waitFor();
  await person.waitFor({ state: 'detached' });
  await page.locator('[data-testid=room-token][data-status=revoked]').waitFor();
  await guest.reload();
  await guest.getByTestId('problem').getByText('This link is no longer valid').waitFor();
});

it('removes a guest from a room, and ends the room', async () => {
  const page = await newcomer('/backend');
  await page.getByTestId('try-it').click();
  await page.getByTestId('create-token').click();
  const link = (await page.getByTestId('guest-link').textContent()) ?? '';
  await page.getByTestId('another-token').click();
  // The second guest gets the same room.
  await page.getByTestId('token-identity').fill('bob');
  await page.getByTestId('token-name').fill('Bob');
  const chosen = page.getByTestId('token-room').locator('option:checked');
  await expect.poll(() => chosen.textContent()).toBe('My first room');
  await page.getByTestId('create-token').click();
  await page.getByTestId('guest-link').waitFor();
  const second = (await page.getByTestId('guest-link').textContent()) ?? '';
  const guests = [
    await visitors().visit(link, { prepare: withSmallCamera }),
    await visitors().visit(second, { prepare: withSmallCamera }),
  ] as const;
  for (const guest of guests) {
    await guest.getByTestId('join-room').click();
    await guest.getByTestId('in-room').waitFor();
  }
  await page.getByTestId('try-done').click();
  await page.getByTestId('open-account-room').click();
  const person = page.locator('[data-testid=account-room-person][data-identity=alice]');
  await person.getByTestId('remove-from-account-room').click();
  await page.getByTestId('remove-from-account-room-dialog').getByText('Remove Alice?').waitFor();
  await page.getByTestId('remove-from-account-room-confirm').click();
  await guests[0].locator('[data-testid=departed][data-departure=kicked]').waitFor();
  await person.waitFor({ state: 'detached' });
  const refused = '**/api/v1/rooms/*/end';
  await page.route(refused, (route) =>
    route.fulfill({ status: 403, json: { error: 'access_denied', message: 'Not now.' } }),
  );
  visitors().allowError('403');
  const dialog = page.getByTestId('end-account-room-dialog');
  await page.getByTestId('end-account-room').click();
  await page.getByTestId('end-account-room-confirm').click();
  await dialog.getByTestId('problem').waitFor();
  await dialog.getByText('Cancel').click();
  await dialog.waitFor({ state: 'detached' });
  await page.unroute(refused);
  await page.getByTestId('end-account-room').click();
  await dialog.getByText('End this room?').waitFor();
  // The question does not begin with the error of the last time.
  await expect.poll(() => dialog.getByTestId('problem').count()).toBe(0);
  await page.getByTestId('end-account-room-confirm').click();
  await guests[1].locator('[data-testid=departed][data-departure=ended]').waitFor();
  await page.getByTestId('account-room-status').getByText('ended').waitFor();
  await page.getByTestId('all-account-rooms').click();
  await page.getByTestId('room-filter').selectOption('ended');
  await page.locator('[data-testid=account-room][data-status=ended]').waitFor();
});

it('lists the streams of the account, creates a link to one, and ends it', async () => {
  const page = await newcomer('/streams/new');
  await page.getByTestId('stream-title').fill('Launch');
  await page.getByTestId('create-stream').click();
  await page.getByTestId('studio').waitFor();
  await goTo(page, 'backend');
  await page.getByTestId('backend-view').getByText('Streams').click();
  const stream = page.getByTestId('account-stream');
  await stream.getByTestId('stream-guest-link').click();
  await page.getByTestId('may-canChat').uncheck();
  await page.getByTestId('create-token').click();
  const link = (await page.getByTestId('guest-link').textContent()) ?? '';
  await page.getByTestId('token-code').getByText('client.streams.createToken(').waitFor();
  await page.getByTestId('try-done').click();
  const guest = await visitors().visit(link);
  await guest.locator('[data-testid=player-message][data-state=idle]').waitFor();
  await guest.getByText('Your link does not let you write in this chat.').waitFor();
  await stream.getByText('1 viewer').waitFor();

  const refused = '**/api/v1/streams/*/end';
  await page.route(refused, async (route) => {
    await page.locator('[data-testid=end-account-stream-confirm]:disabled').waitFor();
    // Until the browser has taken the focus from the disabled button.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
    await route.fulfill({ status: 403, json: { error: 'access_denied', message: 'Not now.' } });
  });
  visitors().allowError('403');
  const dialog = page.getByTestId('end-account-stream-dialog');
  await stream.getByTestId('end-account-stream').click();
  await page.getByTestId('end-account-stream-confirm').click();
  await dialog.getByTestId('problem').waitFor();
  // The next Enter tries again.
  await expect.poll(() => focused(page)).toBe('end-account-stream-confirm');
  await dialog.getByText('Cancel').click();
  await dialog.waitFor({ state: 'detached' });
  await page.unroute(refused);
  // The next question, which could be about another stream, does not begin with that error.
  await stream.getByTestId('end-account-stream').click();
  await dialog.getByText('End “Launch”?').waitFor();
  await expect.poll(() => dialog.getByTestId('problem').count()).toBe(0);
  await page.getByTestId('end-account-stream-confirm').click();
  await guest.locator('[data-testid=player-message][data-state=ended]').waitFor();
  await page.locator('[data-testid=account-stream][data-status=ended]').waitFor();
});

it.each(screens)('fits rooms, tokens and guest links on %s', async (_screen, options) => {
  const page = await newcomer('/', options);
  await goTo(page, 'backend');
  await fits(page, 'try-it');
  await page.getByTestId('try-it').click();
  await page.getByTestId('token-identity').fill('i'.repeat(64));
  await page
    .getByTestId('token-room-name')
    .fill('A room with a name that is too long for any phone there is');
  await fits(page, 'create-token');
  await page.getByTestId('create-token').click();
  await fits(page, 'open-as-guest');
  await page.getByTestId('try-done').click();
  await fits(page, 'account-room');
  await page.getByTestId('open-account-room').click();
  await fits(page, 'room-token');
});
