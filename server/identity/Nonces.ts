import { createHmac, timingSafeEqual } from 'node:crypto';
import { lt } from 'drizzle-orm';
import type { Executor } from '../../signaling/due/DueRows.ts';
import { randomBase62 } from '../../sdk/protocol/ids.ts';
import { usedNonces } from './tables.ts';

const lifetimeMs = 5 * 60_000;
const randomLength = 16;
const timeLength = 9;
const macLength = 32;

/**
 * Sign-in nonces: good for five minutes and one use. They carry their expiry and our MAC, so that issuing one writes nothing
 * and everybody may ask for as many as they like; only using one leaves a row.
 */
export class Nonces {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  issue(now = Date.now()): { nonce: string; expiresAt: Date } {
    const expiresAt = new Date(now + lifetimeMs);
    const body = randomBase62(randomLength) + expiresAt.getTime().toString(36).padStart(timeLength, '0');
    return { nonce: body + this.#mac(body), expiresAt };
  }

  /** When it expires; null for one that is not ours. An expired one is past, a used one still says when. */
  expiryOf(nonce: string): Date | null {
    const bodyLength = randomLength + timeLength;
    if (nonce.length !== bodyLength + macLength) return null;
    const body = nonce.slice(0, bodyLength);
    if (!timingSafeEqual(Buffer.from(nonce.slice(bodyLength)), Buffer.from(this.#mac(body)))) return null;
    return new Date(parseInt(body.slice(randomLength), 36));
  }

  /** @returns false when it has been used before */
  async use(executor: Executor, nonce: string, expiresAt: Date): Promise<boolean> {
    await executor.delete(usedNonces).where(lt(usedNonces.expiresAt, new Date(Date.now() - lifetimeMs)));
    const inserted = await executor
      .insert(usedNonces)
      .values({ nonce, expiresAt })
      .onConflictDoNothing()
      .returning();
    return inserted.length === 1;
  }

  #mac(body: string): string {
    return createHmac('sha256', this.#key).update(body).digest('hex').slice(0, macLength);
  }
}
