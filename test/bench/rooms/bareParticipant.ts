import { io, type Socket } from 'socket.io-client';
import type { RtpCapabilities, WireTransport } from '../../../sdk/protocol/media.ts';
import { decodable, type Offered, type BenchParticipant } from './BenchParticipant.ts';
import { receivedFrom, type Shape } from './shapes.ts';

export type Produced = { producerId: string; kind: Offered['kind'] };

let rooms = 0;
export const newRoom = () => ({ room: String(++rooms) });

/** Connects participants to a new room of the baseline. Each consumes the same media of the others as it would with Parley. */
export async function bareParticipants(url: string, shape: Shape): Promise<BenchParticipant[]> {
  const auth = newRoom();
  /** The producers of each participant, in the order in which they joined. */
  const produced: Produced[][] = [];
  return Promise.all(
    Array.from({ length: shape.people }, async (_, index) => {
      const socket = await bareSocket(url, auth);
      produced[index] = [];
      const isWanted = ({ kind }: Produced, from: number) =>
        from !== index && (kind === 'video' || from < receivedFrom(shape));
      return bareParticipant(socket, produced[index], () =>
        produced.flatMap((each, from) => each.filter((one) => isWanted(one, from))),
      );
    }),
  );
}

export async function bareSocket(url: string, auth: { room: string }): Promise<Socket> {
  const socket = io(url, { transports: ['websocket'], forceNew: true, auth });
  await new Promise((resolve) => socket.once('connect', () => resolve(undefined)));
  return socket;
}

/**
 * @param produced the list to which the participant's producers are added
 * @param wanted returns the producers to consume
 * @param isViewer whether it never sends: it creates no transport for sending
 */
export function bareParticipant(
  socket: Socket,
  produced: Produced[],
  wanted: () => Produced[],
  isViewer = false,
): BenchParticipant {
  const ask = <T>(name: string, payload: unknown = {}) => socket.emitWithAck(name, payload) as Promise<T>;
  let rtpCapabilities: RtpCapabilities;
  let [sendingId, receivingId] = ['', ''];
  const consumed = new Map<string, Promise<Offered>>();
  const consume = (producerId: string) => {
    const existing = consumed.get(producerId);
    const consumer = existing ?? ask<Offered>('consume', { id: receivingId, producerId, rtpCapabilities });
    consumed.set(producerId, consumer);
    return consumer;
  };
  return {
    async join() {
      rtpCapabilities = decodable(await ask<RtpCapabilities>('capabilities'));
      const sendTransport = isViewer ? null : await ask<WireTransport>('createTransport');
      const recvTransport = await ask<WireTransport>('createTransport');
      [sendingId, receivingId] = [sendTransport?.id ?? '', recvTransport.id];
      return { sendTransport, recvTransport };
    },
    async connect(id, { dtlsParameters }) {
      await ask('connect-transport', { id, dtlsParameters });
    },
    async produce(kind, rtpParameters) {
      const { producerId } = await ask<Produced>('produce', { id: sendingId, kind, rtpParameters });
      produced.push({ producerId, kind });
    },
    async receive(spatialLayer) {
      await Promise.all(
        wanted().map(async ({ producerId, kind }) => {
          const { id: consumerId } = await consume(producerId);
          if (kind === 'video') await ask('prefer', { consumerId, spatialLayer });
          await ask('resume', { consumerId });
        }),
      );
    },
    close: () => socket.disconnect(),
  };
}
