import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { watchIn } from '../../harness/browser/rtcPages.ts';
import { ofSamples, ofValue } from '../report/Figure.ts';
import type { Bench } from '../report/Report.ts';
import { streamSettings } from './settings.ts';
import { Studio } from './Studio.ts';

const rounds = Number(process.env.BENCH_JOINS ?? 40);
/**
 * The pause between two joins. It is longer than the minimum interval of the key frames that joining viewers request, and has a random part
 * so that it is not in step with that interval.
 */
const [pauseMs, pauseSpreadMs] = [1_200, 800];
const limitMs = 20_000;

/** Measures the time from the request to watch to the first decoded frame. */
export const streamJoin: Bench = {
  title: 'Joining a stream',
  about:
    'The time from the request to watch until the first decoded frame in Chromium, with the SDK and with WHEP in turns, in pages that are already open. ' +
    'One more viewer of each kind watches all the time, because the first viewer of a kind waits until its router is created.',
  async run() {
    const server = await ServerProcess.start(streamSettings);
    try {
      const studio = await Studio.open(server.url);
      try {
        const { sdk, whep } = await waitsOf(studio);
        const failed = [...sdk, ...whep].filter((wait) => !Number.isFinite(wait)).length;
        return [
          ...ofSamples({
            what: 'first frame with the SDK',
            unit: 'ms',
            samples: sdk,
            goals: { p50: 250, p95: 500 },
          }),
          ...ofSamples({ what: 'first frame with WHEP', unit: 'ms', samples: whep }),
          ofValue('joins without video', '', failed, { atMost: 0 }),
        ];
      } finally {
        await studio.close();
      }
    } finally {
      await server.dispose();
    }
  },
};

async function waitsOf(studio: Studio): Promise<Record<'sdk' | 'whep', number[]>> {
  const [{ page: client }, player] = [await studio.client(), await studio.page()];
  const { id, whepUrl } = studio.stream;
  const { page: viewers } = await studio.client();
  await viewers.evaluate((streamId) => window.parley.streaming.watch(streamId), id);
  await watchIn(await studio.page(), { url: whepUrl });
  const waits = { sdk: [] as number[], whep: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    await delay(pauseMs + Math.random() * pauseSpreadMs);
    waits.sdk.push(await watchBySdk(client, id));
    await delay(pauseMs + Math.random() * pauseSpreadMs);
    waits.whep.push(await watchByWhep(player, whepUrl));
    process.stdout.write(`\r  join ${round + 1} of ${rounds}`);
  }
  return waits;
}

/** @returns milliseconds; Infinity if no frame arrives in time */
function watchBySdk(page: Page, streamId: string): Promise<number> {
  return page.evaluate(
    async ({ id, limit }) => {
      const startedAt = performance.now();
      const video = document.createElement('video');
      const shown = new Promise<number>((resolve) => {
        video.requestVideoFrameCallback(() => resolve(performance.now() - startedAt));
        setTimeout(() => resolve(Infinity), limit);
      });
      const stop = window.parley.on('media:track', ({ track }) => {
        if (track.kind !== 'video') return;
        Object.assign(video, { muted: true, autoplay: true, srcObject: new MediaStream([track]) });
        document.body.append(video);
      });
      await window.parley.streaming.watch(id);
      const waited = await shown;
      stop();
      video.remove();
      await window.parley.streaming.unwatch(id);
      return waited;
    },
    { id: streamId, limit: limitMs },
  );
}

function watchByWhep(page: Page, whepUrl: string): Promise<number> {
  return page.evaluate(
    async ({ url, limit }) => {
      const startedAt = performance.now();
      const connection = new RTCPeerConnection();
      connection.addTransceiver('audio', { direction: 'recvonly' });
      connection.addTransceiver('video', { direction: 'recvonly' });
      const video = document.createElement('video');
      const shown = new Promise<number>((resolve) => {
        video.requestVideoFrameCallback(() => resolve(performance.now() - startedAt));
        setTimeout(() => resolve(Infinity), limit);
      });
      connection.ontrack = ({ track }) => {
        if (track.kind !== 'video') return;
        Object.assign(video, { muted: true, autoplay: true, srcObject: new MediaStream([track]) });
        document.body.append(video);
      };
      await connection.setLocalDescription();
      const headers = { 'Content-Type': 'application/sdp' };
      const body = connection.localDescription?.sdp ?? '';
      const response = await fetch(url, { method: 'POST', headers, body });
      await connection.setRemoteDescription({ type: 'answer', sdp: await response.text() });
      const waited = await shown;
      video.remove();
      connection.close();
      await fetch(new URL(response.headers.get('Location') ?? '', url), { method: 'DELETE' });
      return waited;
    },
    { url: whepUrl, limit: limitMs },
  );
}
