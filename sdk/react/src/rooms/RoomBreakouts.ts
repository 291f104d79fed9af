import type { NewBreakout, Parley } from '@parley/sdk';
import { coalesced } from '../core/coalesced.ts';
import type { ShownRoom } from './roomState.ts';

/** The breakouts of the room that the user is in, or of the parent of the breakout that the user is in. */
export class RoomBreakouts {
  readonly #client: Parley;
  readonly #shown: ShownRoom;
  readonly #try: (act: () => Promise<void>) => Promise<boolean>;

  /** @param attempt carries out an action, and reports a failure */
  constructor(client: Parley, shown: ShownRoom, attempt: (act: () => Promise<void>) => Promise<boolean>) {
    this.#client = client;
    this.#shown = shown;
    this.#try = attempt;
  }

  /** Collects the calls for a host from the breakouts of this room. @returns a function that ends this */
  follow(): () => void {
    return this.#client.on('conference:host:called', (call) => {
      const { room, hostCalls } = this.#shown.store.get();
      if (![room?.id, room?.parentId].includes(call.parentId)) return;
      const others = hostCalls.filter(({ participant }) => participant.id !== call.participant.id);
      this.#shown.change({ hostCalls: [...others, call] });
    });
  }

  /** Reads who is where, because nobody gets the events of the other rooms. */
  readonly read = coalesced(async () => {
    const { roomId } = this.#shown;
    const { room } = this.#shown.store.get();
    if (!room) return;
    try {
      const [parent, rooms] = await Promise.all([
        room.parentId ? this.#client.conference.get(room.parentId) : room,
        this.#client.breakouts.list(roomId),
      ]);
      if (this.#shown.roomId === roomId) this.#shown.change({ breakouts: { parent, rooms } });
    } catch {
      // Read again with the next event, or at the next interval.
    }
  });

  /** Opens breakouts, and moves people into them. @param minutes null for no time @throws ParleyError */
  readonly open = async (rooms: NewBreakout[], minutes: number | null): Promise<void> => {
    const { roomId } = this.#shown;
    const duration = minutes === null ? {} : { durationSeconds: Math.round(minutes * 60) };
    await this.#client.breakouts.create({ roomId, rooms, ...duration });
    await this.read();
  };

  readonly move = (from: string, participantId: string, to: string) =>
    this.#try(async () => {
      await this.#client.breakouts.move({ roomId: from, participantIds: [participantId], to });
      await this.read();
    });

  /** Moves the user to another room of these. */
  readonly goTo = async (to: string): Promise<void> => {
    const { roomId, store } = this.#shown;
    const { own } = store.get();
    this.dismissCall(to);
    if (own && to !== roomId) await this.move(roomId, own.id, to);
  };

  /** @throws ParleyError */
  readonly say = (content: string): Promise<void> =>
    this.#client.breakouts.broadcast(this.#shown.roomId, content);

  /** Ends all breakouts, and moves everybody back. */
  readonly end = () =>
    this.#try(async () => {
      const { breakouts, room } = this.#shown.store.get();
      const id = breakouts?.parent.id ?? room?.parentId ?? this.#shown.roomId;
      await this.#client.breakouts.end(id);
      await this.read();
    });

  /** @throws ParleyError */
  readonly callHost = (): Promise<void> => this.#client.breakouts.callHost(this.#shown.roomId);

  /** Removes the calls from a breakout, because a host goes there or has seen them. */
  readonly dismissCall = (roomId: string): void => {
    const hostCalls = this.#shown.store.get().hostCalls.filter((call) => call.roomId !== roomId);
    this.#shown.change({ hostCalls });
  };
}
