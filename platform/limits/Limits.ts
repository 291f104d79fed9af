import { RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { CreateLimiter } from './limiters.ts';
import type { Subnet } from './subnets.ts';

/** Who asks for something: a wallet, from a network. */
export interface Requester {
  readonly wallet: string;
  readonly subnets: readonly Subnet[];
}

/** So many times within so many seconds, for each wallet; all wallets of a network have a multiple of it together. */
export interface Limit {
  /** @throws ParleyError RATE_LIMIT_EXCEEDED with the seconds to wait */
  consume(requester: Requester, points?: number): Promise<void>;
}

/** The same for each network. */
export interface SubnetLimit {
  consume(subnets: readonly Subnet[], points?: number): Promise<void>;
}

/** The same for each key. */
export interface KeyLimit {
  consume(key: string, points?: number): Promise<void>;
}

/** How often all wallets of one network may do what each of them may do: enough for an office behind one address. */
export const usualNetworkFactor = 20;

/** Makes limits that count in one place: in this process, or in Redis for all nodes. */
export class LimitFactory {
  readonly createLimiter: CreateLimiter;
  readonly networkFactor: number;

  constructor(createLimiter: CreateLimiter, networkFactor = usualNetworkFactor) {
    this.createLimiter = createLimiter;
    this.networkFactor = networkFactor;
  }

  perWallet(name: string, points: number, seconds: number): Limit {
    const ofWallet = this.perKey(name, points, seconds);
    const ofNetwork = this.perSubnet(`${name}.network`, points * this.networkFactor, seconds);
    return {
      async consume({ wallet, subnets }, count) {
        // First: a wallet that is refused takes nothing from others in its network.
        await ofWallet.consume(wallet, count);
        await ofNetwork.consume(subnets, count);
      },
    };
  }

  perSubnet(name: string, points: number, seconds: number): SubnetLimit {
    const byTimes = new Map<number, KeyLimit>();
    const limitOf = ({ times }: Subnet): KeyLimit => {
      const made =
        byTimes.get(times) ?? createLimit(this.createLimiter(name, points * times, seconds), inNetwork);
      byTimes.set(times, made);
      return made;
    };
    return {
      async consume(subnets, count) {
        await Promise.all(subnets.map((subnet) => limitOf(subnet).consume(subnet.key, count)));
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
        throw new ParleyError('RATE_LIMIT_EXCEEDED', `Too many of these${where}: wait ${retryAfter} s.`, {
          retryAfter,
        });
      }
    },
  };
}
