import type { Publishable } from '@parley/sdk';
import { createContext, useCallback, useContext, useEffect, useMemo } from 'react';
import { useServices } from '../core/ParleyProvider.tsx';
import { useStore } from '../core/Store.ts';
import { useSession } from '../session/useSession.ts';
import type { RoomBreakouts } from './RoomBreakouts.ts';
import { RoomController } from './RoomController.ts';
import { createRooms, type RoomInvitation } from './RoomsController.ts';
import type { RoomState } from './roomState.ts';

/** A room: its state, and the actions of the user. */
export interface Room
  extends
    RoomState,
    Pick<
      RoomController,
      | 'roomId'
      | 'address'
      | 'guest'
      | 'load'
      | 'join'
      | 'leave'
      | 'toggleAudio'
      | 'toggleVideo'
      | 'toggleScreen'
      | 'toggleHand'
      | 'say'
      | 'host'
    > {
  /** The breakouts of the room: for hosts, and to come back. */
  breakoutActions: RoomBreakouts;
  /** Whether the user may use `host`. */
  isHost: boolean;
  /** Whether the participant token grants this. A wallet needs no token. The settings of the room may still forbid it. */
  isGranted: (what: Publishable | 'chat') => boolean;
  /** For the components of a room. */
  controller: RoomController;
}

/** The room for the components below a RoomProvider. */
export const RoomContext = createContext<RoomController | null>(null);

/**
 * Opens a room while the component is mounted: reads it, and leaves it at the end. For one's own components around a room. `<RoomProvider>`
 * does the same for the components below it.
 * @param id the room's id, `room_…`
 * @example
 * const { phase, join, participants } = useRoom(id);
 * if (phase === 'door') return <button onClick={() => void join({ audio: true, video: true, displayName: 'Ada' })}>Join</button>;
 */
export const useRoom = (id: string): Room => useRoomOf(useOpenedRoom(id));

/** The room of the RoomProvider above. @throws Error outside of one */
export const useRoomContext = (): Room => useRoomOf(useRoomController());

/** The controller of the room around a component. @throws Error outside of one */
export function useRoomController(): RoomController {
  const controller = useContext(RoomContext);
  if (!controller) throw new Error('This component needs a <Room> or <RoomProvider> around it.');
  return controller;
}

/** The room that is open in this window, with the phase of the user; null if there is none. */
export function useCurrentRoom(): { roomId: string; phase: RoomState['phase'] } | null {
  return useStore(useServices().get(createRooms).current);
}

/** The latest invitation of the signed-in wallet to a room that is not open, until it is dismissed. */
export function useRoomInvitation(): { invitation: RoomInvitation | null; dismiss: () => void } {
  const { invitation } = useServices().get(createRooms);
  const dismiss = useCallback(() => invitation.set(null), [invitation]);
  return { invitation: useStore(invitation), dismiss };
}

/** Opens a room for the signed-in wallet or guest. */
export function useOpenedRoom(id: string): RoomController {
  const services = useServices();
  const { phase, address, guest } = useSession();
  const controller = useMemo(() => new RoomController(services, id), [services, id]);
  const identity = address ?? (guest && `guest:${guest.identity}`);
  useEffect(() => {
    if (phase !== 'signedIn' || identity === null) return;
    const rooms = services.get(createRooms);
    controller.open({ address: identity, guest });
    const unfollow = rooms.follow(controller);
    return () => {
      unfollow();
      controller.close();
      rooms.leaveUnlessShown(controller.roomId);
    };
  }, [services, controller, phase, identity, guest]);
  return controller;
}

function useRoomOf(controller: RoomController): Room {
  const state = useStore(controller.store);
  const { address, guest } = controller;
  const isGranted: Room['isGranted'] = (what) =>
    !guest || (what === 'chat' ? guest.grants.canChat : guest.grants.canPublish.includes(what));
  const { roomId, load, join, leave, toggleAudio, toggleVideo, toggleScreen, toggleHand, say } = controller;
  const { host, breakouts: breakoutActions } = controller;
  return {
    ...state,
    ...{ roomId, address, guest, load, join, leave, toggleAudio, toggleVideo, toggleScreen, toggleHand, say },
    host,
    breakoutActions,
    isHost: state.own?.role === 'host' || state.room?.host === address,
    isGranted,
    controller,
  };
}
