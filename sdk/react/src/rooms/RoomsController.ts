import type { ConferenceRoom, Parley } from '@parley/sdk';
import type { Services } from '../core/Services.ts';
import { Store } from '../core/Store.ts';
import type { RoomController } from './RoomController.ts';
import type { RoomPhase } from './roomState.ts';

/** A wallet was invited to a room. */
export interface RoomInvitation {
  room: ConferenceRoom;
  /** The wallet that invited this one. */
  from: string;
}

/** The room that is open, and the invitations of the signed-in wallet. */
export class RoomsController {
  readonly current = new Store<{ roomId: string; phase: RoomPhase } | null>(null);
  /** The latest invitation, until it is dismissed. */
  readonly invitation = new Store<RoomInvitation | null>(null);

  readonly #client: Parley;

  constructor({ client }: Services) {
    this.#client = client;
    client.on('conference:invited', (invitation) => {
      if (this.current.get()?.roomId !== invitation.room.id) this.invitation.set(invitation);
    });
    client.on('connection:changed', ({ state }) => {
      // Another wallet may sign in.
      if (state === 'closed') this.invitation.set(null);
    });
  }

  /** Makes a room the open one. @returns a function that ends this */
  follow({ store, openedId }: RoomController): () => void {
    let phase: RoomPhase | null = null;
    const update = () => {
      if (store.get().phase === phase) return;
      phase = store.get().phase;
      this.current.set({ roomId: openedId, phase });
    };
    update();
    const unsubscribe = store.subscribe(update);
    return () => {
      unsubscribe();
      this.current.set(null);
    };
  }

  /** Leaves a room that no component shows any more. Strict Mode unmounts and mounts once at the start, so this checks a moment later. */
  leaveUnlessShown(roomId: string): void {
    const { conference } = this.#client;
    setTimeout(() => {
      if (this.current.get()?.roomId === roomId || conference.state(roomId).get().phase === 'left') return;
      conference.leave(roomId).catch(() => undefined);
    });
  }
}

export const createRooms = (services: Services) => new RoomsController(services);
