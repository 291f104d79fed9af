import type { Address } from '../../protocol/common.ts';
import { isGroup, type Recipient } from '../../protocol/group.ts';
import type { Connection } from '../connection/Connection.ts';
import type { Listeners } from '../connection/Listeners.ts';
import type { ParleyEvents } from '../types.ts';

/** The minimum interval between two reports that the user is typing. Without a new report, the server ends the indicator after 5 s. */
const renewMs = 2_500;
/** How long a received indicator lasts without a renewal. Its end may never be received, for example because the server died. */
const expiryMs = 7_000;

/** The typing indicators this device sends, and those it receives. */
export class TypingIndicators {
  readonly #connection: Connection;
  readonly #events: Listeners<ParleyEvents>;
  /** When this device last sent an indicator, by recipient. */
  readonly #sentAt = new Map<Recipient, number>();
  /** The timers that end received indicators, by sender and group. */
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();

  constructor(connection: Connection, events: Listeners<ParleyEvents>) {
    this.#connection = connection;
    this.#events = events;
    connection.on('typing:start', (typist) => this.#start(typist));
    connection.on('typing:stop', (typist) => this.stop(typist));
    connection.onState((state) => {
      if (state !== 'connected') this.#sentAt.clear();
    });
  }

  /** Reports that the user is typing or has stopped. May be called on every key press. */
  async set(to: Recipient, typing: boolean): Promise<void> {
    const sentAt = this.#sentAt.get(to) ?? -Infinity;
    if (typing && performance.now() - sentAt < renewMs) return;
    if (typing) this.#sentAt.set(to, performance.now());
    else this.#sentAt.delete(to);
    await this.#connection.request('messages.setTyping', { to, typing });
  }

  /** Ends the indicator of a wallet: it stopped typing, or its message has arrived. */
  stop(typist: Typist): void {
    const timer = this.#timers.get(keyOf(typist));
    if (timer === undefined) return;
    clearTimeout(timer);
    this.#timers.delete(keyOf(typist));
    this.#events.emit('typing:stop', typist);
  }

  #start(typist: Typist): void {
    const running = this.#timers.get(keyOf(typist));
    if (running !== undefined) clearTimeout(running);
    this.#timers.set(
      keyOf(typist),
      setTimeout(() => this.stop(typist), expiryMs),
    );
    if (running === undefined) this.#events.emit('typing:start', typist);
  }
}

/** Who types, to this wallet or in a group. */
interface Typist {
  from: Address;
  group?: string | undefined;
}

const keyOf = ({ from, group = '' }: Typist) => `${from} ${group}`;

/** Who typed this message. */
export const typistOf = ({ from, to }: { from: Address; to: Recipient }): Typist =>
  isGroup(to) ? { from, group: to } : { from };
