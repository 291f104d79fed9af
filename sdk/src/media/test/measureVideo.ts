import type { Device } from 'mediasoup-client';
import type { Consumer, Transport } from 'mediasoup-client/types';
import type { IceServers, WireTransport } from '../../../protocol/media.ts';
import type { ResponseOf } from '../../../protocol/wire.ts';
import type { Connection } from '../../connection/Connection.ts';
import { pathIn } from '../mediaPath.ts';
import type { MediaTestFigures } from './mediaTestTypes.ts';

type OpenTest = ResponseOf<'mediaTest.open'>;
type Stats = (RTCStats & Record<string, unknown>)[];

const maxBitrate = 2_500_000;
/** The time in which browsers find out how much the network takes. */
const rampMs = 2_500;
const measuredMs = 2_500;
const connectLimitMs = 8_000;

/**
 * Sends a video to this device itself through the server, and measures it for some seconds.
 * @returns null if no media reaches the server, or if this runtime cannot make a video
 */
export async function measureVideo(
  device: Device,
  connection: Connection,
  test: OpenTest,
): Promise<MediaTestFigures | null> {
  const picture = noise();
  if (!picture) return null;
  const { testId, iceServers } = test;
  const sending = device.createSendTransport(toClient(test.sendTransport, iceServers));
  const receiving = device.createRecvTransport(toClient(test.recvTransport, iceServers));
  let arrived: Promise<Consumer> | undefined;
  for (const transport of [sending, receiving])
    transport.on('connect', ({ dtlsParameters }, done, fail) => {
      const request = { testId, transportId: transport.id, dtlsParameters: dtlsParameters as never };
      connection.request('mediaTest.connect', request).then(done, fail);
    });
  sending.on('produce', ({ rtpParameters }, done, fail) => {
    connection
      .request('mediaTest.produce', { testId, rtpParameters: rtpParameters as never })
      .then(({ producerId, consumer }) => {
        const { id, kind } = consumer;
        arrived = receiving.consume({ id, producerId, kind, rtpParameters: consumer.rtpParameters as never });
        done({ id: producerId });
      }, fail);
  });
  try {
    const connected = whenConnected(sending);
    await sending.produce({
      track: picture.track,
      encodings: [{ maxBitrate }],
      codecOptions: { videoGoogleStartBitrate: 1_000 },
    });
    const consumer = await arrived;
    if (!consumer || !(await connected)) return null;
    await connection.request('mediaTest.receive', { testId, consumerId: consumer.id });
    await pause(rampMs);
    const before = await readBoth(sending, consumer);
    await pause(measuredMs);
    return figuresOf(before, await readBoth(sending, consumer));
  } finally {
    sending.close();
    receiving.close();
    picture.stop();
  }
}

interface Both {
  at: number;
  sent: Stats;
  received: Stats;
}

async function readBoth(sending: Transport, consumer: Consumer): Promise<Both> {
  const [sent, received] = await Promise.all([sending.getStats(), consumer.getStats()]);
  return { at: Date.now(), sent: [...sent.values()] as Stats, received: [...received.values()] as Stats };
}

function figuresOf(before: Both, after: Both): MediaTestFigures {
  const seconds = (after.at - before.at) / 1_000;
  const inbound = (both: Both) => figure(both.received, 'inbound-rtp');
  const kbit = (from: unknown, to: unknown) =>
    Math.round(((Number(to ?? 0) - Number(from ?? 0)) * 8) / 1_000 / seconds);
  const [first, last] = [inbound(before), inbound(after)];
  const received = Number(last['packetsReceived'] ?? 0) - Number(first['packetsReceived'] ?? 0);
  const lostBack = Math.max(0, Number(last['packetsLost'] ?? 0) - Number(first['packetsLost'] ?? 0));
  // What the server reports about the way there.
  const remote = figure(after.sent, 'remote-inbound-rtp');
  const lostThere = Number(remote['fractionLost'] ?? 0);
  const pair = after.sent.find(({ type, nominated }) => type === 'candidate-pair' && nominated === true);
  const roundTrip = pair?.['currentRoundTripTime'] ?? remote['roundTripTime'];
  return {
    path: pathIn(after.sent),
    uploadKbit: Math.round(
      kbit(
        figure(before.sent, 'outbound-rtp')['bytesSent'],
        figure(after.sent, 'outbound-rtp')['bytesSent'],
      ) *
        (1 - lostThere),
    ),
    downloadKbit: kbit(first['bytesReceived'], last['bytesReceived']),
    roundTripMs: typeof roundTrip === 'number' ? Math.round(roundTrip * 1_000) : null,
    lost: 1 - (1 - lostThere) * (received / Math.max(1, received + lostBack)),
  };
}

const figure = (stats: Stats, type: string): Record<string, unknown> =>
  stats.find((entry) => entry.type === type) ?? {};

function whenConnected(transport: Transport): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), connectLimitMs);
    transport.on('connectionstatechange', (state) => {
      if (state !== 'connected' && state !== 'failed') return;
      clearTimeout(timer);
      resolve(state === 'connected');
    });
  });
}

/** A video that is hard to compress, so that it fills the network. Null in a runtime that has no canvas. */
function noise(): { track: MediaStreamTrack; stop: () => void } | null {
  const canvas = typeof document === 'undefined' ? null : document.createElement('canvas');
  const context = canvas?.getContext('2d');
  if (!canvas || !context || !('captureStream' in canvas)) return null;
  [canvas.width, canvas.height] = [640, 360];
  const picture = context.createImageData(canvas.width, canvas.height);
  const pixels = new Uint32Array(picture.data.buffer);
  const draw = () => {
    for (let at = 0; at < pixels.length; at++) pixels[at] = (Math.random() * 0xffffff) | 0xff000000;
    context.putImageData(picture, 0, 0);
  };
  draw();
  const timer = setInterval(draw, 50);
  const [track] = canvas.captureStream(20).getVideoTracks();
  if (!track) return null;
  const stop = () => {
    clearInterval(timer);
    track.stop();
  };
  return { track, stop };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const toClient = (transport: WireTransport, iceServers: IceServers) =>
  ({ ...transport, iceServers }) as never;
