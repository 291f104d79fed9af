import type { Socket } from 'socket.io-client';
import { bareSeat, bareSocket, newRoom, type Produced } from '../rooms/bareSeat.ts';
import { ask, device, parleySeat } from '../rooms/parleySeat.ts';
import type { Seat } from '../rooms/Seat.ts';
import { picture } from './shapes.ts';

/** A stream on a server: its publisher's connection, and one for each who comes to watch. */
export interface StreamSeats {
  publisher: Seat;
  viewer: () => Promise<Seat>;
}

const nothing = { pictures: 0, sounds: 0 };
const everything = { pictures: 1, sounds: 1 };

/** Each viewer is a wallet of its own. */
export async function parleyStream(url: string): Promise<StreamSeats> {
  const host = await device(url);
  const { id } = await ask(host.socket, 'streaming.create', { title: 'Bench' });
  const room = { scope: 'stream', id } as const;
  const enter = (socket: Socket, name: 'streaming.start' | 'streaming.watch') => () =>
    ask(socket, name, { streamId: id });
  const layers = [picture];
  return {
    publisher: parleySeat(host, {
      ...{ room, layers, offers: nothing },
      enter: enter(host.socket, 'streaming.start'),
    }),
    async viewer() {
      const one = await device(url);
      return parleySeat(one, {
        ...{ room, layers, offers: everything },
        enter: enter(one.socket, 'streaming.watch'),
      });
    },
  };
}

export async function bareStream(url: string): Promise<StreamSeats> {
  const auth = newRoom();
  const produced: Produced[] = [];
  return {
    publisher: bareSeat(await bareSocket(url, auth), produced, () => []),
    viewer: async () => bareSeat(await bareSocket(url, auth), [], () => produced),
  };
}
