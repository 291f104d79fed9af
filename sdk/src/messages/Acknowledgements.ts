import { isGroup } from '../../protocol/group.ts';
import type { WireMessage } from '../../protocol/messages.ts';
import type { Connection } from '../connection/Connection.ts';

/** Messages that arrive within this time are acknowledged together. */
const batchMs = 100;
/** The delay before a failed request is repeated. */
const retryMs = 1_000;
const maxPerRequest = 100;

/** Acknowledges received messages to the server. Acknowledging the newest message of a conversation also acknowledges all before it. */
export class Acknowledgements {
  readonly #connection: Connection;
  /** The newest message of each sender and each group. */
  readonly #newest = new Map<string, WireMessage>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
    connection.onState((state) => {
      if (state === 'connected') this.#sendIn(batchMs);
      if (state === 'closed') this.#newest.clear();
    });
  }

  /** @param message a message to this wallet */
  add(message: WireMessage): void {
    if (message.status !== 'sent') return;
    const peer = isGroup(message.to) ? message.to : message.from;
    const known = this.#newest.get(peer);
    if (!known || known.timestamp < message.timestamp) this.#newest.set(peer, message);
    this.#sendIn(batchMs);
  }

  #sendIn(ms: number): void {
    if (this.#timer !== undefined || this.#newest.size === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#send();
    }, ms);
  }

  async #send(): Promise<void> {
    // They are sent on the next connection.
    if (this.#connection.state !== 'connected') return;
    const some = [...this.#newest].slice(0, maxPerRequest);
    const messageIds = some.map(([, { id }]) => id);
    try {
      await this.#connection.request('messages.acknowledge', { messageIds });
      for (const [peer, message] of some) if (this.#newest.get(peer) === message) this.#newest.delete(peer);
      this.#sendIn(0);
    } catch {
      this.#sendIn(retryMs);
    }
  }
}
