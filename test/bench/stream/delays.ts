import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import { newContext } from '../../harness/browser/browser.ts';
import { watchIn } from '../../harness/browser/rtcPages.ts';
import { ofSamples, ofValue, type Figure } from '../report/Figure.ts';
import type { Bench } from '../report/Report.ts';
import { readClock } from './clock.ts';
import { streamSettings } from './settings.ts';
import { Studio } from './Studio.ts';

const [settleMs, measureMs, firstFrameMs] = [4_000, 10_000, 45_000];
const someFrames = 30;
/** The minimum frame rate for a measurement to count. */
const leastFramesPerSecond = 5;

type Player = (studio: Studio) => Promise<Page>;

const players: Record<string, Player> = {
  async SDK(studio) {
    const { page } = await studio.client();
    await page.evaluate((id) => window.parley.streaming.watch(id), studio.stream.id);
    return page;
  },
  async WHEP(studio) {
    const page = await studio.page();
    await watchIn(page, { url: studio.stream.whepUrl });
    return page;
  },
  async HLS(studio) {
    // The page is blank, because the server's pages allow only scripts from the server.
    const page = await (await newContext(studio.browser)).newPage();
    await page.setContent('<video muted autoplay></video>');
    const path = createRequire(import.meta.url).resolve('hls.js/dist/hls.js');
    await page.addScriptTag({ content: await readFile(path, 'utf8') });
    const play = `const player = new Hls({ maxLiveSyncPlaybackRate: 1.5 });
      player.loadSource(${JSON.stringify(studio.stream.playbackUrl)});
      player.attachMedia(document.querySelector('video'));`;
    await page.evaluate(play);
    return page;
  },
};

/** Measures the delay from the canvas of one page to the video element of another, for each kind of player in turn. */
export const streamDelay: Bench = {
  title: 'Delay of a stream, glass to glass',
  about:
    'A page of Chromium publishes a video of a clock (1280×720, 30 frames per second) through the SDK, and another page reads the clock from the frames that it shows: by the SDK, by WHEP, and by HLS (hls.js). ' +
    'Encoder, decoders and server share the cores, so a slow machine adds to all three.',
  async run() {
    const server = await ServerProcess.start(streamSettings);
    try {
      const studio = await Studio.open(server.url);
      try {
        const figures: Figure[] = [];
        for (const [name, play] of Object.entries(players)) {
          process.stdout.write(`\r  ${name}   `);
          const delays = await delaysOf(studio, play);
          const framesPerSecond = (delays.length * 1_000) / measureMs;
          figures.push(
            ...ofSamples({ what: `delay by ${name}`, unit: 'ms', samples: delays }),
            ofValue(`frames per second by ${name}`, '', framesPerSecond, { atLeast: leastFramesPerSecond }),
          );
        }
        return figures;
      } finally {
        await studio.close();
      }
    } finally {
      await server.dispose();
    }
  },
};

async function delaysOf(studio: Studio, play: Player): Promise<number[]> {
  const page = await play(studio);
  try {
    const shown = () =>
      page.evaluate(() => document.querySelector('video')?.getVideoPlaybackQuality().totalVideoFrames ?? 0);
    const isMoving = async () => (await shown()) >= someFrames;
    if (!(await until(isMoving, 'a moving video', firstFrameMs).catch(() => false))) return [];
    // The player first gets some time to estimate the bandwidth and to catch up.
    await delay(settleMs);
    await page.evaluate(readClock);
    await delay(measureMs);
    return await page.evaluate(() => window.delays);
  } finally {
    await page.context().close();
  }
}
