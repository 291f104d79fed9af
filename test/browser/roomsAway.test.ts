import type { WebSocketRoute } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Participant } from '../../sdk/src/index.ts';
import { leave, received, smallVideo, type BrowserClient } from '../harness/browser.ts';
import { browserOnOneNode } from '../harness/browserOnOneNode.ts';
import { until, untilUnchanged } from '../harness/until.ts';

const { pair } = browserOnOneNode();

/** Large enough to be sent in two layers. */
const layered = { ...smallVideo, width: 640, height: 360 };

interface Line {
  cut: () => Promise<void>;
  restore: () => void;
  /** Media's news get lost from now on, though the connection holds. */
  loseEvents: () => void;
  /** They come again, and the server says that some were missed. */
  findEvents: () => void;
}

/** Alice's line to the server can be cut: her media goes on. Both send, and the room is Bob's. */
async function inRoom(): Promise<{ alice: BrowserClient; bob: BrowserClient; roomId: string; line: Line }> {
  const [alice, bob] = await pair();
  const line = await lineOf(alice);
  const roomId = await bob.page.evaluate(
    async () => (await window.parley.conference.create({ name: 'Tunnel', maxParticipants: 5 })).id,
  );
  for (const { page } of [bob, alice]) {
    await page.evaluate(() =>
      window.parley.on('conference:muted', (payload) =>
        window.seen.push({ name: 'conference:muted', payload }),
      ),
    );
    await page.evaluate(([id, video]) => window.parley.conference.join({ roomId: id, video }), [
      roomId,
      layered,
    ] as const);
  }
  await asSeenBy(bob, alice, roomId, ({ audio, video }) => audio && video);
  return { alice, bob, roomId, line };
}

async function lineOf({ page, context, signIn }: BrowserClient): Promise<Line> {
  let isLosing = false;
  let whole = Promise.resolve();
  let restore = () => {};
  const lines = new Set<WebSocketRoute>();
  await context.routeWebSocket(/socket\.io/, async (line) => {
    await whole;
    line.connectToServer().onMessage((message) => {
      if (!isLosing || !message.includes('"media:consumer"')) line.send(message);
    });
    lines.add(line);
  });
  await page.reload();
  await signIn();
  return {
    cut: async () => {
      whole = new Promise((resolve) => (restore = resolve));
      for (const line of lines) await line.close();
      await page.waitForFunction(() => window.parley.state === 'reconnecting');
    },
    restore: () => restore(),
    loseEvents: () => (isLosing = true),
    findEvents: () => {
      isLosing = false;
      for (const line of lines) line.send('42["session:missed",{}]');
    },
  };
}

const asSeenBy = (
  by: BrowserClient,
  who: BrowserClient,
  roomId: string,
  fits: (one: Participant) => boolean,
): Promise<Participant> =>
  until(async () => {
    const one = await by.page.evaluate(
      ([id, wallet]) =>
        window.parley.conference.participants(id).find(({ walletAddress }) => walletAddress === wallet),
      [roomId, who.address] as const,
    );
    return one && fits(one) ? one : null;
  }, 'the news of the other');

/** Watches the element that shows the other's camera, and can be hidden. The page makes it when the track comes. */
async function watch(who: BrowserClient, of: BrowserClient): Promise<void> {
  await who.page.locator('video').first().waitFor({ state: 'attached' });
  await who.page.evaluate((wallet) => {
    const video = document.querySelector('video');
    if (!video) throw new Error('The page shows no video.');
    video.style.width = '640px';
    window.parley.media.attach(video, { participant: wallet, source: 'camera' });
  }, of.address);
}

const show = ({ page }: BrowserClient, isShown: boolean) =>
  page.evaluate(
    (display) => {
      const video = document.querySelector('video');
      if (video) video.style.display = display;
    },
    isShown ? 'block' : 'none',
  );

const framesOf = async ({ page }: BrowserClient, roomId: string) =>
  (await received(page, roomId)).framesDecoded;

async function moves(who: BrowserClient, roomId: string): Promise<void> {
  const before = await framesOf(who, roomId);
  await until(async () => (await framesOf(who, roomId)) > before + 3, 'a picture that moves');
}

const isNotEvenSent = ({ page }: BrowserClient, roomId: string) =>
  page.evaluate(async (id) => {
    const { sending } = await window.parley.media.stats(id);
    const pictures = (sending as RTCOutboundRtpStreamStats[]).filter(
      ({ type, kind }) => type === 'outbound-rtp' && kind === 'video',
    );
    return pictures.length > 0 && pictures.every(({ active }) => active === false);
  }, roomId);

