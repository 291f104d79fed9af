import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { openClient, smallVideo } from '../harness/browser/browser.ts';
import { fits, goTo, refuseSignIns, waitForVideo } from '../harness/browser/console.ts';
import { newcomer } from '../harness/browser/consoleChats.ts';
import { withSmallCamera } from '../harness/browser/consoleRooms.ts';
import {
  goLive,
  waitForStreamState,
  makeStream,
  playsByHls,
  withoutWebrtc,
  withQuietAutoplay,
} from '../harness/browser/consoleStreams.ts';
import { ConsoleVisitors } from '../harness/browser/ConsoleVisitors.ts';
import { fakeScreen } from '../harness/browser/fakeScreen.ts';
import { oneNode, type OneNode } from '../harness/nodes/Harness.ts';

/* Live streams in the console: the host's page and the public watch page. */

let harness: OneNode;
let visitors: ConsoleVisitors;

beforeAll(async () => {
  [harness, visitors] = await Promise.all([
    oneNode({ STREAM_RECONNECT_SECONDS: '30' }),
    ConsoleVisitors.launch(),
  ]);
});

afterAll(async () => {
  await visitors?.close();
  await harness?.close();
});

afterEach(async () => expect(await visitors.closeAll()).toEqual([]));

const come = (options = {}) => newcomer(visitors, harness.url(), { prepare: withSmallCamera, ...options });
const watch = (path: string, options = {}) => visitors.visit(`${harness.url()}/watch/${path}`, options);
const say = async (page: Page, text: string) => {
  await page.getByTestId('stream-compose').fill(text);
  await page.getByTestId('stream-compose').press('Enter');
};
const isSaid = (page: Page, text: string) =>
  page.getByTestId('stream-message').filter({ hasText: text }).waitFor();
const viewers = (page: Page, count: number) =>
  page.getByTestId('viewer-count').getByText(`${count} viewer`).waitFor();

const trackOf = (page: Page) =>
  page
    .getByTestId('own-video')
    .evaluate((video: HTMLVideoElement) => (video.srcObject as MediaStream).getVideoTracks()[0]?.id);

/** Ends the camera that the page sends, as unplugging does: fake cameras cannot be unplugged. */
const unplugCamera = (page: Page) =>
  page.getByTestId('own-video').evaluate((video: HTMLVideoElement) => {
    const [track] = (video.srcObject as MediaStream).getVideoTracks();
    track?.stop();
    // Only the loss of a device reports this, not stop().
    track?.dispatchEvent(new Event('ended'));
  });

it('resumes the temporary wallet of a viewer after an outage', async () => {
  const { page } = await come();
  const viewer = await watch(await makeStream(page, 'After the storm'));
  await viewer.getByTestId('try-wallet').click();
  await viewer.getByTestId('try-wallet').waitFor({ state: 'detached' });
  const remembered = () => viewer.evaluate(() => sessionStorage.getItem('parley.who'));
  const wallet = await remembered();
  expect(wallet).toContain('privateKey');
  await refuseSignIns(viewer);
  await viewer.reload();
  await viewer.getByTestId('problem').waitFor();
  await viewer.unroute('**/api/v1/auth/**');
  await viewer.getByRole('button', { name: 'Try again' }).click();
  await viewer.getByTestId('try-wallet').waitFor({ state: 'detached' });
  expect(await remembered()).toBe(wallet);
  visitors.allowError('503');
});

