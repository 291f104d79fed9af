import type { Parley } from '@parley/sdk';
import { withoutTrack, withTrack, type ShownRoom } from './roomState.ts';

/** Keeps the media in the state of a room up to date with the SDK's events. @returns functions that end this */
export function followMedia(
  client: Parley,
  room: Pick<ShownRoom, 'roomId' | 'store' | 'change'>,
): (() => void)[] {
  return [
    client.on('media:local', ({ id, stream }) => {
      // A new object, so that components notice that the stream's tracks have changed.
      if (id === room.roomId) room.change({ local: { stream } });
    }),
    client.on('media:track', (track) => {
      if (track.id !== room.roomId) return;
      room.change({ tracks: withTrack(room.store.get().tracks, track), mediaFailed: false });
    }),
    client.on('media:track:ended', (track) => {
      if (track.id === room.roomId) room.change({ tracks: withoutTrack(room.store.get().tracks, track) });
    }),
    client.on('media:failed', ({ id }) => {
      if (id === room.roomId && room.store.get().phase === 'in') room.change({ mediaFailed: true });
    }),
  ];
}
