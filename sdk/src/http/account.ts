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
import type { WireDeletion, WireExport } from '../../protocol/privacy.ts';
import type { HttpClient } from './HttpClient.ts';
import type {
  AccountDeletion,
  AccountExport,
  AccountIdentity,
  AccountInfo,
  Checkout,
  Credits,
  DeletionProof,
  HistoryQuery,
  IdentityProof,
  Movement,
  Payment,
  Plan,
  Subscription,
  Usage,
  UsageQuery,
} from './accountTypes.ts';
import type { Page, PageQuery } from '../types.ts';

/** The account's credits, usage, plan and identities, by HTTP with an API key or a session: `client.account`. */
export class Account {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /**
   * Reads the account.
   * @returns the account, and how the request was authenticated
   * @throws ParleyError AUTHENTICATION_REQUIRED: there is no valid session or API key
   * @example const { credits, authMethod } = await client.account.get();
   */
  get(): Promise<AccountInfo> {
    return this.#http.get<WireAccount>('/account');
  }

  /**
   * Reads the balance and the credits that are reserved for purchases in progress.
   * @returns the balance, in whole credits
   * @throws ParleyError AUTHENTICATION_REQUIRED: there is no valid session or API key
   */
  credits(): Promise<Credits> {
    return this.#http.get<WireAccountCredits>('/account/credits');
  }

  /**
   * Reads the credits spent in a period. Needs the scope account:read.
   * @param query.from the beginning of the period. Default: 30 days before its end
   * @param query.to the end of the period, at most 366 days later. Default: now
   * @param query.groupBy `day`, `service` or `key`. Default: 'day'
   * @returns the credits spent, in groups
   * @throws ParleyError VALIDATION_ERROR: the period ends before it begins, or is longer than 366 days
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   */
  usage(query?: UsageQuery): Promise<Usage> {
    return this.#http.get<WireAccountUsage>('/account/usage', query);
  }

  /**
   * Lists the movements of credits, latest first. Needs the scope account:read.
   * @param query.type only movements of this type: `debit`, `credit` or `refund`. Default: all
   * @returns one page of movements
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   */
  history(query?: HistoryQuery): Promise<Page<Movement>> {
    return this.#http.get<WirePage<WireMovement>>('/account/history', query);
  }

  /**
   * Reads the account's plan. `status` is `none` if it has none. Needs the scope account:read.
   * @returns the plan
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   */
  subscription(): Promise<Subscription> {
    return this.#http.get<WireSubscription>('/account/subscription');
  }

  /**
   * Lists the plans this server offers. Needs the scope account:read.
   * @returns all plans, as one page
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   */
  plans(): Promise<Page<Plan>> {
    return this.#http.get<WirePage<WirePlan>>('/account/plans');
  }

  /**
   * Starts a purchase of credits. Needs a dashboard session.
   * @param credits 100 to 1,000,000. One credit is one US cent
   * @returns the payment page at Stripe. The credits are added once the customer has paid there
   * @throws ParleyError ACCESS_DENIED: not a dashboard session (`session_required`)
   * @throws ParleyError VALIDATION_ERROR: not a whole number of credits, or out of bounds
   * @throws ParleyError SERVICE_UNAVAILABLE: the server takes no payments, or Stripe is unavailable
   */
  topUp(credits: number): Promise<Checkout> {
    return this.#http.once<WireCheckout>('/account/top-up', { credits });
  }

  /**
   * Starts a plan. Needs a dashboard session.
   * @param planId the id of a plan from plans()
   * @returns the payment page at Stripe. The plan starts once the customer has paid there
   * @throws ParleyError ACCESS_DENIED: not a dashboard session (`session_required`)
   * @throws ParleyError NOT_FOUND: there is no such plan
   * @throws ParleyError CONFLICT: the account already has a plan
   * @throws ParleyError SERVICE_UNAVAILABLE: the server takes no payments, or Stripe is unavailable
   */
  subscribe(planId: string): Promise<Checkout> {
    return this.#http.once<WireCheckout>('/account/subscription', { planId });
  }

  /**
   * Cancels the plan. It ends with the paid month. Needs a dashboard session.
   * @returns the plan, with the end of its last month
   * @throws ParleyError ACCESS_DENIED: not a dashboard session (`session_required`)
   * @throws ParleyError CONFLICT: the account has no plan
   * @throws ParleyError SERVICE_UNAVAILABLE: the server takes no payments, or Stripe is unavailable
   */
  cancelSubscription(): Promise<Subscription> {
    return this.#http.request<WireSubscription>('DELETE', '/account/subscription');
  }

  /**
   * Lists payments, latest first. Needs a dashboard session.
   * @param query the page to read. Default: the first 50
   * @returns one page of payments
   * @throws ParleyError ACCESS_DENIED: not a dashboard session (`session_required`)
   */
  payments(query?: PageQuery): Promise<Page<Payment>> {
    return this.#http.get<WirePage<WirePayment>>('/account/payments', query);
  }

