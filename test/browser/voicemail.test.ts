import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium, leave, openClient, type BrowserClient } from '../harness/browser.ts';
import { oneNode, type OneNode } from '../harness/Harness.ts';
import { installed } from '../harness/installed.ts';
import type { TestClient } from '../harness/TestClient.ts';
import { download } from '../integration/rooms/mediaSupport.ts';
import { measureSound } from '../integration/recording/measureSound.ts';

/* Voicemail from a browser's microphone, which hears a tone of 1,000 Hz. */

const hertz = 1_000;
let folder: string;
let harness: OneNode;
let browser: Browser;
let bob: TestClient;
let alice: BrowserClient;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parley-tone-'));
  const wav = join(folder, 'tone.wav');
  const words = ['-f', 'lavfi', '-i', `sine=${hertz}:r=48000:d=10`, '-ac', '2', wav];
  execFileSync(installed('ffmpeg'), ['-v', 'error', ...words]);
  harness = await oneNode();
  browser = await launchChromium({ args: [`--use-file-for-fake-audio-capture=${wav}`] });
  bob = await harness.client();
  await bob.parley.voicemail.getAll();
  alice = await openClient(browser, harness.url());
});
afterAll(async () => {
  if (alice) await leave(alice);
  await browser?.close();
  await harness?.close();
  rmSync(folder, { recursive: true, force: true });
});

/**
 * Leaves bob a voicemail. @param stopAfterMs when to stop it; else it goes on until maxDuration
 * @returns also for how long the page stood still meanwhile: its microphone is silent then, and what ends it is late
 */
const record = (maxDuration: number, stopAfterMs?: number) =>
  alice.page.evaluate(
    async ({ to, ...given }) => {
      let [stillMs, last] = [0, performance.now()];
      const ticks = setInterval(() => {
        const now = performance.now();
        if (now - last > 200) stillMs += now - last;
        last = now;
      }, 20);
      const { voicemail } = window.parley;
      const stopLater = () => {
        if (given.stopAfterMs !== undefined) setTimeout(() => void voicemail.stop(), given.stopAfterMs);
      };
      const left = await voicemail.record({ to, maxDuration: given.maxDuration, onStart: stopLater });
      clearInterval(ticks);
      return { ...left, timestamp: left.timestamp.toISOString(), stillSeconds: stillMs / 1_000 };
    },
    { to: bob.address, maxDuration, stopAfterMs },
  );

async function heardBy(recipient: TestClient, id: string) {
  const told = await recipient.event('voicemail:received', (voicemail) => voicemail.id === id);
  const { headers, bytes } = await download(told.audioUrl);
  return { told, type: headers.get('content-type'), sound: measureSound(bytes, hertz) };
}

describe('a voicemail from the microphone', () => {
  it('goes on until maxDuration, and the tone is in it', async () => {
    const { stillSeconds, ...left } = await record(3);
    expect(left).toMatchObject({ from: alice.address, to: bob.address, audioUrl: '', isRead: false });
    const { told, type, sound } = await heardBy(bob, left.id);
    expect([type, sound.codec]).toEqual(['audio/webm', 'opus']);
    for (const seconds of [sound.duration, told.duration, left.duration]) {
      expect(seconds).toBeGreaterThan(2.4 - stillSeconds);
      expect(seconds).toBeLessThan(4 + stillSeconds);
    }
    expect(sound.toneDecibels).toBeGreaterThan(-40);
    expect(sound.toneDecibels).toBeGreaterThan(sound.otherDecibels + 10);
  });

  it('ends early when it is told to, and is sent', async () => {
    const { id, stillSeconds } = await record(60, 1_500);
    const { sound } = await heardBy(bob, id);
    expect(sound.duration).toBeGreaterThan(0.8 - stillSeconds);
    expect(sound.duration).toBeLessThan(4 + stillSeconds);
    expect(sound.toneDecibels).toBeGreaterThan(sound.otherDecibels + 10);
  });

  it('is one at a time, and plays in the page', async () => {
    const outcome = await alice.page.evaluate(async (to) => {
      let onStart = () => {};
      const begun = new Promise<void>((resolve) => (onStart = resolve));
      const first = window.parley.voicemail.record({ to, maxDuration: 60, onStart });
      const second = await window.parley.voicemail
        .record({ to })
        .catch((error: { code: string }) => error.code);
      await begun;
      await new Promise((resolve) => setTimeout(resolve, 500));
      await window.parley.voicemail.stop();
      return { second, first: (await first).id };
    }, bob.address);
    expect(outcome.second).toBe('CONFLICT');
    const { told } = await heardBy(bob, outcome.first);
    const seconds = await alice.page.evaluate(async (address) => {
      const audio = new Audio(address);
      await new Promise((resolve, reject) => {
        audio.onloadedmetadata = resolve;
        audio.onerror = () => reject(new Error(audio.error?.message));
      });
      return audio.duration;
    }, told.audioUrl);
    expect(seconds).toBeCloseTo(told.duration, 1);
  });

  it('given up is not sent, and switches the microphone off', async () => {
    const before = (await bob.parley.voicemail.getAll()).length;
    const outcome = await alice.page.evaluate(async (to) => {
      const tracks: MediaStreamTrack[] = [];
      const getUserMedia = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
      navigator.mediaDevices.getUserMedia = async (wanted) => {
        const stream = await getUserMedia(wanted);
        tracks.push(...stream.getTracks());
        return stream;
      };
      const controller = new AbortController();
      const onStart = () => controller.abort(new Error('enough'));
      const recording = window.parley.voicemail.record({ to, signal: controller.signal, onStart });
      const message = await recording.then(
        () => 'sent',
        (error: Error) => error.message,
      );
      navigator.mediaDevices.getUserMedia = getUserMedia;
      return { message, states: tracks.map(({ readyState }) => readyState) };
    }, bob.address);
    expect(outcome).toEqual({ message: 'enough', states: ['ended'] });
    expect(await bob.parley.voicemail.getAll()).toHaveLength(before);
  });

  it('without a microphone is refused with its code', async () => {
    const code = await alice.page.evaluate((to) => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no', 'NotAllowedError'));
      return window.parley.voicemail.record({ to }).then(
        () => 'sent',
        (error: { code: string }) => error.code,
      );
    }, bob.address);
    expect(code).toBe('PERMISSION_DENIED');
  });
});
