import { ParleyError } from '../../protocol/errors.ts';
import type { Tokens } from './Tokens.ts';
import { isTransient } from './transient.ts';

/** How long before its expiry a token is renewed. */
const beforeExpiryMs = 60_000;
/** The delay before a failed renewal is repeated. */
const retryMs = 5_000;
/** The delay before the next renewal if the clock of this device is wrong. */
const wrongClockMs = 5 * 60_000;
/** The maximum delay of setTimeout, which has 31 bits. */
const longestTimerMs = 2 ** 31 - 1;

/** Whether to repeat a renewal. Any other error than those of the SDK is the app's own: its backend may answer the next time. */
export const mayRenewLater = (error: unknown): boolean =>
  isTransient(error) || !(error instanceof ParleyError);

/** Renews the token of a connection before it expires, so that calls continue. */
export class TokenRenewal {
  readonly #tokens: Tokens;
  readonly #use: (token: string) => Promise<void>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = true;

  /** @param use tells the server about the next token */
  constructor(tokens: Tokens, use: (token: string) => Promise<void>) {
    this.#tokens = tokens;
    this.#use = use;
  }

  /** Plans the renewal of the current token. */
  schedule(): void {
    this.stop();
    this.#isStopped = false;
    const { expiresAt } = this.#tokens;
    if (!expiresAt) return;
    const leftMs = expiresAt.getTime() - Date.now();
    // If a token that the server has accepted seems to have expired, the clock of this device is wrong. A token with a very short lifetime
    // is renewed after half of it, instead of in a loop.
    const inMs = leftMs <= 0 ? wrongClockMs : Math.max(leftMs - beforeExpiryMs, leftMs / 2, 1_000);
    this.#renewIn(Math.min(inMs, longestTimerMs));
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #renewIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#renew(), ms);
    // The timer must not keep a backend's process running.
    (this.#timer as { unref?: () => void }).unref?.();
  }

  async #renew(): Promise<void> {
    try {
      await this.#use(await this.#tokens.renew());
      if (!this.#isStopped) this.schedule();
    } catch (error) {
      // If the session has ended, the server sends `session:ended`, which is handled separately.
      if (mayRenewLater(error) && !this.#isStopped) this.#renewIn(retryMs);
    }
  }
}
