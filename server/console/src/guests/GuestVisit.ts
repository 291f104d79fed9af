import { Store } from '@parley/react';
import { Parley, type Guest } from '@parley/sdk';
import { explainRoom } from '../rooms/explainRoom.ts';
import { RoomController } from '../rooms/RoomController.ts';
import type { Problem } from '../ui/explain.ts';

export type VisitState =
  | { phase: 'opening' }
  | { phase: 'failed'; problem: Problem }
  | { phase: 'room'; room: RoomController }
  | { phase: 'stream'; client: Parley; guest: Guest; address: string };

/** A guest's visit to the room or stream of a participant token. */
export class GuestVisit {
  readonly store = new Store<VisitState>({ phase: 'opening' });
  readonly #token: string;
  readonly #report: (error: unknown) => void;
  #client: Parley | null = null;

  /** @param report shows a failure that does not end the visit */
  constructor(token: string, report: (error: unknown) => void) {
    this.#token = token;
    this.#report = report;
  }

  readonly open = async (): Promise<void> => {
    this.close();
    this.store.set({ phase: 'opening' });
    const client = new Parley({ participantToken: this.#token });
    this.#client = client;
    client.on('connection:changed', ({ state, error }) => {
      if (state === 'closed' && error) this.#fail(client, error);
    });
    try {
      const guest = await client.guest();
      if (guest && client === this.#client) this.#enter(client, guest);
    } catch (error) {
      this.#fail(client, error);
    }
  };

  close(): void {
    const state = this.store.get();
    if (state.phase === 'room') state.room.close();
    const client = this.#client;
    this.#client = null;
    client?.close();
  }

  #enter(client: Parley, guest: Guest): void {
    const { subjectId, identity } = guest;
    const address = `guest:${identity}`;
    if (subjectId.startsWith('str_')) return this.store.set({ phase: 'stream', client, guest, address });
    const room = new RoomController({ client, address, guest, roomId: subjectId, report: this.#report });
    this.store.set({ phase: 'room', room });
    void room.load();
  }

  #fail(client: Parley, error: unknown): void {
    if (client !== this.#client) return;
    const state = this.store.get();
    // The room already says why the guest is no longer inside.
    if (state.phase === 'room' && state.room.store.get().phase === 'over') return;
    this.close();
    this.store.set({ phase: 'failed', problem: explainRoom(error) });
  }
}
