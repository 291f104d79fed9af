import type { Browser, Page } from 'playwright-core';
import { newContext } from '../../harness/browser/browser.ts';
import { startBareServer, type ChildServer } from '../bareServer.ts';
import { bareParticipant, bareSocket } from '../rooms/bareParticipant.ts';
import { RtpPeer } from '../rooms/RtpPeer.ts';
import { Listeners } from './Listeners.ts';

/** The room of all pages of the baseline. */
const auth = { room: '' };

/** The same people as in a `Crowd`, in a room of the baseline, and a page that may join them. */
export class BareCrowd {
  readonly guest: Page;
  readonly #server: ChildServer;
  readonly #pages: Page[];
  readonly #listeners: Listeners;

  /** @param people the number of all people, of whom `cameras` send */
  static async gather(
    browser: Browser,
    people: number,
    cameras: number,
    constraints: MediaStreamConstraints,
  ): Promise<BareCrowd> {
    const server = await startBareServer();
    const pages: Page[] = [];
    let camera = '';
    for (let index = 0; index < cameras; index++) {
      const page = await openBarePage(browser, server.url);
      pages.push(page);
      camera = await page.evaluate((wanted) => {
        window.showFirstFrame = (track) => {
          // Those of people who have left.
          for (const video of document.querySelectorAll('video'))
            if (!(video.srcObject as MediaStream).active) video.remove();
          const element = document.createElement('video');
          const srcObject = new MediaStream([track]);
          Object.assign(element, { muted: true, autoplay: true, playsInline: true, srcObject });
          document.body.append(element);
        };
        return window.join(wanted);
      }, constraints);
    }
    const watched = [{ producerId: camera, kind: 'video' as const }];
    const listeners = await Listeners.gather(people - cameras, async (phaseMs) => {
      const socket = await bareSocket(server.url, auth);
      return RtpPeer.enter(
        bareParticipant(socket, [], () => watched, true),
        phaseMs,
        [],
      );
    });
    return new BareCrowd(server, pages, listeners, await openBarePage(browser, server.url));
  }

  private constructor(server: ChildServer, pages: Page[], listeners: Listeners, guest: Page) {
    this.#server = server;
    this.#pages = pages;
    this.#listeners = listeners;
    this.guest = guest;
  }

  async close(): Promise<void> {
    this.#listeners.close();
    await Promise.all([this.guest, ...this.#pages].map((page) => page.context().close()));
    this.#server.stop();
  }
}

/** Opens a page of the baseline, with its script loaded. */
export async function openBarePage(browser: Browser, url: string): Promise<Page> {
  const context = await newContext(browser);
  const page = await context.newPage();
  await page.goto(url);
  await page.evaluate("import('/page.js')");
  return page;
}
