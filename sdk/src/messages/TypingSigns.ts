import type { Address } from '../../protocol/common.ts';
import type { Connection } from '../connection/Connection.ts';
import type { Listeners } from '../connection/Listeners.ts';
import type { ParleyEvents } from '../types.ts';

/** The server forgets after 5 s. */
const renewMs = 2_500;
/** A server that died can't say that somebody has stopped. */
const forgetMs = 7_000;

/** Who is typing: told by this device, and heard of others. */
export class TypingSigns {
  readonly #connection: Connection;
  readonly #events: Listeners<ParleyEvents>;
  /** When it was last said that this wallet types, by whom it types to. */
  readonly #said = new Map<Address, number>();
  readonly #heard = new Map<Address, ReturnType<typeof setTimeout>>();

  constructor(connection: Connection, events: Listeners<ParleyEvents>) {
    this.#connection = connection;
    this.#events = events;
    connection.on('typing:start', ({ from }) => this.#start(from));
    connection.on('typing:stop', ({ from }) => this.stop(from));
    connection.onState((state) => {
      if (state !== 'connected') this.#said.clear();
    });
  }

  /** May be called with every key that is pressed. */
  async set(to: Address, typing: boolean): Promise<void> {
    const saidAt = this.#said.get(to) ?? 0;
    if (typing && Date.now() - saidAt < renewMs) return;
    if (typing) this.#said.set(to, Date.now());
    else this.#said.delete(to);
    await this.#connection.request('messages.setTyping', { to, typing });
  }

  /** They have, or their message is here. */
  stop(from: Address): void {
    const timer = this.#heard.get(from);
    if (timer === undefined) return;
    clearTimeout(timer);
    this.#heard.delete(from);
    this.#events.emit('typing:stop', { from });
  }

  #start(from: Address): void {
    const running = this.#heard.get(from);
    if (running !== undefined) clearTimeout(running);
    this.#heard.set(
      from,
      setTimeout(() => this.stop(from), forgetMs),
    );
    if (running === undefined) this.#events.emit('typing:start', { from });
  }
}
