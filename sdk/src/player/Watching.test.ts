import { expect, it, onTestFinished, vi } from 'vitest';
import { ParleyError } from '../../protocol/errors.ts';
import type { LiveStream } from '../types.ts';
import type { PlayerClient } from './playerTypes.ts';
import { Watching } from './Watching.ts';

const stream = {
  id: 'stream_1',
  status: 'live',
  isSending: true,
  playbackUrl: 'https://calls.example.org/hls/stream_1/index.m3u8',
} as LiveStream;

/** A <video> that plays HLS by itself. `fail` is what a browser reports when it cannot read the playlist. */
function videoElement() {
  const failed = new Set<() => void>();
  const element = {
    src: '',
    addEventListener: (name: string, handler: () => void) => void (name === 'error' && failed.add(handler)),
    removeEventListener: (_name: string, handler: () => void) => void failed.delete(handler),
    removeAttribute: () => void (element.src = ''),
    load: () => undefined,
  };
  const fail = () => [...failed].forEach((handler) => handler());
  return { element: element as unknown as HTMLVideoElement, fail };
}

/** A player without RTCPeerConnection, which plays by HLS. */
async function playing() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const network = { isReachable: true };
  let tokens = 0;
  const client = {
    state: 'connected',
    on: () => () => undefined,
    guest: () => Promise.resolve(null),
    streaming: {
      get: () => Promise.resolve(stream),
      watch: () => Promise.resolve(stream),
      unwatch: () => Promise.resolve(),
      getViewerToken: () =>
        network.isReachable
          ? Promise.resolve({ token: `vt_${++tokens}`, expiresAt: new Date() })
          : Promise.reject(new ParleyError('NETWORK_ERROR', 'The server did not answer.')),
    },
  };
  const { element, fail } = videoElement();
  const watching = new Watching({
    client: client as unknown as PlayerClient,
    streamId: stream.id,
    baseUrl: 'https://calls.example.org',
    element,
  });
  onTestFinished(() => watching.stop());
  await watching.retry();
  const plays = (token: string) => vi.waitUntil(() => element.src.endsWith(token));
  await plays('vt_1');
  return { watching, network, fail, plays };
}

it('plays HLS again after an outage in which it could get no token', async () => {
  const { watching, network, fail, plays } = await playing();
  await vi.advanceTimersByTimeAsync(5_000);
  network.isReachable = false;
  fail();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(watching.state.get()).toMatchObject({ phase: 'open', isStuck: true });
  network.isReachable = true;
  await vi.advanceTimersByTimeAsync(3_000);
  await plays('vt_2');
});

it('plays HLS again when a playlist fails at once, and then again', async () => {
  const { fail, plays } = await playing();
  for (const token of ['vt_2', 'vt_3']) {
    fail();
    await vi.advanceTimersByTimeAsync(4_000);
    await plays(token);
  }
});

it('goes on when a listener of the app throws, and reports the error as uncaught', async () => {
  const before = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  try {
    const reported = new Promise((resolve) => process.once('uncaughtException', resolve));
    const client = {
      on: () => () => undefined,
      streaming: { get: () => Promise.resolve({ ...stream, status: 'ended' }) },
    };
    let isFirst = true;
    const watching = new Watching({
      client: client as unknown as PlayerClient,
      streamId: stream.id,
      baseUrl: 'https://calls.example.org',
      onState: () => {
        if (!isFirst) return;
        isFirst = false;
        throw new Error('mine');
      },
    });
    onTestFinished(() => watching.stop());
    await watching.retry();
    expect(watching.state.get().phase).toBe('ended');
    expect(await reported).toMatchObject({ message: 'mine' });
  } finally {
    for (const listener of before) process.on('uncaughtException', listener);
  }
});
