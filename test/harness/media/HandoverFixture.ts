import type { Browser } from 'playwright-core';
import {
  allReceive,
  launchChromium,
  makeCall,
  openClient,
  smallVideo,
  type BrowserClient,
} from '../browser/browser.ts';
import { twoNodes, type Cluster, type ClusterNode } from '../nodes/Cluster.ts';
import { until } from '../until.ts';
import { watchCopied, watchUndisturbed, watchVideos, type VideoGap } from './watchVideos.ts';

/** A video on a page during one handover. */
export interface Handover extends VideoGap {
  /** Where the video comes from. */
  kind: Kind;
}

type Kind = 'call' | 'room' | 'stream';

interface Watched {
  /** The id of the video element. */
  id: string;
  kind: Kind;
}

/**
 * A call, a room and a stream between four pages, all on one of two nodes: Ann calls Ben and streams to Dan; Cat and Dan are in a room.
 * Each page receives at most one video from each wallet, so a video is identified by its sender.
 */
export class HandoverFixture {
  readonly cluster: Cluster;
  readonly #browser: Browser;
  readonly #pages: BrowserClient[];
  readonly #watched = new Map<BrowserClient, Watched[]>();
  readonly #video: typeof smallVideo;
  #callId = '';

  /** @param framesPerSecond of all cameras */
  static async open(framesPerSecond = smallVideo.frameRate): Promise<HandoverFixture> {
    const cluster = await twoNodes();
    let browser: Browser | null = null;
    try {
      // All rooms start on the remaining node.
      const [launched] = await Promise.all([
        launchChromium({ framesPerSecond }),
        cluster.nodes[1]?.server.stop(),
      ]);
      browser = launched;
      const clients = await Promise.all([1, 2, 3, 4].map(() => openClient(launched, cluster.url())));
      const fixture = new HandoverFixture(cluster, browser, clients, framesPerSecond);
      await fixture.#fill(clients as [BrowserClient, BrowserClient, BrowserClient, BrowserClient]);
      await fixture.restart(cluster.nodes[1] as ClusterNode);
      return fixture;
    } catch (error) {
      await browser?.close();
      await cluster.close();
      throw error;
    }
  }

  private constructor(cluster: Cluster, browser: Browser, pages: BrowserClient[], frameRate: number) {
    this.#video = { ...smallVideo, frameRate };
    this.cluster = cluster;
    this.#browser = browser;
    this.#pages = pages;
  }

  /** The node that owns all three rooms now. */
  get owner(): Promise<ClusterNode> {
    return this.cluster.mediaNodeOf(this.#callId);
  }

  /** Restarts a stopped node, and waits until the other node can hand over its rooms to the restarted one. */
  async restart(node: ClusterNode): Promise<void> {
    const others = this.cluster.nodes.filter((each) => each !== node);
    const links = () => others.map(({ server }) => server.logged('media node linked').length);
    const before = links();
    await node.server.start();
    await until(() => links().every((count, index) => count > (before[index] ?? 0)), 'the nodes are linked');
  }

  /** Measures each video from now until it comes from another node. */
  measure(): Promise<Handover[]> {
    const watching = [...this.#watched].map(async ([{ page }, watched]) => {
      const gaps = await page.evaluate(
        watchVideos,
        watched.map(({ id }) => id),
      );
      return watched.flatMap(({ kind }, index) => {
        const gap = gaps[index];
        return gap ? { kind, ...gap } : [];
      });
    });
    return Promise.all(watching).then((pages) => pages.flat());
  }

  /** The longest gap of each video within a moment in which nothing happens. */
  measureUndisturbed(): Promise<number[]> {
    return this.#onAll(watchUndisturbed);
  }

  /** The longest gap of each video while its element changes to a copy of the track, of which servers know nothing. */
  measureCopied(): Promise<number[]> {
    return this.#onAll(watchCopied);
  }

  /** Runs in each page with the ids of its videos. */
  async #onAll(watch: (ids: string[]) => Promise<number[]>): Promise<number[]> {
    const watching = [...this.#watched].map(([{ page }, watched]) =>
      page.evaluate(
        watch,
        watched.map(({ id }) => id),
      ),
    );
    return (await Promise.all(watching)).flat();
  }

  /** Whether the call is still active on both pages and no page saw it end. */
  async isCallActive(): Promise<boolean> {
    const calls = this.#pages.slice(0, 2).map(({ page }) =>
      page.evaluate(async (id) => {
        const [call] = await window.parley.calls.getActive();
        return call?.id === id && !window.seen.some(({ name }) => name === 'call:ended');
      }, this.#callId),
    );
    return (await Promise.all(calls)).every(Boolean);
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.cluster.close();
  }

  async #fill([ann, ben, cat, dan]: [
    BrowserClient,
    BrowserClient,
    BrowserClient,
    BrowserClient,
  ]): Promise<void> {
    const video = this.#video;
    this.#callId = await makeCall(ann, ben, { video, answer: video });
    await allReceive(this.#callId, ann, ben);
    const roomId = await cat.page.evaluate(
      async () => (await window.parley.conference.create({ name: 'Room', maxParticipants: 2 })).id,
    );
    for (const { page } of [cat, dan])
      await page.evaluate(([id, camera]) => window.parley.conference.join({ roomId: id, video: camera }), [
        roomId,
        video,
      ] as const);
    const streamId = await ann.page.evaluate(async (camera) => {
      const { id } = await window.parley.streaming.create({ title: 'Stream' });
      await window.parley.streaming.start({ streamId: id, video: camera });
      return id;
    }, video);
    await dan.page.evaluate((id) => window.parley.streaming.watch(id).then(() => undefined), streamId);
    const expect = (page: BrowserClient, from: BrowserClient, kind: Kind) =>
      this.#watched.set(page, [...(this.#watched.get(page) ?? []), { id: `${from.address} camera`, kind }]);
    expect(ann, ben, 'call');
    expect(ben, ann, 'call');
    expect(cat, dan, 'room');
    expect(dan, cat, 'room');
    expect(dan, ann, 'stream');
    for (const [{ page }, watched] of this.#watched)
      for (const { id } of watched)
        await page.waitForFunction(
          (video) => (document.getElementById(video) as HTMLVideoElement | null)?.videoWidth,
          id,
        );
  }
}
