import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  blockDevices,
  call,
  cameraIn,
  processingIn,
  connection,
  ended,
  fits,
  goTo,
  waitForAudio,
  inHistory,
  ownAddress,
  problem,
  recordBanners,
  waitForVideo,
  tryOut,
} from '../harness/browser/console.ts';
import { ConsoleVisitors } from '../harness/browser/ConsoleVisitors.ts';
import { limitCamera } from '../harness/browser/limitCamera.ts';
import { recordedParties } from '../harness/browser/recordedParties.ts';
import { oneNode, type OneNode } from '../harness/nodes/Harness.ts';
import { fakeScreen } from '../harness/browser/fakeScreen.ts';
import { until } from '../harness/until.ts';

let harness: OneNode;
let visitors: ConsoleVisitors;

beforeAll(async () => {
  [harness, visitors] = await Promise.all([
    // The test reads the first seconds of a recording from the storage.
    oneNode({ RECORDING_CHUNK_SECONDS: '0.5' }),
    ConsoleVisitors.launch(),
  ]);
});

afterAll(async () => {
  await visitors?.close();
  await harness?.close();
});

afterEach(async () => expect(await visitors.closeAll()).toEqual([]));

describe('a browser without WebRTC', () => {
  it('is told so before a call rings or a room is entered', async () => {
    const prepare = async (context: BrowserContext) => {
      await context.addInitScript(() => Reflect.deleteProperty(globalThis, 'RTCPeerConnection'));
    };
    const [alice, bob] = await Promise.all([visitors.visit(harness.url(), { prepare }), visit()]);
    const [, address] = await Promise.all([tryOut(alice), tryOut(bob)]);
    await call(alice, address);
    await alice.getByText('This browser cannot make calls').waitFor();
    await goTo(alice, 'rooms');
    await alice.getByTestId('meet-now').click();
    await alice.getByTestId('join-room').click();
    await alice.getByText('This browser cannot make calls').waitFor();
    await bob.getByText('No calls yet').waitFor();
  });
});

