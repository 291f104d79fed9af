import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { eventIn, leave, smallVideo, type BrowserClient } from '../harness/browser/browser.ts';
import { browserOnOneNode } from '../harness/browser/browserOnOneNode.ts';
import { fakeScreen } from '../harness/browser/fakeScreen.ts';
import { receivedFrom } from '../harness/media/receivedFrom.ts';
import { until } from '../harness/until.ts';

/* Chromium sends tracks of the app and changes them by effects, in calls and rooms on a real server. */

declare global {
  interface Window {
    own: { video: MediaStreamTrack; audio: MediaStreamTrack; colour: string; gain: GainNode };
  }
}

const { client, pair } = browserOnOneNode();

/** Creates the app's own tracks: a canvas of one colour with a white square, and noise. */
const createTracks = (page: Page) =>
  page.evaluate(() => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 320, height: 180 });
    const context2d = canvas.getContext('2d') as CanvasRenderingContext2D;
    setInterval(() => {
      context2d.fillStyle = window.own.colour;
      context2d.fillRect(0, 0, 320, 180);
      context2d.fillStyle = 'white';
      context2d.fillRect(0, 0, 160, 180);
      // Otherwise a canvas sends no new picture.
      context2d.fillStyle = `rgb(0 0 ${Math.random() * 255})`;
      context2d.fillRect(300, 160, 20, 20);
    }, 100);
    const audio = new AudioContext();
    const buffer = audio.createBuffer(1, audio.sampleRate, audio.sampleRate);
    buffer.getChannelData(0).forEach((_, index, samples) => (samples[index] = Math.random() * 2 - 1));
    const noise = new AudioBufferSourceNode(audio, { buffer, loop: true });
    const [gain, out] = [new GainNode(audio), audio.createMediaStreamDestination()];
    // Low, as that of a fan. White noise RNNoise removes after seconds, minutes or never.
    const low = new BiquadFilterNode(audio, { type: 'lowpass', frequency: 400 });
    noise.connect(low).connect(gain).connect(out);
    noise.start();
    const [video] = canvas.captureStream(10).getVideoTracks() as [MediaStreamTrack];
    const [sound] = out.stream.getAudioTracks() as [MediaStreamTrack];
    window.own = { video, audio: sound, colour: 'red', gain };
  });

/** The mean colour of a part of the received video, and how much neighbouring pixels of a row differ at most. */
const pictureOf = (page: Page, wallet: string, source = 'camera') =>
  page.evaluate((key) => {
    const video = document.getElementById(key) as HTMLVideoElement | null;
    if (!video?.videoWidth) return null;
    const canvas = Object.assign(document.createElement('canvas'), { width: 320, height: 180 });
    const context2d = canvas.getContext('2d') as CanvasRenderingContext2D;
    context2d.drawImage(video, 0, 0, 320, 180);
    const { data } = context2d.getImageData(0, 90, 320, 1);
    const at = (x: number) => [...data.slice(4 * x, 4 * x + 3)] as [number, number, number];
    const green = Array.from({ length: 320 }, (_, x) => at(x)[1]);
    const edge = Math.max(...green.slice(4).map((value, x) => Math.abs(value - (green[x] ?? 0))));
    return { right: at(250), edge };
  }, `${wallet} ${source}`);
const isRed = ([red, green, blue]: number[]) => (red ?? 0) > 180 && (green ?? 0) < 70 && (blue ?? 0) < 70;
const isBlue = ([red, green, blue]: number[]) => (red ?? 0) < 70 && (green ?? 0) < 70 && (blue ?? 0) > 180;

const waitForPicture = (page: Page, wallet: string, is: (colour: number[]) => boolean, what: string) =>
  until(async () => {
    const picture = await pictureOf(page, wallet);
    return picture && is(picture.right) ? picture : null;
  }, what);

/** How much audible energy arrives in a second. */
async function loudness(page: Page, id: string, wallet: string): Promise<number> {
  const read = async () => (await receivedFrom(page, id, wallet, 'microphone'))?.audioEnergy ?? 0;
  const before = await read();
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 1_000)));
  return (await read()) - before;
}

const publish = ({ page }: BrowserClient, id: string, source: 'camera' | 'microphone', more = {}) =>
  page.evaluate(
    ([to, as, options]) =>
      window.parley.media.publish(to, as === 'camera' ? window.own.video : window.own.audio, {
        source: as,
        ...options,
      }),
    [id, source, more] as const,
  );

