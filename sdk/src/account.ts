import type {
  WireAccount,
  WireAccountCredits,
  WireAccountUsage,
  WireMovement,
  WirePlan,
  WireSubscription,
} from '../protocol/account.ts';
import type { Page as WirePage } from '../protocol/http.ts';
import type { HttpClient } from './HttpClient.ts';
import type {
  AccountInfo,
  Credits,
  HistoryQuery,
  Movement,
  Page,
  Plan,
  Subscription,
  Usage,
  UsageQuery,
} from './types.ts';

/** The account: credits, what they were spent on, the plan. Over HTTP, with an API key or a session. */
export class Account {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /**
   * @example
   * const { credits, authMethod } = await client.account.get();
   * @throws ParleyError AUTHENTICATION_REQUIRED
   */
  get(): Promise<AccountInfo> {
    return this.#http.request<WireAccount>('GET', '/account');
  }

  /** The balance, and what purchases under way hold beside it. */
  credits(): Promise<Credits> {
    return this.#http.request<WireAccountCredits>('GET', '/account/credits');
  }

  /** @param query at most 366 days; the last 30 by default. Needs account:read, as do all below. */
  usage(query?: UsageQuery): Promise<Usage> {
    return this.#http.request<WireAccountUsage>('GET', '/account/usage', undefined, { query });
  }

  /** Every movement of credits, the latest first. */
  history(query?: HistoryQuery): Promise<Page<Movement>> {
    return this.#http.request<WirePage<WireMovement>>('GET', '/account/history', undefined, { query });
  }

  /** Its status is `none` where there is no plan. */
  subscription(): Promise<Subscription> {
    return this.#http.request<WireSubscription>('GET', '/account/subscription');
  }

  /** The plans this server has. */
  plans(): Promise<Page<Plan>> {
    return this.#http.request<WirePage<WirePlan>>('GET', '/account/plans');
  }
}
