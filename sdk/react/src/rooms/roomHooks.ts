import type { MediaTrack, Participant, Quality, RoomState as SharedRoom, Source } from '@parley/sdk';
import { useMemo, useSyncExternalStore } from 'react';
import { useParley } from '../core/ParleyProvider.tsx';
import { useObservable } from '../core/useObservable.ts';
import type { RoomState } from './roomState.ts';
import { useRoomController } from './useRoom.ts';

/* Parts of the room around a component, which renders again only when its part changes. All throw an Error outside of a <Room>. */

/** @param select returns the same part, by Object.is, until it changes */
export function useRoomPart<Part>(select: (room: RoomState) => Part): Part {
  const { store } = useRoomController();
  return useSyncExternalStore(
    store.subscribe,
    () => select(store.get()),
    () => select(store.getInitial()),
  );
}

/** The participants of the room around this component, including the user, in the order in which they joined. */
export const useParticipants = (): Participant[] => useRoomPart(({ participants }) => participants);

/** Who speaks in the room around this component, the loudest first: `{ participantId, level }`. */
export const useSpeakers = (): SharedRoom['speakers'] => useRoomPart(({ speakers }) => speakers);

/**
 * The tracks of the others in the room around this component, oldest first.
 * @param wanted only the tracks of one participant, or from one source: `camera`, `microphone`, `screen` or `screen-audio`. @default all
 */
export function useTracks(wanted: { participantId?: string; source?: Source } = {}): MediaTrack[] {
  const { participantId, source: from } = wanted;
  const tracks = useRoomPart((room) => room.tracks);
  return useMemo(() => {
    const ofParticipant =
      participantId === undefined ? tracks : tracks.filter((one) => one.participant.id === participantId);
    return from === undefined ? ofParticipant : ofParticipant.filter(({ source }) => source === from);
  }, [tracks, participantId, from]);
}

/**
 * The network quality of a participant's media in the room around this component; null until it is known.
 * @param participantId the participant. @default the user
 */
export const useQuality = (participantId?: string): Quality | null =>
  useRoomPart(({ quality, own }) => quality.get(participantId ?? own?.id ?? '') ?? null);

/**
 * What the SDK knows of a room in which this device is, also outside of a `<Room>`: see `client.conference.state()`.
 * @param roomId the room
 */
export function useRoomState(roomId: string): SharedRoom {
  const { conference } = useParley();
  return useObservable(useMemo(() => conference.state(roomId), [conference, roomId]));
}
