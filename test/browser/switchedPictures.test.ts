import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchChromium, openClient, type BrowserClient } from '../harness/browser.ts';
import { twoNodes, type Cluster, type ClusterNode } from '../harness/Cluster.ts';
import { addPattern, bufferFrames, checkFrames, framesChecked } from '../harness/patternedPicture.ts';
import { isRunning } from '../harness/processes.ts';
import { until } from '../harness/until.ts';

/*
 * A camera and a screen in a room, over all that brings them another way: every frame the viewer decodes is compared with what was
 * sent. It keeps frames for a while, as in brokenPictures.test.ts, so that those of the former way wait while the next ones come.
 */

const bufferMs = 500;
const size = { width: 640, height: 360 };
/** More than are waiting when something happens. */
const enough = 20;

let cluster: Cluster;
let browser: Browser;
let ann: BrowserClient;
let ben: BrowserClient;
let roomId: string;
let pictures: string[];

beforeAll(async () => {
  [cluster, browser] = await Promise.all([twoNodes({ MEDIA_WORKERS: '2' }), launchChromium()]);
  [ann, ben] = [await openClient(browser, cluster.url()), await openClient(browser, cluster.url())];
  for (const { page } of [ann, ben]) await addPattern(page);
  roomId = await ann.page.evaluate(async (picture) => {
    const capture = () => Promise.resolve(new MediaStream([window.pattern.send(picture)]));
    Object.assign(navigator.mediaDevices, { getUserMedia: capture, getDisplayMedia: capture });
    const { id } = await window.parley.conference.create({ name: 'Pattern', maxParticipants: 2 });
    await window.parley.conference.join({ roomId: id, audio: false, video: true });
    await window.parley.conference.startScreenShare(id);
    return id;
  }, size);
  await bufferFrames(ben.page, bufferMs);
  await ben.page.evaluate(
    (id) => window.parley.conference.join({ roomId: id, audio: false, video: false }),
    roomId,
  );
  pictures = ['camera', 'screen'].map((source) => `${ann.address} ${source}`);
  for (const picture of pictures) {
    await ben.page.waitForFunction(
      (id) => (document.getElementById(id) as HTMLVideoElement | null)?.videoWidth,
      picture,
    );
    await checkFrames(ben.page, picture);
  }
  await goOn();
});
afterAll(async () => {
  await browser?.close();
  await cluster?.close();
});

/** Waits until these move, and expects that all frames up to then are whole. */
async function goOn(moving = pictures): Promise<void> {
  for (const picture of moving) {
    const { frames: before } = await framesChecked(ben.page, picture);
    await until(async () => (await framesChecked(ben.page, picture)).frames > before + enough, picture);
    const { frames, broken, worst } = await framesChecked(ben.page, picture);
    expect({ picture, broken, worst: worst.toFixed(3), of: frames }).toMatchObject({ broken: 0 });
  }
}

async function movesFrom(node: ClusterNode): Promise<void> {
  await until(async () => (await cluster.mediaNodeOf(roomId)) !== node, 'the room is on the other node');
  await goOn();
}

it('are whole when they are switched off and on', async () => {
  await ann.page.evaluate((id) => window.parley.conference.muteVideo(id), roomId);
  await ann.page.evaluate((id) => window.parley.conference.stopScreenShare(id), roomId);
  await until(
    () =>
      ben.page.evaluate((id) => window.parley.conference.participants(id).every((one) => !one.video), roomId),
    'the camera is off',
  );
  await ann.page.evaluate((id) => window.parley.conference.unmuteVideo(id), roomId);
  await goOn(pictures.slice(0, 1));
  await ann.page.evaluate((id) => window.parley.conference.startScreenShare(id), roomId);
  await goOn();
});

it('are whole when their node is told to end, and hands the room over', async () => {
  const owner = await cluster.mediaNodeOf(roomId);
  const other = cluster.nodes.find((node) => node !== owner) as ClusterNode;
  const links = () => other.server.logged('linked to a media node').length;
  const before = links();
  expect(await owner.server.stop()).toBe(0);
  await movesFrom(owner);
  await owner.server.start();
  await until(() => links() > before, 'the nodes are linked');
});

it('are whole when their media workers die', async () => {
  const { server } = await cluster.mediaNodeOf(roomId);
  const pids = server.logged('media worker started').map(({ pid }) => Number(pid));
  for (const pid of pids.filter(isRunning)) process.kill(pid, 'SIGKILL');
  await until(() => server.logged('media worker started').length >= pids.length + 2, 'other workers');
  await goOn();
});

it('are whole when their node is killed', async () => {
  const owner = await cluster.mediaNodeOf(roomId);
  await owner.server.kill();
  await movesFrom(owner);
});
