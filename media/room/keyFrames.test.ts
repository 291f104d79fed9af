import { randomUUID } from 'node:crypto';
import { ortc } from 'mediasoup';
import { afterAll, describe, expect, it } from 'vitest';
import type { RtpCapabilities } from '../../sdk/protocol/media.ts';
import { CleanUp } from '../../test/harness/embeddedPostgres/support.ts';
import { RtpPeer } from '../../test/bench/rooms/RtpPeer.ts';
import { decodable, type BenchParticipant } from '../../test/bench/rooms/BenchParticipant.ts';
import { TestNodes } from '../../test/harness/TestNodes.ts';
import { until } from '../../test/harness/until.ts';
import { mediaCodecs } from '../router/codecs.ts';
import type { MediaCluster } from '../MediaCluster.ts';
import { maxChildren } from './pipeTree.ts';
import { openLocal } from '../../test/harness/mediaWorld.ts';

/* Hundreds who come in the same second, over many workers and several nodes, with real DTLS and nothing decoded. */

const picture = { kbit: 60, framesPerSecond: 10, width: 320, height: 180 };
/** Requests are merged to one in so long (MediaRoom). */
const mergedMs = 1_000;
/** What a key frame may take to get everywhere, and the worker's clock may differ from this one. */
const toleranceMs = 200;
/** While the second runs that they come in. */
const [limitMs, pauseMs] = [45_000, 5];
const rtpCapabilities = decodable(ortc.generateRouterRtpCapabilities(mediaCodecs) as RtpCapabilities);

const suite = new CleanUp();
afterAll(() => suite.run());

interface Viewer {
  peer: RtpPeer;
  /** Takes the picture. */
  watch(): Promise<void>;
  look(isVisible: boolean): Promise<void>;
}

/** A room with a publisher, and viewers whose lines are there, and who have not asked for anything yet. */
class Stage {
  readonly #cluster: MediaCluster;
  readonly roomId = randomUUID();
  readonly #viewers: Viewer[] = [];
  #publisher!: RtpPeer;
  #ticking!: NodeJS.Timeout;
  /** The longest that this process stood still since this was set to 0. */
  #stillMs = 0;

