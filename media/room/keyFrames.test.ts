import { randomUUID } from 'node:crypto';
import { ortc } from 'mediasoup';
import { afterAll, describe, expect, it } from 'vitest';
import type { RtpCapabilities } from '../../sdk/protocol/media.ts';
import { CleanUp } from '../../test/harness/nodes/embeddedPostgres/support.ts';
import { RtpPeer } from '../../test/bench/rooms/RtpPeer.ts';
import { decodable, type BenchParticipant } from '../../test/bench/rooms/BenchParticipant.ts';
import { TestNodes } from '../../test/harness/nodes/TestNodes.ts';
import { until } from '../../test/harness/until.ts';
import { mediaCodecs } from '../router/codecs.ts';
import type { MediaCluster } from '../MediaCluster.ts';
import { maxFar } from './pipeTree.ts';
import { openLocal } from '../../test/harness/media/mediaFixtures.ts';

/* Hundreds of viewers join within one second, on many workers or several nodes, with real DTLS but without decoding. */

const layer = { kbit: 60, framesPerSecond: 10, width: 320, height: 180 };
/** Key-frame requests to the publisher of a stream within this time are merged (Publications). */
const mergedMs = 1_000;
/** The time for a key frame to reach all viewers, and for differences between the clocks of worker and test. */
const toleranceMs = 200;
/** The maximum wait for a condition, and the interval of checks while key-frame requests are being merged. */
const [limitMs, pauseMs] = [45_000, 5];
const rtpCapabilities = decodable(ortc.generateRouterRtpCapabilities(mediaCodecs) as RtpCapabilities);

const suite = new CleanUp();
afterAll(() => suite.run());

interface Viewer {
  peer: RtpPeer;
  /** Resumes the video's consumer. */
  watch(): Promise<void>;
  look(isVisible: boolean): Promise<void>;
}

/** A stream with its publisher, and viewers that are connected but do not receive the video yet. */
class Stage {
  readonly #cluster: MediaCluster;
  readonly #isStream: boolean;
  readonly roomId = randomUUID();
  readonly #viewers: Viewer[] = [];
  #publisher!: RtpPeer;
  #ticking!: NodeJS.Timeout;
  /** The longest pause of this process's event loop since this was set to 0. */
  #longestStallMs = 0;

  /** @param isStream false for a room */
  static async open(cluster: MediaCluster, isStream = true): Promise<Stage> {
    const stage = new Stage(cluster, isStream);
    await cluster.openRoom(stage.roomId);
    const publisher = await RtpPeer.enter(stage.#participantOf('host', false).participant, 0, [layer]);
    stage.#publisher = publisher;
    publisher.startAt(performance.now());
    let tickedAt = performance.now();
    stage.#ticking = setInterval(() => {
      const now = performance.now();
      stage.#longestStallMs = Math.max(stage.#longestStallMs, now - tickedAt);
      tickedAt = now;
      for (const peer of [publisher, ...stage.#viewers.map((viewer) => viewer.peer)]) peer.tick(now);
    }, 20);
    await until(() => publisher.sent.video > 0, 'the video is sent');
    return stage;
  }

  private constructor(cluster: MediaCluster, isStream: boolean) {
    this.#cluster = cluster;
    this.#isStream = isStream;
  }

  close(): void {
    clearInterval(this.#ticking);
    for (const peer of [this.#publisher, ...this.#viewers.map((viewer) => viewer.peer)]) peer?.close();
  }

  async connect(peerId: string): Promise<void> {
    const { participant, videos } = this.#participantOf(peerId, true);
    const peer = await RtpPeer.enter(participant, 0, []);
    peer.startAt(performance.now());
    this.#viewers.push({
      peer,
      watch: () => participant.receive(0),
      look: (isVisible) =>
        this.#cluster.room(this.roomId).setViews({
          peerId,
          views: videos.map((consumerId) => ({ consumerId, isVisible, width: 320, height: 180 })),
        }),
    });
  }

