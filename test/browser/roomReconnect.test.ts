import type { WebSocketRoute } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Participant } from '../../sdk/src/index.ts';
import { leave, received, smallVideo, type BrowserClient } from '../harness/browser/browser.ts';
import { browserOnOneNode } from '../harness/browser/browserOnOneNode.ts';
import { until, untilUnchanged } from '../harness/until.ts';

const { pair } = browserOnOneNode();

/** Video large enough for two layers. */
const layered = { ...smallVideo, width: 640, height: 360 };

interface Connection {
  cut: () => Promise<void>;
  restore: () => void;
  /** Drops media events from now on while the connection stays open. */
  loseEvents: () => void;
  /** Delivers events again and reports session:missed. */
  restoreEvents: () => void;
  /** Answers the next request of each of these names as a server that is too busy, which gets it or not. */
  answerBusy: (names: string[], how: 'taken' | 'not taken') => void;
}

/** Opens Bob's room, in which Alice and Bob both send. Alice's signalling connection can be cut while her media continues. */
async function inRoom(prepare: (connection: Connection) => void = () => undefined): Promise<{
  alice: BrowserClient;
  bob: BrowserClient;
  roomId: string;
  connection: Connection;
}> {
  const [alice, bob] = await pair();
  const connection = await controlConnection(alice);
  prepare(connection);
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
  return { alice, bob, roomId, connection };
}

async function controlConnection({ page, context, signIn }: BrowserClient): Promise<Connection> {
  let isLosing = false;
  let untilRestored = Promise.resolve();
  let restore = () => {};
  const sockets = new Set<WebSocketRoute>();
  const busy = new Map<string, 'taken' | 'not taken'>();
  await context.routeWebSocket(/socket\.io/, async (socket) => {
    await untilRestored;
    const server = socket.connectToServer();
    /** The requests whose answers are replaced. */
    const replaced = new Set<string>();
    server.onMessage((message) => {
      if (replaced.delete(/^43(\d+)/.exec(String(message))?.[1] ?? '')) return;
      if (!isLosing || !message.includes('"media:consumer"')) socket.send(message);
    });
    socket.onMessage((message) => {
      const [, id = '', name = ''] = /^42(\d+)\["([^"]+)"/.exec(String(message)) ?? [];
      const how = busy.get(name);
      if (how !== 'not taken') server.send(message);
      if (!how) return;
      busy.delete(name);
      if (how === 'taken') replaced.add(id);
      const error = { code: 'SERVICE_UNAVAILABLE', message: 'Try again in a moment.', retryAfter: 1 };
      socket.send(`43${id}${JSON.stringify([{ ok: false, error }])}`);
    });
    sockets.add(socket);
  });
  await page.reload();
  await signIn();
  return {
    cut: async () => {
      untilRestored = new Promise((resolve) => (restore = resolve));
      for (const socket of sockets) await socket.close();
      await page.waitForFunction(() => window.parley.state === 'reconnecting');
    },
    restore: () => restore(),
    loseEvents: () => (isLosing = true),
    answerBusy: (names, how) => {
      for (const name of names) busy.set(name, how);
    },
    restoreEvents: () => {
      isLosing = false;
      for (const socket of sockets) socket.send('42["session:missed",{}]');
    },
  };
}

const asSeenBy = (
  by: BrowserClient,
  who: BrowserClient,
  roomId: string,
  matches: (one: Participant) => boolean,
): Promise<Participant> =>
  until(async () => {
    const one = await by.page.evaluate(
      ([id, wallet]) =>
        window.parley.conference.participants(id).find(({ walletAddress }) => walletAddress === wallet),
      [roomId, who.address] as const,
    );
    return one && matches(one) ? one : null;
  }, 'an update of the other participant');

/** Attaches the element that shows the other party's camera, once the page has created it, so that hiding it has an effect. */
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

async function waitForMovement(who: BrowserClient, roomId: string): Promise<void> {
  const before = await framesOf(who, roomId);
  await until(async () => (await framesOf(who, roomId)) > before + 3, 'moving video');
}

const isNotSent = ({ page }: BrowserClient, roomId: string) =>
  page.evaluate(async (id) => {
    const { sending } = await window.parley.media.stats(id);
    const videos = (sending as RTCOutboundRtpStreamStats[]).filter(
      ({ type, kind }) => type === 'outbound-rtp' && kind === 'video',
    );
    return videos.length > 0 && videos.every(({ active }) => active === false);
  }, roomId);

const waitForStandstill = (who: BrowserClient, roomId: string) =>
  untilUnchanged(() => framesOf(who, roomId), 'the video stops');

