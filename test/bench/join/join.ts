import { setTimeout as delay } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { launchChromium, openClient, smallVideo, type BrowserClient } from '../../harness/browser/browser.ts';
import { inFront } from '../../harness/nodes/NetworkProxy.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { DelayProxy } from '../DelayProxy.ts';
import { ofSamples, ofValue, type Figure } from '../report/Figure.ts';
import { median } from '../report/percentile.ts';
import type { Bench } from '../report/Report.ts';
import { Crowd } from './Crowd.ts';
import { noteSteps, steps } from './steps.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 100);
const people = Number(process.env.BENCH_PEOPLE ?? 100);
const cameras = 4;
const video = { ...smallVideo, frameRate: 30 };
/** Half of the added round-trip time. Requests and answers are delayed, and media is not. */
const delayMs = 25;
/** A publisher in a room sends at most one key frame in this time, which all share who join within it. */
const keyFrameMs = 1_100;

const settings = {
  LOG_LEVEL: 'warn',
  MEDIA_WORKERS: '2',
  RATE_LIMIT_REALTIME: '1000000',
  RATE_LIMIT_JOINS: '100000',
  RATE_LIMIT_CHANGES: '100000',
};

/** Measures how long a browser takes from `conference.join()` to the first decoded frame of another participant. */
export const join: Bench = {
  title: 'Joining a room',
  about:
    `A page that is signed in calls \`conference.join()\` with camera and microphone, ${rounds} times with a pause of ${keyFrameMs / 1_000} s. ` +
    'The time ends when it shows the first decoded frame of another participant. The room has people of two kinds: ' +
    `${cameras} pages with camera (${video.width} × ${video.height}, ${video.frameRate} frames a second) and microphone, and others who receive one of these cameras and send nothing, ` +
    'as in a large meeting. All of them, the server and the browser share the cores of this machine. ' +
    'Nothing is added to the time of the network, except in the lines that say so. The steps are medians of the time since the click.',
  profile:
    'Entering the room takes a sixth of the time. Most goes by between the opened camera and the first packet (ICE, DTLS and the encoder), and from there to the decoded frame. With 100 people the server and its workers use about a third of one core (by /proc); Chromium, which encodes and decodes the cameras, shares the two cores with them and with the 100 people. The time depends on the machine: an earlier commit took 256 ms with 100 people and 160 ms with 4 on an AMD EPYC. On an Intel Xeon, the median with 4 people was 266, 370 and 443 ms in three runs.',
  async run() {
    const server = await ServerProcess.reserve(({ port }) => ({
      ...settings,
      ALLOWED_ORIGINS: `http://${inFront}:${port}`,
    }));
    const browser = await launchChromium({ framesPerSecond: video.frameRate });
    const { port } = server.ports;
    let proxy: DelayProxy | null = null;
    try {
      await server.start();
      proxy = await DelayProxy.open(inFront, port, '127.0.0.1', delayMs);
      const many = await inRoomOf(people, browser, server.url);
      const few = await inRoomOf(cameras, browser, server.url);
      const delayed = await inRoomOf(cameras, browser, server.url, `http://${inFront}:${port}`);
      return [
        ...figures(`${people} people`, many, { p50: 250, p95: 500 }),
        ...figures(`${cameras} people`, few),
        ...ofSamples({
          what: `${cameras} people, 50 ms more for a request and its answer`,
          unit: 'ms',
          samples: delayed.times,
        }),
      ];
    } finally {
      await browser.close();
      proxy?.close();
      await server.dispose();
    }
  },
};

interface Joins {
  /** From the click to the first decoded frame, in milliseconds. */
  times: number[];
  /** From the click to each step. */
  steps: Map<string, number[]>;
}

function figures(room: string, joins: Joins, goals: { p50?: number; p95?: number } = {}): Figure[] {
  return [
    ...ofSamples({ what: `${room}: click to first decoded frame`, unit: 'ms', samples: joins.times, goals }),
    ...[...joins.steps].map(([step, times]) => ofValue(`${room}: ${step}`, 'ms', median(times))),
  ];
}

/** @param guestUrl the server’s address for the page that joins */
async function inRoomOf(size: number, browser: Browser, url: string, guestUrl = url): Promise<Joins> {
  const crowd = await Crowd.gather(browser, url, size - 1, Math.min(cameras, size - 1));
  const guest = await openClient(browser, guestUrl);
  try {
    await guest.page.evaluate(noteSteps);
    const joins: Joins = { times: [], steps: new Map(steps.map((step) => [step, []])) };
    for (let round = 0; round < rounds; round++) {
      await delay(keyFrameMs);
      const since = new Map(await joinOnce(guest, crowd.roomId));
      joins.times.push(since.get('first frame decoded') ?? NaN);
      for (const [step, times] of joins.steps) times.push(since.get(step) ?? NaN);
      process.stdout.write(
        `\r  ${size} people: join ${round + 1} of ${rounds}: ${joins.times.at(-1)?.toFixed(0)} ms   `,
      );
    }
    return joins;
  } finally {
    await guest.context.close();
    await crowd.close();
  }
}

/** Joins, waits for a frame, and leaves. @returns the time from the click to each step, in milliseconds */
function joinOnce({ page }: BrowserClient, roomId: string): Promise<[string, number][]> {
  return page.evaluate(
    async ({ id, camera }) => {
      const { conference } = window.parley;
      window.steps.clear();
      const shown = new Promise<number>((resolve) => {
        const stop = window.parley.on('media:track', ({ track, stream }) => {
          if (track.kind !== 'video') return;
          stop();
          const element = document.createElement('video');
          Object.assign(element, { muted: true, autoplay: true, playsInline: true, srcObject: stream });
          element.requestVideoFrameCallback(() => resolve(performance.now()));
          document.body.replaceChildren(element);
        });
      });
      const clicked = performance.now();
      const joining = conference.join({ roomId: id, video: camera });
      window.steps.set('first frame decoded', await shown);
      await joining;
      await conference.leave(id);
      return [...window.steps].map(([step, at]): [string, number] => [step, at - clicked]);
    },
    { id: roomId, camera: video },
  );
}
