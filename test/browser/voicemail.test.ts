import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium, leave, openClient, type BrowserClient } from '../harness/browser/browser.ts';
import { oneNode, type OneNode } from '../harness/nodes/Harness.ts';
import { installed } from '../harness/run/installed.ts';
import type { TestClient } from '../harness/clients/TestClient.ts';
import { download } from '../integration/files/mediaSupport.ts';
import { measureSound } from '../integration/recording/measureSound.ts';

/* Voicemail from a browser's fake microphone with a tone of 1,000 Hz. */

const hertz = 1_000;
let folder: string;
let harness: OneNode;
let browser: Browser;
let bob: TestClient;
let alice: BrowserClient;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parley-tone-'));
  const wav = join(folder, 'tone.wav');
  const args = ['-f', 'lavfi', '-i', `sine=${hertz}:r=48000:d=10`, '-ac', '2', wav];
  execFileSync(installed('ffmpeg'), ['-v', 'error', ...args]);
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
 * Leaves a voicemail for bob.
 *
 * @param maxDuration Seconds.
 * @param stopAfterMs When to stop; without it the recording lasts until maxDuration.
 * @returns The voicemail, and for how long the page stalled. While it stalls, the microphone is silent and timers fire late.
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
      const sent = await voicemail.record({ to, maxDuration: given.maxDuration, onStart: stopLater });
      clearInterval(ticks);
      return { ...sent, timestamp: sent.timestamp.toISOString(), stillSeconds: stillMs / 1_000 };
    },
    { to: bob.address, maxDuration, stopAfterMs },
  );

async function receivedBy(recipient: TestClient, id: string) {
  const voicemail = await recipient.event('voicemail:received', (voicemail) => voicemail.id === id);
  const { headers, bytes } = await download(voicemail.audioUrl);
  return { voicemail, type: headers.get('content-type'), sound: measureSound(bytes, hertz) };
}

describe('a voicemail from the microphone', () => {
  it('lasts until maxDuration and contains the tone', async () => {
    const { stillSeconds, ...sent } = await record(3);
    expect(sent).toMatchObject({ from: alice.address, to: bob.address, audioUrl: '', isRead: false });
    const { voicemail, type, sound } = await receivedBy(bob, sent.id);
    expect([type, sound.codec]).toEqual(['audio/webm', 'opus']);
    for (const seconds of [sound.duration, voicemail.duration, sent.duration]) {
      expect(seconds).toBeGreaterThan(2.4 - stillSeconds);
      expect(seconds).toBeLessThan(4 + stillSeconds);
    }
    expect(sound.toneDecibels).toBeGreaterThan(-40);
    expect(sound.toneDecibels).toBeGreaterThan(sound.otherDecibels + 10);
  });

  it('can be stopped early and is still sent', async () => {
    const { id, stillSeconds } = await record(60, 1_500);
    const { sound } = await receivedBy(bob, id);
    expect(sound.duration).toBeGreaterThan(0.8 - stillSeconds);
    expect(sound.duration).toBeLessThan(4 + stillSeconds);
    expect(sound.toneDecibels).toBeGreaterThan(sound.otherDecibels + 10);
  });

  it('is limited to one at a time, and plays in the page', async () => {
    const outcome = await alice.page.evaluate(async (to) => {
      let onStart = () => {};
      const started = new Promise<void>((resolve) => (onStart = resolve));
      const first = window.parley.voicemail.record({ to, maxDuration: 60, onStart });
      const second = await window.parley.voicemail
        .record({ to })
        .catch((error: { code: string }) => error.code);
      await started;
      await new Promise((resolve) => setTimeout(resolve, 500));
      await window.parley.voicemail.stop();
      return { second, first: (await first).id };
    }, bob.address);
    expect(outcome.second).toBe('CONFLICT');
    const { voicemail } = await receivedBy(bob, outcome.first);
    const seconds = await alice.page.evaluate(async (address) => {
      const audio = new Audio(address);
      await new Promise((resolve, reject) => {
        audio.onloadedmetadata = resolve;
        audio.onerror = () => reject(new Error(audio.error?.message));
      });
      return audio.duration;
    }, voicemail.audioUrl);
    expect(seconds).toBeCloseTo(voicemail.duration, 1);
  });

  it('is not sent if aborted, and switches the microphone off', async () => {
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

  it('fails with an error code if access to the microphone is denied', async () => {
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
