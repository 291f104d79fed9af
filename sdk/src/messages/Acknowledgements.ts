import type { WireMessage } from '../../protocol/messages.ts';
import type { Connection } from '../connection/Connection.ts';

/** What arrives within so long is acknowledged together. */
const gatherMs = 100;
const againMs = 1_000;
const atOnce = 100;

/** Tells the server what this device has: the newest message of each sender stands for all before it. */
export class Acknowledgements {
  readonly #connection: Connection;
  readonly #newest = new Map<string, WireMessage>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
    connection.onState((state) => {
      if (state === 'connected') this.#in(gatherMs);
      if (state === 'closed') this.#newest.clear();
    });
  }

  /** @param message one to this wallet */
  add(message: WireMessage): void {
    if (message.status !== 'sent') return;
    const known = this.#newest.get(message.from);
    if (!known || known.timestamp < message.timestamp) this.#newest.set(message.from, message);
    this.#in(gatherMs);
  }

  #in(ms: number): void {
    if (this.#timer !== undefined || this.#newest.size === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#send();
    }, ms);
  }

  async #send(): Promise<void> {
    // The next connection begins anew.
    if (this.#connection.state !== 'connected') return;
    const some = [...this.#newest].slice(0, atOnce);
    const messageIds = some.map(([, { id }]) => id);
    try {
      await this.#connection.request('messages.acknowledge', { messageIds });
      for (const [from, message] of some) if (this.#newest.get(from) === message) this.#newest.delete(from);
      this.#in(0);
    } catch {
      this.#in(againMs);
    }
  }
}
