import { ParleyError } from '../../protocol/errors.ts';

/** A join that has not been admitted yet. */
export interface Waiting {
  /** Resolves when the join must be sent again; rejects if the wait ends without admission before that. */
  admitted: Promise<void>;
  /** Why the wait has ended without admission; null if it has not. */
  failure: ParleyError | null;
  joinAgain: () => void;
  giveUp: (error: ParleyError) => void;
}

/** The rooms whose waiting room this device is in. */
export class WaitingRooms {
  readonly #waiting = new Map<string, Waiting>();

  get rooms(): string[] {
    return [...this.#waiting.keys()];
  }

  /** Begins a wait. It ends an earlier wait for the same room. */
  waitFor(roomId: string): Waiting {
    this.giveUp(roomId, new ParleyError('CONFLICT', 'A later join() of this room replaced this one.'));
    const waiting: Waiting = {
      failure: null,
      joinAgain: () => {},
      giveUp: () => {},
      admitted: Promise.resolve(),
    };
    waiting.admitted = new Promise<void>((resolve, reject) => {
      waiting.joinAgain = resolve;
      waiting.giveUp = (error) => {
        waiting.failure = error;
        reject(error);
      };
    });
    // Without this, a rejection before the first await would be reported as unhandled.
    waiting.admitted.catch(() => undefined);
    this.#waiting.set(roomId, waiting);
    return waiting;
  }

  /** Ends a wait. @returns whether it was still the current one */
  leave(roomId: string, waiting: Waiting): boolean {
    return this.#waiting.get(roomId) === waiting && this.#waiting.delete(roomId);
  }

  /** Ends a wait without admission. */
  giveUp(roomId: string, error: ParleyError): void {
    const waiting = this.#waiting.get(roomId);
    this.#waiting.delete(roomId);
    waiting?.giveUp(error);
  }

  joinAllAgain(): void {
    for (const roomId of this.rooms) this.joinAgain(roomId);
  }

  /** The wait stays the current one, because the app may leave until this device is in the room. */
  joinAgain(roomId: string): void {
    this.#waiting.get(roomId)?.joinAgain();
  }
}