const standsStill = (who: BrowserClient, roomId: string) =>
  untilUnchanged(() => framesOf(who, roomId), 'a picture that stands still');

describe('a device whose connection is away for a moment', () => {
  it('has switched off what it switched off meanwhile', async () => {
    const { alice, bob, roomId, line } = await inRoom();
    await alice.page.evaluate(
      (id) => window.parley.conference.startScreenShare(id, { audio: false }),
      roomId,
    );
    await asSeenBy(bob, alice, roomId, ({ screen }) => screen);
    await line.cut();
    const switched = alice.page.evaluate(async (id) => {
      const { conference } = window.parley;
      await Promise.all([
        conference.stopScreenShare(id),
        conference.muteAudio(id),
        conference.muteVideo(id),
        conference.raiseHand(id),
      ]);
    }, roomId);
    line.restore();
    await switched;
    await asSeenBy(
      bob,
      alice,
      roomId,
      ({ screen, audio, video, handRaised }) => !screen && !audio && !video && handRaised,
    );
    await leave(alice, bob);
  });

  it('has switched on what it switched on meanwhile', async () => {
    const { alice, bob, roomId, line } = await inRoom();
    await alice.page.evaluate(async (id) => {
      await window.parley.conference.muteAudio(id);
      await window.parley.conference.muteVideo(id);
    }, roomId);
    await asSeenBy(bob, alice, roomId, ({ audio, video }) => !audio && !video);
    await line.cut();
    const switched = alice.page.evaluate(async (id) => {
      const { conference } = window.parley;
      await Promise.all([
        conference.unmuteAudio(id),
        conference.unmuteVideo(id),
        conference.startScreenShare(id, { audio: false }),
      ]);
    }, roomId);
    line.restore();
    await switched;
    await asSeenBy(bob, alice, roomId, ({ audio, video, screen }) => audio && video && screen);
    await leave(alice, bob);
  });

  it('gets the picture it looked at again meanwhile', async () => {
    const { alice, bob, roomId, line } = await inRoom();
    await watch(alice, bob);
    await moves(alice, roomId);
    await show(alice, false);
    await standsStill(alice, roomId);
    await line.cut();
    await show(alice, true);
    // Later than the settling of sizes: what is to be told waits for the connection.
    await new Promise((resolve) => setTimeout(resolve, 500));
    line.restore();
    await moves(alice, roomId);
    await leave(alice, bob);
  });

  it('sends the picture that others looked at again meanwhile', async () => {
    const { alice, bob, roomId, line } = await inRoom();
    await watch(bob, alice);
    await moves(bob, roomId);
    await show(bob, false);
    await until(() => isNotEvenSent(alice, roomId), 'a picture that is not sent');
    await line.cut();
    await show(bob, true);
    await new Promise((resolve) => setTimeout(resolve, 500));
    line.restore();
    await moves(bob, roomId);
    await leave(alice, bob);
  });

  it('gets what somebody began to send, where it could not hear of that', async () => {
    const { alice, bob, roomId, line } = await inRoom();
    line.loseEvents();
    await bob.page.evaluate((id) => window.parley.conference.startScreenShare(id, { audio: false }), roomId);
    await asSeenBy(alice, bob, roomId, ({ screen }) => screen);
    const has = (wanted: string) =>
      alice.page.evaluate(
        (source) =>
          window.seen.some(
            ({ name, payload }) =>
              name === 'media:track' && (payload as { source: string }).source === source,
          ),
        wanted,
      );
    expect(await has('screen')).toBe(false);
    line.findEvents();
    await until(() => has('screen'), 'the screen');
    await leave(alice, bob);
  });

  it('hears that a host has muted it meanwhile', async () => {
    const { alice, bob, roomId, line } = await inRoom();
    const { id } = await asSeenBy(bob, alice, roomId, () => true);
    await line.cut();
    await bob.page.evaluate(([room, who]) => window.parley.conference.muteParticipant(room, who), [
      roomId,
      id,
    ] as const);
    line.restore();
    await alice.page.waitForFunction(() => window.seen.some(({ name }) => name === 'conference:muted'));
    const isOpen = await alice.page.evaluate(
      (room) => window.parley.media.localStream(room)?.getAudioTracks()[0]?.enabled,
      roomId,
    );
    expect(isOpen).toBe(false);
    await leave(alice, bob);
  });
});
