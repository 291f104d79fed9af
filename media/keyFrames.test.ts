import { randomUUID } from 'node:crypto';
import { ortc } from 'mediasoup';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RtpCapabilities } from '../sdk/protocol/media.ts';
import { RtpPeer } from '../test/bench/rooms/RtpPeer.ts';
import { decodable, type Seat } from '../test/bench/rooms/Seat.ts';
import { until } from '../test/harness/until.ts';
import { mediaCodecs } from './codecs.ts';
import type { LocalMediaCluster } from './LocalMediaCluster.ts';
import { openLocal } from './testSupport.ts';

/* Two hundred who come in the same second, over seven workers, with real DTLS and nothing decoded. */

const crowd = 200;
const [workers, perWorker] = [7, 30];
const picture = { kbit: 60, framesPerSecond: 10, width: 320, height: 180 };
/** Requests are merged to one in so long (MediaRoom). */
const mergedMs = 1_000;
/** What a key frame may take to get everywhere, and the worker's clock may differ from this one. */
const toleranceMs = 200;

interface Viewer {
  peer: RtpPeer;
  /** Takes the picture. */
  watch(): Promise<void>;
  look(isVisible: boolean): Promise<void>;
}

const roomId = randomUUID();
const rtpCapabilities = decodable(ortc.generateRouterRtpCapabilities(mediaCodecs) as RtpCapabilities);
let cluster: LocalMediaCluster;
let publisher: RtpPeer;
const viewers: Viewer[] = [];
let ticking: NodeJS.Timeout;
let tickedAt = 0;
/** The longest that this process stood still since this was set to 0. */
let stillMs = 0;

beforeAll(async () => {
  cluster = await openLocal({ workers, consumersPerWorker: perWorker });
  await cluster.openRoom(roomId);
  publisher = await RtpPeer.enter(seatOf('host', false).seat, 0, [picture]);
  publisher.startAt(performance.now());
  tickedAt = performance.now();
  ticking = setInterval(() => {
    const now = performance.now();
    stillMs = Math.max(stillMs, now - tickedAt);
    tickedAt = now;
    for (const peer of [publisher, ...viewers.map((viewer) => viewer.peer)]) peer.tick(now);
  }, 20);
  await until(() => publisher.sent.video > 0, 'a picture is sent');
});
afterAll(async () => {
  clearInterval(ticking);
  for (const peer of [publisher, ...viewers.map((viewer) => viewer.peer)]) peer?.close();
  await cluster?.close();
});

/** A place in the room, and the picture that is offered there. */
function seatOf(peerId: string, audience: boolean): { seat: Seat; pictures: string[] } {
  const pictures: string[] = [];
  const seat: Seat = {
    async join() {
      const peer = { peerId, seat: peerId, tag: {}, rtpCapabilities, crowd: true, audience };
      const joined = await cluster.join(roomId, peer);
      for (const { consumer } of joined.consumers) if (consumer.kind === 'video') pictures.push(consumer.id);
      return joined;
    },
    connect: (transportId, dtlsParameters) =>
      cluster.connectTransport(roomId, peerId, transportId, dtlsParameters),
    async produce(kind, rtpParameters) {
      const source = kind === 'video' ? 'camera' : 'microphone';
      await cluster.produce(roomId, peerId, { source, rtpParameters, paused: false });
    },
    receive: () => cluster.resumeConsumers(roomId, peerId, pictures),
    close: () => undefined,
  };
  return { seat, pictures };
}

/** Somebody whose line is there, and who has not asked for anything yet. */
async function come(peerId: string): Promise<Viewer> {
  const { seat, pictures } = seatOf(peerId, true);
  const peer = await RtpPeer.enter(seat, 0, []);
  peer.startAt(performance.now());
  return {
    peer,
    watch: () => seat.receive(0),
    look: (isVisible) =>
      cluster.setViews(
        roomId,
        peerId,
        pictures.map((consumerId) => ({ consumerId, isVisible, width: 320, height: 180 })),
      ),
  };
}

/** Packets that come after this are of a picture that began with a key frame. */
async function allSee(watching: Viewer[]): Promise<void> {
  await Promise.all(
    watching.map(async ({ peer }, index) => {
      const before = peer.arrivals.total.packets;
      await until(() => peer.arrivals.total.packets > before + 2, `viewer ${index} sees`);
    }),
  );
}

/** What was asked for is over: as long again as requests are merged, nobody asks. */
async function quiet(): Promise<void> {
  for (let before = -1; before !== publisher.keyFrameRequests;) {
    before = publisher.keyFrameRequests;
    await new Promise((resolve) => setTimeout(resolve, 2 * mergedMs));
  }
}

/**
 * One begins to watch, and the others in the second after.
 * @returns how often the publisher was asked, for the one and for the others; null where this machine took longer than that, or stood still
 */
async function begin(
  [first, ...others]: Viewer[],
  how: (viewer: Viewer) => Promise<void>,
): Promise<{ first: number; others: number } | null> {
  if (!first) throw new Error('There is nobody.');
  await quiet();
  const before = publisher.keyFrameRequests;
  const startedAt = performance.now();
  stillMs = 0;
  await how(first);
  await until(() => publisher.keyFrameRequests > before, 'the publisher is asked');
  const asked = publisher.keyFrameRequests - before;
  // Whom this key frame still serves, that asks for another only where the next takes longer than it did.
  await allSee([first]);
  await Promise.all(others.map(how));
  const tookMs = performance.now() - startedAt;
  await allSee([first, ...others]);
  await quiet();
  if (tookMs > mergedMs - toleranceMs || stillMs > toleranceMs) return null;
  return { first: asked, others: publisher.keyFrameRequests - before - asked };
}

describe('two hundred who come in one second', () => {
  it('cost the publisher one key frame, and one for who came first', { timeout: 180_000 }, async () => {
    viewers.push(
      ...(await Promise.all(Array.from({ length: crowd + 1 }, (_, index) => come(`viewer ${index}`)))),
    );
    expect(await cluster.partsOf(roomId)).toHaveLength(workers);
    let asked = await begin(viewers, (viewer) => viewer.watch());
    // On a machine that stood still they came in two seconds, or three: they look away, and come again.
    for (let attempt = 1; asked === null && attempt < 10; attempt++) {
      await Promise.all(viewers.map((viewer) => viewer.look(false)));
      asked = await begin(viewers, (viewer) => viewer.look(true));
    }
    expect(asked).toEqual({ first: 1, others: 1 });
  });
});
