import type { ConferenceRoom, Parley } from '@parley/sdk';
import { Resource } from '../data/Resource.ts';
import { Store } from '../session/Store.ts';
import { RoomController } from './RoomController.ts';

const atMost = 100;

export interface Invited {
  room: ConferenceRoom;
  from: string;
}

/** The rooms of the signed-in wallet, its invitations, and the room on the page. */
export class RoomsData {
  readonly list: Resource<ConferenceRoom[]>;
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
    this.list = new Resource(() => client.conference.list({ limit: atMost }));
    client.on('conference:invited', (invited) => {
      void this.list.refresh();
      if (this.current.get()?.roomId !== invited.room.id) this.invited.set(invited);
    });
    for (const name of ['conference:ended', 'conference:updated', 'session:missed'] as const)
      client.on(name, () => void this.list.refresh());
  }

  /** @returns a function that leaves the room */
  open(roomId: string): () => void {
    const controller = new RoomController(this.#client, this.#address, roomId, this.#report);
    this.current.set(controller);
    void controller.load();
    return () => {
      controller.close();
      if (this.current.get() === controller) this.current.set(null);
      void this.list.refresh();
    };
  }
}
