import type {
  AccountInfo,
  ApiKey,
  AuditQuery,
  AuditRow,
  Checkout,
  CreatedApiKey,
  Credits,
  HistoryQuery,
  Movement,
  NewApiKey,
  Parley,
  Payment,
  Plan,
  Page,
  PublishableKey,
  RequestPayment,
  RevokedApiKey,
  Subscription,
  Usage,
  UsageQuery,
} from '@parley/sdk';
import { PagedList } from '../data/PagedList.ts';
import { Resource } from '../data/Resource.ts';
import { Store } from './Store.ts';

const keysPerPage = 100;
const rowsPerPage = 25;

/** The data of the signed-in account. It outlives the pages that show it. */
export class AccountData {
  readonly info: Resource<AccountInfo>;
  readonly credits: Resource<Credits>;
  readonly subscription: Resource<Subscription>;
  readonly publishableKey: Resource<PublishableKey>;
  readonly keys: PagedList<ApiKey>;
  readonly plans: Resource<Page<Plan>>;
  readonly payments: PagedList<Payment>;
  /** Whether this server sells credits and plans through Stripe. */
  readonly takesCards: Resource<boolean>;
  /** Whether the session belongs to the operator of the server. */
  readonly isOperator = new Store(false);
  readonly #client: Parley;

  constructor(client: Parley) {
    const { account, apiKeys } = client;
    this.#client = client;
    this.info = new Resource(() => account.get());
    this.credits = new Resource(() => account.credits());
    this.subscription = new Resource(() => account.subscription());
    this.plans = new Resource(() => account.plans());
    this.payments = new PagedList((cursor) =>
      account.payments({ limit: rowsPerPage, ...(cursor && { cursor }) }),
    );
    this.takesCards = new Resource(async () => {
      const { services } = await client.serverStatus();
      return services['stripe'] === 'available';
    });
    this.publishableKey = new Resource(() => apiKeys.publishable());
    this.keys = new PagedList((cursor) => apiKeys.list({ limit: keysPerPage, ...(cursor && { cursor }) }));
  }

  usage(query: UsageQuery): Resource<Usage> {
    return new Resource(() => this.#client.account.usage(query));
  }

  history(query: HistoryQuery): PagedList<Movement> {
    return new PagedList((cursor) =>
      this.#client.account.history({ limit: rowsPerPage, ...query, ...(cursor && { cursor }) }),
    );
  }

  /** For the operator: the x402 payments of all payers. */
  requestPayments(query: { status?: RequestPayment['status'] }): PagedList<RequestPayment> {
    return new PagedList((cursor) =>
      this.#client.operator.payments({ limit: rowsPerPage, ...query, ...(cursor && { cursor }) }),
    );
  }

  /** Finds out whether this is the operator, by a request that the server refuses to everybody else. */
  async findOperator(): Promise<void> {
    const isOperator = await this.#client.operator.payments({ limit: 1 }).then(
      () => true,
      () => false,
    );
    this.isOperator.set(isOperator);
  }

  auditLog(query: AuditQuery): PagedList<AuditRow> {
    return new PagedList((cursor) =>
      this.#client.apiKeys.auditLogs({ limit: rowsPerPage, ...query, ...(cursor && { cursor }) }),
    );
  }

  readonly topUp = (credits: number): Promise<Checkout> => this.#client.account.topUp(credits);
  readonly subscribe = (planId: string): Promise<Checkout> => this.#client.account.subscribe(planId);
  readonly cancelPlan = async (): Promise<Subscription> => {
    const subscription = await this.#client.account.cancelSubscription();
    await this.subscription.refresh();
    return subscription;
  };

  readonly createKey = (key: NewApiKey): Promise<CreatedApiKey> =>
    this.#thenList(this.#client.apiKeys.create(key));
  readonly rotateKey = (id: string): Promise<CreatedApiKey> =>
    this.#thenList(this.#client.apiKeys.rotate(id));
  readonly revokeKey = (id: string, options?: { removeWebhooks?: boolean }): Promise<RevokedApiKey> =>
    this.#thenList(this.#client.apiKeys.revoke(id, options));

  /** Waits until a key has been changed, then reads the list of keys again. */
  async #thenList<Result>(change: Promise<Result>): Promise<Result> {
    const result = await change;
    await this.keys.refresh();
    return result;
  }
}
