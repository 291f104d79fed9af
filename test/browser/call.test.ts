import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Participant } from '../../sdk/src/index.ts';
import {
  allReceive,
  eventIn,
  launchChromium,
  leave,
  makeCall,
  openClient,
  received,
  smallVideo,
  type BrowserClient,
} from '../harness/browser.ts';
import { browserOnOneNode } from '../harness/browserOnOneNode.ts';
import { until } from '../harness/until.ts';

const { harness, browser, client, pair } = browserOnOneNode({ CALL_RING_SECONDS: '20' });
let unanswered: BrowserClient[] = [];

beforeAll(async () => {
  const [caller, callee] = await pair();
  await caller.page.evaluate((to) => window.parley.calls.start({ to, type: 'audio' }), callee.address);
  // It rings on while the others call.
  unanswered = [caller, callee];
});

/** What this page heard last of the other party. */
const lastUpdate = (client: BrowserClient) =>
  client.page.evaluate(
    () =>
      window.seen.findLast(({ name }) => name === 'call:participant:updated')?.payload as
        Participant | undefined,
  );

/** Writes down which devices the page opens, over reloads. */
async function recordDevices(page: Page): Promise<void> {
  const record = () => {
    const devices = navigator.mediaDevices;
    const open = devices.getUserMedia.bind(devices);
    devices.getUserMedia = (constraints) => {
      const kinds = [constraints?.audio && 'audio', constraints?.video && 'video'].filter(Boolean).join('+');
      const asked = localStorage.getItem('asked');
      localStorage.setItem('asked', asked ? `${asked},${kinds}` : kinds);
      return open(constraints);
    };
  };
  await page.addInitScript(record);
  await page.evaluate(record);
}

const sourcesIn = (page: Page) =>
  page.evaluate(() =>
    window.seen
      .filter(({ name }) => name === 'media:track')
      .map(({ payload }) => (payload as { source: string }).source),
  );

const soundTracks = async (page: Page) =>
  (await sourcesIn(page)).filter((source) => source === 'microphone').length;

