import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { launchChromium, openClient, smallVideo, type BrowserClient } from '../../harness/browser/browser.ts';
import { inFront } from '../../harness/nodes/NetworkProxy.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { DelayProxy } from '../DelayProxy.ts';
import { ofSamples, type Figure } from '../report/Figure.ts';
import type { Bench } from '../report/Report.ts';
import { BareCrowd } from './BareCrowd.ts';
import { Crowd } from './Crowd.ts';
import { noteSteps, steps } from './steps.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 60);
const people = Number(process.env.BENCH_PEOPLE ?? 100);
const cameras = 4;
const video = { ...smallVideo, frameRate: 30 };
const constraints = {
  audio: true,
  video: {
    width: { ideal: video.width },
    height: { ideal: video.height },
    frameRate: { ideal: video.frameRate },
  },
};
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
    'Nothing is added to the time of the network, except in the lines that say so. The steps are times since the click. ' +
    'The baseline, measured after Parley, is the same room with pages of bare mediasoup-client on a server of bare mediasoup and Socket.IO, without sign-in, rules and database.',
  profile:
    'The baseline shows what the browser and the machine take. Its page asks for no identity, rules or database, has its camera before it asks the server for anything, and yet takes about as long: it asks for each transport and each consumer, while one answer of Parley has all participants, transports and consumers. Chromium encodes and decodes four cameras on the two cores, on which 100 people, the server and the workers run too; server and workers take a third of one core (by /proc). Parley’s page opens the camera after the server has admitted it, because a viewer sends none, but does not wait for it to receive. An earlier commit took 256 ms with 100 people and 160 ms with four on an AMD EPYC.',
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
      const bareMany = await inBareRoomOf(people, browser);
      const few = await inRoomOf(cameras, browser, server.url);
      const bareFew = await inBareRoomOf(cameras, browser);
      const delayed = await inRoomOf(cameras, browser, server.url, `http://${inFront}:${port}`);
      return [
        ...figures(`${people} people`, many, bareMany, { p50: 250, p95: 500 }),
        ...figures(`${cameras} people`, few, bareFew),
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

function figures(
  room: string,
  joins: Joins,
  bare: Joins,
  goals: { p50?: number; p95?: number } = {},
): Figure[] {
  return [
    ...ofSamples({
      what: `${room}: click to first decoded frame`,
      unit: 'ms',
      samples: joins.times,
      goals,
      baseline: { name: 'bare', samples: bare.times },
    }),
    ...[...joins.steps].flatMap(([step, samples]) => {
      const baseline = { name: 'bare', samples: bare.steps.get(step) ?? [] };
      return ofSamples({ what: `${room}: ${step}`, unit: 'ms', samples, baseline }).slice(0, 1);
    }),
  ];
}

/** @param guestUrl the server’s address for the page that joins */
async function inRoomOf(size: number, browser: Browser, url: string, guestUrl = url): Promise<Joins> {
  const crowd = await Crowd.gather(browser, url, size - 1, Math.min(cameras, size - 1));
  const guest = await openClient(browser, guestUrl);
  try {
    await guest.page.evaluate(noteSteps);
    return await joinOften(`${size} people`, () => joinOnce(guest, crowd.roomId));
  } finally {
    await guest.context.close();
    await crowd.close();
  }
}

async function inBareRoomOf(size: number, browser: Browser): Promise<Joins> {
  const crowd = await BareCrowd.gather(browser, size - 1, Math.min(cameras, size - 1), constraints);
  try {
    await crowd.guest.evaluate(noteSteps);
    return await joinOften(`${size} people, bare`, () => joinBare(crowd.guest));
  } finally {
    await crowd.close();
  }
}

/** @param joinOnce returns the time from the click to each step, in milliseconds */
async function joinOften(what: string, joinOnce: () => Promise<[string, number][]>): Promise<Joins> {
  const joins: Joins = { times: [], steps: new Map(steps.map((step) => [step, []])) };
  for (let round = 0; round < rounds; round++) {
    await delay(keyFrameMs);
    const since = new Map(await joinOnce());
    joins.times.push(since.get('first frame decoded') ?? NaN);
    for (const [step, times] of joins.steps) times.push(since.get(step) ?? NaN);
    process.stdout.write(
      `\r  ${what}: join ${round + 1} of ${rounds}: ${joins.times.at(-1)?.toFixed(0)} ms   `,
    );
  }
  return joins;
}

/** As joinOnce(), with the page of the baseline. */
function joinBare(page: Page): Promise<[string, number][]> {
  return page.evaluate(async (wanted) => {
    window.steps.clear();
    const shown = new Promise<number>((resolve) => {
      window.showFirstFrame = (track) => {
        window.showFirstFrame = () => undefined;
        const element = document.createElement('video');
        const srcObject = new MediaStream([track]);
        Object.assign(element, { muted: true, autoplay: true, playsInline: true, srcObject });
        element.requestVideoFrameCallback(() => resolve(performance.now()));
        document.body.replaceChildren(element);
      };
    });
    const clicked = performance.now();
    const joining = window.join(wanted);
    window.steps.set('first frame decoded', await shown);
    await joining;
    await window.leave();
    return [...window.steps].map(([step, at]): [string, number] => [step, at - clicked]);
  }, constraints);
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
