import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { launchChromium } from '../harness/browser/browser.ts';
import { MeetingRoom, sentLayers } from '../harness/clients/MeetingRoom.ts';
import { bufferFrames, checkFrames, framesChecked, showFrames } from '../harness/media/patternVideo.ts';
import { until } from '../harness/until.ts';
import { FrameInspector } from '../harness/media/FrameInspector.ts';

/*
 * Compares the frames a viewer decodes with those that were sent, across switches of layers and sources. The viewer buffers frames before
 * it decodes them, as on a network with jitter or a busy machine, so frames of the former layer are still waiting when the key frame of
 * the next layer arrives.
 */

const bufferMs = 1_500;
/** Large enough to be sent in two layers. */
const camera = { width: 640, height: 360, isPattern: true };

let meetingRoom: MeetingRoom;
let browser: Browser;
let rooms = 0;
let roomId: string;
let ann: Page;
let ben: Page;
/** The element that shows Ann's camera. */
let shown: string;
let wallet: string;

beforeAll(async () => {
  meetingRoom = await MeetingRoom.open({ workers: 2 });
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await meetingRoom?.close();
});
beforeEach(async ({ onTestFinished }) => {
  roomId = `room_${++rooms}`;
  await meetingRoom.cluster.openRoom(roomId);
  const sender = await meetingRoom.enter(browser, roomId, camera);
  const viewer = await meetingRoom.enter(browser, roomId, null);
  onTestFinished(async () => {
    await Promise.all([sender.context.close(), viewer.context.close()]);
  });
  [ann, ben, wallet] = [sender.page, viewer.page, sender.wallet];
  shown = `${wallet} camera`;
  await watch(shown);
  await show(shown, 360);
  await shows(shown, 360);
});

async function watch(element: string): Promise<void> {
  await ben.waitForFunction(
    (id) => (document.getElementById(id) as HTMLVideoElement | null)?.videoWidth,
    element,
  );
  await bufferFrames(ben, bufferMs);
  await checkFrames(ben, element);
}

const show = (element: string, height: number) => showFrames(ben, element, height);

/** Waits until the viewer shows moving video of this height. */
async function shows(element: string, height: number): Promise<void> {
  await until(
    async () => (await framesChecked(ben, element)).heights.at(-1) === height,
    `video of height ${height}`,
  );
  const { frames } = await framesChecked(ben, element);
  await until(async () => (await framesChecked(ben, element)).frames > frames + 10, 'the video moves');
}

const waitForActiveLayers = (count: number) =>
  until(
    async () => (await sentLayers(ann, roomId)).filter(({ active }) => active).length === count,
    `${count} active layers`,
  );

async function expectUndamaged(element: string): Promise<void> {
  const { frames, broken, worst } = await framesChecked(ben, element);
  expect({ broken, worst: worst.toFixed(3), of: frames }).toMatchObject({ broken: 0 });
}

it('shows no damaged frame when layers are switched or the video is hidden', async ({ onTestFinished }) => {
  // The witness reads the packets without decoding them.
  const frameWitness = await FrameInspector.open(meetingRoom.cluster, roomId, 'witness');
  onTestFinished(() => frameWitness.close());
  for (let round = 0; round < 2; round++) {
    await Promise.all([show(shown, 90), frameWitness.setHeight(90)]);
    await shows(shown, 180);
    // The large layer has no subscriber. While it is off, its frame numbers fall behind.
    await waitForActiveLayers(1);
    await delay(500);
    await Promise.all([show(shown, 360), frameWitness.setHeight(360)]);
    await shows(shown, 360);
    await expectUndamaged(shown);
  }
  await Promise.all([show(shown, 0), frameWitness.setHeight(0)]);
  await waitForActiveLayers(0);
  await Promise.all([show(shown, 90), frameWitness.setHeight(90)]);
  await shows(shown, 180);
  await expectUndamaged(shown);
  expect(frameWitness.frames.problems).toEqual([]);
  // Not every change leads to a key frame: the next change may come before it arrives.
  expect(frameWitness.frames.keyFrames).toBeGreaterThan(2);
});

it('shows no damaged frame when a screen is shared next to the camera', async () => {
  await ann.evaluate(async (id) => {
    const screen = new MediaStream([window.pattern.send({ width: 640, height: 360 })]);
    navigator.mediaDevices.getDisplayMedia = () => Promise.resolve(screen);
    await window.parley.media.sending.startScreen(id);
  }, roomId);
  const screen = `${wallet} screen`;
  await watch(screen);
  await show(shown, 90);
  for (const height of [360, 90, 360]) {
    await show(screen, height);
    await shows(screen, height === 90 ? 180 : 360);
  }
  // Check before the screen ends, because the element is black afterwards.
  await expectUndamaged(screen);
  await ann.evaluate((id) => window.parley.media.sending.stopScreen(id), roomId);
  await show(shown, 360);
  await shows(shown, 360);
  await expectUndamaged(shown);
});
