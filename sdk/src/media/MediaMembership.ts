import type { Connection } from '../connection/Connection.ts';

/** The maximum wait for a claim. It is as long as a request waits for the connection. */
const timeoutMs = 10_000;

/** Whether the server knows this device's membership in a room on the current connection. After a reconnect it must be claimed again. */
export class MediaMembership {
  readonly #connection: Pick<Connection, 'id'>;
  /** The id of the connection on which the membership was claimed. */
  #claimedOn: string | null = null;
  readonly #waiting = new Set<() => void>();
  #isOver = false;

  constructor(connection: Pick<Connection, 'id'>) {
    this.#connection = connection;
  }

  /** Whether the membership is claimed on the current connection. */
  get isClaimed(): boolean {
    return this.#claimedOn !== null && this.#claimedOn === this.#connection.id;
  }

  /** Called when the server has confirmed the membership on the current connection. */
  setClaimed(): void {
    this.#claimedOn = this.#connection.id;
    for (const resume of this.#waiting) resume();
  }

  /** Called when this device has left the room. */
  end(): void {
    this.#isOver = true;
    for (const resume of this.#waiting) resume();
  }

  /** Resolves when the membership is claimed or over, or after ten seconds, because it may never be claimed again. */
  async claimed(): Promise<void> {
    if (this.isClaimed || this.#isOver) return;
    await new Promise<void>((resolve) => {
      const resume = () => {
        clearTimeout(timer);
        this.#waiting.delete(resume);
        resolve();
      };
      const timer = setTimeout(resume, timeoutMs);
      this.#waiting.add(resume);
    });
  }
}
