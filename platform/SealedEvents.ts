import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';

export interface EventCipher {
  /** Encrypts text. Only the same cipher opens it, and only for the same context. */
  seal(text: string, place: string): Buffer;
  /** @throws Error for another key, another context, or a changed byte */
  unseal(bytes: Buffer, place: string): string;
}

/** Older messages are refused: a node that was away for longer asks for everything anyway. Nodes' clocks must roughly agree. */
const oldestMs = 5 * 60_000;
const warnMs = 60_000;

type SealedMessage = [sender: string, count: number, at: number, text: string];

/**
 * Encrypts the events that nodes exchange through Redis: with access to Redis one can neither read, forge nor replay them. Every
 * message carries its sender and a number that only grows.
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

  /** @param channel the message opens on this channel only */
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

  /** Forgets senders that have gone: their messages are too old to be replayed. */
  #forgetOld(now: number): void {
    for (const [key, { at }] of this.#received) if (now - at > oldestMs) this.#received.delete(key);
  }

  #refuse(reason: string): null {
    if (Date.now() - this.#warnedAt > warnMs)
      this.#log.warn(
        { reason },
        'event from Redis refused: a foreign program or a node of another version writes there',
      );
    this.#warnedAt = Date.now();
    return null;
  }
}
