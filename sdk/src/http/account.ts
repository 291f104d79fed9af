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

/** The account's credits, usage, plan and identities, by HTTP with an API key or a session: `client.account`. */
export class Account {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /**
   * Reads the account.
   * @throws ParleyError AUTHENTICATION_REQUIRED
   * @example const { credits, authMethod } = await client.account.get();
   */
  get(): Promise<AccountInfo> {
    return this.#http.get<WireAccount>('/account');
  }

  /** Reads the balance and the credits that are reserved for purchases in progress. @throws ParleyError AUTHENTICATION_REQUIRED */
  credits(): Promise<Credits> {
    return this.#http.get<WireAccountCredits>('/account/credits');
  }

  /**
   * Reads the credits spent in a period. Needs the scope account:read.
   * @param query.from the beginning of the period. @default 30 days ago
   * @param query.to the end of the period, at most 366 days later. @default now
   * @param query.groupBy `day`, `service` or `key`. @default 'day'
   * @throws ParleyError VALIDATION_ERROR, MISSING_SCOPE
   */
  usage(query?: UsageQuery): Promise<Usage> {
    return this.#http.get<WireAccountUsage>('/account/usage', query);
  }

  /**
   * Lists the movements of credits, latest first. Needs the scope account:read.
   * @param query.type only movements of this type: `debit`, `credit` or `refund`. @default all
   * @throws ParleyError MISSING_SCOPE
   */
  history(query?: HistoryQuery): Promise<Page<Movement>> {
    return this.#http.get<WirePage<WireMovement>>('/account/history', query);
  }

  /** Reads the account's plan. `status` is `none` if it has none. Needs the scope account:read. @throws ParleyError MISSING_SCOPE */
  subscription(): Promise<Subscription> {
    return this.#http.get<WireSubscription>('/account/subscription');
  }

  /** Lists the plans this server offers. Needs the scope account:read. @throws ParleyError MISSING_SCOPE */
  plans(): Promise<Page<Plan>> {
    return this.#http.get<WirePage<WirePlan>>('/account/plans');
  }

  /**
   * Starts a purchase of credits. Needs a dashboard session.
   * @param credits 100 to 1,000,000. One credit is one US cent
   * @returns the payment page at Stripe. The credits are added once the customer has paid there
   * @throws ParleyError ACCESS_DENIED, VALIDATION_ERROR, SERVICE_UNAVAILABLE (the server takes no payments, or Stripe is unavailable)
   */
  topUp(credits: number): Promise<Checkout> {
    return this.#http.once<WireCheckout>('/account/top-up', { credits });
  }

  /**
   * Starts a plan. Needs a dashboard session.
   * @param planId the id of a plan from plans()
   * @returns the payment page at Stripe. The plan starts once the customer has paid there
   * @throws ParleyError ACCESS_DENIED, NOT_FOUND (no such plan), CONFLICT (the account already has a plan), SERVICE_UNAVAILABLE (the server
   * takes no payments, or Stripe is unavailable)
   */
  subscribe(planId: string): Promise<Checkout> {
    return this.#http.once<WireCheckout>('/account/subscription', { planId });
  }

  /**
   * Cancels the plan. It ends with the paid month. Needs a dashboard session.
   * @throws ParleyError ACCESS_DENIED, CONFLICT (the account has no plan), SERVICE_UNAVAILABLE (Stripe is unavailable)
   */
  cancelSubscription(): Promise<Subscription> {
    return this.#http.request<WireSubscription>('DELETE', '/account/subscription');
  }

  /** Lists payments, latest first. Needs a dashboard session. @throws ParleyError ACCESS_DENIED */
  payments(query?: PageQuery): Promise<Page<Payment>> {
    return this.#http.get<WirePage<WirePayment>>('/account/payments', query);
  }

  /** Lists the identities that can sign in to the account. Needs a dashboard session. @throws ParleyError ACCESS_DENIED */
  identities(): Promise<Page<AccountIdentity>> {
    return this.#http.get<WirePage<WireIdentity>>('/account/identities');
  }

  /**
   * Links a wallet or an outside identity to the account, so that it can sign in to the account too. Needs a dashboard session. To link a
   * wallet, client.linkWallet() is easier.
   * @param proof for a wallet, an EIP-4361 message that was signed on one of the server's own pages, with linkStatement(account.id) as its
   * statement; for an outside identity, a new token from the provider
   * @throws ParleyError ACCESS_DENIED, AUTHENTICATION_REQUIRED (the proof is not accepted), CONFLICT (the identity belongs to another
   * account that is in use, or this account already has a wallet or an identity of this provider), SERVICE_UNAVAILABLE (the server has no
   * provider)
   */
  linkIdentity(proof: IdentityProof): Promise<AccountIdentity> {
    return this.#http.request<WireIdentity>('POST', '/account/identities', proof);
  }

  /**
   * Unlinks an identity from the account, and ends its sessions. Needs a dashboard session.
   * @param id the identity's id; `wallet` for the wallet
   * @throws ParleyError ACCESS_DENIED, NOT_FOUND, CONFLICT (no other identity can sign in to the account)
   */
  async unlinkIdentity(id: string): Promise<void> {
    await this.#http.request('DELETE', `/account/identities/${encodeURIComponent(id)}`);
  }
}
