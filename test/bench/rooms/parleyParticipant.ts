import { setTimeout as delay } from 'node:timers/promises';
import type { Socket } from 'socket.io-client';
import type { RtpCapabilities, WireConsumer } from '../../../sdk/protocol/media.ts';
import { protocolVersion } from '../../../sdk/protocol/version.ts';
import type { RequestName, RequestOf, ResponseOf } from '../../../sdk/protocol/wire.ts';
import { until } from '../../harness/until.ts';
import { send, signIn, socket as socketTo } from '../../integration/support.ts';
import { decodable, type Offered, type BenchParticipant } from './BenchParticipant.ts';
import { receivedFrom, layers, type LayerShape, type Shape } from './shapes.ts';

/** Connects participants to a new room, each a device of a different wallet. */
export async function parleyParticipants(url: string, shape: Shape): Promise<BenchParticipant[]> {
  const host = await device(url);
  const { id } = await ask(host.socket, 'conference.create', {
    name: 'Bench',
    maxParticipants: shape.people,
  });
  const others = await Promise.all(Array.from({ length: shape.people - 1 }, () => device(url)));
  return [host, ...others].map((each) =>
    parleyParticipant(each, {
      room: { scope: 'conference', id },
      enter: () => ask(each.socket, 'conference.join', { roomId: id }),
      // This is a minimum: participants who joined while the room was small may have been offered more audio.
      offers: { videos: shape.people - 1, audios: receivedFrom(shape) - 1 },
      layers,
    }),
  );
}

export interface Device {
  socket: Socket;
  rtpCapabilities: RtpCapabilities;
}

interface ParticipantOptions {
  room: { scope: 'conference' | 'stream'; id: string };
  /** Joins the room or stream itself. Called before the participant joins its media. */
  enter: () => Promise<unknown>;
  /** The minimum number of consumers that the participant is offered. */
  offers: { videos: number; audios: number };
  /** The layers of its camera. */
  layers: readonly LayerShape[];
  /** Which of the videos it shows, by their order in the list of offers. @default all */
  isShown?: (index: number) => boolean;
}

/** Connects a device of a new wallet. */
export async function device(url: string): Promise<Device> {
  const { token } = await signIn(url);
  const connection = socketTo(url, { token, protocolVersion });
  return new Promise((resolve, reject) => {
    connection.once('connect_error', reject);
    connection.once('session:welcome', (welcome: { rtpCapabilities: RtpCapabilities }) =>
      resolve({ socket: connection, rtpCapabilities: decodable(welcome.rtpCapabilities) }),
    );
  });
}

export function parleyParticipant(
  { socket, rtpCapabilities }: Device,
  { room, enter, offers, layers: offeredLayers, isShown = () => true }: ParticipantOptions,
): BenchParticipant {
  const offered: Offered[] = [];
  let isReceiving = false;
  const take = (consumerIds: string[]) =>
    askUntilTaken(socket, 'media.resumeConsumers', { ...room, consumerIds });
  socket.on('media:consumer', ({ consumer }: { consumer: WireConsumer }) => {
    offered.push(consumer);
    // Consumers that are offered later are microphones of new active speakers, which are now forwarded.
    if (isReceiving) void take([consumer.id]);
  });
  return {
    async join() {
      await enter();
      const { consumers, ...transports } = await ask(socket, 'media.join', { ...room, rtpCapabilities });
      offered.push(...consumers);
      return transports;
    },
    async connect(transportId, { dtlsParameters }) {
      await askUntilTaken(socket, 'media.connectTransport', { ...room, transportId, dtlsParameters });
    },
    async produce(kind, rtpParameters) {
      const source = kind === 'audio' ? 'microphone' : 'camera';
      const { width, height } = offeredLayers.at(-1) ?? layers[2];
      await askUntilTaken(socket, 'media.produce', {
        ...room,
        source,
        rtpParameters,
        size: { width, height },
      });
    },
    async receive(layer) {
      const of = (kind: Offered['kind']) => offered.filter((each) => each.kind === kind);
      const hasAll = () => of('video').length >= offers.videos && of('audio').length >= offers.audios;
      await until(hasAll, 'all offers');
      const { width, height } = offeredLayers[layer] ?? layers[0];
      const views = of('video').map(({ id: consumerId }, index) => ({
        consumerId,
        isVisible: isShown(index),
        width,
        height,
      }));
      await askUntilTaken(socket, 'media.view', { ...room, views });
      isReceiving = true;
      await take(offered.map((each) => each.id));
    },
    close: () => socket.disconnect(),
  };
}

/** How long a participant goes on to ask a server that is too busy. */
const giveUpMs = 150_000;
/** How often participants were asked to try again. */
let repeats = 0;
export const countRepeats = (): number => repeats;

/** Asks, and asks again while the server is too busy, as the SDK does in a room. */
export async function askUntilTaken<Name extends RequestName>(
  socket: Socket,
  name: Name,
  payload: RequestOf<Name> | object,
): Promise<ResponseOf<Name>> {
  const giveUpAt = performance.now() + giveUpMs;
  for (;;) {
    const answer = await send(socket, name, payload);
    if (answer.ok) return answer.data as ResponseOf<Name>;
    const { code, retryAfter } = answer.error;
    if (code !== 'SERVICE_UNAVAILABLE' || !retryAfter || performance.now() > giveUpAt)
      throw new Error(`${name}: ${JSON.stringify(answer.error)}`);
    repeats++;
    await delay(retryAfter * 1_000);
  }
}

export async function ask<Name extends RequestName>(
  socket: Socket,
  name: Name,
  payload: RequestOf<Name> | object,
): Promise<ResponseOf<Name>> {
  const answer = await send(socket, name, payload);
  if (!answer.ok) throw new Error(`${name}: ${JSON.stringify(answer.error)}`);
  return answer.data as ResponseOf<Name>;
}
