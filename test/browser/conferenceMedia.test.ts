import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { launchChromium } from '../harness/browser/browser.ts';
import { MeetingRoom, receivedVideo, sentLayers } from '../harness/clients/MeetingRoom.ts';
import { until, untilUnchanged } from '../harness/until.ts';

/* Media of conferences in Chromium: layers chosen by displayed size, and shared screens. */

declare global {
  interface Window {
    isReceiving: boolean;
    release: () => void;
  }
}

let meetingRoom: MeetingRoom;
let browser: Browser;
let roomId: string;
let rooms = 0;
type Guest = Awaited<ReturnType<MeetingRoom['enter']>>;
const guests: Guest[] = [];

beforeAll(async () => {
  meetingRoom = await MeetingRoom.open({ workers: 2 });
  browser = await launchChromium({
    args: ['--auto-select-tab-capture-source-by-title=Meeting room', '--enable-usermedia-screen-capturing'],
  });
});
afterAll(async () => {
  await browser?.close();
  await meetingRoom?.close();
});
afterEach(async () => {
  meetingRoom.mayProduce = () => Promise.resolve();
  for (const { context } of guests.splice(0)) await context.close();
});

async function enter(camera: { width: number; height: number } | null): Promise<Guest> {
  if (guests.length === 0) {
    roomId = `room_${++rooms}`;
    await meetingRoom.cluster.openRoom(roomId);
  }
  const guest = await meetingRoom.enter(browser, roomId, camera);
  guests.push(guest);
  return guest;
}

/** Shows a participant's video at this height and attaches the element, so that its size determines the layer. */
const show = (page: Page, from: string, height: number, source = 'camera') =>
  page.evaluate(
    ({ wallet, what, size }) => {
      const video = document.getElementById(`${wallet} ${what}`) as HTMLVideoElement;
      Object.assign(video.style, { height: `${size}px`, width: `${(size * 16) / 9}px`, position: 'fixed' });
      video.style.top = '0';
      window.parley.media.attach(video, { participant: wallet, source: what as 'camera' });
    },
    { wallet: from, what: source, size: height },
  );

interface Tile {
  width: number;
  height: number;
  fit: 'cover' | 'contain';
}

/** Attaches an element of this size in which nothing plays. */
const watchTile = (page: Page, from: string, tile: Tile) =>
  page.evaluate(
    ({ wallet, width, height, fit }) => {
      const before = document.getElementById('tile');
      const video = (before ?? document.createElement('video')) as HTMLVideoElement;
      Object.assign(video, { id: 'tile', muted: true, autoplay: true });
      Object.assign(video.style, { width: `${width}px`, height: `${height}px`, objectFit: fit });
      Object.assign(video.style, { position: 'fixed', top: '0' });
      document.body.append(video);
      window.parley.media.attach(video, { participant: wallet, source: 'camera' });
    },
    { wallet: from, ...tile },
  );

/**
 * Waits until the received video has the size of the largest or smallest layer that is sent. The actual sizes are used because on a busy
 * machine the browser sends smaller layers than requested.
 */
const waitForLayer = (
  to: Guest,
  from: Guest,
  which: 'large' | 'small',
  source: 'camera' | 'screen' = 'camera',
) =>
  until(async () => {
    const sent = (await sentLayers(from.page, roomId)).map(({ height }) => height);
    // In these tests a screen is larger than the camera beside it.
    const heights = sent.filter((height) => height > (source === 'screen' ? 180 : 0));
    const [smallest, largest] = [Math.min(...heights), Math.max(...heights)];
    const wanted = which === 'small' ? smallest : smallest < largest && largest;
    return (await receivedVideo(to.page, roomId, from.wallet, source)).height === wanted;
  }, `the ${which} layer`);

const activeLayers = async (page: Page) =>
  (await sentLayers(page, roomId)).filter(({ active }) => active).map(({ rid }) => rid);

/** The number of encodings, the packets sent so far and the codecs of the videos that this page sends. */
const sentVideo = (page: Page) =>
  page.evaluate(async (room) => {
    const sending = (await window.parley.media.stats(room)).sending as (RTCOutboundRtpStreamStats & {
      mimeType?: string;
    })[];
    const videos = sending.filter(({ type, kind }) => type === 'outbound-rtp' && kind === 'video');
    return {
      encodings: videos.length,
      packets: videos.reduce((sum, { packetsSent }) => sum + (packetsSent ?? 0), 0),
      codecs: sending.flatMap(({ type, mimeType }) => (type === 'codec' ? (mimeType ?? []) : [])),
    };
  }, roomId);

/** Opens this page's media again, with a camera in VP9. */
const openInVp9 = (page: Page) =>
  page.evaluate(async (room) => {
    const { mediaDevices } = navigator;
    const stream = await mediaDevices.getUserMedia({ video: { width: 640, height: 360 } });
    await window.parley.media.open('conference', room, stream.getTracks(), { codec: 'vp9' });
  }, roomId);