it('goes live from the browser, can be watched with and without a wallet, and ends', async () => {
  const ada = await come();
  const { page } = ada;
  const id = await makeStream(page, 'Friday night', { isRecorded: true });
  await waitForStreamState(page, 'idle');
  await page.getByTestId('watch-link').getByText(`/watch/${id}`).waitFor();

  // A viewer who arrives early waits.
  const guest = await watch(id, { prepare: withQuietAutoplay });
  await guest.locator('[data-testid=player-message][data-state=idle]').waitFor();
  await goLive(page);
  await waitForVideo(guest, 'watch-video');
  await guest.locator('[data-testid=watch][data-way=webrtc]').waitFor();
  await guest.getByTestId('unmute').click();
  await guest.getByTestId('unmute').waitFor({ state: 'detached' });
  await expect
    .poll(() => guest.getByTestId('watch-video').evaluate((video: HTMLVideoElement) => video.muted))
    .toBe(false);
  await viewers(page, 1);
  await viewers(guest, 1);

  // The guest signs in with one click.
  await guest.getByTestId('try-wallet').click();
  await waitForVideo(guest, 'watch-video');
  await say(guest, 'Good evening');
  await isSaid(page, 'Good evening');
  await say(page, 'Welcome');
  await isSaid(guest, 'Welcome');
  await page.getByTestId('studio-tab').getByText('Viewers').click();
  await page.locator('[data-testid=viewer]:not([data-address=""])').waitFor();
  await page.getByTestId('studio-tab').getByText('Chat').click();
  const message = page.getByTestId('stream-message').filter({ hasText: 'Good evening' });
  await message.getByTestId('message-menu').click();
  await page.getByTestId('delete-message').click();
  await message.waitFor({ state: 'detached' });
  await guest
    .getByTestId('stream-message')
    .filter({ hasText: 'Good evening' })
    .waitFor({ state: 'detached' });

  // The host stays live on other pages.
  await goTo(page, 'rooms');
  await page.getByTestId('you-are-live').waitFor();
  await page.getByTestId('to-live').click();
  await waitForVideo(page, 'own-video');

  const other = await watch(id);
  await waitForVideo(other, 'watch-video');
  await say(guest, 'Buy my coins');
  await isSaid(page, 'Buy my coins');
  await page.getByTestId('message-menu').last().click();
  await page.getByTestId('ban').click();
  await guest.getByTestId('refused').getByText('removed you').waitFor();
  await waitForVideo(other, 'watch-video');

  await page.getByTestId('end-stream').click();
  await page.getByTestId('end-confirm').click();
  await page.locator('[data-testid=stage-message][data-state=ended]').waitFor();
  await other.locator('[data-testid=player-message][data-state=ended]').waitFor();
  // The stream was recorded.
  await page.getByTestId('to-recording').click();
  await page.locator('[data-testid=recording][data-target=true]').waitFor();
  await page.goBack();
  await page.getByTestId('to-my-streams').click();
  await page.getByTestId('stream-item').filter({ hasText: 'Friday night' }).getByText('Ended').waitFor();

  await goTo(page, 'recordings');
  const recording = page.getByTestId('recording').filter({ hasText: 'Friday night' });
  const download = recording.getByTestId('download-recording').first();
  await download.waitFor();
  const file = await page.request.get(await download.evaluate((link: HTMLAnchorElement) => link.href));
  expect([file.status(), file.headers()['content-type']]).toEqual([200, expect.stringMatching(/^video\//)]);
  await recording.getByTestId('delete-recording').click();
  await page.getByTestId('delete-recording-confirm').click();
  await recording.waitFor({ state: 'detached' });
});

it('shows the camera that is sent in place of one that was unplugged', async () => {
  const { page } = await come();
  const id = await makeStream(page, 'Two cameras');
  await goLive(page);
  const first = await trackOf(page);
  await unplugCamera(page);
  // The SDK opens the default camera.
  await expect.poll(() => trackOf(page)).not.toBe(first);
  await waitForVideo(page, 'own-video');
  const camera = page.getByTestId('live-camera');
  await expect.poll(() => camera.getAttribute('aria-pressed')).toBe('true');
  const viewer = await watch(id);
  await waitForVideo(viewer, 'watch-video');

  await page.evaluate(() => {
    navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('none', 'NotFoundError'));
  });
  await unplugCamera(page);
  await page.getByText('Viewers can hear you.').waitFor();
  await expect.poll(() => camera.getAttribute('aria-pressed')).toBe('false');
  await page.evaluate(() => Reflect.deleteProperty(navigator.mediaDevices, 'getUserMedia'));
  await camera.click();
  await waitForVideo(page, 'own-video');
});

it('keeps the volume, also of the screen’s audio, when the host sends again', async () => {
  const host = await openClient(visitors.browser, harness.url());
  const id = await host.page.evaluate(
    async () => (await window.parley.streaming.create({ title: 'Quietly' })).id,
  );
  const send = async () => {
    await fakeScreen(host.page);
    await host.page.evaluate(
      async ([streamId, video]) => {
        await window.parley.streaming.start({ streamId, video, quality: '720p' });
        await window.parley.streaming.startScreenShare(streamId);
      },
      [id, smallVideo] as const,
    );
  };
  await send();
  const viewer = await watch(id);
  // Only viewers who are signed in get the camera and the screen.
  await viewer.getByTestId('try-wallet').click();
  await waitForVideo(viewer, 'watch-video');
  await viewer.locator('[data-testid=player] audio').waitFor({ state: 'attached' });
  await viewer.getByTestId('volume').fill('0.2');
  const volumes = () =>
    viewer
      .locator('[data-testid=watch-video], [data-testid=player] audio')
      .evaluateAll((players) => players.map((player) => (player as HTMLMediaElement).volume));
  await expect.poll(volumes).toEqual([0.2, 0.2]);
  await viewer.getByTestId('watch-video').evaluate((video) => video.setAttribute('data-before', ''));
  await host.page.reload();
  await host.signIn();
  await send();
  await viewer.locator('[data-testid=watch-video]:not([data-before])').waitFor();
  await viewer.locator('[data-testid=player] audio').waitFor({ state: 'attached' });
  await expect.poll(volumes).toEqual([0.2, 0.2]);
  await expect.poll(() => viewer.getByTestId('volume').inputValue()).toBe('0.2');
  await host.context.close();
});

it(
  'plays by HLS without WebRTC, and again when the viewer comes back to the page',
  { timeout: 180_000 },
  async () => {
    const { page } = await come();
    const id = await makeStream(page, 'Segments');
    await goLive(page);
    const guest = await watch(id, { prepare: withoutWebrtc });
    await playsByHls(guest);
    await viewers(guest, 1);
    // As the browser does with a page that it keeps: it would not keep this one, because Playwright controls it.
    const pass = (name: string) =>
      guest.evaluate((event) => dispatchEvent(new PageTransitionEvent(event, { persisted: true })), name);
    await pass('pagehide');
    await pass('pageshow');
    await playsByHls(guest);
  },
);

it('admits viewers to a private stream by the host’s link, and explains to others that the stream is private', async () => {
  const { page } = await come();
  const id = await makeStream(page, 'For friends', { isPrivate: true });
  await page.getByTestId('make-link').click();
  const link = (await page.getByTestId('watch-link').textContent()) ?? '';
  expect(link).toContain(`/watch/${id}?token=`);
  const stranger = await watch(id);
  await stranger.getByTestId('refused').getByText('private').waitFor();
  // A screen is the only video of the stream.
  await goLive(page, 'Screen');
  const friend = await visitors.visit(link);
  await waitForVideo(friend, 'watch-video');

  // The page shows the settings for streaming software, but the key only on request.
  await page.getByTestId('stream-server').getByText('/whip').waitFor();
  await page.getByTestId('show-key').click();
  const key = page.getByTestId('stream-key');
  const formerKey = (await key.textContent()) ?? '';
  expect(formerKey).toMatch(/^sk_/);
  await page.getByTestId('reset-key').click();
  await page.getByTestId('reset-confirm').click();
  await page.getByTestId('reset-dialog').waitFor({ state: 'detached' });
  await expect.poll(() => key.textContent()).not.toBe(formerKey);
  // The old link is revoked, and another one can be made.
  await page.getByTestId('make-link').waitFor();
  visitors.allowError('401');
  const late = await visitors.visit(link);
  await late.getByTestId('refused').waitFor();
  await expect.poll(() => late.getByTestId('watch-video').count()).toBe(0);
});

it('fits a small phone, and reports a link to an unknown stream', async () => {
  const { page } = await come({ viewport: { width: 360, height: 640 }, colorScheme: 'dark' });
  await goTo(page, 'streams');
  await fits(page, 'new-stream');
  await page.getByTestId('new-stream').click();
  await fits(page, 'create-stream');
  await page
    .getByTestId('stream-title')
    .fill('A stream with a title that is too long for any phone there is to show');
  await page.getByTestId('create-stream').click();
  await fits(page, 'studio');
  // The new page starts at the top, not at the scroll position of the form.
  expect(await page.evaluate(() => scrollY)).toBe(0);
  await page.getByTestId('set-up-live').click();
  await fits(page, 'go-live-now');
  const id = (await page.getByTestId('studio').getAttribute('data-stream')) ?? '';
  const guest = await watch(id, { viewport: { width: 360, height: 640 } });
  await fits(guest, 'player-message');
  visitors.allowError('404');
  const lost = await watch('str_000000000000000000000000');
  await lost.locator('[data-testid=problem][data-code=NOT_FOUND]').waitFor();
});

it('lists more streams than fit on a page, those that have ended last', async () => {
  const { page, address } = await come();
  await harness.query(
    `INSERT INTO streams (id, title, description, host, network, is_public, record, key_hash, key_sealed, status, created_at, ended_at)
     SELECT 'str_' || lpad(n::text, 24, '0'), 'Stream ' || n, '', $1, 'mainnet', false, false, 'key ' || n, '',
       CASE WHEN n > 150 THEN 'idle' ELSE 'ended' END, now(), CASE WHEN n > 150 THEN NULL ELSE now() END FROM generate_series(1, 251) n`,
    [address],
  );
  await goTo(page, 'streams');
  const items = page.getByTestId('stream-item');
  for (const count of [100, 201, 251]) {
    await expect.poll(() => items.count()).toBe(count);
    if (count < 251) await page.getByTestId('list-more').click();
  }
  await page.getByTestId('list-more').waitFor({ state: 'detached' });
  await expect.poll(() => items.first().getByText('Ended').count()).toBe(0);
  await items.last().getByText('Ended').waitFor();
});

it('shows what was written and deleted while the connection of a viewer was lost', async () => {
  const { page } = await come();
  const id = await makeStream(page, 'Breaking news');
  let isDeaf = false;
  let cut = () => {};
  const viewer = await watch(id, {
    prepare: (context: BrowserContext) =>
      context.routeWebSocket(/socket\.io/, (socket) => {
        const server = socket.connectToServer();
        server.onMessage((message) => !isDeaf && socket.send(message));
        cut = () => void socket.close();
      }),
  });
  await viewer.getByTestId('try-wallet').click();
  await viewer.getByTestId('stream-compose').waitFor();
  for (const text of ['First', 'Second']) {
    await say(page, text);
    await isSaid(viewer, text);
  }
  isDeaf = true;
  const first = page.getByTestId('stream-message').filter({ hasText: 'First' });
  await first.getByTestId('message-menu').click();
  await page.getByTestId('delete-message').click();
  await first.waitFor({ state: 'detached' });
  await say(page, 'Third');
  isDeaf = false;
  cut();
  await isSaid(viewer, 'Third');
  await isSaid(viewer, 'Second');
  await viewer.getByTestId('stream-message').filter({ hasText: 'First' }).waitFor({ state: 'detached' });
});
