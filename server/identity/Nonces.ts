import { createHmac, timingSafeEqual } from 'node:crypto';
import { randomBase62 } from '../../sdk/protocol/ids.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import { usedNonces } from './tables.ts';
import type { Keys } from '../../platform/keys.ts';

const lifetimeMs = 5 * 60_000;
/** The format of a nonce: random characters, the expiry in base 36, and a MAC in hexadecimal. */
const form = /^([0-9A-Za-z]{16}([0-9a-z]{9}))([0-9a-f]{32})$/;

/**
 * Sign-in nonces. A nonce is valid for five minutes and can be used once. It contains its expiry and a MAC, so that issuing it writes
 * nothing to the database; a row is stored only when it is used.
 */
export class Nonces {
  readonly #keys: Keys;

  constructor(keys: Keys) {
    this.#keys = keys;
  }

  issue(now = Date.now()): { nonce: string; expiresAt: Date } {
    const expiresAt = new Date(now + lifetimeMs);
    const body = randomBase62(16) + expiresAt.getTime().toString(36).padStart(9, '0');
    return { nonce: body + macOf(this.#keys()[0], body), expiresAt };
  }

  /** The expiry of a nonce that this server issued, even if the nonce has expired or was used; null for any other text. */
  expiryOf(nonce: string): Date | null {
    const [, body = '', expiry = '', mac = ''] = form.exec(nonce) ?? [];
    if (!body) return null;
    const isOurs = this.#keys().some((key) =>
      timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(key, body))),
    );
    if (!isOurs) return null;
    return new Date(parseInt(expiry, 36));
  }

  /** Marks the nonce as used. @returns false if it was already used */
  async use(executor: Executor, nonce: string, expiresAt: Date): Promise<boolean> {
    const inserted = await executor
      .insert(usedNonces)
      .values({ nonce, expiresAt })
      .onConflictDoNothing()
      .returning();
    return inserted.length === 1;
  }
}

const macOf = (key: Buffer, body: string) =>
  createHmac('sha256', key).update(body).digest('hex').slice(0, 32);
