import { createWorker } from 'mediasoup';
import { expect, it, onTestFinished } from 'vitest';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { mutateLines, Random } from '../../test/fuzz/mutate.ts';
import { mediaCodecs } from '../router/codecs.ts';
import { workerBinary } from '../worker/workerBinary.mjs';
import { publishingOf, type Publishing } from './publishing.ts';
import { parseOffer } from './SdpOffer.ts';
import * as offers from '../../test/harness/media/sdp/offers.ts';

const publishers = [
  ...[offers.chromiumPublishing, offers.obsPublishing, offers.obsSimulcast, offers.gstreamerPublishing],
  ...['VP8', 'VP9'].map((codec) => offers.obsSimulcast.replaceAll('H264', codec)),
];

it('accepts only offers that mediasoup accepts, so that no publisher is replaced by one that fails', async () => {
  const worker = await createWorker({ workerBin: workerBinary() });
  onTestFinished(() => worker.close());
  const router = await worker.createRouter({ mediaCodecs: structuredClone(mediaCodecs) });
  let accepted = 0;
  for (let seed = 1; seed <= 2_000; seed++) {
    const random = new Random(seed);
    const producers = publishedBy(mutateLines(random, random.pick(publishers)));
    if (!producers) continue;
    const transport = await router.createWebRtcTransport({
      listenInfos: [{ protocol: 'udp', ip: '127.0.0.1' }],
    });
    for (const { source, rtpParameters } of producers) {
      const kind = source === 'microphone' ? 'audio' : 'video';
      await transport.produce({ kind, rtpParameters: rtpParameters as never }).catch((cause: unknown) => {
        throw new Error(`seed ${seed}`, { cause });
      });
    }
    transport.close();
    accepted++;
  }
  expect(accepted).toBeGreaterThan(500);
});

/** @returns null for a rejected offer */
function publishedBy(text: string): Publishing['producers'] | null {
  try {
    return publishingOf(parseOffer(text)).producers;
  } catch (error) {
    if (error instanceof ParleyError) return null;
    throw error;
  }
}
