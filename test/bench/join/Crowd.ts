import type { Browser } from 'playwright-core';
import { openClient, smallVideo, type BrowserClient } from '../../harness/browser/browser.ts';
import { RtpPeer } from '../rooms/RtpPeer.ts';
import { layers } from '../rooms/shapes.ts';
import { ask, device, parleyParticipant } from '../rooms/parleyParticipant.ts';

const batchSize = 8;
const tickMs = 50;

/**
 * The people in a room: some send camera and microphone from a page of a browser each, the others receive these cameras over real DTLS-SRTP
 * and send nothing, as people who have muted themselves.
 */
export class Crowd {
  readonly roomId: string;
  readonly #pages: BrowserClient[];
  readonly #peers: RtpPeer[] = [];
  #ticking: NodeJS.Timeout | undefined;

  /** @param people the number of all people, of whom `cameras` send */
  static async gather(browser: Browser, url: string, people: number, cameras: number): Promise<Crowd> {
    const pages: BrowserClient[] = [];
    for (let index = 0; index < cameras; index++) pages.push(await openClient(browser, url));
    const [host] = pages;
    if (!host) throw new Error('a room needs a camera');
    const roomId = await host.page.evaluate(
      async (maxParticipants) =>
        (await window.parley.conference.create({ name: 'Crowd', maxParticipants })).id,
      people + 10,
    );
    for (const { page } of pages)
      await page.evaluate(([id, video]) => window.parley.conference.join({ roomId: id, video }), [
        roomId,
        { ...smallVideo, frameRate: 30 },
      ] as const);
    const crowd = new Crowd(roomId, pages);
    await crowd.#fill(url, people - cameras, cameras);
    return crowd;
  }

  private constructor(roomId: string, pages: BrowserClient[]) {
    this.roomId = roomId;
    this.#pages = pages;
  }

  async #fill(url: string, listeners: number, cameras: number): Promise<void> {
    while (this.#peers.length < listeners) {
      const missing = Math.min(batchSize, listeners - this.#peers.length);
      const entering = Array.from({ length: missing }, () => this.#listener(url, cameras));
      this.#peers.push(...(await Promise.all(entering)));
    }
    const now = performance.now();
    for (const peer of this.#peers) peer.startAt(now);
    this.#ticking = setInterval(() => {
      for (const peer of this.#peers) peer.tick(performance.now());
    }, tickMs);
  }

  async #listener(url: string, cameras: number): Promise<RtpPeer> {
    const connected = await device(url);
    const participant = parleyParticipant(connected, {
      room: { scope: 'conference', id: this.roomId },
      enter: () => ask(connected.socket, 'conference.join', { roomId: this.roomId }),
      offers: { videos: cameras, audios: 0 },
      layers,
    });
    const peer = await RtpPeer.enter(participant, Math.random() * tickMs, []);
    await peer.receive(0);
    return peer;
  }

  async close(): Promise<void> {
    clearInterval(this.#ticking);
    for (const peer of this.#peers) peer.close();
    await Promise.all(this.#pages.map(({ context }) => context.close()));
  }
}