  /**
   * Lists the identities that can sign in to the account. Needs a dashboard session.
   * @returns all identities, as one page
   * @throws ParleyError ACCESS_DENIED: not a dashboard session (`session_required`)
   */
  identities(): Promise<Page<AccountIdentity>> {
    return this.#http.get<WirePage<WireIdentity>>('/account/identities');
  }

  /**
   * Links a wallet or an outside identity to the account, so that it can sign in to the account too. Needs a dashboard session. To link a
   * wallet, client.linkWallet() is easier.
   * @param proof for a wallet, an EIP-4361 message that was signed on one of the server's own pages, with linkStatement(account.id) as its
   * statement; for an outside identity, a new token from the provider
   * @returns the linked identity
   * @throws ParleyError ACCESS_DENIED: not a dashboard session (`session_required`), or the message was not signed on one of the server's
   * own pages
   * @throws ParleyError VALIDATION_ERROR: not an EIP-4361 message
   * @throws ParleyError AUTHENTICATION_REQUIRED: the proof is not accepted
   * @throws ParleyError CONFLICT: the identity belongs to another account that is in use, or this account already has a wallet or an
   * identity of this provider
   * @throws ParleyError SERVICE_UNAVAILABLE: the server has no provider or cannot reach it, or the chain of a contract wallet cannot be
   * read
   */
  linkIdentity(proof: IdentityProof): Promise<AccountIdentity> {
    return this.#http.request<WireIdentity>('POST', '/account/identities', proof);
  }

  /**
   * Unlinks an identity from the account, and ends its sessions. Needs a dashboard session.
   * @param id the identity's id; `wallet` for the wallet
   * @throws ParleyError ACCESS_DENIED: not a dashboard session (`session_required`)
   * @throws ParleyError NOT_FOUND: there is no such identity
   * @throws ParleyError CONFLICT: no other identity can sign in to the account, or the identity is its wallet and its deletion was requested
   */
  async unlinkIdentity(id: string): Promise<void> {
    await this.#http.request('DELETE', `/account/identities/${encodeURIComponent(id)}`);
  }

  /**
   * Starts an archive (ZIP) with all data of the account: lists in JSON, and the media. If one is in progress, that one is returned. Needs a
   * dashboard session.
   * @returns the export. Read it again with latestExport() until its status is `ready`
   * @throws ParleyError ACCESS_DENIED: not a dashboard session (`session_required`)
   * @throws ParleyError RATE_LIMIT_EXCEEDED: three exports were started in a day
   * @throws ParleyError SERVICE_UNAVAILABLE: the server has no file storage
   */
  startExport(): Promise<AccountExport> {
    return this.#http.request<WireExport>('POST', '/account/export');
  }

  /**
   * Reads the latest export: its progress, and the address of the archive when it is ready. Needs a dashboard session.
   * @returns the export; null if there was none. Its `url` works for about an hour: read it again for a new one
   * @throws ParleyError ACCESS_DENIED: not a dashboard session (`session_required`)
   * @throws ParleyError SERVICE_UNAVAILABLE: the server has no file storage
   */
  async latestExport(): Promise<AccountExport | null> {
    return (await this.#http.get<{ export: WireExport | null }>('/account/export')).export;
  }

  /**
   * Requests the deletion of the account with all its data. Needs a dashboard session. With a wallet, client.deleteAccount() is easier.
   * @param proof for a wallet, an EIP-4361 message that was signed on one of the server's own pages, with deleteStatement(account.id) as its
   * statement; for an outside identity, a new token from the provider
   * @returns when the account will be deleted. Until then, restore() keeps it
   * @throws ParleyError ACCESS_DENIED: not a dashboard session (`session_required`), the message was not signed on one of the server's own
   * pages, or the proof is of a wallet or user that does not sign in to this account
   * @throws ParleyError VALIDATION_ERROR: not an EIP-4361 message
   * @throws ParleyError AUTHENTICATION_REQUIRED: the proof is not accepted, or not fresh
   * @throws ParleyError SERVICE_UNAVAILABLE: the server has no provider or cannot reach it, or the chain of a contract wallet cannot be
   * read
   */
  delete(proof: DeletionProof): Promise<AccountDeletion> {
    return this.#http.request<WireDeletion>('DELETE', '/account', proof);
  }

  /**
   * Reads whether the account will be deleted, for example after a sign-in. Needs a session.
   * @returns the requested deletion; null if the account stays
   * @throws ParleyError AUTHENTICATION_REQUIRED: there is no valid session
   */
  async deletion(): Promise<AccountDeletion | null> {
    return (await this.#http.get<{ deletion: WireDeletion | null }>('/account/deletion')).deletion;
  }

  /**
   * Withdraws the requested deletion of the account. Needs a session.
   * @throws ParleyError AUTHENTICATION_REQUIRED: there is no valid session
   * @throws ParleyError CONFLICT: the deletion was not requested, or has begun
   */
  async restore(): Promise<void> {
    await this.#http.request('POST', '/account/restore');
  }
}
