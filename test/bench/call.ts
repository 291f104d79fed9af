import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchChromium, openClient, smallVideo, type BrowserClient } from '../harness/browser/browser.ts';
import { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { startBareServer } from './bareServer.ts';
import { openBarePage } from './join/BareCrowd.ts';
import { ofRounds, type Figure } from './report/Figure.ts';
import type { Bench } from './report/Report.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 30);
const constraints = {
  audio: true,
  video: {
    width: { ideal: smallVideo.width },
    height: { ideal: smallVideo.height },
    frameRate: { ideal: 30 },
  },
};
const video = { ...smallVideo, frameRate: 30 };
/** How long a call rings before it is answered, and how long it then lasts until the page loads again: both pages send steadily by then. */
const steadyMs = 1_000;

/** Runs in the page. Defines `showFirstFrame(track)`, which resolves `firstFrame` with the time when the first frame was decoded. */
const watchFirstFrame = () => {
  let settle: (time: number) => void;
  window.firstFrame = new Promise((resolve) => (settle = resolve));
  window.showFirstFrame = (track) => {
    const element = document.createElement('video');
    Object.assign(element, {
      muted: true,
      autoplay: true,
      playsInline: true,
      srcObject: new MediaStream([track]),
    });
    element.requestVideoFrameCallback(() => settle(performance.now()));
    document.body.append(element);
  };
};

const settings = {
  LOG_LEVEL: 'warn',
  RATE_LIMIT_REALTIME: '1000000',
  RATE_LIMIT_CALLS: '10000',
  RATE_LIMIT_CALLED: '10000',
};

/** Answers a call and rejoins it after a page reload, in turns with the baseline. */
export const call: Bench = {
  title: 'Answering a call',
  about:
    `A page answers a video call that has rung for ${steadyMs / 1_000} s: the time from \`calls.answer()\` to the first decoded frame. After as long again it loads again, and the time runs from the start of the page load until its camera is in the call again. ` +
    `${rounds} rounds, in turns with the baseline: a page with bare mediasoup-client, which joins another that has been sending for as long, and a server with bare mediasoup and Socket.IO, without sign-in, rules and database.`,
  profile:
    'Until 2026-11-30 the page answered at once, while the caller’s camera sent its first frames. In a timeline of one round each, Parley’s caller encoded its first key frame 17 ms before the callee was connected, and the callee waited for the next one; that of the baseline did so 5 ms before, and its callee showed it. So chance decided whether the first key frame was in time, and the ratio was 1.83. Now the call rings, as calls do, and both need a new key frame. ' +
    'A page that loads again took 221 ms in another run on an Intel Xeon: 61 until its script begins, 4 to load the SDK, 26 until it is signed in, 28 until its camera is open, and 102 until that is in the call (medians of 12). The baseline opens its camera and its connection at the same time. Parley’s page asks first whether the call is one with video, so that an app that always passes `video: true` does not show its user in an audio call: the camera waits for the sign-in.',
  async run() {
    const server = await ServerProcess.start(settings);
    const bare = await startBareServer();
    const browser = await launchChromium({ framesPerSecond: video.frameRate });
    try {
      const [ours, theirs]: [Round[], Round[]] = [[], []];
      for (let round = 0; round < rounds; round++) {
        ours.push(await parleyRound(browser, server.url));
        theirs.push(await bareRound(browser, bare.url));
        process.stdout.write(`\r  round ${round + 1} of ${rounds}`);
      }
      const times = (name: keyof Round) => ({
        ours: ours.map((round) => round[name]),
        bare: theirs.map((round) => round[name]),
      });
      return [
        compared('calls.answer to first decoded frame', times('answer'), 1.3),
        compared('page load to joined', times('join'), 1.3),
      ];
    } finally {
      await browser.close();
      bare.stop();
      await server.dispose();
    }
  },
};

const compared = (what: string, { ours, bare }: { ours: number[]; bare: number[] }, atMost: number): Figure =>
  ofRounds({
    what,
    unit: 'ms',
    ours,
    baseline: { name: 'bare', values: bare },
    goal: { of: 'ratio', atMost },
  });

interface Round {
  answer: number;
  join: number;
}

async function parleyRound(browser: Browser, url: string): Promise<Round> {
  const [alice, bob] = [await openClient(browser, url), await openClient(browser, url)];
  const callId = await alice.page.evaluate(async (options) => (await window.parley.calls.start(options)).id, {
    to: bob.address,
    type: 'video' as const,
    video,
  });
  await bob.page.evaluate(watchFirstFrame);
  await delay(steadyMs);
  const answer = await bob.page.evaluate(
    async ({ id, camera }) => {
      window.parley.on('media:track', ({ track }) => {
        if (track.kind === 'video') window.showFirstFrame(track);
      });
      const started = performance.now();
      await window.parley.calls.answer(id, { video: camera });
      return (await window.firstFrame) - started;
    },
    { id: callId, camera: video },
  );
  await delay(steadyMs);
  const join = await parleyJoin(bob, callId);
  await Promise.all([alice.context.close(), bob.context.close()]);
  return { answer, join };
}

/** Reloads the page and measures the time until its camera is in the call again. */
async function parleyJoin(client: BrowserClient, callId: string): Promise<number> {
  const token = await client.page.evaluate(() => window.parley.session?.token);
  await client.page.reload({ waitUntil: 'commit' });
  const run = `(async () => {
    const { Parley } = await import('/sdk/parley.js');
    const client = new Parley({ apiKey: '', sessionToken: ${JSON.stringify(token)} });
    await client.calls.rejoin(${JSON.stringify(callId)}, { video: ${JSON.stringify(video)} });
    return performance.now();
  })()`;
  return client.page.evaluate<number>(run);
}

async function bareRound(browser: Browser, url: string): Promise<Round> {
  const [alice, bob] = [await openBare(browser, url), await openBare(browser, url)];
  await alice.page.evaluate((wanted) => window.join(wanted), constraints);
  await delay(steadyMs);
  const answer = await bob.page.evaluate(async (wanted) => {
    const started = performance.now();
    await window.join(wanted);
    return (await window.firstFrame) - started;
  }, constraints);
  await delay(steadyMs);
  await bob.page.reload({ waitUntil: 'commit' });
  await bob.page.evaluate(watchFirstFrame);
  const run = `import('/page.js').then(() => window.join(${JSON.stringify(constraints)})).then(() => performance.now())`;
  const join = await bob.page.evaluate<number>(run);
  await Promise.all([alice.context.close(), bob.context.close()]);
  return { answer, join };
}

async function openBare(browser: Browser, url: string): Promise<{ page: Page; context: BrowserContext }> {
  const page = await openBarePage(browser, url);
  await page.evaluate(watchFirstFrame);
  return { page, context: page.context() };
}