describe('a camera in one encoding', () => {
  it.each(['VP8', 'VP9'])('in %s is sent only while it is visible to a participant', async (codec) => {
    const ann = await enter(codec === 'VP8' ? { width: 320, height: 180 } : null);
    if (codec === 'VP9') await openInVp9(ann.page);
    const ben = await enter(null);
    const frames = async () => (await receivedVideo(ben.page, roomId, ann.wallet)).frames;
    await until(async () => (await frames()) > 3, 'video');
    const { encodings, codecs } = await sentVideo(ann.page);
    expect(encodings).toBe(1);
    expect(codecs).toContain(`video/${codec}`);
    await show(ben.page, ann.wallet, 90);
    const move = (top: string) =>
      ben.page.evaluate(
        ({ id, to }) => void Object.assign((document.getElementById(id) as HTMLElement).style, { top: to }),
        { id: `${ann.wallet} camera`, to: top },
      );
    await move('10000px');
    await untilUnchanged(async () => (await sentVideo(ann.page)).packets, 'nothing is sent');
    const { packets } = await sentVideo(ann.page);
    const before = await frames();
    await move('0');
    await until(async () => (await frames()) > before + 3, 'the video is back');
    expect((await sentVideo(ann.page)).packets).toBeGreaterThan(packets);
  });
});

describe('a camera in a conference', () => {
  it('is sent in up to three layers, but only those that subscribers need', async () => {
    const ann = await enter({ width: 960, height: 540 });
    const ben = await enter(null);
    await waitForLayer(ben, ann, 'large');
    expect(await activeLayers(ann.page)).toEqual(['r0', 'r1', 'r2']);

    await show(ben.page, ann.wallet, 120);
    await waitForLayer(ben, ann, 'small');
    await until(async () => (await activeLayers(ann.page)).join() === 'r0', 'only one layer is active');

    await show(ben.page, ann.wallet, 500);
    await until(async () => (await activeLayers(ann.page)).length === 3, 'all layers again');
    await waitForLayer(ben, ann, 'large');
  });

  it('is not sent while it is visible to nobody', async () => {
    const ann = await enter({ width: 480, height: 270 });
    const ben = await enter(null);
    await waitForLayer(ben, ann, 'large');
    await show(ben.page, ann.wallet, 270);
    const move = (top: string) =>
      ben.page.evaluate(({ id, to }) => void ((document.getElementById(id) as HTMLElement).style.top = to), {
        id: `${ann.wallet} camera`,
        to: top,
      });
    await move('10000px');
    await until(async () => (await activeLayers(ann.page)).length === 0, 'nothing is sent');
    const { frames } = await receivedVideo(ben.page, roomId, ann.wallet);
    await move('0');
    await until(
      async () => (await receivedVideo(ben.page, roomId, ann.wallet)).frames > frames + 3,
      'the video is back',
    );
    await waitForLayer(ben, ann, 'large');
    await expect(
      ben.page.evaluate(() => window.seen.filter(({ name }) => name === 'media:failed')),
    ).resolves.toEqual([]);
  });
});

describe('a tile that crops its video (object-fit: cover)', () => {
  it('in portrait format gets a larger layer of a landscape camera than one that shows the full video', async () => {
    const ann = await enter({ width: 480, height: 270 });
    const ben = await enter(null);
    await waitForLayer(ben, ann, 'large');
    await watchTile(ben.page, ann.wallet, { width: 150, height: 260, fit: 'contain' });
    await waitForLayer(ben, ann, 'small');
    await watchTile(ben.page, ann.wallet, { width: 150, height: 260, fit: 'cover' });
    await waitForLayer(ben, ann, 'large');
  });

  it('in landscape format gets a larger layer of a portrait camera once the aspect ratio is known', async () => {
    const ann = await enter({ width: 270, height: 480 });
    const ben = await enter(null);
    await waitForLayer(ben, ann, 'large');
    await watchTile(ben.page, ann.wallet, { width: 240, height: 90, fit: 'cover' });
    await waitForLayer(ben, ann, 'small');
    await ben.page.evaluate((wallet) => {
      const [tile, played] = ['tile', `${wallet} camera`].map((id) => document.getElementById(id));
      (tile as HTMLVideoElement).srcObject = (played as HTMLVideoElement).srcObject;
    }, ann.wallet);
    await waitForLayer(ben, ann, 'large');
  });
});

