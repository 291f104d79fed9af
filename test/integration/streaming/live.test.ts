import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LiveStream } from '../../../sdk/src/index.ts';
import { FfmpegPublisher } from '../../harness/clients/FfmpegPublisher.ts';
import { RawStreamClient } from '../../harness/clients/RawStreamClient.ts';
import { RtmpClient } from '../../harness/clients/RtmpClient.ts';
import { audioType, messageOf } from '../../harness/clients/rtmpMessages.ts';
import type { TestClient } from '../../harness/clients/TestClient.ts';
import { WhipWhepPeer } from '../../harness/clients/WhipWhepPeer.ts';
import { oneNode, type OneNode } from '../../harness/nodes/Harness.ts';
import { freePorts } from '../../harness/nodes/ports.ts';
import { until } from '../../harness/until.ts';
import { closeSockets } from '../support.ts';

/* A stream is live while packets of its publisher arrive, however it publishes. */

let node: OneNode;
let rtmpPort: number;

beforeAll(async () => {
  rtmpPort = await freePorts();
  // Longer than the time after which a publisher counts as silent.
  node = await oneNode({ RTMP_PORT: String(rtmpPort), STREAM_RECONNECT_SECONDS: '8' });
});
afterAll(async () => {
  closeSockets();
  await node?.close();
});

interface Publisher {
  pause(): void;
  resume(): void;
  close(): unknown;
}

interface Kind {
  publish(host: TestClient, stream: LiveStream): Promise<Publisher> | Publisher;
  /** Becomes the publisher, but sends no media. */
  publishNothing(host: TestClient, stream: LiveStream): Promise<Pick<Publisher, 'close'>>;
}

const kinds: Record<string, Kind> = {
  SDK: {
    publish: (host, { id }) => RawStreamClient.publish(node.url(), host, id),
    async publishNothing(host, { id }) {
      const device = await RawStreamClient.create(node.url(), host, id);
      await device.ask('streaming.start', { streamId: id });
      await device.join();
      for (const source of ['microphone', 'camera'] as const) await device.produce(source);
      return device;
    },
  },
  WHIP: {
    publish: (_host, { whipUrl, streamKey }) => WhipWhepPeer.publish(whipUrl, streamKey),
    publishNothing: (_host, { whipUrl, streamKey }) => WhipWhepPeer.publish(whipUrl, streamKey, true),
  },
  RTMP: {
    publish: (_host, { streamKey }) =>
      new FfmpegPublisher(`rtmp://127.0.0.1:${rtmpPort}/live/${streamKey}`, { size: '320x180', rate: 15 }),
    async publishNothing(_host, { streamKey }) {
      const client = new RtmpClient({ port: rtmpPort });
      await client.publish(streamKey);
      // The header of AAC, which is no media yet.
      client.write(messageOf(audioType, Buffer.from([0xaf, 0, 0x12, 0x10])));
      return client;
    },
  },
};

describe.concurrent('a stream', () => {
  it.each(Object.entries(kinds))('is live while packets arrive by %s', async (_name, kind) => {
    const [host, viewer] = [await node.client(), await node.client()];
    const stream = await host.parley.streaming.create({ title: 'x' });
    expect(await (await fetch(`${node.url()}/hls/${stream.id}/index.m3u8`)).json()).toMatchObject({
      error: 'not_found',
      message: expect.stringContaining('has not begun') as string,
    });
    await viewer.parley.streaming.watch(stream.id);
    let count = 0;
    /** Waits for the next change, to this state. */
    const becomes = async (isSending: boolean) => {
      const next = await until(
        () => viewer.seen('stream:updated')[count],
        `the stream ${isSending ? 'is live' : 'waits'}`,
      );
      count++;
      expect(next).toMatchObject({ status: 'live', isSending });
    };
    const publisher = await kind.publish(host, stream);
    await becomes(true);
    publisher.pause();
    await becomes(false);
    publisher.resume();
    await becomes(true);
    const silent = await kind.publishNothing(host, stream);
    await becomes(false);
    // It never counts as live again, so the stream ends.
    await viewer.event('stream:ended', ({ endReason }) => endReason === 'gone', 40_000);
    await silent.close();
    await publisher.close();
  });
});