/** Unplugs a camera. Fake devices cannot be unplugged, so the browser's list is changed. @returns the kinds that `media:devices` reports as lost */
const unplug = (page: Page, camera: string) =>
  page.evaluate(async (gone) => {
    const { mediaDevices } = navigator;
    const all = await mediaDevices.enumerateDevices();
    mediaDevices.enumerateDevices = () => Promise.resolve(all.filter(({ deviceId }) => deviceId !== gone));
    const changed = new Promise<string[]>((resolve) =>
      window.parley.on('media:devices', (devices) => resolve(devices.lost)),
    );
    mediaDevices.dispatchEvent(new Event('devicechange'));
    return changed;
  }, camera);

/** The id of the camera that a page sends to a call, room or stream; undefined if it sends none. */
const sentCamera = (page: Page, id: string) =>
  page.evaluate((to) => {
    const [track] = window.parley.media.localStream(to)?.getVideoTracks() ?? [];
    return track?.readyState === 'live' ? track.getSettings().deviceId : undefined;
  }, id);

/** Whether a page sends the screen of fakeScreen() as the video of a stream. */
const sendsScreen = (page: Page, id: string) =>
  page.evaluate((to) => {
    const [track] = window.parley.media.localStream(to)?.getVideoTracks() ?? [];
    return track?.readyState === 'live' && window.screenTracks.includes(track);
  }, id);

/** Alice calls Bob without opening a device. */
async function bareCall(alice: BrowserClient, bob: BrowserClient): Promise<string> {
  const id = await alice.page.evaluate(
    async (to) => (await window.parley.calls.start({ to, type: 'audio', audio: false })).id,
    bob.address,
  );
  await eventIn(bob.page, 'call:incoming');
  await bob.page.evaluate((callId) => window.parley.calls.answer(callId, { audio: false }), id);
  return id;
}

it('sends own tracks in a call, muted and unmuted like captured ones', async () => {
  const [alice, bob] = await pair();
  await createTracks(alice.page);
  const captures = await alice.page.evaluateHandle(() => {
    const asked: unknown[] = [];
    const original = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
    navigator.mediaDevices.getUserMedia = (constraints) => {
      asked.push(constraints);
      return original(constraints);
    };
    return asked;
  });
  const id = await bareCall(alice, bob);
  await publish(alice, id, 'camera');
  await publish(alice, id, 'microphone');
  await waitForPicture(bob.page, alice.address, isRed, 'the canvas');
  await until(async () => (await loudness(bob.page, id, alice.address)) > 1e-4, 'the noise');

  await alice.page.evaluate((callId) => window.parley.calls.disableVideo(callId), id);
  await alice.page.evaluate((callId) => window.parley.calls.mute(callId), id);
  await until(async () => (await loudness(bob.page, id, alice.address)) < 1e-6, 'silence');
  // Muting keeps the app's track, so that it is sent again afterwards.
  expect(await alice.page.evaluate(() => [window.own.video.readyState, window.own.audio.readyState])).toEqual(
    ['live', 'live'],
  );
  await alice.page.evaluate(() => (window.own.colour = 'blue'));
  await alice.page.evaluate((callId) => window.parley.calls.enableVideo(callId), id);
  await alice.page.evaluate((callId) => window.parley.calls.unmute(callId), id);
  await waitForPicture(bob.page, alice.address, isBlue, 'the canvas again');
  await until(async () => (await loudness(bob.page, id, alice.address)) > 1e-4, 'the noise again');
  expect(await captures.evaluate((asked) => asked.length)).toBe(0);

  await alice.page.evaluate((callId) => window.parley.media.unpublish(callId, 'camera'), id);
  await until(async () => !(await receivedFrom(bob.page, id, alice.address, 'camera')), 'no camera');
  await alice.page.evaluate((callId) => window.parley.calls.end(callId), id);
  expect(
    await alice.page.evaluate(() =>
      [window.own.video, window.own.audio].map(({ readyState, enabled }) => `${readyState} ${enabled}`),
    ),
  ).toEqual(['live true', 'live true']);
  await leave(alice, bob);
});

