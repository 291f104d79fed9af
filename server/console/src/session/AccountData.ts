import type {
  AccountInfo,
  ApiKey,
  AuditQuery,
  AuditRow,
  CreatedApiKey,
  Credits,
  HistoryQuery,
  Movement,
  NewApiKey,
  Parley,
  PublishableKey,
  Subscription,
  Usage,
  UsageQuery,
} from '@parley/sdk';
import { PagedList } from '../data/PagedList.ts';
import { Resource } from '../data/Resource.ts';

const keysPerPage = 100;
const rowsPerPage = 25;

/** The account of whoever is signed in, as far as it was read: pages come and go, and find it here again. */
export class AccountData {
  readonly info: Resource<AccountInfo>;
  readonly credits: Resource<Credits>;
  readonly subscription: Resource<Subscription>;
  readonly publishableKey: Resource<PublishableKey>;
  readonly keys: PagedList<ApiKey>;
  readonly #client: Parley;

  constructor(client: Parley) {
    const { account, apiKeys } = client;
    this.#client = client;
    this.info = new Resource(() => account.get());
    this.credits = new Resource(() => account.credits());
    this.subscription = new Resource(() => account.subscription());
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

  auditLog(query: AuditQuery): PagedList<AuditRow> {
    return new PagedList((cursor) =>
      this.#client.apiKeys.auditLogs({ limit: rowsPerPage, ...query, ...(cursor && { cursor }) }),
    );
  }

  readonly createKey = (key: NewApiKey): Promise<CreatedApiKey> =>
    this.#thenList(this.#client.apiKeys.create(key));
  readonly rotateKey = (id: string): Promise<CreatedApiKey> =>
    this.#thenList(this.#client.apiKeys.rotate(id));
  readonly revokeKey = (id: string): Promise<ApiKey> => this.#thenList(this.#client.apiKeys.revoke(id));

  /** The list shows the change as soon as it is made. */
  async #thenList<Result>(change: Promise<Result>): Promise<Result> {
    const result = await change;
    await this.keys.refresh();
    return result;
  }
}
