import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';

export interface EventCipher {
  /** Encrypts; only the same cipher opens it again, and only for the same place. */
  seal(text: string, place: string): Buffer;
  /** @throws Error for another key, another place, or a changed byte */
  unseal(bytes: Buffer, place: string): string;
}

/** What is older is not taken: a node that was away for longer asks for all news anyway. The clocks of nodes agree about. */
const oldestMs = 5 * 60_000;
const warnMs = 60_000;

type Told = [sender: string, count: number, at: number, text: string];

/**
 * What nodes tell each other, as it lies in Redis: who can read there learns nothing, and who can write there can neither forge news
 * nor tell them again. Every message carries its sender and a number that only grows.
 */
export class SealedEvents {
  readonly #cipher: EventCipher;
  readonly #log: Logger;
  readonly #sender = randomUUID();
  #count = 0;
  /** The last message of each sender on each channel. */
  readonly #heard = new Map<string, { count: number; at: number }>();
  #warnedAt = -Infinity;

  constructor(cipher: EventCipher, log: Logger) {
    this.#cipher = cipher;
    this.#log = log;
  }

  /** @param channel where it is told: it opens nowhere else */
  seal(text: string, channel: string): Buffer {
    const told: Told = [this.#sender, ++this.#count, Date.now(), text];
    return this.#cipher.seal(JSON.stringify(told), channel);
  }

  /** @returns null for what no node of this installation has told just now */
  open(sealed: Buffer, channel: string): string | null {
    try {
      const [sender, count, at, text] = JSON.parse(this.#cipher.unseal(sealed, channel)) as Told;
      const [key, now] = [`${channel} ${sender}`, Date.now()];
      if (Math.abs(now - at) > oldestMs)
        return this.#refuse('it is older than five minutes, or the clocks differ');
      const last = this.#heard.get(key);
      if (last && count <= last.count) return this.#refuse('it was told before');
      if (!last) this.#forgetOld(now);
      this.#heard.set(key, { count, at });
      return text;
    } catch {
      return this.#refuse('it was not sealed with this SECRET_KEY');
    }
  }

  /** Senders that are gone: what they told is too old to be told again. */
  #forgetOld(now: number): void {
    for (const [key, { at }] of this.#heard) if (now - at > oldestMs) this.#heard.delete(key);
  }

  #refuse(reason: string): null {
    if (Date.now() - this.#warnedAt > warnMs)
      this.#log.warn(
        { reason },
        'news in Redis were ignored: somebody else writes there, or a node of another version',
      );
    this.#warnedAt = Date.now();
    return null;
  }
}