it('checks tracks and permissions, and stops a track when asked', async () => {
  const [alice, bob] = await pair();
  await createTracks(alice.page);
  await createTracks(bob.page);
  const roomId = await alice.page.evaluate(
    async () => (await window.parley.conference.create({ name: 'Own', maxParticipants: 5 })).id,
  );
  for (const { page } of [alice, bob])
    await page.evaluate(
      (id) => window.parley.conference.join({ roomId: id, audio: false, video: false }),
      roomId,
    );
  const problem = (client: BrowserClient, id: string, kind: 'video' | 'audio', source: string) =>
    client.page.evaluate(
      ([to, which, as]) =>
        window.parley.media.publish(to, window.own[which as 'video'], { source: as as 'camera' }).then(
          () => null,
          (error: { code: string; reason: string }) => `${error.code} ${error.reason}`,
        ),
      [id, kind, source] as const,
    );
  expect(await problem(alice, roomId, 'audio', 'camera')).toBe('VALIDATION_ERROR validation_failed');
  expect(await problem(alice, roomId, 'video', 'face')).toBe('VALIDATION_ERROR validation_failed');
  expect(await problem(alice, `${roomId}0`, 'video', 'camera')).toBe('NOT_FOUND not_found');
  expect(await problem(alice, roomId, 'video', 'screen')).toBeNull();
  await until(async () => await pictureOf(bob.page, alice.address, 'screen'), 'the own screen');

  const bobsId = await alice.page.evaluate(
    ([id, wallet]) =>
      window.parley.conference.participants(id).find(({ walletAddress }) => walletAddress === wallet)?.id ??
      '',
    [roomId, bob.address] as const,
  );
  await alice.page.evaluate(
    ([id, participantId]) => window.parley.conference.setRole(id, participantId, 'viewer'),
    [roomId, bobsId] as const,
  );
  await until(
    async () => (await problem(bob, roomId, 'video', 'camera')) === 'ACCESS_DENIED viewer',
    'refusal',
  );

  await publish(alice, roomId, 'microphone', { stop: true });
  await alice.page.evaluate((id) => window.parley.conference.leave(id), roomId);
  expect(await alice.page.evaluate(() => [window.own.video.readyState, window.own.audio.readyState])).toEqual(
    ['live', 'ended'],
  );
  await leave(alice, bob);
});

it('blurs a camera and suppresses noise, and sends the untouched track if an effect fails', async () => {
  const [alice, bob] = await pair();
  await createTracks(alice.page);
  // As loud as noise in a room. RNNoise hardly reduces noise that is as loud as speech.
  await alice.page.evaluate(() => void (window.own.gain.gain.value = 0.1));
  const id = await bareCall(alice, bob);
  await publish(alice, id, 'camera');
  await publish(alice, id, 'microphone');
  const sharp = await waitForPicture(bob.page, alice.address, isRed, 'the canvas');
  expect(sharp.edge).toBeGreaterThan(100);
  const noise = await until(async () => {
    const heard = await loudness(bob.page, id, alice.address);
    return heard > 1e-4 ? heard : null;
  }, 'the noise');

  // A string, because vitest would rewrite an import() in a function.
  await alice.page.evaluate(
    "import('/sdk/effects.js').then(({ noiseSuppression, backgroundBlur }) => Promise.all([" +
      "window.parley.media.setEffect('microphone', noiseSuppression())," +
      "window.parley.media.setEffect('camera', backgroundBlur({ strength: 60 }))]))",
  );
  await until(async () => {
    const picture = await pictureOf(bob.page, alice.address);
    return picture && isRed(picture.right) && picture.edge < 50;
  }, 'a blurred edge between red and white');
  await until(async () => (await loudness(bob.page, id, alice.address)) < noise / 100, 'less noise');

  // The effects survive switching off and on.
  await alice.page.evaluate((callId) => window.parley.calls.disableVideo(callId), id);
  await alice.page.evaluate((callId) => window.parley.calls.enableVideo(callId), id);
  const before = await receivedFrom(bob.page, id, alice.address, 'camera');
  await until(async () => {
    const now = await receivedFrom(bob.page, id, alice.address, 'camera');
    return now && now.framesDecoded > (before?.framesDecoded ?? 0) + 3;
  }, 'more blurred pictures');
  expect((await pictureOf(bob.page, alice.address))?.edge).toBeLessThan(50);

  await alice.page.evaluate(() =>
    Promise.all([
      window.parley.media.setEffect('microphone', null),
      window.parley.media.setEffect('camera', null),
    ]),
  );
  await until(async () => ((await pictureOf(bob.page, alice.address))?.edge ?? 0) > 100, 'a sharp picture');
  await until(async () => (await loudness(bob.page, id, alice.address)) > noise / 2, 'noise again');

  const failed = await alice.page.evaluate(async () => {
    const failure = new Promise<string>((resolve) =>
      window.parley.on('media:effect:failed', ({ kind, error }) => resolve(`${kind} ${error.code}`)),
    );
    let isClosed = false;
    await window.parley.media.setEffect('camera', {
      apply: () => Promise.reject(new Error('no')),
      close: () => (isClosed = true),
    });
    return [await failure, isClosed];
  });
  expect(failed).toEqual(['camera INTERNAL', true]);
  await waitForPicture(bob.page, alice.address, isRed, 'the untouched canvas');
  await leave(alice, bob);
});

