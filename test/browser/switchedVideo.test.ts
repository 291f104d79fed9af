import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchChromium, openClient, type BrowserClient } from '../harness/browser.ts';
import { twoNodes, type Cluster, type ClusterNode } from '../harness/Cluster.ts';
import { sentLayers } from '../harness/MeetingRoom.ts';
import { killProcess } from '../harness/killProcess.ts';
import { addPattern, bufferFrames, checkFrames, framesChecked, showFrames } from '../harness/patternVideo.ts';
import { isRunning } from '../harness/processes.ts';
import { until } from '../harness/until.ts';

/*
 * A camera and a screen in a room, over all that brings them another way: every frame the viewers decode is compared with what was
 * sent. They keep frames for a while, as in brokenPictures.test.ts, so that those of the former way wait while the next ones come.
 *
 * A worker is full after one picture. So the viewers begin behind pipes: Ben on the other worker of the node that Ann sends to, Cat on
 * the other node.
 */

const bufferMs = 1_500;
const sizes = { camera: { width: 1280, height: 720 }, screen: { width: 640, height: 360 } };
/** More than are waiting when something happens. */
const enough = 20;

let cluster: Cluster;
let browser: Browser;
let ann: BrowserClient;
let ben: BrowserClient;
let cat: BrowserClient;
let roomId: string;
let pictures: string[];

beforeAll(async () => {
  [cluster, browser] = await Promise.all([
    twoNodes({ MEDIA_WORKERS: '2', MEDIA_WORKER_CONSUMERS: '1' }),
    launchChromium(),
  ]);
  // So that the room can spread.
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
  pictures = ['camera', 'screen'].map((source) => `${ann.address} ${source}`);
  for (const { page } of [ben, cat]) {
    await bufferFrames(page, bufferMs);
    await page.evaluate(
      (id) => window.parley.conference.join({ roomId: id, audio: false, video: false }),
      roomId,
    );
    for (const picture of pictures) {
      await page.waitForFunction(
        (id) => (document.getElementById(id) as HTMLVideoElement | null)?.videoWidth,
        picture,
      );
      await checkFrames(page, picture);
    }
  }
  await goOn();
});
afterAll(async () => {
  await browser?.close();
  await cluster?.close();
});

/** For both viewers at once; and for all of these pictures. */
const forViewers = (act: (page: Page, picture: string) => Promise<unknown>, of = pictures) =>
  Promise.all([ben, cat].flatMap(({ page }) => of.map((picture) => act(page, picture))));

/** Waits until these move for both viewers, and expects that all frames up to then are whole. */
async function goOn(moving = pictures): Promise<void> {
  await forViewers(async (page, picture) => {
    const { frames: before } = await framesChecked(page, picture);
    await until(async () => (await framesChecked(page, picture)).frames > before + enough, picture);
    const { frames, broken, worst } = await framesChecked(page, picture);
    expect({ picture, broken, worst: worst.toFixed(3), of: frames }).toMatchObject({ broken: 0 });
  }, moving);
}

/** Both viewers show all pictures in this height. Waits until they come in other sizes than before. */
async function show(height: number): Promise<void> {
  await forViewers(async (page, picture) => {
    const shown = async () => (await framesChecked(page, picture)).heights.at(-1);
    const before = await shown();
    await showFrames(page, picture, height);
    await until(async () => (await shown()) !== before, `${picture} in another size`);
  });
}

async function movesFrom(node: ClusterNode): Promise<void> {
  await until(async () => (await cluster.mediaNodeOf(roomId)) !== node, 'the room is on the other node');
  await goOn();
}

const otherThan = (owner: ClusterNode) => cluster.nodes.find((node) => node !== owner) as ClusterNode;

const linksOf = ({ server }: ClusterNode) => server.logged('media node linked').length;

/** One that has ended: then rooms of the other may move or spread to it again. */
async function startAgain(node: ClusterNode): Promise<void> {
  const other = otherThan(node);
  const before = linksOf(other);
  await node.server.start();
  await until(() => linksOf(other) > before, 'the nodes are linked');
}

const workersOf = ({ server }: ClusterNode) => server.logged('media worker started');

/** The worker this page sends to or receives from. */
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

it('are whole when they are switched off and on', async () => {
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
  await goOn(pictures.slice(0, 1));
  await ann.page.evaluate((id) => window.parley.conference.startScreenShare(id), roomId);
  await goOn();
});

it('are whole when their viewers show them in other sizes', async () => {
  for (const height of [90, 720, 90]) await show(height);
  // Nobody looks at the larger layers any more. They fall behind by so many frames as they are off.
  await until(
    async () =>
      (await sentLayers(ann.page, roomId)).filter(({ active }) => active).length === pictures.length,
    'the small layers alone are sent',
  );
  await show(360);
  await goOn();
});

it('are whole when the worker and the node behind the pipes are killed', async () => {
  const [home, near, far] = [await workerOf(ann), await workerOf(ben), await workerOf(cat)];
  expect([near.node.name, far.node.name]).toEqual([home.node.name, otherThan(home.node).name]);
  expect(near.pid).not.toBe(home.pid);
  killProcess(near.pid);
  await far.node.server.kill();
  await goOn();
  // What Ann sends has gone on.
  expect(await workerOf(ann)).toEqual(home);
  await startAgain(far.node);
});

it('are whole when their node is told to end, and hands the room over', async () => {
  const owner = await cluster.mediaNodeOf(roomId);
  expect(await owner.server.stop()).toBe(0);
  await movesFrom(owner);
  await startAgain(owner);
});

it('are whole when their media workers die', async () => {
  const owner = await cluster.mediaNodeOf(roomId);
  const pids = workersOf(owner).map(({ pid }) => Number(pid));
  for (const pid of pids.filter(isRunning)) process.kill(pid, 'SIGKILL');
  await until(() => workersOf(owner).length >= pids.length + 2, 'other workers');
  await goOn();
});

it('are whole when their node is killed', async () => {
  const owner = await cluster.mediaNodeOf(roomId);
  await owner.server.kill();
  await movesFrom(owner);
});