describe('after a short loss of its connection, a device', () => {
  it('keeps off what it switched off during the loss', async () => {
    const { alice, bob, roomId, connection } = await inRoom();
    await alice.page.evaluate(
      (id) => window.parley.conference.startScreenShare(id, { audio: false }),
      roomId,
    );
    await asSeenBy(bob, alice, roomId, ({ screen }) => screen);
    await connection.cut();
    const switched = alice.page.evaluate(async (id) => {
      const { conference } = window.parley;
      await Promise.all([
        conference.stopScreenShare(id),
        conference.muteAudio(id),
        conference.muteVideo(id),
        conference.raiseHand(id),
      ]);
    }, roomId);
    connection.restore();
    await switched;
    await asSeenBy(
      bob,
      alice,
      roomId,
      ({ screen, audio, video, handRaised }) => !screen && !audio && !video && handRaised,
    );
    await leave(alice, bob);
  });

  it('keeps on what it switched on during the loss', async () => {
    const { alice, bob, roomId, connection } = await inRoom();
    await alice.page.evaluate(async (id) => {
      await window.parley.conference.muteAudio(id);
      await window.parley.conference.muteVideo(id);
    }, roomId);
    await asSeenBy(bob, alice, roomId, ({ audio, video }) => !audio && !video);
    await connection.cut();
    const switched = alice.page.evaluate(async (id) => {
      const { conference } = window.parley;
      await Promise.all([
        conference.unmuteAudio(id),
        conference.unmuteVideo(id),
        conference.startScreenShare(id, { audio: false }),
      ]);
    }, roomId);
    connection.restore();
    await switched;
    await asSeenBy(bob, alice, roomId, ({ audio, video, screen }) => audio && video && screen);
    await leave(alice, bob);
  });

  it('receives a video that it made visible during the loss', async () => {
    const { alice, bob, roomId, connection } = await inRoom();
    await watch(alice, bob);
    await waitForMovement(alice, roomId);
    await show(alice, false);
    await waitForStandstill(alice, roomId);
    await connection.cut();
    await show(alice, true);
    // Longer than the debounce interval of size changes, so that the request waits for the connection.
    await new Promise((resolve) => setTimeout(resolve, 500));
    connection.restore();
    await waitForMovement(alice, roomId);
    await leave(alice, bob);
  });

  it('sends a video that others made visible during the loss', async () => {
    const { alice, bob, roomId, connection } = await inRoom();
    await watch(bob, alice);
    await waitForMovement(bob, roomId);
    await show(bob, false);
    await until(() => isNotSent(alice, roomId), 'the video is not sent');
    await connection.cut();
    await show(bob, true);
    await new Promise((resolve) => setTimeout(resolve, 500));
    connection.restore();
    await waitForMovement(bob, roomId);
    await leave(alice, bob);
  });

  it('receives a new screen whose event was lost', async () => {
    const { alice, bob, roomId, connection } = await inRoom();
    connection.loseEvents();
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
    connection.restoreEvents();
    await until(() => has('screen'), 'the screen');
    await leave(alice, bob);
  });

  it('is notified that a host muted it during the loss', async () => {
    const { alice, bob, roomId, connection } = await inRoom();
    const { id } = await asSeenBy(bob, alice, roomId, () => true);
    await connection.cut();
    await bob.page.evaluate(([room, who]) => window.parley.conference.muteParticipant(room, who), [
      roomId,
      id,
    ] as const);
    connection.restore();
    await alice.page.waitForFunction(() => window.seen.some(({ name }) => name === 'conference:muted'));
    const isOpen = await alice.page.evaluate(
      (room) => window.parley.media.localStream(room)?.getAudioTracks()[0]?.enabled,
      roomId,
    );
    expect(isOpen).toBe(false);
    await leave(alice, bob);
  });
});

describe('when the server is too busy, a device', () => {
  const names = ['media.connectTransport', 'media.produce', 'media.resumeConsumers'];

  it.each(['taken', 'not taken'] as const)('sends and receives after its requests were %s', async (how) => {
    const { alice, bob, roomId } = await inRoom(({ answerBusy }) => answerBusy(names, how));
    for (const who of [alice, bob]) await waitForMovement(who, roomId);
    await leave(alice, bob);
  });

  it('receives what is offered to it later', async () => {
    const { alice, bob, roomId, connection } = await inRoom();
    connection.answerBusy(['media.resumeConsumers'], 'not taken');
    await bob.page.evaluate((id) => window.parley.conference.startScreenShare(id, { audio: false }), roomId);
    await until(async () => {
      const isPlaying = ({ kind, framesDecoded }: RTCInboundRtpStreamStats) =>
        kind === 'video' && framesDecoded;
      const { receiving } = await alice.page.evaluate((id) => window.parley.media.stats(id), roomId);
      return (receiving as RTCInboundRtpStreamStats[]).filter(isPlaying).length === 2;
    }, 'the screen beside the camera');
    await leave(alice, bob);
  });
});
