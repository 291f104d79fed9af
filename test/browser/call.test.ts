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
} from '../harness/browser/browser.ts';
import { browserOnOneNode } from '../harness/browser/browserOnOneNode.ts';
import { until } from '../harness/until.ts';

const { harness, browser, client, pair } = browserOnOneNode({ CALL_RING_SECONDS: '20' });
let unanswered: BrowserClient[] = [];

beforeAll(async () => {
  const [caller, callee] = await pair();
  await caller.page.evaluate((to) => window.parley.calls.start({ to, type: 'audio' }), callee.address);
  // This call rings while the other tests run.
  unanswered = [caller, callee];
});

/** The last update of the other party that this page received. */
const lastUpdate = (client: BrowserClient) =>
  client.page.evaluate(
    () =>
      window.seen.findLast(({ name }) => name === 'call:participant:updated')?.payload as
        | Participant
        | undefined,
  );

/** Records which devices the page opens, across reloads. */
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

const microphoneTracks = async (page: Page) =>
  (await sourcesIn(page)).filter((source) => source === 'microphone').length;

describe('a call between two browsers', () => {
  it('transmits video and audio in both directions until one party hangs up', async () => {
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
    // The end of a call switches camera and microphone off for both parties.
    for (const { page } of [alice, bob]) {
      await expect.poll(() => page.evaluate((id) => window.parley.media.localStream(id), callId)).toBeNull();
    }
    await leave(alice, bob);
  });

  it('can be declined with a reason', async () => {
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

  it('rings on two devices and stops ringing on the other when one answers', async () => {
    const [alice, bob] = await pair();
    const tablet = await openClient(browser(), harness().url(), bob.account);
    const callId = await makeCall(alice, bob);
    expect(await eventIn(tablet.page, 'call:answered')).toMatchObject({ id: callId, status: 'active' });
    await allReceive(callId, alice, bob);
    expect(await tablet.page.evaluate((id) => window.parley.media.localStream(id), callId)).toBeNull();
    await leave(alice, bob, tablet);
  });

  it('transmits silence while muted and notifies the other party', async () => {
    const [alice, bob] = await pair();
    const callId = await makeCall(alice, bob);
    await allReceive(callId, alice, bob);
    expect(await alice.page.evaluate((id) => window.parley.calls.toggleMute(id), callId)).toBe(true);
    await until(async () => (await lastUpdate(bob))?.audio === false, 'the mute event');
    // The fake microphone beeps every second, so a second and a half without energy is silence. The video continues.
    const silent = await until(async () => {
      const before = await received(bob.page, callId);
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      const after = await received(bob.page, callId);
      const moves = after.framesDecoded > before.framesDecoded;
      return moves && after.audioEnergy - before.audioEnergy < 1e-6 ? after : null;
    }, 'silence with video');
    expect(await alice.page.evaluate((id) => window.parley.calls.toggleMute(id), callId)).toBe(false);
    await until(
      async () => (await received(bob.page, callId)).audioEnergy > silent.audioEnergy + 1e-4,
      'audio again',
    );
    await expect.poll(() => lastUpdate(bob)).toMatchObject({ audio: true, walletAddress: alice.address });
    await leave(alice, bob);
  });

  it('switches the camera off and on without a new negotiation', async () => {
    const [alice, bob] = await pair();
    const callId = await makeCall(alice, bob);
    await allReceive(callId, alice, bob);
    const tracks = () =>
      bob.page.evaluate(() => window.seen.filter(({ name }) => name === 'media:track').length);
    const before = await tracks();
    await alice.page.evaluate((id) => window.parley.calls.disableVideo(id), callId);
    await until(async () => (await lastUpdate(bob))?.video === false, 'the camera event');
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
    await until(async () => (await lastUpdate(bob))?.video === true, 'the camera event');
    await allReceive(callId, bob);
    expect(await tracks()).toBe(before);
    await leave(alice, bob);
  });

  it('adds video to an audio call', async () => {
    const [alice, bob] = await pair();
    const callId = await makeCall(alice, bob, { type: 'audio' });
    await until(async () => (await received(bob.page, callId)).audioEnergy > 0, 'audio');
    expect((await received(bob.page, callId)).framesDecoded).toBe(0);
    // disableVideo without video must not prevent a later enableVideo.
    await alice.page.evaluate((id) => window.parley.calls.disableVideo(id), callId);
    await alice.page.evaluate((id) => window.parley.calls.enableVideo(id), callId);
    await until(async () => (await received(bob.page, callId)).framesDecoded > 5, 'video');
    await leave(alice, bob);
  });

  it('opens no camera in an audio call that is answered and rejoined with video requested', async () => {
    const [alice, bob] = await pair();
    await recordDevices(bob.page);
    await alice.page.evaluate((to) => window.parley.calls.start({ to, type: 'audio' }), bob.address);
    const callId = String((await eventIn(bob.page, 'call:incoming')).id);
    await bob.page.evaluate((id) => window.parley.calls.answer(id, { video: true }), callId);
    await until(async () => (await received(alice.page, callId)).audioEnergy > 0, 'audio');

    await bob.page.reload();
    await bob.signIn();
    const rejoined = bob.page.evaluate(([id, video]) => window.parley.calls.rejoin(id, { video }), [
      callId,
      smallVideo,
    ] as const);
    await rejoined;
    await until(
      async () => (await microphoneTracks(alice.page)) === 2,
      'the microphone track after the reload',
    );
    const before = (await received(alice.page, callId)).audioEnergy;
    await until(async () => (await received(alice.page, callId)).audioEnergy > before, 'new audio');
    expect(await bob.page.evaluate(() => localStorage.getItem('asked'))).toBe('audio,audio');
    expect(await sourcesIn(alice.page)).not.toContain('camera');
    // Only enableVideo opens the camera.
    await bob.page.evaluate((id) => window.parley.calls.enableVideo(id), callId);
    await until(async () => (await received(alice.page, callId)).framesDecoded > 5, 'video');
    await leave(alice, bob);
  });

  it.each(['h264', 'vp9'] as const)('uses %s if the caller requests it', async (codec) => {
    const [alice, bob] = await pair();
    const callId = await makeCall(alice, bob, { video: { codec } });
    await allReceive(callId, alice, bob);
    expect((await received(bob.page, callId)).videoCodec.toLowerCase()).toBe(`video/${codec}`);
    expect((await received(alice.page, callId)).videoCodec).toBe('video/VP8');
    await leave(alice, bob);
  });

  it('stays muted if muted before the microphone is ready', async () => {
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
    await until(async () => (await received(alice.page, callId)).framesDecoded > 20, 'the video');
    expect((await received(alice.page, callId)).audioEnergy).toBeLessThan(1e-6);
    expect(await bob.page.evaluate((known) => window.parley.calls.toggleMute(known), callId)).toBe(false);
    await until(async () => (await received(alice.page, callId)).audioEnergy > 1e-4, 'audio');
    await leave(alice, bob);
  });

  it('switches the camera off if the call ends before its media is ready', async () => {
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
        // Delays this page's media until the call is over.
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
        return { status: call.status, tracks: tracks.map((track) => track.readyState) };
      },
      { to: bob.address, type: 'video' as const, video: smallVideo },
    );
    expect(outcome).toEqual({ status: 'declined', tracks: ['ended', 'ended'] });
    await leave(alice, bob);
  });

  it('switches camera and microphone off if the call is ended while this device begins to receive', async () => {
    const [alice, bob] = await pair();
    await alice.page.evaluate((options) => window.parley.calls.start(options), {
      to: bob.address,
      type: 'video' as const,
      video: smallVideo,
    });
    const { id } = await eventIn(bob.page, 'call:incoming');
    const states = await bob.page.evaluate(async (callId) => {
      const tracks: MediaStreamTrack[] = [];
      const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
      navigator.mediaDevices.getUserMedia = async (constraints) => {
        const stream = await ask(constraints);
        tracks.push(...stream.getTracks());
        return stream;
      };
      const prototype = RTCPeerConnection.prototype as unknown as Record<
        'setRemoteDescription',
        (this: unknown, description: RTCSessionDescriptionInit) => Promise<void>
      >;
      const original = prototype.setRemoteDescription;
      prototype.setRemoteDescription = function (description) {
        const described = original.call(this, description);
        // Closes the connection. The browser then leaves the promise pending.
        if (description.type === 'offer') void window.parley.calls.end(callId);
        return described;
      };
      await window.parley.calls.answer(callId);
      return tracks.map((track) => track.readyState);
    }, String(id));
    expect(states).toEqual(['ended', 'ended']);
    await leave(alice, bob);
  });

  it('switches to another camera and microphone during the call', async () => {
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
          // Some of Chromium's fake cameras have formats that no encoder accepts; the last one works.
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

  it('closes a camera that was switched off, or is no longer sent, when its opening ends', async () => {
    const [alice, bob] = await pair();
    const callId = await makeCall(alice, bob);
    await allReceive(callId, alice, bob);
    const openWhile = (stop: 'switch off' | 'stop sending') =>
      alice.page.evaluate(
        async ([id, how]) => {
          const { media, calls } = window.parley;
          const camera = media.localStream(id)?.getVideoTracks()[0]?.getSettings().deviceId ?? '';
          const devices = navigator.mediaDevices;
          const ask = devices.getUserMedia.bind(devices);
          let opened: MediaStreamTrack | undefined;
          devices.getUserMedia = async (constraints) => {
            devices.getUserMedia = ask;
            const stream = await ask(constraints);
            [opened] = stream.getVideoTracks();
            await (how === 'switch off' ? calls.disableVideo(id) : media.sending.stopAll(id));
            return stream;
          };
          await media.setDevice('camera', camera);
          return {
            state: opened?.readyState,
            sent: media
              .localStream(id)
              ?.getVideoTracks()
              .includes(opened as never),
          };
        },
        [callId, stop] as const,
      );
    expect(await openWhile('switch off')).toEqual({ state: 'ended', sent: false });
    await alice.page.evaluate((id) => window.parley.calls.enableVideo(id), callId);
    await allReceive(callId, bob);
    expect(await openWhile('stop sending')).toEqual({ state: 'ended', sent: false });
    await leave(alice, bob);
  });

  it('does not ring without permission for camera and microphone', async () => {
    const refusing = await launchChromium({ grant: false });
    const [alice, bob] = [await openClient(refusing, harness().url()), await client()];
    const outcome = await alice.page.evaluate(
      ({ to, video }) =>
        window.parley.calls.start({ to, type: 'video', video }).then(
          () => 'ringing',
          (error: { code: string }) => error.code,
        ),
      { to: bob.address, video: smallVideo },
    );
    expect(outcome).toBe('PERMISSION_DENIED');
    expect(await bob.page.evaluate(() => window.parley.calls.getActive())).toEqual([]);
    await leave(alice, bob);
    await refusing.close();
  });

  it('sends Opus with FEC and DTX, and the camera in three layers', async () => {
    // A separate browser: in a shared one, a camera briefly keeps the size that another page used.
    const separate = await launchChromium();
    const [alice, bob] = [await openClient(separate, harness().url()), await client()];
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
    await separate.close();
  });

  it('is missed if nobody answers', async () => {
    for (const { page } of unanswered)
      expect(await eventIn(page, 'call:missed')).toMatchObject({ status: 'missed' });
    await leave(...unanswered);
  });
});
