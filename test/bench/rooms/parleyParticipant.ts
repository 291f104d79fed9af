import type { Socket } from 'socket.io-client';
import type { RtpCapabilities, WireConsumer } from '../../../sdk/protocol/media.ts';
import { protocolVersion } from '../../../sdk/protocol/version.ts';
import type { RequestName, RequestOf, ResponseOf } from '../../../sdk/protocol/wire.ts';
import { until } from '../../harness/until.ts';
import { send, signIn, socket as socketTo } from '../../integration/support.ts';
import { decodable, type Offered, type BenchParticipant } from './BenchParticipant.ts';
import { receivedFrom, layers, type LayerShape, type Shape } from './shapes.ts';

/** One wallet's device each, in a room of their own. */
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
      // Who came before the room was large has been offered more sound than it is to hear now.
      offers: { pictures: shape.people - 1, sounds: receivedFrom(shape) - 1 },
      layers,
    }),
  );
}

export interface Device {
  socket: Socket;
  rtpCapabilities: RtpCapabilities;
}

interface Place {
  room: { scope: 'conference' | 'stream'; id: string };
  /** Goes in, before there is media. */
  enter: () => Promise<unknown>;
  /** What it is offered, at least. */
  offers: { pictures: number; sounds: number };
  /** Of pictures. */
  layers: readonly LayerShape[];
}

/** A wallet's. */
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
  { room, enter, offers, layers: offeredLayers }: Place,
): BenchParticipant {
  const offered: Offered[] = [];
  let isReceiving = false;
  const take = (consumerIds: string[]) => ask(socket, 'media.resumeConsumers', { ...room, consumerIds });
  socket.on('media:consumer', ({ consumer }: { consumer: WireConsumer }) => {
    offered.push(consumer);
    // Somebody is heard who was not heard before.
    if (isReceiving) void take([consumer.id]);
  });
  return {
    async join() {
      await enter();
      const { consumers, ...transports } = await ask(socket, 'media.join', { ...room, rtpCapabilities });
      offered.push(...consumers);
      return transports;
    },
    async connect(transportId, dtlsParameters) {
      await ask(socket, 'media.connectTransport', { ...room, transportId, dtlsParameters });
    },
    async produce(kind, rtpParameters) {
      const source = kind === 'audio' ? 'microphone' : 'camera';
      const { width, height } = offeredLayers.at(-1) ?? layers[2];
      await ask(socket, 'media.produce', { ...room, source, rtpParameters, size: { width, height } });
    },
    async receive(layer) {
      const of = (kind: Offered['kind']) => offered.filter((each) => each.kind === kind);
      const hasAll = () => of('video').length >= offers.pictures && of('audio').length >= offers.sounds;
      await until(hasAll, 'all offers');
      const { width, height } = offeredLayers[layer] ?? layers[0];
      const pictures = of('video');
      const views = pictures.map(({ id: consumerId }) => ({ consumerId, isVisible: true, width, height }));
      await ask(socket, 'media.view', { ...room, views });
      isReceiving = true;
      await take(offered.map((each) => each.id));
    },
    close: () => socket.disconnect(),
  };
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
