import type { Browser } from 'playwright-core';
import { openClient, smallVideo, type BrowserClient } from '../../harness/browser/browser.ts';
import { RtpPeer } from '../rooms/RtpPeer.ts';
import type { BenchParticipant } from '../rooms/BenchParticipant.ts';
import { ask, device } from '../rooms/parleyParticipant.ts';
import { Listeners } from './Listeners.ts';

/**
 * The people in a room: some send camera and microphone from a page of a browser each, the others receive one of these cameras over real
 * DTLS-SRTP and send nothing, as people who follow the speaker and have muted themselves.
 */
export class Crowd {
  readonly roomId: string;
  readonly #pages: BrowserClient[];
  readonly #listeners: Listeners;

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
    const listeners = await Listeners.gather(people - cameras, (phaseMs) => listener(url, roomId, phaseMs));
    return new Crowd(roomId, pages, listeners);
  }

  private constructor(roomId: string, pages: BrowserClient[], listeners: Listeners) {
    this.roomId = roomId;
    this.#pages = pages;
    this.#listeners = listeners;
  }

  async close(): Promise<void> {
    this.#listeners.close();
    await Promise.all(this.#pages.map(({ context }) => context.close()));
  }
}

async function listener(url: string, roomId: string, phaseMs: number): Promise<RtpPeer> {
  const { socket, rtpCapabilities } = await device(url);
  const room = { scope: 'conference', id: roomId } as const;
  let watched = '';
  const participant: BenchParticipant = {
    async join() {
      await ask(socket, 'conference.join', { roomId });
      const { consumers, ...transports } = await ask(socket, 'media.join', { ...room, rtpCapabilities });
      watched = consumers.find(({ kind }) => kind === 'video')?.id ?? '';
      return transports;
    },
    connect: (transportId, { dtlsParameters }) =>
      ask(socket, 'media.connectTransport', { ...room, transportId, dtlsParameters }).then(() => undefined),
    produce: () => Promise.reject(new Error('a listener sends nothing')),
    async receive() {
      const view = { consumerId: watched, isVisible: true, width: 320, height: 180 };
      await ask(socket, 'media.view', { ...room, views: [view] });
      await ask(socket, 'media.resumeConsumers', { ...room, consumerIds: [watched] });
    },
    close: () => socket.disconnect(),
  };
  return RtpPeer.enter(participant, phaseMs, []);
}