it('blurs several cameras that are opened at once', async () => {
  const { page } = await client();
  // A string, because vitest would rewrite an import() in a function.
  const states = await page.evaluate(`import('/sdk/effects.js').then(async ({ backgroundBlur }) => {
    const effect = backgroundBlur();
    const tracks = await Promise.all(Array.from({ length: 3 }, async () => {
      const camera = await navigator.mediaDevices.getUserMedia({ video: { width: 320, height: 180 } });
      return effect.apply(camera.getVideoTracks()[0]);
    }));
    return tracks.map(({ readyState }) => readyState);
  })`);
  expect(states).toEqual(Array(3).fill('live'));
});

it('lists devices, changes them during a call, and returns to the default one', async () => {
  const [alice, bob] = await pair();
  const id = await alice.page.evaluate(
    async ([to, video]) => (await window.parley.calls.start({ to, type: 'video', video })).id,
    [bob.address, smallVideo] as const,
  );
  await eventIn(bob.page, 'call:incoming');
  await bob.page.evaluate((callId) => window.parley.calls.answer(callId, { video: false }), id);
  const list = await alice.page.evaluate(() => window.parley.media.devices());
  expect(list.cameras.length).toBeGreaterThan(1);
  expect(list.cameras.filter(({ isChosen }) => isChosen)).toHaveLength(1);
  expect(list.cameras.every(({ label }) => label)).toBe(true);
  expect(list.speakers.length).toBeGreaterThan(0);

  const other = list.cameras.find(({ isChosen }) => !isChosen)?.id ?? '';
  const speaker = list.speakers.at(-1)?.id ?? '';
  const result = await alice.page.evaluate(
    async ([callId, camera, speakerId]) => {
      const { media } = window.parley;
      const element = document.body.appendChild(document.createElement('audio'));
      const stop = media.play(element, media.localStream(callId) as MediaStream);
      await media.setDevice('camera', camera);
      await media.setDevice('speaker', speakerId);
      const [sent] = media.localStream(callId)?.getVideoTracks() ?? [];
      const unknown = await media.setDevice('speaker', 'x').then(
        () => '',
        (error: { code: string }) => error.code,
      );
      const [mic] = media.localStream(callId)?.getAudioTracks() ?? [];
      await media.setAudioProcessing({ echoCancellation: false, noiseSuppression: false });
      const [again] = media.localStream(callId)?.getAudioTracks() ?? [];
      const seen = {
        camera: sent?.getSettings().deviceId === camera,
        sink: element.sinkId === speakerId,
        unknown,
        isSameMic: mic?.getSettings().deviceId === again?.getSettings().deviceId,
        echo: again?.getSettings().echoCancellation,
      };
      stop();
      return { ...seen, source: element.srcObject };
    },
    [id, other, speaker] as const,
  );
  expect(result).toEqual({
    camera: true,
    sink: true,
    unknown: 'NOT_FOUND',
    isSameMic: true,
    echo: false,
    source: null,
  });

  expect(await unplug(alice.page, other)).toEqual(['camera']);
  await until(
    async () => ![undefined, other].includes(await sentCamera(alice.page, id)),
    'the default camera',
  );
  await leave(alice, bob);
});

/** Starts a video call to which only Alice sends. @returns its id */
async function callWithOneCamera(alice: BrowserClient, bob: BrowserClient): Promise<string> {
  const id = await alice.page.evaluate(
    async ([to, video]) => {
      const { id: callId } = await window.parley.calls.start({ to, type: 'video', video });
      return callId;
    },
    [bob.address, smallVideo] as const,
  );
  await eventIn(bob.page, 'call:incoming');
  await bob.page.evaluate((callId) => window.parley.calls.answer(callId, { audio: false, video: false }), id);
  return id;
}

it('opens a camera and microphone again that the browser has ended, while the list of devices stays the same', async () => {
  const [alice, bob] = await pair();
  const id = await callWithOneCamera(alice, bob);
  await until(() => sentCamera(alice.page, id), 'the camera');
  await alice.page.evaluate((callId) => {
    for (const track of window.parley.media.localStream(callId)?.getTracks() ?? []) {
      // A page cannot let a device fail: stopped tracks emit no event.
      track.stop();
      track.dispatchEvent(new Event('ended'));
    }
  }, id);
  const kinds = () =>
    alice.page.evaluate((callId) => {
      const tracks = window.parley.media.localStream(callId)?.getTracks() ?? [];
      return tracks
        .filter(({ readyState }) => readyState === 'live')
        .map(({ kind }) => kind)
        .sort();
    }, id);
  await expect.poll(kinds).toEqual(['audio', 'video']);
  expect(await loudness(bob.page, id, alice.address)).toBeGreaterThan(0);
  await leave(alice, bob);
});

