import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';

export interface EventCipher {
  /** Encrypts a text. It can only be decrypted with the same key and the same `place`, for example a Redis channel. */
  seal(text: string, place: string): Buffer;
  /** @throws Error if the key or `place` differs, or a byte was changed */
  unseal(bytes: Buffer, place: string): string;
}

/**
 * Messages older than this are refused. A node that was away for longer loads everything again anyway. The clocks of the nodes must roughly
 * agree.
 */
const oldestMs = 5 * 60_000;
const warnMs = 60_000;

type SealedMessage = [sender: string, count: number, at: number, text: string];

/**
 * Encrypts the events that nodes exchange through Redis: someone with access to Redis can neither read, forge nor replay them. Every
 * message carries its sender and a number that increases with each message.
 */
export class SealedEvents {
  readonly #cipher: EventCipher;
  readonly #log: Logger;
  readonly #sender = randomUUID();
  #count = 0;
  /** The latest message of each sender on each channel. */
  readonly #received = new Map<string, { count: number; at: number }>();
  #warnedAt = -Infinity;

  constructor(cipher: EventCipher, log: Logger) {
    this.#cipher = cipher;
    this.#log = log;
  }

  /** @param channel the only channel on which the message can be opened */
  seal(text: string, channel: string): Buffer {
    const message: SealedMessage = [this.#sender, ++this.#count, Date.now(), text];
    return this.#cipher.seal(JSON.stringify(message), channel);
  }

  /** @returns null for a message that is old, replayed, or not from a node of this installation */
  open(sealed: Buffer, channel: string): string | null {
    try {
      const [sender, count, at, text] = JSON.parse(this.#cipher.unseal(sealed, channel)) as SealedMessage;
      const [key, now] = [`${channel} ${sender}`, Date.now()];
      if (Math.abs(now - at) > oldestMs)
        return this.#refuse('it is older than five minutes, or the clocks differ');
      const last = this.#received.get(key);
      if (last && count <= last.count) return this.#refuse('it was sent before');
      if (!last) this.#forgetOld(now);
      this.#received.set(key, { count, at });
      return text;
    } catch {
      return this.#refuse('it was not sealed with this SECRET_KEY');
    }
  }

  /** Forgets senders whose last message is so old that a replay would be refused for its age. */
  #forgetOld(now: number): void {
    for (const [key, { at }] of this.#received) if (now - at > oldestMs) this.#received.delete(key);
  }

  #refuse(reason: string): null {
    if (performance.now() - this.#warnedAt > warnMs)
      this.#log.warn(
        { reason },
        'event from Redis refused: a foreign program or a node of another version writes there',
      );
    this.#warnedAt = performance.now();
    return null;
  }
}
