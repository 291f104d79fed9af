import type {
  WireApiKey,
  WireAuditRow,
  WireCreatedApiKey,
  WirePublishableKey,
  WireRevokedApiKey,
} from '../../protocol/apiKeys.ts';
import type { Page as WirePage } from '../../protocol/http.ts';
import type { HttpClient } from './HttpClient.ts';
import type {
  ApiKey,
  AuditQuery,
  AuditRow,
  CreatedApiKey,
  NewApiKey,
  Page,
  PageQuery,
  PublishableKey,
  RevokedApiKey,
} from '../types.ts';

/** The account's API keys. For dashboard sessions alone: everybody else is refused with ACCESS_DENIED. */
export class ApiKeys {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /** The latest first, revoked ones too. */
  list(query?: PageQuery): Promise<Page<ApiKey>> {
    return this.#http.get<WirePage<WireApiKey>>('/api-keys', query);
  }

  /**
   * Keep the secret: it is not shown again.
   * @param key scopes default to account:read, sms:send, numbers:read and numbers:buy
   */
  create(key: NewApiKey): Promise<CreatedApiKey> {
    return this.#http.once<WireCreatedApiKey>('/api-keys', key);
  }

  /** A key with the same scopes. The old one works until it is revoked. */
  rotate(id: string): Promise<CreatedApiKey> {
    return this.#http.once<WireCreatedApiKey>(`${pathOf(id)}/rotate`);
  }

  /**
   * At once, on every node.
   * @param options `removeWebhooks`: also the webhooks this key set, which otherwise go on sending; the answer names them
   */
  revoke(id: string, options: { removeWebhooks?: boolean } = {}): Promise<RevokedApiKey> {
    const query = options.removeWebhooks ? { webhooks: 'remove' } : {};
    return this.#http.request<WireRevokedApiKey>('DELETE', pathOf(id), undefined, { query });
  }

  /** The key that names the account's app in a browser. It opens nothing. */
  publishable(): Promise<PublishableKey> {
    return this.#http.get<WirePublishableKey>('/api-keys/publishable');
  }

  /** Who did what, the latest first; by a key's prefix, whether it is still used. */
  auditLogs(query?: AuditQuery): Promise<Page<AuditRow>> {
    return this.#http.get<WirePage<WireAuditRow>>('/audit-logs', query);
  }
}

const pathOf = (id: string) => `/api-keys/${encodeURIComponent(id)}`;