describe('two new users', () => {
  it('call by address, mute, switch the camera off, record and hang up', async () => {
    const [alice, bob] = await Promise.all([visit(), visit()]);
    const [, address] = await Promise.all([tryOut(alice), tryOut(bob)]);
    await goTo(alice, 'account');
    await alice.getByTestId('profile-name').fill('Alice');
    await alice.getByTestId('save-profile').click();
    await alice.getByText('Saved.').waitFor();
    await goTo(alice, 'calls');
    await call(alice, address);
    await alice.locator('[data-testid=in-call][data-status=ringing]').waitFor();
    await bob.getByTestId('answer').click();
    await Promise.all([alice, bob].flatMap((page) => [waitForVideo(page), waitForAudio(page)]));

    await alice.getByTestId('toggle-mute').click();
    await bob.getByTestId('peer-muted').waitFor();
    await alice.getByTestId('toggle-mute').click();
    await bob.getByTestId('peer-muted').waitFor({ state: 'detached' });
    await alice.getByTestId('toggle-camera').click();
    await bob.getByTestId('peer-camera-off').waitFor();
    await bob.getByTestId('remote-video').waitFor({ state: 'hidden' });
    await alice.getByTestId('toggle-camera').click();
    await bob.getByTestId('peer-camera-off').waitFor({ state: 'detached' });
    await waitForVideo(bob);

    // Both see who is recording. The recording belongs to the party that started it.
    await alice.getByTestId('toggle-recording').click();
    for (const page of [alice, bob]) await page.getByTestId('call-recording').waitFor();
    await bob.locator('[data-testid=toggle-recording]:disabled').waitFor();
    await bob.getByTestId('call-recording').getByText('recording this call').waitFor();
    await alice.getByTestId('toggle-recording').click();
    for (const page of [alice, bob]) await page.getByTestId('call-recording').waitFor({ state: 'detached' });
    await bob.getByTestId('toggle-recording').click();
    await alice.getByTestId('call-recording').getByText('recording this call').waitFor();
    await until(async () => (await recordedParties(harness.server)) === 2, 'both parties are recorded');

    await bob.getByTestId('hang-up').click();
    await Promise.all([ended(alice, 'ended'), ended(bob, 'ended')]);
    await inHistory(alice, 'outgoing', 'completed');
    await inHistory(bob, 'incoming', 'completed');
    await goTo(bob, 'recordings');
    const recording = bob.getByTestId('recording');
    await expect.poll(() => recording.getAttribute('data-status')).toBe('ready');
    // One file per party.
    await expect.poll(() => bob.getByTestId('download-recording').count()).toBe(2);
    await recording.getByText('Call with Alice').waitFor();
    await bob.getByTestId('download-recording').getByText('Alice', { exact: true }).waitFor();
    await recording.getByTestId('play-recording').click();
    const time = () =>
      bob.getByTestId('recording-player').evaluate((video: HTMLVideoElement) => video.currentTime);
    await expect.poll(time).toBeGreaterThan(0);
    // The file of the other party is a film of its own.
    const tracks = bob.getByTestId('recording-track');
    await expect.poll(() => tracks.getByRole('option', { name: 'Alice' }).count()).toBe(1);
    await tracks.selectOption('1');
    await expect.poll(time).toBeGreaterThan(0);
    const id = (await recording.getAttribute('data-recording')) ?? '';
    await bob.goto(`${harness.url()}/recordings?recording=${id}`);
    await bob.locator(`[data-recording="${id}"][data-target=true]`).waitFor();
  });

  it('can call through a link that is opened before signing in, decline such a call, and cancel one', async () => {
    const bob = await visit();
    await tryOut(bob);
    const link = (await bob.getByTestId('call-link').getAttribute('data-link')) ?? '';
    const alice = await visit(new URL(link).pathname);
    const address = await ownAddress(bob);
    await alice.getByRole('heading', { name: `Call ${address.slice(0, 6)}` }).waitFor();
    await tryOut(alice);
    await expect.poll(() => alice.getByTestId('callee').inputValue()).toBe(address);
    await alice.getByTestId('start-audio').click();
    await expect.poll(() => bob.getByTestId('incoming').getAttribute('data-type')).toBe('audio');
    // An audio call has no button to answer without a camera.
    await expect.poll(() => bob.getByTestId('answer-audio').count()).toBe(0);
    await bob.getByTestId('decline').click();
    await ended(alice, 'declined');
    await inHistory(alice, 'outgoing', 'declined');
    await inHistory(bob, 'incoming', 'declined');
    await alice.getByTestId('summary-call-again').click();
    await bob.getByTestId('incoming').waitFor();
    await alice.getByTestId('hang-up').click();
    await ended(alice, 'missed');
    const newest = (page: Page) => page.getByTestId('history-item').first();
    await newest(alice).getByText('Cancelled').waitFor();
    await newest(bob).getByText('Missed').waitFor();
  });

  it('open no camera in an audio call, even when rejoining after a reload', async () => {
    const [alice, bob] = await Promise.all([visit(), visit()]);
    const [, address] = await Promise.all([tryOut(alice), tryOut(bob)]);
    await alice.getByTestId('callee').fill(address);
    await alice.getByTestId('start-audio').click();
    await bob.getByTestId('answer').click();
    await Promise.all([waitForAudio(alice), waitForAudio(bob)]);
    await bob.reload();
    // The other party sees that the peer is away.
    await alice.getByTestId('peer-away').waitFor();
    await bob.getByTestId('rejoin').click();
    await alice.getByTestId('peer-away').waitFor({ state: 'detached' });
    await waitForAudio(bob);
    await waitForAudio(alice);
    expect(await Promise.all([alice, bob].map(devicesAsked))).toEqual([['audio'], ['audio', 'audio']]);
    expect(await videoTracks(alice)).toBe(0);
  });

  it('answer without a camera and switch it on later', async () => {
    const [alice, bob] = await Promise.all([visit(), visit()]);
    const [, address] = await Promise.all([tryOut(alice), tryOut(bob)]);
    await call(alice, address);
    await bob.getByTestId('answer-audio').click();
    await Promise.all([waitForVideo(bob), waitForAudio(bob), waitForAudio(alice)]);
    await alice.getByTestId('peer-camera-off').waitFor();
    await expect.poll(() => alice.getByTestId('remote-video').isVisible()).toBe(false);
    await expect.poll(() => bob.getByTestId('toggle-camera').getAttribute('aria-pressed')).toBe('true');
    // A camera chosen while the camera is off is the one that is switched on.
    await bob.getByTestId('devices').click();
    await bob.getByTestId('choose-camera').selectOption({ label: 'fake_device_3' });
    await bob.keyboard.press('Escape');
    await bob.getByTestId('toggle-camera').click();
    await Promise.all([waitForVideo(alice), waitForVideo(bob, 'local-video')]);
    await expect.poll(() => cameraIn(bob)).toBe('fake_device_3');
    await alice.getByTestId('peer-camera-off').waitFor({ state: 'detached' });
  });

  it('can answer and call without a camera, which the page shows as off', async () => {
    const [alice, bob] = await Promise.all([visit(), visit('/', { cameras: 0 })]);
    const [, address] = await Promise.all([tryOut(alice), tryOut(bob)]);
    await call(alice, address);
    await bob.getByTestId('answer').click();
    await Promise.all([waitForVideo(bob), waitForAudio(bob), waitForAudio(alice)]);
    await expect.poll(() => bob.getByTestId('toggle-camera').getAttribute('aria-pressed')).toBe('true');
    await bob.getByTestId('hang-up').click();
    await call(bob, await ownAddress(alice));
    // An outgoing call without a camera is audio only.
    await bob.locator('[data-testid=in-call][data-status=ringing]').waitFor();
    await expect.poll(() => bob.getByTestId('toggle-camera').getAttribute('aria-pressed')).toBe('true');
    await alice.getByTestId('answer').click();
    await Promise.all([waitForVideo(bob), waitForAudio(alice)]);
  });

  it('chat beside the call, use the page while it is small, and make it a room', async () => {
    const [alice, bob, cleo] = await Promise.all([visit(), visit(), visit()]);
    const [, address, third] = await Promise.all([tryOut(alice), tryOut(bob), tryOut(cleo)]);
    await call(alice, address);
    await bob.getByTestId('answer').click();
    await Promise.all([waitForVideo(alice), waitForVideo(bob)]);
    await alice.getByTestId('toggle-call-chat').click();
    await alice.getByTestId('compose').fill('Look here');
    await alice.getByTestId('compose').press('Enter');

    await bob.getByTestId('minimise-call').click();
    await bob.locator('[data-testid=in-call][data-minimised=true]').waitFor();
    // On a phone, the small call is above the navigation, and what is under it can be scrolled out.
    await bob.setViewportSize({ width: 390, height: 844 });
    await goTo(bob, 'account');
    await goTo(bob, 'chats');
    await bob.getByTestId('chat').click();
    await bob.getByTestId('message-text').getByText('Look here').waitFor();
    await bob.getByTestId('compose').fill('I see');
    await bob.getByTestId('send').click();
    await alice.getByTestId('message-text').getByText('I see').waitFor();
    await bob.setViewportSize({ width: 1280, height: 720 });
    await waitForVideo(bob);
    // The call also goes on beside the connection test, which visitors can open as well.
    await bob.getByTestId('wallet-menu').click();
    await bob.getByTestId('to-check').click();
    await bob.getByRole('heading', { name: 'Connection test' }).waitFor();
    await waitForVideo(bob);
    await bob.goBack();
    await bob.getByTestId('restore-call').click();
    await bob.locator('[data-testid=in-call][data-minimised=false]').waitFor();

    await bob.keyboard.press('?');
    await bob.getByTestId('shortcuts').waitFor();
    await bob.keyboard.press('Escape');
    await alice.getByTestId('call-more').click();
    await alice.getByTestId('add-people').click();
    await alice.getByTestId('people-to-add').fill('0x12');
    await alice.getByTestId('add-them').click();
    await alice.getByText('An address is 0x followed by 40 digits').waitFor();
    await alice.getByTestId('people-to-add').fill(third);
    await alice.getByTestId('add-them').click();
    for (const page of [alice, bob]) {
      await expect.poll(() => page.getByTestId('in-call').count()).toBe(0);
      await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/rooms\/room_/);
      // Both are in the room at once, not at its door, because their cameras are on.
      await expect.poll(() => page.locator('[data-testid=tile][data-video=true]').count()).toBe(2);
    }
  });

  it('share a screen, use effects and another speaker, and show the video in other ways', async () => {
    const [alice, bob] = await Promise.all([visit(), visit()]);
    const [, address] = await Promise.all([tryOut(alice), tryOut(bob)]);
    await call(alice, address);
    await bob.getByTestId('answer').click();
    await Promise.all([waitForVideo(alice), waitForVideo(bob)]);
    await fakeScreen(alice);
    await alice.getByTestId('toggle-screen').click();
    await waitForVideo(bob, 'remote-screen');
    await alice.keyboard.press('s');
    await bob.getByTestId('remote-screen').waitFor({ state: 'detached' });
    expect(await alice.evaluate(() => window.screenTracks.map(({ readyState }) => readyState))).toEqual([
      'ended',
      'ended',
    ]);

    // The files of the effects are loaded only when they are switched on.
    const files: string[] = [];
    alice.on('request', (request) => {
      const [, file] = /\/sdk\/effects\/(.+)$/.exec(request.url()) ?? [];
      if (file) files.push(file);
    });
    await alice.getByTestId('devices').click();
    const [noise, blur] = [alice.getByTestId('effect-noise'), alice.getByTestId('effect-blur')];
    await noise.waitFor();
    expect(files).toEqual([]);
    const camera = await cameraIn(alice);
    await noise.click();
    await alice.locator('[data-testid=effect-noise]:enabled:checked').waitFor();
    expect(files).toContain('rnnoise_simd.wasm');
    expect(files.some((file) => file.includes('selfie'))).toBe(false);
    await blur.click();
    await alice.locator('[data-testid=effect-blur]:enabled:checked').waitFor();
    expect(files.some((file) => file.includes('selfie'))).toBe(true);
    await expect.poll(() => cameraIn(alice)).not.toBe(camera);
    await Promise.all([waitForVideo(alice, 'local-video'), waitForVideo(bob)]);
    for (const effect of [noise, blur]) await effect.click();
    await expect.poll(() => cameraIn(alice)).toBe(camera);

    // By the keyboard: the switches for music.
    await expect.poll(() => processingIn(alice)).toEqual([true, true, true]);
    await alice.getByTestId('voice-processing').press('Enter');
    for (const name of ['echoCancellation', 'noiseSuppression', 'autoGainControl'])
      await alice.getByTestId(`processing-${name}`).press('Space');
    await expect.poll(() => processingIn(alice)).toEqual([false, false, false]);
    await waitForAudio(bob);

    const speakers = alice.getByTestId('choose-speaker');
    const [, other = ''] = await speakers
      .locator('option')
      .evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value));
    await speakers.selectOption(other);
    const playsOn = () =>
      alice.getByTestId('remote-video').evaluate((video: HTMLVideoElement) => video.sinkId);
    await expect.poll(playsOn).toBe(other);
    await waitForAudio(alice);
    await alice.keyboard.press('Escape');

    await alice.getByTestId('call-more').click();
    await alice.getByTestId('picture-in-picture').click();
    const floating = () =>
      alice.evaluate(() => document.pictureInPictureElement?.getAttribute('data-testid') ?? null);
    await expect.poll(floating).toBe('remote-video');
    await alice.getByTestId('call-more').click();
    await alice.getByTestId('picture-in-picture').click();
    await expect.poll(floating).toBeNull();
    const isFull = () => alice.evaluate(() => document.fullscreenElement !== null);
    await alice.keyboard.press('f');
    await expect.poll(isFull).toBe(true);
    await alice.getByTestId('call-more').click();
    // The key is pressed before the page shows that full screen has ended.
    await alice.evaluate(() => {
      const changes: boolean[] = [];
      const pressAgain = () => {
        changes.push(document.fullscreenElement !== null);
        document.body.dataset['changes'] = changes.join();
        if (changes.length > 1) return;
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'f', bubbles: true }));
      };
      window.addEventListener('fullscreenchange', pressAgain, { capture: true });
    });
    await alice.getByTestId('toggle-fullscreen').getByText('Exit full screen').click();
    await expect.poll(() => alice.evaluate(() => document.body.dataset['changes'])).toBe('false,true');
    // Messages of MediaPipe, of the graphics driver, and of Chromium, which may lose the last picture of a track that ends,
    // also for a page that closes every picture it gets.
    for (const expected of [
      '/sdk/effects/selfie_segmentation',
      'GL Driver Message',
      'A VideoFrame was garbage',
    ])
      visitors.allowError(expected);
    // Full screen ends with the call.
    await bob.getByTestId('hang-up').click();
    await ended(alice, 'ended');
    await expect.poll(isFull).toBe(false);
  });
});