describe('a call between two browsers', () => {
  it('both see moving video and hear sound, until one hangs up', async () => {
    const [alice, bob] = await pair();
    const callId = await makeCall(alice, bob);
    await eventIn(alice.page, 'call:answered');
    await allReceive(callId, alice, bob);
    await alice.page.evaluate((id) => window.parley.calls.end(id), callId);
    expect(await eventIn(bob.page, 'call:ended')).toMatchObject({
      id: callId,
      status: 'ended',
      endReason: 'hangup',
    });
    // Hanging up switches camera and microphone off, on both sides.
    for (const { page } of [alice, bob]) {
      await expect.poll(() => page.evaluate((id) => window.parley.media.localStream(id), callId)).toBeNull();
    }
    await leave(alice, bob);
  });

  it('declined with a reason', async () => {
    const [alice, bob] = await pair();
    await alice.page.evaluate((to) => window.parley.calls.start({ to, type: 'audio' }), bob.address);
    const { id } = await eventIn(bob.page, 'call:incoming');
    await bob.page.evaluate((callId) => window.parley.calls.decline(callId, { reason: 'busy' }), String(id));
    expect(await eventIn(alice.page, 'call:declined')).toMatchObject({
      status: 'declined',
      endReason: 'busy',
    });
    await leave(alice, bob);
  });

  it('rings on two devices, and the other one stops when one answers', async () => {
    const [alice, bob] = await pair();
    const tablet = await openClient(browser(), harness().url(), bob.account);
    const callId = await makeCall(alice, bob);
    expect(await eventIn(tablet.page, 'call:answered')).toMatchObject({ id: callId, status: 'active' });
    await allReceive(callId, alice, bob);
    expect(await tablet.page.evaluate((id) => window.parley.media.localStream(id), callId)).toBeNull();
    await leave(alice, bob, tablet);
  });

  it('muted and unmuted: silence, sound, and the other side knows', async () => {
    const [alice, bob] = await pair();
    const callId = await makeCall(alice, bob);
    await allReceive(callId, alice, bob);
    expect(await alice.page.evaluate((id) => window.parley.calls.toggleMute(id), callId)).toBe(true);
    await until(async () => (await lastUpdate(bob))?.audio === false, 'the news of the mute');
    // The microphone beeps every second: a second and a half without any sound is silence, and the picture goes on.
    const silent = await until(async () => {
      const before = await received(bob.page, callId);
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      const after = await received(bob.page, callId);
      const moves = after.framesDecoded > before.framesDecoded;
      return moves && after.audioEnergy - before.audioEnergy < 1e-6 ? after : null;
    }, 'silence with a picture');
    expect(await alice.page.evaluate((id) => window.parley.calls.toggleMute(id), callId)).toBe(false);
    await until(
      async () => (await received(bob.page, callId)).audioEnergy > silent.audioEnergy + 1e-4,
      'sound again',
    );
    await expect.poll(() => lastUpdate(bob)).toMatchObject({ audio: true, walletAddress: alice.address });
    await leave(alice, bob);
  });

  it('camera off and on: the picture stops and comes back, without a new negotiation', async () => {
    const [alice, bob] = await pair();
    const callId = await makeCall(alice, bob);
    await allReceive(callId, alice, bob);
    const tracks = () =>
      bob.page.evaluate(() => window.seen.filter(({ name }) => name === 'media:track').length);
    const before = await tracks();
    await alice.page.evaluate((id) => window.parley.calls.disableVideo(id), callId);
    await until(async () => (await lastUpdate(bob))?.video === false, 'the news of the camera');
    const cameraIsOff = await alice.page.evaluate(
      (id) =>
        window.parley.media
          .localStream(id)
          ?.getVideoTracks()
          .every((track) => track.readyState === 'ended'),
      callId,
    );
    expect(cameraIsOff).toBe(true);
    await alice.page.evaluate((id) => window.parley.calls.enableVideo(id), callId);
    await until(async () => (await lastUpdate(bob))?.video === true, 'the news of the camera');
    await allReceive(callId, bob);
    expect(await tracks()).toBe(before);
    await leave(alice, bob);
  });

  it('an audio call to which one adds a picture', async () => {
    const [alice, bob] = await pair();
    const callId = await makeCall(alice, bob, { type: 'audio' });
    await until(async () => (await received(bob.page, callId)).audioEnergy > 0, 'sound');
    expect((await received(bob.page, callId)).framesDecoded).toBe(0);
    // Off already, and on all the same.
    await alice.page.evaluate((id) => window.parley.calls.disableVideo(id), callId);
    await alice.page.evaluate((id) => window.parley.calls.enableVideo(id), callId);
    await until(async () => (await received(bob.page, callId)).framesDecoded > 5, 'a picture');
    await leave(alice, bob);
  });

  it('an audio call opens no camera: answered and rejoined with video asked for', async () => {
    const [alice, bob] = await pair();
    await recordDevices(bob.page);
    await alice.page.evaluate((to) => window.parley.calls.start({ to, type: 'audio' }), bob.address);
    const callId = String((await eventIn(bob.page, 'call:incoming')).id);
    await bob.page.evaluate((id) => window.parley.calls.answer(id, { video: true }), callId);
    await until(async () => (await received(alice.page, callId)).audioEnergy > 0, 'sound');

    await bob.page.reload();
    await bob.signIn();
    const rejoined = bob.page.evaluate(([id, video]) => window.parley.calls.rejoin(id, { video }), [
      callId,
      smallVideo,
    ] as const);
    await rejoined;
    await until(async () => (await soundTracks(alice.page)) === 2, 'the sound after the reload');
    const before = (await received(alice.page, callId)).audioEnergy;
    await until(async () => (await received(alice.page, callId)).audioEnergy > before, 'new sound');
    expect(await bob.page.evaluate(() => localStorage.getItem('asked'))).toBe('audio,audio');
    expect(await sourcesIn(alice.page)).not.toContain('camera');
    // Only a person who asks for it is seen.
    await bob.page.evaluate((id) => window.parley.calls.enableVideo(id), callId);
    await until(async () => (await received(alice.page, callId)).framesDecoded > 5, 'a picture');
    await leave(alice, bob);
  });

  it.each(['h264', 'vp9'] as const)('in %s where the caller asks for it', async (codec) => {
    const [alice, bob] = await pair();
    const callId = await makeCall(alice, bob, { video: { codec } });
    await allReceive(callId, alice, bob);
    expect((await received(bob.page, callId)).videoCodec.toLowerCase()).toBe(`video/${codec}`);
    expect((await received(alice.page, callId)).videoCodec).toBe('video/VP8');
    await leave(alice, bob);
  });

  it('muted before the microphone was ready is muted', async () => {
    const [alice, bob] = await pair();
    await alice.page.evaluate((options) => window.parley.calls.start(options), {
      to: bob.address,
      type: 'video' as const,
      video: smallVideo,
    });
    const { id } = await eventIn(bob.page, 'call:incoming');
    await bob.page.evaluate(async (callId) => {
      const answered = window.parley.calls.answer(callId);
      await window.parley.calls.mute(callId).catch(() => undefined);
      await answered;
    }, String(id));
    const callId = String(id);
    await until(async () => (await received(alice.page, callId)).framesDecoded > 20, 'the picture');
    expect((await received(alice.page, callId)).audioEnergy).toBeLessThan(1e-6);
    expect(await bob.page.evaluate((known) => window.parley.calls.toggleMute(known), callId)).toBe(false);
    await until(async () => (await received(alice.page, callId)).audioEnergy > 1e-4, 'sound');
    await leave(alice, bob);
  });

  it('over before the media was ready: no camera stays on, and nothing fails', async () => {
    const [alice, bob] = await pair();
    await bob.page.evaluate(() => {
      window.parley.on(
        'call:incoming',
        (call) => void window.parley.calls.decline(call.id, { reason: 'busy' }),
      );
    });
    const outcome = await alice.page.evaluate(
      async (options) => {
        const tracks: MediaStreamTrack[] = [];
        const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
        navigator.mediaDevices.getUserMedia = async (constraints) => {
          const stream = await ask(constraints);
          tracks.push(...stream.getTracks());
          return stream;
        };
        // However fast this page is: its media is not ready before the call is over.
        const declined = new Promise((resolve) => window.parley.on('call:declined', resolve));
        const prototype = RTCPeerConnection.prototype as unknown as Record<
          'setRemoteDescription',
          (this: unknown, description: unknown) => Promise<void>
        >;
        const describe = prototype.setRemoteDescription;
        prototype.setRemoteDescription = async function (description) {
          await declined;
          return describe.call(this, description);
        };
        const call = await window.parley.calls.start(options);
        await new Promise((resolve) => setTimeout(resolve, 500));
        return { status: call.status, tracks: tracks.map((track) => track.readyState) };
      },
      { to: bob.address, type: 'video' as const, video: smallVideo },
    );
    expect(outcome).toEqual({ status: 'declined', tracks: ['ended', 'ended'] });
    await leave(alice, bob);
  });

  it('another camera and microphone, while it runs', async () => {
    const [alice, bob] = await pair();
    const callId = await makeCall(alice, bob);
    await allReceive(callId, alice, bob);
    const labels = (kind: 'camera' | 'microphone') =>
      alice.page.evaluate(
        async ([id, wanted]) => {
          const stream = window.parley.media.localStream(id as string);
          const current = (wanted === 'camera' ? stream?.getVideoTracks() : stream?.getAudioTracks())?.[0];
          const input = wanted === 'camera' ? 'videoinput' : 'audioinput';
          const devices = await navigator.mediaDevices.enumerateDevices();
          // Chromium's second and third fake cameras have formats that no encoder takes.
          const other = devices.findLast(
            (device) => device.kind === input && device.label !== current?.label,
          );
          if (other) await window.parley.media.setDevice(wanted as 'camera' | 'microphone', other.deviceId);
          const now = (wanted === 'camera' ? stream?.getVideoTracks() : stream?.getAudioTracks())?.[0];
          return { was: current?.label, other: other?.label, now: now?.label };
        },
        [callId, kind],
      );
    for (const kind of ['camera', 'microphone'] as const) {
      const { was, other, now } = await labels(kind);
      expect(other).toBeTruthy();
      expect(now).toBe(other);
      expect(now).not.toBe(was);
    }
    await allReceive(callId, bob);
    await leave(alice, bob);
  });

  it('without permission nothing rings', async () => {
    const refusing = await launchChromium({ grant: false });
    const [alice, bob] = [await openClient(refusing, harness().url()), await client()];
    const outcome = await alice.page.evaluate(
      ({ to, video }) =>
        window.parley.calls.start({ to, type: 'video', video }).then(
          () => 'it rang',
          (error: { code: string }) => error.code,
        ),
      { to: bob.address, video: smallVideo },
    );
    expect(outcome).toBe('PERMISSION_DENIED');
    expect(await bob.page.evaluate(() => window.parley.calls.getActive())).toEqual([]);
    await leave(alice, bob);
    await refusing.close();
  });

  it('a microphone that repairs losses and is quiet in silence; a camera in three layers', async () => {
    // A browser of its own: in a shared one a camera that another page just had keeps that page's size for a moment.
    const own = await launchChromium();
    const [alice, bob] = [await openClient(own, harness().url()), await client()];
    const callId = await makeCall(alice, bob, { video: { width: 1280, height: 720 } });
    await allReceive(callId, bob);
    const sending = await alice.page.evaluate(
      async (id) => (await window.parley.media.stats(id)).sending,
      callId,
    );
    const outbound = sending.filter(
      (entry) => entry.type === 'outbound-rtp',
    ) as (RTCOutboundRtpStreamStats & { rid?: string })[];
    expect(
      outbound
        .filter((entry) => entry.kind === 'video')
        .map((entry) => entry.rid)
        .sort(),
    ).toEqual(['r0', 'r1', 'r2']);
    const opus = sending.find(
      (entry) => entry.type === 'codec' && 'sdpFmtpLine' in entry && 'channels' in entry,
    ) as { sdpFmtpLine?: string } | undefined;
    expect(opus?.sdpFmtpLine).toContain('useinbandfec=1');
    expect(opus?.sdpFmtpLine).toContain('usedtx=1');
    await leave(alice, bob);
    await own.close();
  });

  it('missed when nobody answers', async () => {
    for (const { page } of unanswered)
      expect(await eventIn(page, 'call:missed')).toMatchObject({ status: 'missed' });
    await leave(...unanswered);
  });
});
