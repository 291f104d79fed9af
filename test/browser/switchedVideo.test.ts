import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchChromium, openClient, type BrowserClient } from '../harness/browser/browser.ts';
import { twoNodes, type Cluster, type ClusterNode } from '../harness/nodes/Cluster.ts';
import { sentLayers } from '../harness/clients/MeetingRoom.ts';
import { killProcess } from '../harness/nodes/killProcess.ts';
import {
  addPattern,
  bufferFrames,
  checkFrames,
  framesChecked,
  showFrames,
} from '../harness/media/patternVideo.ts';
import { isRunning } from '../harness/nodes/processes.ts';
import { until } from '../harness/until.ts';

/*
 * Compares every frame that viewers of a camera and a screen decode with what was sent, while the media path in the room changes. The
 * viewers buffer frames, as in damagedFrames.test.ts, so frames of the former path are still waiting when those of the new path arrive.
 *
 * A worker is full after one consumer, so the viewers start behind pipes: Ben on the other worker of Ann's node, Cat on the other node.
 */

const bufferMs = 1_500;
const sizes = { camera: { width: 1280, height: 720 }, screen: { width: 640, height: 360 } };
/** More frames than are buffered when the path changes. */
const enough = 20;

let cluster: Cluster;
let browser: Browser;
let ann: BrowserClient;
let ben: BrowserClient;
let cat: BrowserClient;
let roomId: string;
let videos: string[];

beforeAll(async () => {
  [cluster, browser] = await Promise.all([
    twoNodes({ MEDIA_WORKERS: '2', MEDIA_WORKER_CONSUMERS: '1' }),
    launchChromium(),
  ]);
  // A room can use only nodes that are linked.
  await until(() => cluster.nodes.every((node) => linksOf(node) > 0), 'the nodes are linked');
  const come = () => openClient(browser, cluster.url());
  [ann, ben, cat] = [await come(), await come(), await come()];
  for (const { page } of [ann, ben, cat]) await addPattern(page);
  roomId = await ann.page.evaluate(async ({ camera, screen }) => {
    const send = (size: typeof camera) => Promise.resolve(new MediaStream([window.pattern.send(size)]));
    Object.assign(navigator.mediaDevices, {
      getUserMedia: () => send(camera),
      getDisplayMedia: () => send(screen),
    });
    const { id } = await window.parley.conference.create({ name: 'Pattern', maxParticipants: 3 });
    await window.parley.conference.join({ roomId: id, audio: false, video: true });
    await window.parley.conference.startScreenShare(id);
    return id;
  }, sizes);
  videos = ['camera', 'screen'].map((source) => `${ann.address} ${source}`);
  for (const { page } of [ben, cat]) {
    await bufferFrames(page, bufferMs);
    await page.evaluate(
      (id) => window.parley.conference.join({ roomId: id, audio: false, video: false }),
      roomId,
    );
    for (const video of videos) {
      await page.waitForFunction(
        (id) => (document.getElementById(id) as HTMLVideoElement | null)?.videoWidth,
        video,
      );
      await checkFrames(page, video);
    }
  }
  await expectContinues();
});
afterAll(async () => {
  await browser?.close();
  await cluster?.close();
});

/** Runs `act` for both viewers and all these videos at the same time. */
const forViewers = (act: (page: Page, video: string) => Promise<unknown>, of = videos) =>
  Promise.all([ben, cat].flatMap(({ page }) => of.map((video) => act(page, video))));

/** Waits until these videos move for both viewers, and expects that no frame so far was damaged. */
async function expectContinues(moving = videos): Promise<void> {
  await forViewers(async (page, video) => {
    const { frames: before } = await framesChecked(page, video);
    await until(async () => (await framesChecked(page, video)).frames > before + enough, video);
    const { frames, broken, worst } = await framesChecked(page, video);
    expect({ video, broken, worst: worst.toFixed(3), of: frames }).toMatchObject({ broken: 0 });
  }, moving);
}

/** Displays all videos at this height for both viewers, and waits until other layers arrive. */
async function show(height: number): Promise<void> {
  await forViewers(async (page, video) => {
    const shown = async () => (await framesChecked(page, video)).heights.at(-1);
    const before = await shown();
    await showFrames(page, video, height);
    await until(async () => (await shown()) !== before, `${video} in another size`);
  });
}

