import type { Response } from 'express';
import { RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { LimitFactory, SubnetLimit } from '../../platform/limits/Limits.ts';
import type { Subnet } from '../../platform/limits/subnets.ts';

/** The limits that are settings. `auth` counts sign-ins, and all requests without a valid credential. */
type SetLimit = 'auth' | 'reads' | 'writes' | 'uploads' | 'leaksearch';

/** `downloads` counts requests for files by signed URLs, which name no sender: all users of a network share it. */
export type LimitName = SetLimit | 'downloads';

interface Counted {
  limiter: RateLimiterAbstract;
  perMinute: number;
  policy: string;
  /** For clients that are counted only by network: the limit of each wider network they are in (an IPv6 /56 and /48). */
  wider: SubnetLimit;
  /** For clients that are counted by key, account or payer: the limit that all such clients of a network share. */
  together: SubnetLimit;
}

const windowSeconds = 60;

/** Limits the requests of each sender per minute. Every answer has the headers RateLimit-Policy and RateLimit (IETF draft-8). */
export class RateLimits {
  readonly #counted: Record<LimitName, Counted>;

  constructor(perMinute: Record<SetLimit, number>, factory: LimitFactory) {
    const counted = (name: LimitName, most: number): Counted => ({
      limiter: factory.createLimiter(name, most, windowSeconds),
      perMinute: most,
      policy: `"${name}";q=${most};w=${windowSeconds}`,
      wider: factory.perSubnet(`${name}.wider`, most, windowSeconds),
      together: factory.perSubnet(`${name}.network`, most * factory.networkFactor, windowSeconds),
    });
    this.#counted = {
      auth: counted('auth', perMinute.auth),
      reads: counted('reads', perMinute.reads),
      writes: counted('writes', perMinute.writes),
      uploads: counted('uploads', perMinute.uploads),
      leaksearch: counted('leaksearch', perMinute.leaksearch),
      downloads: counted('downloads', perMinute.reads * factory.networkFactor),
    };
  }

  /**
   * Counts a request whose sender is not known.
   * @param points 0 for a request that does not count, but whose answer has the headers of the limit. Default: 1
   * @throws ParleyError RATE_LIMIT_EXCEEDED with the seconds to wait
   */
  async consumeUnknown(
    name: LimitName,
    subnets: [Subnet, ...Subnet[]],
    response: Response,
    points = 1,
  ): Promise<void> {
    const [narrowest, ...wider] = subnets;
    await this.#consume(name, narrowest.key, response, points);
    await this.#counted[name].wider.consume(wider, points);
  }

  /**
   * Counts a request of a known sender.
   * @param who a key, an account or a payer
   * @throws ParleyError RATE_LIMIT_EXCEEDED with the seconds to wait
   */
  async consume(name: LimitName, who: string, subnets: Subnet[], response: Response): Promise<void> {
    await this.#consume(name, who, response);
    await this.#counted[name].together.consume(subnets);
  }

  async #consume(name: LimitName, who: string, response: Response, points = 1): Promise<void> {
    const { limiter, perMinute, policy } = this.#counted[name];
    const state = await limiter.consume(who, points).catch((refused: unknown) => {
      if (refused instanceof RateLimiterRes) return refused;
      throw refused;
    });
    const secondsLeft = Math.max(1, Math.ceil(state.msBeforeNext / 1_000));
    response.setHeader('RateLimit-Policy', policy);
    response.setHeader('RateLimit', `"${name}";r=${state.remainingPoints};t=${secondsLeft}`);
    if (state.consumedPoints <= perMinute) return;
    throw new ParleyError('RATE_LIMIT_EXCEEDED', `Too many requests. Try again in ${secondsLeft} s.`, {
      retryAfter: secondsLeft,
    });
  }
}
