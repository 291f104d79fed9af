import type { Browser } from 'playwright-core';
import { launchChromium, openClient, smallVideo, type BrowserClient } from '../../harness/browser/browser.ts';
import type { Measures } from '../report/Measures.ts';
import type { Run } from '../Run.ts';
import type { Scenario } from '../Scenario.ts';

/** The pause between two joins of a page. */
const pauseMs = 2_000;
const frameLimitMs = 30_000;

/** Pages of Chromium that join a room again and again, in which another page sends video, until they show its first frame. */
export const browsers: Scenario = {
  isWanted: (options) => options.browsers > 0,

  async run(run, measures) {
    const browser = await measures.attempt('start Chromium', () => launchChromium());
    if (!browser) return;
    try {
      await inRoom(run, measures, browser);
    } finally {
      await browser.close();
    }
  },
};

async function inRoom(run: Run, measures: Measures, browser: Browser): Promise<void> {
  const open = () => measures.attempt('open page', () => openClient(browser, run.url));
  const host = await open();
  const roomId = host && (await measures.attempt('create room', () => openRoom(host)));
  const clients: BrowserClient[] = [];
  if (host && roomId !== undefined) {
    await run.ramp(run.options.browsers, async () => {
      const client = await open();
      if (!client) return;
      clients.push(client);
      while (!run.isOver) {
        const ms = await measures.attempt('page joined and left', () => firstFrame(client, roomId));
        if (ms !== undefined) measures.time('first decoded frame', ms);
        await run.pause(pauseMs);
      }
    });
    await host.page
      .evaluate((id) => window.parley.conference.end(id), roomId)
      .catch((error: unknown) => measures.fail('end room', error));
  }
  for (const { page } of [host, ...clients].filter((client) => client !== undefined))
    await page
      .evaluate(() => window.parley.signOut())
      .catch((error: unknown) => measures.fail('sign out', error));
}

const openRoom = ({ page }: BrowserClient) =>
  page.evaluate(async (video) => {
    const { conference } = window.parley;
    const { id } = await conference.create({ name: 'Load test', maxParticipants: 20 });
    await conference.join({ roomId: id, video });
    return id;
  }, smallVideo);

/** Joins, waits for the first frame of the host's video, and leaves. @returns milliseconds from the join to the frame */
const firstFrame = ({ page }: BrowserClient, roomId: string) =>
  page.evaluate(
    async ({ id, limitMs }) => {
      const { conference } = window.parley;
      const shown = new Promise<number>((resolve, reject) => {
        setTimeout(() => reject(new Error(`no frame within ${limitMs} ms`)), limitMs);
        const stop = window.parley.on('media:track', ({ track, stream, participant }) => {
          if (track.kind !== 'video' || participant.role !== 'host') return;
          stop();
          const element = document.createElement('video');
          Object.assign(element, { muted: true, autoplay: true, playsInline: true, srcObject: stream });
          element.requestVideoFrameCallback(() => resolve(performance.now()));
          document.body.replaceChildren(element);
        });
      });
      const clickedAt = performance.now();
      const joining = conference.join({ roomId: id });
      try {
        return (await shown) - clickedAt;
      } finally {
        await joining.then(() => conference.leave(id));
      }
    },
    { id: roomId, limitMs: frameLimitMs },
  );
