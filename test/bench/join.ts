import { setTimeout as delay } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { launchChromium, openClient, smallVideo, type BrowserClient } from '../harness/browser/browser.ts';
import { inFront } from '../harness/nodes/NetworkProxy.ts';
import { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { DelayProxy } from './DelayProxy.ts';
import { percentile } from './figures.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 100);
/** Half of the added round-trip time. Requests and answers are delayed, and media is not. */
const delayMs = 25;
/** A publisher of a room sends at most one key frame in this time for those who join. */
const keyFrameMs = 1_100;
/** A clone in which an earlier release was built, to measure it in the same run. */
const previousRelease = process.env.PREVIOUS_RELEASE;

const settings = {
  LOG_LEVEL: 'warn',
  RATE_LIMIT_REALTIME: '1000000',
  RATE_LIMIT_JOINS: '100000',
  RATE_LIMIT_CHANGES: '100000',
};

/** Measures how long a browser takes from `conference.join()` to the first decoded frame of another participant. */
export async function benchJoin(): Promise<boolean> {
  const browser = await launchChromium();
  const releases = [
    ...(previousRelease ? [await Release.open('previous', browser, previousRelease)] : []),
    await Release.open('this', browser),
  ];
  try {
    for (let round = 0; round < rounds; round++) {
      await delay(keyFrameMs);
      for (const release of releases) await release.join();
      process.stdout.write(`\r  round ${round + 1} of ${rounds}`);
    }
    process.stdout.write('\n');
    for (const release of releases) release.report();
    return true;
  } finally {
    await browser.close();
    for (const release of releases) await release.close();
  }
}

/** A server of one release, with a participant who sends video, and one who joins again and again. */
class Release {
  readonly #name: string;
  readonly #server: ServerProcess;
  readonly #proxy: DelayProxy;
  readonly #guest: BrowserClient;
  readonly #roomId: string;
  readonly #times: number[] = [];

  static async open(name: string, browser: Browser, folder?: string): Promise<Release> {
    const server = await ServerProcess.reserve(
      ({ port }) => ({ ...settings, PUBLIC_URL: `http://${inFront}:${port}` }),
      [],
      folder,
    );
    await server.start();
    const { port } = server.ports;
    const proxy = await DelayProxy.open(inFront, port, '127.0.0.1', delayMs);
    const url = `http://${inFront}:${port}`;
    const [host, guest] = [await openClient(browser, url), await openClient(browser, url)];
    const roomId = await host.page.evaluate(async (video) => {
      const { id } = await window.parley.conference.create({ name: 'Room', maxParticipants: 10 });
      await window.parley.conference.join({ roomId: id, video });
      return id;
    }, smallVideo);
    return new Release({ name, server, proxy, guest, roomId });
  }

  private constructor(made: {
    name: string;
    server: ServerProcess;
    proxy: DelayProxy;
    guest: BrowserClient;
    roomId: string;
  }) {
    this.#name = made.name;
    this.#server = made.server;
    this.#proxy = made.proxy;
    this.#guest = made.guest;
    this.#roomId = made.roomId;
  }

  async join(): Promise<void> {
    const time = await this.#guest.page.evaluate(
      async ({ roomId, video }) => {
        const { conference } = window.parley;
        const firstFrame = new Promise<number>((resolve) => {
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
        const joining = conference.join({ roomId, video });
        const shown = await firstFrame;
        await joining;
        await conference.leave(roomId);
        return shown - clicked;
      },
      { roomId: this.#roomId, video: smallVideo },
    );
    this.#times.push(time);
  }

  report(): void {
    const [p50, p95] = [percentile(this.#times, 0.5), percentile(this.#times, 0.95)];
    const figures = `p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms, n ${this.#times.length}`;
    console.log(`${this.#name} release: conference.join() to first decoded frame: ${figures}`);
  }

  async close(): Promise<void> {
    this.#proxy.close();
    await this.#server.dispose();
  }
}