describe('on a phone with a dark colour scheme', () => {
  const phone = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;

  it('the camera can be flipped in a call', async () => {
    const [alice, bob] = await Promise.all([
      visit('/', { ...phone, isMobile: true, hasTouch: true }),
      visit(),
    ]);
    const [, address] = await Promise.all([tryOut(alice), tryOut(bob)]);
    await call(alice, address);
    await bob.getByTestId('answer').click();
    await waitForVideo(bob);
    // The browser sends no video of its second and third fake camera.
    for (const next of ['fake_device_1', 'fake_device_2', 'fake_device_3']) {
      await alice.getByTestId('flip-camera').tap();
      await expect.poll(() => cameraIn(alice)).toBe(next);
    }
    await waitForVideo(bob);
    await bob.getByTestId('devices').waitFor();
    await expect.poll(() => bob.getByTestId('flip-camera').count()).toBe(0);
  });

  it('every page fits the width, even during a call, after a reload and with an error', async () => {
    const [alice, bob] = await Promise.all([visit('/', phone), visit('/', phone)]);
    expect(await alice.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(
      'rgb(17, 23, 20)',
    );
    await fits(alice, 'try-wallet');
    const [, address] = await Promise.all([tryOut(alice), tryOut(bob)]);
    await fits(alice, 'history');
    await alice.getByTestId('wallet-menu').click();
    await fits(alice, 'sign-out');
    await alice.keyboard.press('Escape');
    await fits(await visit(`/call/${address}`, phone), 'try-wallet');

    await call(alice, address);
    await Promise.all([fits(alice, 'hang-up'), fits(bob, 'incoming')]);
    await bob.getByTestId('answer').click();
    await Promise.all([waitForVideo(alice), waitForVideo(bob)]);
    await fits(alice, 'local-video');
    await alice.getByTestId('devices').click();
    await fits(alice, 'devices');
    await alice.keyboard.press('Escape');

    await bob.reload();
    await fits(bob, 'running-call');
    await expect.poll(() => ownAddress(bob)).toBe(address);
    await bob.getByTestId('rejoin').click();
    await Promise.all([alice, bob].flatMap((page) => [waitForVideo(page), waitForAudio(page)]));
    await alice.getByTestId('hang-up').click();
    await Promise.all([ended(alice, 'ended'), ended(bob, 'ended')]);
    await Promise.all([fits(alice, 'history-item'), fits(bob, 'history-item')]);

    await blockDevices(alice);
    await alice.getByTestId('summary-call-again').click();
    expect(await problem(alice)).toMatchObject({ code: 'PERMISSION_DENIED' });
    await fits(alice, 'problem');
  });
});

describe('a restart of the server', () => {
  it('is bridged: the pages show only that they reconnect, and the call continues', async () => {
    const [alice, bob] = await Promise.all([visit(), visit()]);
    const [, address] = await Promise.all([tryOut(alice), tryOut(bob)]);
    await call(alice, address);
    await bob.getByTestId('answer').click();
    await Promise.all([waitForVideo(alice), waitForVideo(bob)]);
    await Promise.all([alice, bob].map(recordBanners));
    await harness.server.kill();
    await Promise.all([alice, bob].map((page) => connection(page, 'reconnecting')));
    await harness.server.start();
    await Promise.all([alice, bob].map((page) => connection(page, 'connected')));
    await Promise.all([alice, bob].flatMap((page) => [waitForVideo(page), waitForAudio(page)]));
    for (const page of [alice, bob]) {
      expect(await page.evaluate(() => [...new Set(window.banners)])).toEqual([
        'The connection was lost. Reconnecting…',
      ]);
    }
    visitors.allowServerDown();
  });
});

interface VisitOptions extends BrowserContextOptions {
  cameras?: 0 | 1;
}

declare global {
  interface Window {
    /** Texts that the call's banner has shown, in order. */
    banners: string[];
  }
}

/** Opens the console in a new context, as another user. */
function visit(path = '/', { cameras = 1, ...options }: VisitOptions = {}): Promise<Page> {
  const prepare = async (context: BrowserContext) => {
    await context.addInitScript(limitCamera, cameras);
  };
  return visitors.visit(`${harness.url()}${path}`, { ...options, prepare });
}

/** The devices that the visitor's pages have opened, across reloads. */
const devicesAsked = (page: Page) =>
  page.evaluate(() => JSON.parse(localStorage.getItem('devicesAsked') ?? '[]') as string[]);

const videoTracks = (page: Page) =>
  page
    .getByTestId('remote-video')
    .evaluate(({ srcObject }: HTMLVideoElement) => (srcObject as MediaStream).getVideoTracks().length);