  static async open(cluster: MediaCluster): Promise<Stage> {
    const stage = new Stage(cluster);
    await cluster.openRoom(stage.roomId);
    const publisher = await RtpPeer.enter(stage.#participantOf('host', false).identity, 0, [picture]);
    stage.#publisher = publisher;
    publisher.startAt(performance.now());
    let tickedAt = performance.now();
    stage.#ticking = setInterval(() => {
      const now = performance.now();
      stage.#stillMs = Math.max(stage.#stillMs, now - tickedAt);
      tickedAt = now;
      for (const peer of [publisher, ...stage.#viewers.map((viewer) => viewer.peer)]) peer.tick(now);
    }, 20);
    await until(() => publisher.sent.video > 0, 'a picture is sent');
    return stage;
  }

  private constructor(cluster: MediaCluster) {
    this.#cluster = cluster;
  }

  close(): void {
    clearInterval(this.#ticking);
    for (const peer of [this.#publisher, ...this.#viewers.map((viewer) => viewer.peer)]) peer?.close();
  }

  async come(peerId: string): Promise<void> {
    const { identity, pictures } = this.#participantOf(peerId, true);
    const peer = await RtpPeer.enter(identity, 0, []);
    peer.startAt(performance.now());
    this.#viewers.push({
      peer,
      watch: () => identity.receive(0),
      look: (isVisible) =>
        this.#cluster.setViews(
          this.roomId,
          peerId,
          pictures.map((consumerId) => ({ consumerId, isVisible, width: 320, height: 180 })),
        ),
    });
  }

  /**
   * One begins to watch, and all others in the second after.
   * @returns how often the publisher was asked, for the one and for the others
   */
  async countRequests(): Promise<{ first: number; others: number }> {
    let asked = await this.#begin((viewer) => viewer.watch());
    // On a machine that stood still they came in two seconds, or three: they look away, and come again.
    for (let attempt = 1; asked === null && attempt < 10; attempt++) {
      await Promise.all(this.#viewers.map((viewer) => viewer.look(false)));
      asked = await this.#begin((viewer) => viewer.look(true));
    }
    if (!asked) throw new Error('This machine stands still all the time.');
    return asked;
  }

  /** A place in the room, and the picture that is offered there. */
  #participantOf(peerId: string, isViewer: boolean): { identity: BenchParticipant; pictures: string[] } {
    const [cluster, roomId] = [this.#cluster, this.roomId];
    const pictures: string[] = [];
    const identity: BenchParticipant = {
      async join() {
        const peer = {
          peerId,
          identity: peerId,
          tag: {},
          rtpCapabilities,
          multiparty: true,
          isViewer,
        };
        const joined = await cluster.join(roomId, peer);
        for (const { consumer } of joined.consumers)
          if (consumer.kind === 'video') pictures.push(consumer.id);
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
    return { identity, pictures };
  }

  /** @returns null where this machine took longer than that second, or stood still */
  async #begin(how: (viewer: Viewer) => Promise<void>): Promise<{ first: number; others: number } | null> {
    const publisher = this.#publisher;
    const [first, ...others] = this.#viewers;
    if (!first) throw new Error('There is nobody.');
    await this.#quiet();
    const before = publisher.keyFrameRequests;
    const startedAt = performance.now();
    this.#stillMs = 0;
    await how(first);
    await until(() => publisher.keyFrameRequests > before, 'the publisher is asked', limitMs, pauseMs);
    const asked = publisher.keyFrameRequests - before;
    // Whom this key frame still serves, that asks for another only where the next takes longer than it did.
    await allSee([first], pauseMs);
    await Promise.all(others.map(how));
    const tookMs = performance.now() - startedAt;
    await allSee(this.#viewers);
    // Whoever sees it asks no more, however still the machine stands from now on.
    const stillMs = this.#stillMs;
    await this.#quiet();
    if (tookMs > mergedMs - toleranceMs || stillMs > toleranceMs) return null;
    return { first: asked, others: publisher.keyFrameRequests - before - asked };
  }

  /** What was asked for is over: as long again as requests are merged, nobody asks. */
  async #quiet(): Promise<void> {
    for (let before = -1; before !== this.#publisher.keyFrameRequests;) {
      before = this.#publisher.keyFrameRequests;
      await new Promise((resolve) => setTimeout(resolve, 2 * mergedMs));
    }
  }
}

/** Packets that come after this are of a picture that began with a key frame. */
async function allSee(watching: Viewer[], everyMs?: number): Promise<void> {
  await Promise.all(
    watching.map(async ({ peer }, index) => {
      const before = peer.arrivals.total.packets;
      await until(() => peer.arrivals.total.packets > before + 2, `viewer ${index} sees`, limitMs, everyMs);
    }),
  );
}

describe('those who come in one second cost the publisher one key frame, and one for who came first', () => {
  it('two hundred, over seven workers', { timeout: 180_000 }, async ({ onTestFinished }) => {
    const [multiparty, workers, perWorker] = [200, 7, 30];
    const cluster = await openLocal({ workers, consumersPerWorker: perWorker });
    onTestFinished(() => cluster.close());
    const stage = await Stage.open(cluster);
    onTestFinished(() => stage.close());
    await Promise.all(Array.from({ length: multiparty + 1 }, (_, index) => stage.come(`viewer ${index}`)));
    expect(await cluster.routersOf(stage.roomId)).toHaveLength(workers);
    expect(await stage.countRequests()).toEqual({ first: 1, others: 1 });
  });

  it(
    'a hundred, over nodes of which one hangs below another',
    { timeout: 180_000 },
    async ({ onTestFinished }) => {
      const nodes = await TestNodes.create(await suite.start(await suite.temporaryFolder()));
      onTestFinished(() => nodes.close());
      const [multiparty, otherNodes, workers, perWorker] = [100, maxChildren + 1, 2, 9];
      nodes.mediaOptions = { workers: 1, consumersPerWorker: perWorker };
      const [signaling, home] = [await nodes.open('signaling'), await nodes.open('media')];
      await nodes.meet(signaling, home);
      const stage = await Stage.open(signaling.media);
      onTestFinished(() => stage.close());
      nodes.mediaOptions = { workers, consumersPerWorker: perWorker };
      const media = await Promise.all(Array.from({ length: otherNodes }, () => nodes.open('media')));
      await nodes.meet(signaling, home, ...media);
      for (let index = 0; index < multiparty; index++) await stage.come(`viewer ${index}`);
      const routers = media.flatMap(({ local }) => local.host.routers);
      expect(routers).toHaveLength(otherNodes * workers);
      // It takes it from the publisher's node, and passes it on to its node's other worker, and to the last node.
      expect(routers.filter(({ pipes }) => pipes.count === 3)).toHaveLength(1);
      expect(await stage.countRequests()).toEqual({ first: 1, others: 1 });
    },
  );
});
