import { RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { CreateLimiter } from './limiters.ts';
import type { Subnet } from './subnets.ts';

/** The sender of a request, as rate limits count it: a wallet or guest, and the networks of its address. */
export interface Requester {
  /** null if the HTTP API has counted the request. */
  readonly countedAs: string | null;
  readonly subnets: readonly Subnet[];
}

/** A rate limit per wallet. All wallets of a network share a multiple of it. */
export interface Limit {
  /**
   * @param points the number of points to count. Default: 1
   * @throws ParleyError RATE_LIMIT_EXCEEDED with the seconds to wait
   */
  consume(requester: Requester, points?: number): Promise<void>;
}

/** A rate limit per network. */
export interface SubnetLimit {
  /** @param subnets the networks of an address, narrowest first */
  consume(subnets: readonly Subnet[], points?: number): Promise<void>;
}

/** A rate limit per key. */
export interface KeyLimit {
  consume(key: string, points?: number): Promise<void>;
}

/** The default limit of a network, as a multiple of a wallet's limit. It is enough for an office behind one address. */
export const defaultNetworkFactor = 20;

/** Creates limits that count in one place: in this process, or in Redis for all nodes. */
export class LimitFactory {
  readonly createLimiter: CreateLimiter;
  readonly networkFactor: number;

  constructor(createLimiter: CreateLimiter, networkFactor = defaultNetworkFactor) {
    this.createLimiter = createLimiter;
    this.networkFactor = networkFactor;
  }

  perWallet(name: string, points: number, seconds: number): Limit {
    const ofWallet = this.perKey(name, points, seconds);
    const ofNetwork = this.perSubnet(`${name}.network`, points * this.networkFactor, seconds);
    return {
      async consume({ countedAs, subnets }, count) {
        if (countedAs === null) return;
        // Check the wallet first, so that its refused requests do not count against its network.
        await ofWallet.consume(countedAs, count);
        await ofNetwork.consume(subnets, count);
      },
    };
  }

  perSubnet(name: string, points: number, seconds: number): SubnetLimit {
    const byTimes = new Map<number, KeyLimit>();
    const limitOf = ({ times }: Subnet): KeyLimit => {
      const limit =
        byTimes.get(times) ?? createLimit(this.createLimiter(name, points * times, seconds), inNetwork);
      byTimes.set(times, limit);
      return limit;
    };
    return {
      async consume(subnets, count) {
        // The narrowest first, so that its refused requests do not count against the wider ones, which others share.
        for (const subnet of subnets) await limitOf(subnet).consume(subnet.key, count);
      },
    };
  }

  perKey(name: string, points: number, seconds: number): KeyLimit {
    return createLimit(this.createLimiter(name, points, seconds));
  }
}

const inNetwork = ' from your network';

function createLimit(limiter: RateLimiterAbstract, where = ''): KeyLimit {
  return {
    async consume(key, points = 1) {
      if (points === 0) return;
      try {
        await limiter.consume(key, points);
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) throw refused;
        const retryAfter = Math.max(1, Math.ceil(refused.msBeforeNext / 1_000));
        throw new ParleyError(
          'RATE_LIMIT_EXCEEDED',
          `Too many requests${where}: try again in ${retryAfter} s.`,
          {
            retryAfter,
          },
        );
      }
    },
  };
}