async function expectMoveFrom(node: ClusterNode): Promise<void> {
  await until(async () => (await cluster.mediaNodeOf(roomId)) !== node, 'the room is on the other node');
  await expectContinues();
}

const otherThan = (owner: ClusterNode) => cluster.nodes.find((node) => node !== owner) as ClusterNode;

const linksOf = ({ server }: ClusterNode) => server.logged('media node linked').length;

/** Restarts a stopped or killed node, and waits until the other node's rooms can use it again. */
async function startAgain(node: ClusterNode): Promise<void> {
  const other = otherThan(node);
  const before = linksOf(other);
  await node.server.start();
  await until(() => linksOf(other) > before, 'the nodes are linked');
}

const workersOf = ({ server }: ClusterNode) => server.logged('media worker started');

/** The worker to which this page is connected. */
async function workerOf({ page }: BrowserClient) {
  const ports = await page.evaluate(async (id) => {
    const { sending, receiving } = await window.parley.media.stats(id);
    const entries = [...sending, ...receiving] as (RTCStats & { port?: number })[];
    return entries.flatMap(({ type, port }) => (type === 'remote-candidate' ? (port ?? []) : []));
  }, roomId);
  const workers = cluster.nodes.flatMap((node) =>
    workersOf(node).map(({ pid, port }) => ({ node, pid: Number(pid), port: Number(port) })),
  );
  const worker = workers.find(({ pid, port }) => ports.includes(port) && isRunning(pid));
  if (!worker) throw new Error('The page is connected to no worker.');
  return worker;
}

it('shows no damaged frame when camera and screen are switched off and on', async () => {
  await ann.page.evaluate((id) => window.parley.conference.muteVideo(id), roomId);
  await ann.page.evaluate((id) => window.parley.conference.stopScreenShare(id), roomId);
  await forViewers((page) =>
    until(
      () =>
        page.evaluate((id) => window.parley.conference.participants(id).every((one) => !one.video), roomId),
      'the camera is off',
    ),
  );
  await ann.page.evaluate((id) => window.parley.conference.unmuteVideo(id), roomId);
  await expectContinues(videos.slice(0, 1));
  await ann.page.evaluate((id) => window.parley.conference.startScreenShare(id), roomId);
  await expectContinues();
});

it('shows no damaged frame when viewers change the displayed size', async () => {
  for (const height of [90, 720, 90]) await show(height);
  // The larger layers have no subscribers. While they are off, their frame numbers fall behind.
  await until(
    async () => (await sentLayers(ann.page, roomId)).filter(({ active }) => active).length === videos.length,
    'only the small layers are sent',
  );
  await show(360);
  await expectContinues();
});

it('shows no damaged frame when the worker and the node behind the pipes are killed', async () => {
  const [home, near, far] = [await workerOf(ann), await workerOf(ben), await workerOf(cat)];
  expect([near.node.name, far.node.name]).toEqual([home.node.name, otherThan(home.node).name]);
  expect(near.pid).not.toBe(home.pid);
  killProcess(near.pid);
  await far.node.server.kill();
  await expectContinues();
  // Ann's worker is still the same.
  expect(await workerOf(ann)).toEqual(home);
  await startAgain(far.node);
});

it('shows no damaged frame when the owning node stops and hands over the room', async () => {
  const owner = await cluster.mediaNodeOf(roomId);
  expect(await owner.server.stop()).toBe(0);
  await expectMoveFrom(owner);
  await startAgain(owner);
});

it('shows no damaged frame when the media workers of the owning node die', async () => {
  const owner = await cluster.mediaNodeOf(roomId);
  const pids = workersOf(owner).map(({ pid }) => Number(pid));
  for (const pid of pids.filter(isRunning)) process.kill(pid, 'SIGKILL');
  await until(() => workersOf(owner).length >= pids.length + 2, 'the workers are replaced');
  await expectContinues();
});

it('shows no damaged frame when the owning node is killed', async () => {
  const owner = await cluster.mediaNodeOf(roomId);
  await owner.server.kill();
  await expectMoveFrom(owner);
});