  /**
   * One viewer starts to watch, and all others within the next second.
   * @returns the number of key-frame requests to the publisher for the first viewer and for the others
   */
  async countRequests(): Promise<{ first: number; others: number }> {
    let counts = await this.#begin((viewer) => viewer.watch());
    // If the machine stalled, starting took longer than a second. The viewers then hide the video and show it again.
    for (let attempt = 1; counts === null && attempt < 10; attempt++) {
      await Promise.all(this.#viewers.map((viewer) => viewer.look(false)));
      counts = await this.#begin((viewer) => viewer.look(true));
    }
    if (!counts) throw new Error('This machine stalls too often.');
    return counts;
  }

  /** Two viewers start to watch, one after the other. @returns the time between their key-frame requests to the publisher, in milliseconds */
  async betweenRequests(): Promise<number> {
    const [publisher, [first, second]] = [this.#publisher, this.#viewers];
    if (!first || !second) throw new Error('There are no two viewers.');
    for (const viewer of [first, second]) await viewer.look(false);
    await Promise.all([first.watch(), second.watch()]);
    await this.#quiet();
    const before = publisher.keyFrameRequests;
    const isAsked = (times: number) =>
      until(() => publisher.keyFrameRequests >= before + times, `request ${times}`, limitMs, pauseMs);
    await first.look(true);
    await isAsked(1);
    const firstAt = performance.now();
    await waitForVideo([first], pauseMs);
    await second.look(true);
    await isAsked(2);
    return performance.now() - firstAt;
  }

  /** A participant of the room, and the ids of its video consumers. */
  #participantOf(peerId: string, isViewer: boolean): { participant: BenchParticipant; videos: string[] } {
    const [cluster, roomId, tellsArrival] = [this.#cluster, this.roomId, this.#isStream];
    const videos: string[] = [];
    const participant: BenchParticipant = {
      async join() {
        const peer = {
          peerId,
          identity: peerId,
          tag: {},
          rtpCapabilities,
          multiparty: true,
          isViewer,
        };
        const joined = await cluster.room(roomId).join(peer);
        for (const { consumer } of joined.consumers) if (consumer.kind === 'video') videos.push(consumer.id);
        return joined;
      },
      connect: (transportId, { dtlsParameters }) =>
        cluster.room(roomId).connectTransport({ peerId, transportId, dtlsParameters }),
      async produce(kind, rtpParameters) {
        const source = kind === 'video' ? 'camera' : 'microphone';
        await cluster.room(roomId).produce({ peerId, source, rtpParameters, paused: false, tellsArrival });
      },
      receive: () => cluster.room(roomId).resumeConsumers({ peerId, consumerIds: videos }),
      close: () => undefined,
    };
    return { participant, videos };
  }

  /** @returns null if starting took too long for requests to be merged, or this machine stalled */
  async #begin(start: (viewer: Viewer) => Promise<void>): Promise<{ first: number; others: number } | null> {
    const publisher = this.#publisher;
    const [first, ...others] = this.#viewers;
    if (!first) throw new Error('There are no viewers.');
    await this.#quiet();
    const before = publisher.keyFrameRequests;
    const startedAt = performance.now();
    this.#longestStallMs = 0;
    await start(first);
    await until(() => publisher.keyFrameRequests > before, 'a key-frame request', limitMs, pauseMs);
    const firstRequests = publisher.keyFrameRequests - before;
    // Wait until the first viewer has the video. Viewers that start earlier get the same key frame and do not request another one.
    await waitForVideo([first], pauseMs);
    await Promise.all(others.map(start));
    const tookMs = performance.now() - startedAt;
    await waitForVideo(this.#viewers);
    // Viewers that receive the video request no more key frames, so later stalls do not matter.
    const stallMs = this.#longestStallMs;
    await this.#quiet();
    if (tookMs > mergedMs - toleranceMs || stallMs > toleranceMs) return null;
    return { first: firstRequests, others: publisher.keyFrameRequests - before - firstRequests };
  }

  /** Waits until there have been no key-frame requests for two merge intervals. */
  async #quiet(): Promise<void> {
    for (let before = -1; before !== this.#publisher.keyFrameRequests;) {
      before = this.#publisher.keyFrameRequests;
      await new Promise((resolve) => setTimeout(resolve, 2 * mergedMs));
    }
  }
}

/** Waits until each viewer receives packets. Consumers only forward packets from a key frame on. */
async function waitForVideo(watching: Viewer[], everyMs?: number): Promise<void> {
  await Promise.all(
    watching.map(async ({ peer }, index) => {
      const before = peer.arrivals.total.packets;
      await until(
        () => peer.arrivals.total.packets > before + 2,
        `viewer ${index} receives packets`,
        limitMs,
        everyMs,
      );
    }),
  );
}

describe('viewers who join within one second cost the publisher one key frame, in addition to the one for the first viewer', () => {
  it('two hundred viewers on seven workers', { timeout: 180_000 }, async ({ onTestFinished }) => {
    const [multiparty, workers, perWorker] = [200, 7, 30];
    const cluster = await openLocal({ workers, consumersPerWorker: perWorker });
    onTestFinished(() => cluster.close());
    const stage = await Stage.open(cluster);
    onTestFinished(() => stage.close());
    await Promise.all(Array.from({ length: multiparty + 1 }, (_, index) => stage.connect(`viewer ${index}`)));
    expect(await cluster.routersOf(stage.roomId)).toHaveLength(workers);
    expect(await stage.countRequests()).toEqual({ first: 1, others: 1 });
  });

  it(
    'a hundred viewers on nodes of which one is the child of another',
    { timeout: 180_000 },
    async ({ onTestFinished }) => {
      const nodes = await TestNodes.create(await suite.start(await suite.temporaryFolder()));
      onTestFinished(() => nodes.close());
      const [multiparty, otherNodes, workers, perWorker] = [100, maxFar + 1, 2, 9];
      nodes.mediaOptions = { workers: 1, consumersPerWorker: perWorker };
      const [signaling, home] = [await nodes.open('signaling'), await nodes.open('media')];
      await nodes.waitForEachOther(signaling, home);
      const stage = await Stage.open(signaling.media);
      onTestFinished(() => stage.close());
      nodes.mediaOptions = { workers, consumersPerWorker: perWorker };
      const media = await Promise.all(Array.from({ length: otherNodes }, () => nodes.open('media')));
      await nodes.waitForEachOther(signaling, home, ...media);
      for (let index = 0; index < multiparty; index++) await stage.connect(`viewer ${index}`);
      const routers = media.flatMap(({ local }) => local.host.routers);
      expect(routers).toHaveLength(otherNodes * workers);
      // The relay receives the video from the publisher's node and forwards it to its second worker and to the last node.
      expect(routers.filter(({ pipes }) => pipes.count === 3)).toHaveLength(1);
      expect(await stage.countRequests()).toEqual({ first: 1, others: 1 });
    },
  );
});

it(
  'in a room, a participant who follows another one does not wait for a second',
  { timeout: 60_000 },
  async ({ onTestFinished }) => {
    const cluster = await openLocal({ workers: 1 });
    onTestFinished(() => cluster.close());
    const stage = await Stage.open(cluster, false);
    onTestFinished(() => stage.close());
    for (const name of ['first', 'second']) await stage.connect(name);
    // A machine that stalls may delay a request.
    let shortestMs = Infinity;
    for (let attempt = 0; attempt < 5 && shortestMs >= mergedMs - toleranceMs; attempt++)
      shortestMs = Math.min(shortestMs, await stage.betweenRequests());
    expect(shortestMs).toBeLessThan(mergedMs - toleranceMs);
  },
);
