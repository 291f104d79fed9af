import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { waitForVideo } from '../harness/browser/console.ts';
import { newcomer } from '../harness/browser/consoleChats.ts';
import { withSmallCamera } from '../harness/browser/consoleRooms.ts';
import { goLive, makeStream, playsByHls } from '../harness/browser/consoleStreams.ts';
import { ConsoleVisitors } from '../harness/browser/ConsoleVisitors.ts';
import { inFront, NetworkProxy } from '../harness/nodes/NetworkProxy.ts';
import { ServerProcess } from '../harness/nodes/ServerProcess.ts';

/* How the watch page chooses between WebRTC and HLS when a firewall blocks media, and when the host sends nothing. */

let server: ServerProcess;
let pages: NetworkProxy;
let media: NetworkProxy;
let visitors: ConsoleVisitors;
let url: string;

beforeAll(async () => {
  server = await ServerProcess.start(({ port }) => ({
    MEDIA_ANNOUNCED_ADDRESS: inFront,
    PUBLIC_URL: `http://${inFront}:${port}`,
  }));
  const { port, mediaPort } = server.ports;
  url = `http://${inFront}:${port}`;
  [pages, media, visitors] = await Promise.all([
    NetworkProxy.create([port], []),
    NetworkProxy.create([], [mediaPort]),
    ConsoleVisitors.launch(),
  ]);
});

afterAll(async () => {
  await visitors?.close();
  pages?.close();
  media?.close();
  await server?.dispose();
});

afterEach(async () => expect(await visitors.closeAll()).toEqual([]));

const come = (path = '') =>
  newcomer(visitors, `${url}${path}`, { prepare: withSmallCamera }).then(({ page }) => page);

it(
  'plays by HLS if WebRTC media is blocked, for guests and for wallets with a viewer token',
  { timeout: 180_000 },
  async () => {
    const page = await come();
    const id = await makeStream(page, 'Behind a firewall');
    await goLive(page);
    media.allowNewConnections(false);
    const guest = await visitors.visit(`${url}/watch/${id}`);
    await playsByHls(guest);
    const wallet = await visitors.visit(`${url}/watch/${id}`);
    await wallet.getByTestId('try-wallet').click();
    const tokenRequest = wallet.waitForRequest((request) => request.url().includes('index.m3u8?token='));
    await playsByHls(wallet);
    await tokenRequest;
    await page.getByTestId('viewer-count').getByText('2 viewers').waitFor();
    await page.getByTestId('studio-tab').getByText('Viewers').click();
    await expect.poll(() => page.locator('[data-testid=viewer]:not([data-address=""])').count()).toBe(1);
    media.allowNewConnections(true);
  },
);

it('stays on WebRTC while the host sends nothing, and shows the state to guests and wallets', async () => {
  const page = await come();
  const id = await makeStream(page, 'On in a moment');
  await goLive(page);
  for (const device of ['live-camera', 'live-mic']) await page.getByTestId(device).click();
  const guest = await visitors.visit(`${url}/watch/${id}`);
  const wallet = await visitors.visit(`${url}/watch/${id}`);
  await wallet.getByTestId('try-wallet').click();
  for (const viewer of [guest, wallet])
    await viewer.locator('[data-testid=player-message][data-state=paused]').waitFor();
  // Wait longer than the page keeps trying WebRTC without media.
  await new Promise((resolve) => setTimeout(resolve, 8_000));
  await page.getByTestId('live-mic').click();
  for (const viewer of [guest, wallet])
    await viewer.locator('[data-testid=player-message][data-state=dark]').waitFor();
  await page.getByTestId('live-camera').click();
  for (const viewer of [guest, wallet]) {
    await waitForVideo(viewer, 'watch-video');
    await viewer.locator('[data-testid=watch][data-way=webrtc]').waitFor();
    await viewer.getByTestId('player-message').waitFor({ state: 'detached' });
  }
  // A viewer whose video is playing is notified too, and the page does not keep showing the last frame.
  await page.getByTestId('live-camera').click();
  for (const viewer of [guest, wallet])
    await viewer.locator('[data-testid=player-message][data-state=dark]').waitFor();
  await page.getByTestId('live-mic').click();
  for (const viewer of [guest, wallet])
    await viewer.locator('[data-testid=player-message][data-state=paused]').waitFor();
  await page.getByTestId('live-camera').click();
  for (const viewer of [guest, wallet])
    await viewer.getByTestId('player-message').waitFor({ state: 'detached' });
});
