import type { Connection } from '../connection/Connection.ts';

/** As long as a request waits for the connection. */
const longestMs = 10_000;

/** A device's place in a room: after the connection was away the server knows it only once it is taken up on the new one. */
export class MediaMembership {
  readonly #connection: Pick<Connection, 'id'>;
  /** The connection it was taken on. */
  #on: string | null = null;
  readonly #awaiting = new Set<() => void>();
  #isGivenUp = false;

  constructor(connection: Pick<Connection, 'id'>) {
    this.#connection = connection;
  }

  /** On the present connection. */
  get isTaken(): boolean {
    return this.#on !== null && this.#on === this.#connection.id;
  }

  take(): void {
    this.#on = this.#connection.id;
    for (const go of this.#awaiting) go();
  }

  giveUp(): void {
    this.#isGivenUp = true;
    for (const go of this.#awaiting) go();
  }

  /** Resolves when it is taken or given up; and after a while, since it may be lost. */
  async taken(): Promise<void> {
    if (this.isTaken || this.#isGivenUp) return;
    await new Promise<void>((resolve) => {
      const go = () => {
        clearTimeout(timer);
        this.#awaiting.delete(go);
        resolve();
      };
      const timer = setTimeout(go, longestMs);
      this.#awaiting.add(go);
    });
  }
}
