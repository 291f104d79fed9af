import { io, type Socket } from 'socket.io-client';
import type { RtpCapabilities, WireTransport } from '../../../sdk/protocol/media.ts';
import { decodable, type Offered, type Seat } from './Seat.ts';
import { heardOf, type Shape } from './shapes.ts';

type Produced = { producerId: string; kind: Offered['kind'] };

let rooms = 0;

/** One connection each to the baseline, in a room of their own; each takes from the others what Parley would give it. */
export async function bareSeats(url: string, shape: Shape): Promise<Seat[]> {
  const auth = { room: String(++rooms) };
  /** What each sends, in the order they came in. */
  const produced: Produced[][] = [];
  return Promise.all(
    Array.from({ length: shape.people }, async (_, index) => {
      const socket = io(url, { transports: ['websocket'], forceNew: true, auth });
      await new Promise((resolve) => socket.once('connect', () => resolve(undefined)));
      produced[index] = [];
      const isWanted = ({ kind }: Produced, from: number) =>
        from !== index && (kind === 'video' || from < heardOf(shape));
      return bareSeat(socket, produced[index], () =>
        produced.flatMap((each, from) => each.filter((one) => isWanted(one, from))),
      );
    }),
  );
}

function bareSeat(socket: Socket, produced: Produced[], wanted: () => Produced[]): Seat {
  const ask = <T>(name: string, payload: unknown = {}) => socket.emitWithAck(name, payload) as Promise<T>;
  let rtpCapabilities: RtpCapabilities;
  let [sendingId, receivingId] = ['', ''];
  return {
    async join() {
      rtpCapabilities = decodable(await ask<RtpCapabilities>('capabilities'));
      const sendTransport = await ask<WireTransport>('createTransport');
      const recvTransport = await ask<WireTransport>('createTransport');
      [sendingId, receivingId] = [sendTransport.id, recvTransport.id];
      return { sendTransport, recvTransport };
    },
    async connect(id, dtlsParameters) {
      await ask('connect-transport', { id, dtlsParameters });
    },
    async produce(kind, rtpParameters) {
      const { producerId } = await ask<Produced>('produce', { id: sendingId, kind, rtpParameters });
      produced.push({ producerId, kind });
    },
    async receive(spatialLayer) {
      await Promise.all(
        wanted().map(async ({ producerId, kind }) => {
          const { id: consumerId } = await ask<Offered>('consume', {
            id: receivingId,
            producerId,
            rtpCapabilities,
          });
          if (kind === 'video') await ask('prefer', { consumerId, spatialLayer });
          await ask('resume', { consumerId });
        }),
      );
    },
    close: () => socket.disconnect(),
  };
}
