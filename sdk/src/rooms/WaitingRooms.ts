import { ParleyError } from '../../protocol/errors.ts';

/** A join that is not in yet. */
interface Waiting {
  /** Resolves when it is time to ask again; rejects when that is of no use. */
  door: Promise<void>;
  isOver: boolean;
  askAgain: () => void;
  giveUp: (error: ParleyError) => void;
}

/** Rooms in front of whose doors this device waits. */
export class WaitingRooms {
  readonly #waiting = new Map<string, Waiting>();

  get rooms(): string[] {
    return [...this.#waiting.keys()];
  }

  /** Whoever waited there already, does no longer. */
  waitAt(roomId: string): Waiting {
    this.giveUp(roomId, new ParleyError('CONFLICT', 'The room is being joined again.'));
    const waiting: Waiting = { isOver: false, askAgain: () => {}, giveUp: () => {}, door: Promise.resolve() };
    waiting.door = new Promise<void>((resolve, reject) => {
      waiting.askAgain = resolve;
      waiting.giveUp = (error) => {
        waiting.isOver = true;
        reject(error);
      };
    });
    // Whoever waits hears of it; nobody may be waiting yet.
    waiting.door.catch(() => undefined);
    this.#waiting.set(roomId, waiting);
    return waiting;
  }

  /** @returns whether it waited there still */
  leave(roomId: string, waiting: Waiting): boolean {
    return this.#waiting.get(roomId) === waiting && this.#waiting.delete(roomId);
  }

  /** The wait is over, without the room. */
  giveUp(roomId: string, error: ParleyError): void {
    const waiting = this.#waiting.get(roomId);
    this.#waiting.delete(roomId);
    waiting?.giveUp(error);
  }

  askAgain(roomId: string): void {
    const waiting = this.#waiting.get(roomId);
    this.#waiting.delete(roomId);
    waiting?.askAgain();
  }
}
