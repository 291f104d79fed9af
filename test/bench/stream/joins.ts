import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import type { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { watchIn } from '../../harness/browser/rtcPages.ts';
import { percentile } from '../figures.ts';
import { machineLoad } from '../machineLoad.ts';
import { Studio } from './Studio.ts';

const rounds = Number(process.env.BENCH_JOINS ?? 15);
/**
 * The pause between two joins. It is longer than the minimum interval of the key frames that joining viewers request, and has a random part
 * so that it is not in step with that interval.
 */
const [pauseMs, pauseSpreadMs] = [1_200, 800];
const limitMs = 20_000;

/**
 * Measures the time from the request to watch to the first decoded frame, with the SDK and with WHEP in turns, in pages that are already
 * open. One more viewer of each kind watches all the time, because the first viewer of a kind must wait until its router is created.
 */
export async function benchJoins(server: ServerProcess): Promise<boolean> {
  const studio = await Studio.open(server.url);
  const waits: Record<string, number[]> = { SDK: [], WHEP: [] };
  try {
    const [{ page: client }, player] = [await studio.client(), await studio.page()];
    const { id, whepUrl } = studio.stream;
    const { page: viewers } = await studio.client();
    await viewers.evaluate((streamId) => window.parley.streaming.watch(streamId), id);
    await watchIn(await studio.page(), { url: whepUrl });
    for (let round = 0; round < rounds; round++) {
      await delay(pauseMs + Math.random() * pauseSpreadMs);
      waits.SDK?.push(await watchBySdk(client, id));
      await delay(pauseMs + Math.random() * pauseSpreadMs);
      waits.WHEP?.push(await watchByWhep(player, whepUrl));
      process.stdout.write(`\r  joins: ${round + 1} of ${rounds}`);
    }
    console.log('\njoin to first decoded frame');
    let isAll = true;
    for (const [name, all] of Object.entries(waits)) {
      const shown = all.filter(Number.isFinite);
      isAll = isAll && shown.length === all.length;
      console.log(
        `  ${name.padEnd(5)} p50 ${percentile(shown, 0.5).toFixed(0).padStart(6)} ms   p95 ${percentile(shown, 0.95).toFixed(0).padStart(6)} ms   ` +
          `n ${shown.length}${shown.length < all.length ? `, and ${all.length - shown.length} without video   NOT MET` : ''}`,
      );
    }
    console.log(`  ${machineLoad()}`);
    return isAll;
  } finally {
    await studio.close();
  }
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
