import type { Socket } from 'socket.io-client';
import { bareParticipant, bareSocket, newRoom, type Produced } from '../rooms/bareParticipant.ts';
import { ask, device, parleyParticipant } from '../rooms/parleyParticipant.ts';
import type { BenchParticipant } from '../rooms/BenchParticipant.ts';
import { streamVideo } from './shapes.ts';

/** A stream on a server: the connection of its publisher, and a function that connects another viewer. */
export interface StreamParticipants {
  publisher: BenchParticipant;
  viewer: () => Promise<BenchParticipant>;
}

const nothing = { videos: 0, audios: 0 };
const everything = { videos: 1, audios: 1 };

/** Creates a stream on Parley. Each viewer is a different wallet. */
export async function parleyStream(url: string): Promise<StreamParticipants> {
  const host = await device(url);
  const { id } = await ask(host.socket, 'streaming.create', { title: 'Bench' });
  const room = { scope: 'stream', id } as const;
  const enter = (socket: Socket, name: 'streaming.start' | 'streaming.watch') => () =>
    ask(socket, name, { streamId: id });
  const layers = [streamVideo];
  return {
    publisher: parleyParticipant(host, {
      room,
      layers,
      offers: nothing,
      enter: enter(host.socket, 'streaming.start'),
    }),
    async viewer() {
      const one = await device(url);
      return parleyParticipant(one, {
        room,
        layers,
        offers: everything,
        enter: enter(one.socket, 'streaming.watch'),
      });
    },
  };
}

export async function bareStream(url: string): Promise<StreamParticipants> {
  const auth = newRoom();
  const produced: Produced[] = [];
  return {
    publisher: bareParticipant(await bareSocket(url, auth), produced, () => []),
    viewer: async () => bareParticipant(await bareSocket(url, auth), [], () => produced, true),
  };
}