it('sends no camera any more when the only one is unplugged, and sends it again once it is back', async () => {
  const [alice, bob] = await pair();
  const id = await callWithOneCamera(alice, bob);
  const seesCamera = () =>
    bob.page.evaluate((from) => window.tracks.get(`${from} camera`)?.readyState === 'live', alice.address);
  const cameraOfAlice = (isThere: boolean) =>
    alice.page.evaluate(
      ([callId, there]) => {
        const { mediaDevices } = navigator;
        if (there) {
          Reflect.deleteProperty(mediaDevices, 'getUserMedia');
          return window.parley.calls.enableVideo(callId);
        }
        mediaDevices.getUserMedia = () => Promise.reject(new DOMException('none', 'NotFoundError'));
        const [track] = window.parley.media.localStream(callId)?.getVideoTracks() ?? [];
        track?.stop();
        track?.dispatchEvent(new Event('ended'));
        return undefined;
      },
      [id, isThere] as const,
    );
  const failed = () =>
    alice.page.evaluate((callId) => {
      const { mediaError } = window.parley.calls.state(callId).get();
      return mediaError && (mediaError as Error & { extra?: Record<string, unknown> }).extra?.['source'];
    }, id);
  await expect.poll(seesCamera).toBe(true);
  await cameraOfAlice(false);
  await expect.poll(seesCamera).toBe(false);
  await expect.poll(failed).toBe('camera');
  await cameraOfAlice(true);
  await expect.poll(seesCamera).toBe(true);
  await expect.poll(failed).toBe(null);
  await leave(alice, bob);
});

it('keeps sending the screen of a stream when another camera is chosen or unplugged', async () => {
  const alice = await client();
  await fakeScreen(alice.page);
  const [stream, room, camera] = await alice.page.evaluate(async (video) => {
    const { streaming, conference, media } = window.parley;
    const { id: streamId } = await streaming.create({ title: 'Screen' });
    await streaming.start({ streamId, video: 'screen' });
    const { id: roomId } = await conference.create({ name: 'Camera', maxParticipants: 5 });
    const last = (await media.devices()).cameras.at(-1)?.id ?? '';
    await conference.join({ roomId, video: { ...video, deviceId: last } });
    return [streamId, roomId, last] as const;
  }, smallVideo);
  const cameras = await alice.page.evaluate(async () => (await window.parley.media.devices()).cameras);
  expect(cameras.find(({ isChosen }) => isChosen)?.id).toBe(camera);

  const other = cameras.at(-2)?.id ?? '';
  await alice.page.evaluate((id) => window.parley.media.setDevice('camera', id), other);
  expect(await sentCamera(alice.page, room)).toBe(other);
  expect(await sendsScreen(alice.page, stream)).toBe(true);

  expect(await unplug(alice.page, other)).toEqual(['camera']);
  // The stream, which was started first, has been handled by then.
  await until(
    async () => ![undefined, other].includes(await sentCamera(alice.page, room)),
    'the default camera',
  );
  expect(await sendsScreen(alice.page, stream)).toBe(true);
  await leave(alice);
});

it('measures levels with one AudioContext, and frees it', async () => {
  const [alice, bob] = await pair();
  await createTracks(alice.page);
  const heard = await alice.page.evaluate(async () => {
    let [opened, closed] = [0, 0];
    const Original = AudioContext;
    globalThis.AudioContext = class extends Original {
      constructor() {
        super();
        opened++;
      }
      override close() {
        closed++;
        return super.close();
      }
    };
    const { media } = window.parley;
    const wait = (is: (level: number) => boolean) =>
      new Promise<() => void>((resolve) => {
        const stop = media.level(window.own.audio, (level) => {
          if (is(level)) resolve(stop);
        });
      });
    const first = await wait((level) => level > 0.3);
    window.own.gain.gain.value = 0;
    const second = await wait((level) => level < 0.05);
    first();
    const before = closed;
    second();
    second();
    globalThis.AudioContext = Original;
    return { opened, before, closed };
  });
  expect(heard).toEqual({ opened: 1, before: 0, closed: 1 });
  await leave(alice, bob);
});
