import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Subnet } from '../../platform/limits/subnets.ts';

const windowMs = 10_000;
/** A client that exceeds its limit by this factor floods the server: even refusing each request costs too much. */
const floodFactor = 10;

/** Counts the requests of one connection, or of all connections from one network, in fixed windows of ten seconds. */
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
  count(now = Date.now()): void {
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

/** The windows that this node's connections from one network share. */
export class SubnetWindows {
  readonly #limit: number;
  readonly #shared = new Map<string, { window: RequestWindow; connections: number }>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Call when a connection opens, and release the windows when it has closed. */
  acquire(subnets: readonly Subnet[]): RequestWindow[] {
    return subnets.map(({ key, times }) => {
      const window = new RequestWindow(this.#limit * times, ' from your network');
      const shared = this.#shared.get(key) ?? { window, connections: 0 };
      shared.connections++;
      this.#shared.set(key, shared);
      return shared.window;
    });
  }

  release(subnets: readonly Subnet[]): void {
    for (const { key } of subnets) {
      const shared = this.#shared.get(key);
      if (shared && --shared.connections === 0) this.#shared.delete(key);
    }
  }
}
