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
  PublishableKey,
  RevokedApiKey,
} from './accountTypes.ts';
import type { Page, PageQuery } from '../types.ts';

/** The account's API keys: `client.apiKeys`. All methods need a dashboard session and otherwise fail with ACCESS_DENIED. */
export class ApiKeys {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /**
   * Lists API keys, latest first, including revoked ones.
   * @param query the page to read. Default: the first 50
   * @returns one page of keys, without their secrets
   * @throws ParleyError ACCESS_DENIED: not a dashboard session (`session_required`)
   */
  list(query?: PageQuery): Promise<Page<ApiKey>> {
    return this.#http.get<WirePage<WireApiKey>>('/api-keys', query);
  }

  /**
   * Creates an API key. Store its secret, which is not shown again.
   * @param key.name the name of the key, 1 to 64 characters
   * @param key.scopes the scopes of the key. Default: account:read, sms:send, numbers:read and numbers:buy
   * @param key.expiresInDays days until the key expires, 1 to 3,650. Default: never
   * @returns the key with its secret
   * @throws ParleyError ACCESS_DENIED: not a dashboard session (`session_required`)
   * @throws ParleyError VALIDATION_ERROR: a field is missing or out of bounds
   * @throws ParleyError CONFLICT: the account has too many active keys
   * @example const { secret } = await client.apiKeys.create({ name: 'billing', scopes: ['account:read'] });
   */
  create(key: NewApiKey): Promise<CreatedApiKey> {
    return this.#http.once<WireCreatedApiKey>('/api-keys', key);
  }

  /**
   * Creates a new key with the name, scopes and lifetime of an old one. The old key works until it is revoked.
   * @param id the id of the old key
   * @returns the new key with its secret
   * @throws ParleyError ACCESS_DENIED: not a dashboard session (`session_required`)
   * @throws ParleyError NOT_FOUND: there is no such key
   * @throws ParleyError CONFLICT: the old key is revoked, or the account has too many active keys
   */
  rotate(id: string): Promise<CreatedApiKey> {
    return this.#http.once<WireCreatedApiKey>(`${pathOf(id)}/rotate`);
  }

  /**
   * Revokes a key, immediately and on every node.
   * @param id the id of the key
   * @param options.removeWebhooks also removes the webhooks and endpoints that were set with this key. The result lists them. Default: false
   * @returns the revoked key, with the webhooks and endpoints that were set with it
   * @throws ParleyError ACCESS_DENIED: not a dashboard session (`session_required`)
   * @throws ParleyError NOT_FOUND: there is no such key
   */
  revoke(id: string, options: { removeWebhooks?: boolean } = {}): Promise<RevokedApiKey> {
    const query = options.removeWebhooks ? { webhooks: 'remove' } : {};
    return this.#http.request<WireRevokedApiKey>('DELETE', pathOf(id), undefined, { query });
  }

  /**
   * Reads the publishable key, which names the account's app in a browser and grants nothing.
   * @returns the key
   * @throws ParleyError ACCESS_DENIED: not a dashboard session (`session_required`)
   */
  publishable(): Promise<PublishableKey> {
    return this.#http.get<WirePublishableKey>('/api-keys/publishable');
  }

  /**
   * Lists the audit log, latest first. With `keyPrefix`, only the actions of one key, for example to see whether it is still used.
   * @param query the rows to read. With `keyPrefix`, only the actions of one key. Default: the latest 50
   * @returns one page of rows
   * @throws ParleyError ACCESS_DENIED: not a dashboard session (`session_required`)
   */
  auditLogs(query?: AuditQuery): Promise<Page<AuditRow>> {
    return this.#http.get<WirePage<WireAuditRow>>('/audit-logs', query);
  }
}

const pathOf = (id: string) => `/api-keys/${encodeURIComponent(id)}`;
