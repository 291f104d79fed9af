import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import type { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import { newContext } from '../../harness/browser/browser.ts';
import { watchIn } from '../../harness/browser/rtcPages.ts';
import { percentile } from '../figures.ts';
import { readClock } from './clock.ts';
import { Studio } from './Studio.ts';
import { machineLoad } from '../machineLoad.ts';

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

/**
 * Measures the delay from the canvas of one page to the video element of another page, for each kind of player in turn. The delay is read
 * from a clock in the video.
 */
export async function benchDelays(server: ServerProcess): Promise<boolean> {
  const studio = await Studio.open(server.url);
  try {
    console.log('\nglass to glass, video of 1280x720');
    let isAll = true;
    for (const [name, play] of Object.entries(players)) {
      const delays = await delaysOf(studio, play);
      const isShown = delays.length >= (leastFramesPerSecond * measureMs) / 1_000;
      isAll = isAll && isShown;
      const [p50, p95] = [percentile(delays, 0.5), percentile(delays, 0.95)];
      console.log(
        `  ${name.padEnd(5)} p50 ${p50.toFixed(0).padStart(6)} ms   p95 ${p95.toFixed(0).padStart(6)} ms   ` +
          `${((delays.length * 1_000) / measureMs).toFixed(1)} frames per second${isShown ? '' : ': does not count   NOT MET'}`,
      );
    }
    console.log(`  ${machineLoad()}`);
    return isAll;
  } finally {
    await studio.close();
  }
}

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
