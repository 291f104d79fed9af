import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Subnet } from '../../platform/limits/subnets.ts';

const windowMs = 10_000;
/** A client that exceeds its limit by this factor floods the server: even refusing each request costs too much. */
const floodFactor = 10;

/**
 * Counts the requests of one connection, or of all connections from one network, in fixed windows of ten seconds. Times are by
 * performance.now(): when the clock of the machine is set back, a window must not last until that time has come again.
 */
export class RequestWindow {
  readonly #limit: number;
  readonly #where: string;
  #endsAt = 0;
  #count = 0;

  constructor(limit: number, where = '') {
    this.#limit = limit;
    this.#where = where;
  }

  get isFlooded(): boolean {
    return this.#count > this.#limit * floodFactor;
  }

  /** @throws ParleyError RATE_LIMIT_EXCEEDED with the seconds until the next window */
  count(now = performance.now()): void {
    if (now >= this.#endsAt) {
      this.#endsAt = now + windowMs;
      this.#count = 0;
    }
    this.#count++;
    if (this.#count <= this.#limit) return;
    const retryAfter = Math.max(1, Math.ceil((this.#endsAt - now) / 1_000));
    throw new ParleyError(
      'RATE_LIMIT_EXCEEDED',
      `Too many requests${this.#where}: try again in ${retryAfter} s.`,
      {
        retryAfter,
      },
    );
  }
}

/**
 * The windows that this node's connections from one network share. They are kept for ten seconds after the last connection has closed, when
 * they have certainly ended. Otherwise, connecting again would start a new window.
 */
export class SubnetWindows {
  readonly #limit: number;
  readonly #shared = new Map<string, { window: RequestWindow; connections: number }>();
  /** When the last connection of a network closed, the earliest first. */
  readonly #closedAt = new Map<string, number>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Call when a connection opens, and release the windows when it has closed. */
  acquire(subnets: readonly Subnet[], now = performance.now()): RequestWindow[] {
    this.#forget(now);
    return subnets.map(({ key, times }) => {
      const window = new RequestWindow(this.#limit * times, ' from your network');
      const shared = this.#shared.get(key) ?? { window, connections: 0 };
      shared.connections++;
      this.#shared.set(key, shared);
      this.#closedAt.delete(key);
      return shared.window;
    });
  }

  release(subnets: readonly Subnet[], now = performance.now()): void {
    this.#forget(now);
    for (const { key } of subnets) {
      const shared = this.#shared.get(key);
      if (shared && --shared.connections === 0) this.#closedAt.set(key, now);
    }
  }

  /** Removes the windows that have ended. Those of the last networks stay until the next connection, which needs no timer. */
  #forget(now: number): void {
    for (const [key, closedAt] of this.#closedAt) {
      if (now < closedAt + windowMs) return;
      this.#closedAt.delete(key);
      this.#shared.delete(key);
    }
  }
}
