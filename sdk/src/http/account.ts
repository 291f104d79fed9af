import type {
  WireAccount,
  WireAccountCredits,
  WireAccountUsage,
  WireCheckout,
  WireMovement,
  WirePayment,
  WirePlan,
  WireSubscription,
} from '../../protocol/account.ts';
import type { Page as WirePage } from '../../protocol/http.ts';
import type { WireIdentity } from '../../protocol/identities.ts';
import type { HttpClient } from './HttpClient.ts';
import type {
  AccountIdentity,
  AccountInfo,
  Checkout,
  Credits,
  HistoryQuery,
  IdentityProof,
  Movement,
  Page,
  PageQuery,
  Payment,
  Plan,
  Subscription,
  Usage,
  UsageQuery,
} from '../types.ts';

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
    return this.#http.get<WireAccount>('/account');
  }

  /** The balance, and what purchases under way hold beside it. */
  credits(): Promise<Credits> {
    return this.#http.get<WireAccountCredits>('/account/credits');
  }

  /** @param query at most 366 days; the last 30 by default. Needs account:read, as do all below. */
  usage(query?: UsageQuery): Promise<Usage> {
    return this.#http.get<WireAccountUsage>('/account/usage', query);
  }

  /** Every movement of credits, the latest first. */
  history(query?: HistoryQuery): Promise<Page<Movement>> {
    return this.#http.get<WirePage<WireMovement>>('/account/history', query);
  }

  /** Its status is `none` where there is no plan. */
  subscription(): Promise<Subscription> {
    return this.#http.get<WireSubscription>('/account/subscription');
  }

  /** The plans this server has. */
  plans(): Promise<Page<Plan>> {
    return this.#http.get<WirePage<WirePlan>>('/account/plans');
  }

  /* From here on: dashboard sessions alone. */

  /**
   * Begins a purchase of credits.
   * @returns the page at Stripe to send the customer to; the credits come once it is paid
   * @throws ParleyError SERVICE_UNAVAILABLE where the server takes no payments
   */
  topUp(credits: number): Promise<Checkout> {
    return this.#http.once<WireCheckout>('/account/top-up', { credits });
  }

  /** Begins a plan. @throws ParleyError CONFLICT where the account has one */
  subscribe(planId: string): Promise<Checkout> {
    return this.#http.once<WireCheckout>('/account/subscription', { planId });
  }

  /** The plan ends with the month that is paid. */
  cancelSubscription(): Promise<Subscription> {
    return this.#http.request<WireSubscription>('DELETE', '/account/subscription');
  }

  /** The latest first. */
  payments(query?: PageQuery): Promise<Page<Payment>> {
    return this.#http.get<WirePage<WirePayment>>('/account/payments', query);
  }

  /** The wallet and the outside identities that sign in to the account. */
  identities(): Promise<Page<AccountIdentity>> {
    return this.#http.get<WirePage<WireIdentity>>('/account/identities');
  }

  /**
   * Links a wallet or an outside identity. A wallet signs an EIP-4361 message on this server's own page, whose statement is
   * linkStatement(account.id).
   * @throws ParleyError CONFLICT where it has an account of its own that is in use
   */
  linkIdentity(proof: IdentityProof): Promise<AccountIdentity> {
    return this.#http.request<WireIdentity>('POST', '/account/identities', proof);
  }

  /** Ends what was signed in by it. @throws ParleyError CONFLICT for the last one */
  async unlinkIdentity(id: string): Promise<void> {
    await this.#http.request('DELETE', `/account/identities/${encodeURIComponent(id)}`);
  }
}
