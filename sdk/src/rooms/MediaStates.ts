import { ParleyError } from '../../protocol/errors.ts';
import type { Scope } from '../../protocol/media.ts';
import type { Listeners } from '../connection/Listeners.ts';
import type { Media } from '../media/media.ts';
import type { MediaTrack, ParleyEvents } from '../types.ts';
import type { LocalMedia } from './stateTypes.ts';
import type { States } from './States.ts';

interface Parts {
  local: LocalMedia;
  tracks: MediaTrack[];
  isReconnecting: boolean;
  isPlaybackBlocked: boolean;
  mediaError: Error | null;
}

/** The parts of a state that say nothing. */
export const noMedia: Parts = {
  local: { stream: null, screen: null },
  tracks: [],
  isReconnecting: false,
  isPlaybackBlocked: false,
  mediaError: null,
};

/**
 * Keeps the media in the states of calls or rooms up to date with the events.
 * @param change changes the state of a call or room that is not over
 */
export function followMedia<State extends Parts>(
  { scope, events, media }: { scope: Scope; events: Listeners<ParleyEvents>; media: Media },
  states: States<State>,
  change: (id: string, changes: Partial<Parts>) => void,
): void {
  const on = (room: { scope: Scope; id: string }, changes: () => Partial<Parts>) => {
    if (room.scope === scope && states.current.includes(room.id)) change(room.id, changes());
  };
  const all = (changes: Partial<Parts>) => {
    for (const id of states.current) change(id, changes);
  };
  events.observe({
    'media:local': (room) =>
      on(room, () => ({
        local: localOf(media, room.id),
        ...(isSentAgain(room.stream, states.get(room.id).mediaError) ? { mediaError: null } : {}),
      })),
    'media:track': (track) =>
      on(track, () => {
        const same = ({ participant, source }: MediaTrack) =>
          participant.id === track.participant.id && source === track.source;
        const others = states.get(track.id).tracks.filter((one) => !same(one));
        return { tracks: [...others, track], mediaError: null };
      }),
    'media:track:ended': (ended) =>
      on(ended, () => ({
        tracks: states.get(ended.id).tracks.filter(({ track }) => track !== ended.track),
      })),
    'media:failed': ({ error, ...room }) => on(room, () => ({ mediaError: error })),
    'media:playback': ({ isBlocked }) => all({ isPlaybackBlocked: isBlocked }),
    'connection:changed': ({ state }) => all({ isReconnecting: state !== 'connected' }),
  });
}

export const localOf = (media: Media, id: string): LocalMedia => ({
  stream: media.localStream(id),
  screen: media.localScreen(id),
});

/** Whether this device sends the camera or microphone again that an error is about. */
function isSentAgain(stream: MediaStream, error: Error | null): boolean {
  const source = error instanceof ParleyError && error.extra?.['source'];
  const kind = source === 'camera' ? 'video' : source === 'microphone' ? 'audio' : null;
  return stream.getTracks().some((track) => track.kind === kind && track.readyState === 'live');
}
