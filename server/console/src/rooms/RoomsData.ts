import { Store } from '@parley/react';
import type { ConferenceRoom, Parley } from '@parley/sdk';
import { RoomController } from './RoomController.ts';

export interface Invited {
  room: ConferenceRoom;
  from: string;
}

/** The room on the page and the invitations of the signed-in wallet. */
export class RoomsData {
  /** The room on the page. */
  readonly current = new Store<RoomController | null>(null);
  /** The latest invitation, until it is shown. */
  readonly invited = new Store<Invited | null>(null);
  readonly #client: Parley;
  readonly #address: string;
  readonly #report: (error: unknown) => void;

  constructor(client: Parley, address: string, report: (error: unknown) => void) {
    this.#client = client;
    this.#address = address;
    this.#report = report;
    client.on('conference:invited', (invited) => {
      if (this.current.get()?.roomId !== invited.room.id) this.invited.set(invited);
    });
  }

  /** @returns a function that leaves the room */
  open(roomId: string): () => void {
    const [client, address, report] = [this.#client, this.#address, this.#report];
    const controller = new RoomController({ client, address, roomId, report });
    this.current.set(controller);
    void controller.load();
    return () => {
      controller.close();
      if (this.current.get() === controller) this.current.set(null);
    };
  }
}
