import { useStore } from '@parley/react';
import { createContext, useContext } from 'react';
import type { Guest, Participant, Publishable } from '@parley/sdk';
import type { RoomController } from './RoomController.ts';
import type { RoomState } from './roomState.ts';

/** The controller of the room on the page, for all components of the room. */
export const RoomContext = createContext<RoomController | null>(null);

interface Room {
  controller: RoomController;
  state: RoomState;
  /** The user's own participant; null until this wallet has joined. */
  me: Participant | null;
  isHost: boolean;
  /** What the participant token says; null for a wallet. */
  guest: Guest | null;
  /** Whether the participant token grants this. A wallet needs no token. The settings of the room may still forbid it. */
  isGranted: (what: Publishable | 'chat') => boolean;
}

export function useRoom(): Room {
  const controller = useContext(RoomContext);
  if (!controller) throw new Error('This component was used outside of a room.');
  const state = useStore(controller.store);
  const me = state.participants.find(({ walletAddress }) => walletAddress === controller.address) ?? null;
  const isHost = me?.role === 'host' || state.room?.host === controller.address;
  const { guest } = controller;
  const isGranted = (what: Publishable | 'chat') =>
    !guest || (what === 'chat' ? guest.grants.canChat : guest.grants.canPublish.includes(what));
  return { controller, state, me, isHost, guest, isGranted };
}
