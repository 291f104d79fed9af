import { EventEmitter } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import type { types } from 'mediasoup';
import { expect, it, onTestFinished, vi } from 'vitest';
import { preferLayer, WholeFrames } from './WholeFrames.ts';

/* Fakes of mediasoup’s objects, because the order of a worker’s answers and its death matter. */

/** A consumer of a camera with three layers of two frame rates. Its worker answers when the test lets it. */
function fakeConsumer() {
  const answers: (() => void)[] = [];
  const requested: number[] = [];
  const consumer = Object.assign(new EventEmitter(), {
    type: 'simulcast',
    closed: false,
    paused: false,
    appData: {},
    observer: new EventEmitter(),
    currentLayers: { spatialLayer: 2, temporalLayer: 0 },
    preferredLayers: { spatialLayer: 2 },
    rtpParameters: { encodings: [{ scalabilityMode: 'L3T2' }] },
    setPreferredLayers: async ({ spatialLayer }: { spatialLayer: number }) => {
      requested.push(spatialLayer);
      await new Promise<void>((resolve) => answers.push(resolve));
      consumer.preferredLayers = { spatialLayer };
    },
  });
  const answer = async () => {
    for (const each of answers.splice(0)) each();
    await turn();
  };
  return { consumer: consumer as unknown as types.Consumer & EventEmitter, requested, answer };
}

it('requests the layer that was wanted last, also if it is that of the latest answer', async () => {
  const { consumer, requested, answer } = fakeConsumer();
  const changes = [preferLayer(consumer, 0), preferLayer(consumer, 2)];
  await answer();
  await Promise.all(changes);
  expect(requested).toEqual([0, 2]);
  expect(consumer.preferredLayers?.spatialLayer).toBe(2);
  await preferLayer(consumer, 2);
  expect(requested).toEqual([0, 2]);
});

it('does not end the server if the worker dies while a thin layer is examined', async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);
  process.on('unhandledRejection', note);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => {
    vi.useRealTimers();
    process.off('unhandledRejection', note);
  });
  const transport = { closed: false, observer: new EventEmitter() };
  let asked = 0;
  const producer = {
    closed: false,
    getStats: () => {
      asked += 1;
      transport.closed = true;
      return Promise.reject(new Error('The worker is closed.'));
    },
  };
  const { consumer } = fakeConsumer();
  new WholeFrames(transport as unknown as types.WebRtcTransport).add(
    consumer,
    producer as unknown as types.Producer,
  );
  consumer.emit('layerschange');
  vi.advanceTimersByTime(1_000);
  await turn();
  expect(asked).toBe(1);
  expect(unhandled).toEqual([]);
});