describe('a screen', () => {
  it('is shared next to the camera, in separate layers', async () => {
    const ann = await enter({ width: 320, height: 180 });
    const ben = await enter(null);
    await ann.page.evaluate(
      (room) => window.parley.media.sending.startScreen(room, { audio: false }),
      roomId,
    );
    await until(
      () =>
        ben.page.evaluate(() =>
          window.seen.some(({ payload }) => (payload as { source: string }).source === 'screen'),
        ),
      'the screen',
    );
    await until(
      async () => (await receivedVideo(ben.page, roomId, ann.wallet, 'screen')).frames > 0,
      'the screen is decoded',
    );
    await until(
      async () => (await receivedVideo(ben.page, roomId, ann.wallet)).frames > 3,
      'the camera is decoded',
    );
    await waitForLayer(ben, ann, 'large', 'screen');
    await show(ben.page, ann.wallet, 100, 'screen');
    await waitForLayer(ben, ann, 'small', 'screen');
    const sending = async () =>
      (await meetingRoom.cluster.room(roomId).peers({})).map((peer) => [...peer.sending].sort());
    expect(await sending()).toContainEqual(['camera', 'microphone', 'screen']);
    await ann.page.evaluate((room) => window.parley.media.sending.stopScreen(room), roomId);
    await until(
      () => ben.page.evaluate(() => window.seen.some(({ name }) => name === 'media:track:ended')),
      'the end of the screen',
    );
    expect(await sending()).toContainEqual(['camera', 'microphone']);
  });

  it('is neither shared nor captured if its audio is rejected', async () => {
    const ann = await enter(null);
    const ben = await enter(null);
    meetingRoom.mayProduce = (source) =>
      source === 'screen-audio'
        ? Promise.reject(new ParleyError('ACCESS_DENIED', 'Screen audio is not allowed here.'))
        : Promise.resolve();
    const sent: string[] = [];
    meetingRoom.cluster.on('peerUpdated', ({ peer }) => sent.push(peer.sending.join()));
    expect(await share(ann)).toEqual({
      code: 'ACCESS_DENIED',
      captured: ['ended', 'ended'],
      isShared: false,
    });
    // The video had already been produced.
    await until(() => sent.at(-1) === '', 'nothing is sent');
    expect(sent).toContain('screen');
    // After the response to a later request, Ben has received all earlier events.
    await ben.page.evaluate(() => window.parley.calls.getActive().catch(() => undefined));
    const count = (wanted: string) =>
      ben.page.evaluate((name) => window.seen.filter((event) => event.name === name).length, wanted);
    await until(
      async () => (await count('media:track')) === (await count('media:track:ended')),
      'every track has ended',
    );
  });

  it('is not shown if it ends while a receiver is still setting it up', async () => {
    const ann = await enter(null);
    const ben = await enter(null);
    await ben.page.evaluate(() => {
      const original = Reflect.get(
        RTCPeerConnection.prototype,
        'setRemoteDescription',
      ) as unknown as () => void;
      const later = new Promise<void>((resolve) => (window.release = resolve));
      RTCPeerConnection.prototype.setRemoteDescription = async function (...given: unknown[]) {
        window.isReceiving = true;
        await later;
        await Reflect.apply(original, this, given);
      };
    });
    let isOver = false;
    meetingRoom.cluster.on('consumerClosed', (closed) => (isOver ||= closed.roomId === roomId));
    const start = () =>
      ann.page.evaluate((room) => window.parley.media.sending.startScreen(room, { audio: false }), roomId);
    await start();
    await until(() => ben.page.evaluate(() => window.isReceiving), 'the receiver sets it up');
    await ann.page.evaluate((room) => window.parley.media.sending.stopScreen(room), roomId);
    await until(() => isOver, 'the screen has ended');
    // After this response, all earlier events have arrived.
    await ben.page.evaluate(() => window.parley.calls.getActive().catch(() => window.release()));
    await start();
    await until(
      async () => (await receivedVideo(ben.page, roomId, ann.wallet, 'screen')).frames > 0,
      'the next screen',
    );
    expect(await ben.page.evaluate(() => window.seen.map(({ name }) => name))).toEqual(['media:track']);
  });

  it('is neither captured nor shared if the room is joined again before the screen starts', async () => {
    const ann = await enter(null);
    let isAsked = false;
    let release = () => {};
    const later = new Promise<void>((resolve) => (release = resolve));
    meetingRoom.mayProduce = () => {
      isAsked = true;
      return later;
    };
    const answer = share(ann);
    await until(() => isAsked, 'the video is requested');
    await ann.page.evaluate((room) => window.parley.media.open('conference', room, []), roomId);
    release();
    expect(await answer).toEqual({ code: 'CONFLICT', captured: ['ended', 'ended'], isShared: false });
    expect((await meetingRoom.cluster.room(roomId).peers({})).map(({ sending }) => sending)).toEqual([[]]);
  });
});

/** Shares a canvas and an audio track as a screen. */
const share = ({ page }: Guest) =>
  page.evaluate(async (room) => {
    const stream = document.createElement('canvas').captureStream(10);
    const audio = new AudioContext().createMediaStreamDestination();
    for (const track of audio.stream.getTracks()) stream.addTrack(track);
    navigator.mediaDevices.getDisplayMedia = () => Promise.resolve(stream);
    const code = await window.parley.media.sending
      .startScreen(room)
      .catch((error: { code: string }) => error.code);
    const captured = stream.getTracks().map(({ readyState }) => readyState);
    return { code, captured, isShared: window.parley.media.localScreen(room) !== null };
  }, roomId);
