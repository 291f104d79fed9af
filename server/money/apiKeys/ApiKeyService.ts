import type { Identity } from '../../http/Identity.ts';
import { and, count, desc, eq, gt, isNull, lt, or, sql } from 'drizzle-orm';
import type { z } from 'zod';
import type {
  createApiKey,
  WireApiKey,
  WireCreatedApiKey,
  WirePublishableKey,
  WireRevokedApiKey,
} from '../../../sdk/protocol/apiKeys.ts';
import { toIso } from '../../../sdk/protocol/common.ts';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { KeyScope, Page } from '../../../sdk/protocol/http.ts';
import { newId } from '../../../sdk/protocol/ids.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import { accounts } from '../account/tables.ts';
import type { AuditLog } from '../audit/AuditLog.ts';
import type { Database } from '../../../platform/database/database.ts';
import { toPage, type PageRequest } from '../../http/paging.ts';
import type { RequestOrigin } from '../../http/Principal.ts';
import { hashSecret, newSecret, prefixOf } from './secret.ts';
import { apiKeys, type ApiKeyRow } from './tables.ts';
import { toApiKey } from './toWire.ts';

/** A dashboard session, which is required to manage keys. */
export interface Manager {
  session: Identity;
  origin: RequestOrigin;
}

interface NewKey {
  name: string;
  scopes: KeyScope[];
  expiresAt: Date | null;
}

/** What was last set with an API key. It stays active after the key is revoked, unless it is removed explicitly. */
export interface WebhooksOfKey {
  webhooks: { numberId: string; url: string }[];
  endpoints: { endpointId: string; url: string }[];
}

/** When an API key is revoked, lists or removes the webhooks that were set with it. Both methods run in the given transaction. */
export interface KeyWebhooks {
  list(tx: Executor, keyId: string): Promise<WebhooksOfKey>;
  /** Removes the webhooks and their pending deliveries. */
  remove(tx: Executor, keyId: string): Promise<WebhooksOfKey>;
}

interface ApiKeyServiceDeps {
  db: Database;
  audit: AuditLog;
  pepper: Buffer;
  webhooks: KeyWebhooks;
}

const activeKeysPerAccount = 100;
const dayMs = 24 * 60 * 60_000;

/** Creates, lists, rotates and revokes the API keys of an account. Each change is written to the audit log in the same transaction. */
export class ApiKeyService {
  readonly #db: Database;
  readonly #audit: AuditLog;
  readonly #pepper: Buffer;
  readonly #webhooks: KeyWebhooks;

  constructor({ db, audit, pepper, webhooks }: ApiKeyServiceDeps) {
    this.#db = db;
    this.#audit = audit;
    this.#pepper = pepper;
    this.#webhooks = webhooks;
  }

  async create(
    tx: Executor,
    manager: Manager,
    { name, scopes, expiresInDays }: z.output<typeof createApiKey>,
  ): Promise<WireCreatedApiKey> {
    const expiresAt = expiresInDays === undefined ? null : new Date(Date.now() + expiresInDays * dayMs);
    const created = await this.#insert(tx, manager, { name, scopes, expiresAt });
    await this.#note(tx, manager, 'api_key.created', created);
    return created;
  }

  /** Creates a key with the same scopes and lifetime. The old key works until it is revoked. */
  async rotate(tx: Executor, manager: Manager, id: string): Promise<WireCreatedApiKey> {
    const old = await find(tx, manager, id);
    if (old.revokedAt) throw new ParleyError('CONFLICT', 'This API key has been revoked. Create a new one.');
    const { name, scopes, createdAt, expiresAt } = old;
    const lifetimeMs = expiresAt && expiresAt.getTime() - createdAt.getTime();
    const next = { name, scopes, expiresAt: lifetimeMs ? new Date(Date.now() + lifetimeMs) : null };
    const created = await this.#insert(tx, manager, next);
    await this.#note(tx, manager, 'api_key.rotated', old);
    return created;
  }

  /** Revokes a key. This takes effect immediately on every node, because each request reads its key. */
  async revoke(manager: Manager, id: string, itsWebhooks: 'keep' | 'remove'): Promise<WireRevokedApiKey> {
    return this.#db.transaction(async (tx) => {
      const key = await this.#revoke(tx, manager, id);
      const isRemoved = itsWebhooks === 'remove';
      const set = await this.#webhooks[isRemoved ? 'remove' : 'list'](tx, key.id);
      const webhooks = set.webhooks.map((webhook) => ({ ...webhook, isRemoved }));
      const endpoints = set.endpoints.map((endpoint) => ({ ...endpoint, isRemoved }));
      for (const _removed of isRemoved ? [...webhooks, ...endpoints] : [])
        await this.#note(tx, manager, 'webhook.changed', key);
      return { ...toApiKey(key), webhooks, endpoints };
    });
  }

  async #revoke(tx: Executor, manager: Manager, id: string): Promise<ApiKeyRow> {
    const [revoked] = await tx
      .update(apiKeys)
      .set({ revokedAt: new Date(), revokedBy: nameOf(manager.session) })
      .where(and(isOwn(manager, id), isNull(apiKeys.revokedAt)))
      .returning();
    if (!revoked) return find(tx, manager, id);
    await this.#note(tx, manager, 'api_key.revoked', revoked);
    return revoked;
  }

  async list(accountId: string, { limit, before }: PageRequest): Promise<Page<WireApiKey>> {
    const rows = await this.#db
      .select()
      .from(apiKeys)
      .where(and(eq(apiKeys.accountId, accountId), before === null ? undefined : lt(apiKeys.seq, before)))
      .orderBy(desc(apiKeys.seq))
      .limit(limit + 1);
    return toPage(rows, limit, toApiKey);
  }

  async publishableKey(accountId: string): Promise<WirePublishableKey> {
    const [account] = await this.#db.select().from(accounts).where(eq(accounts.id, accountId));
    if (!account) throw new Error(`there is no account ${accountId}`);
    return { publishableKey: account.publishableKey, createdAt: toIso(account.createdAt) };
  }

  async #insert(tx: Executor, manager: Manager, key: NewKey): Promise<WireCreatedApiKey> {
    const { accountId } = manager.session;
    // Locks the account, so that concurrent requests cannot exceed the limit.
    await tx.execute(sql`SELECT FROM accounts WHERE id = ${accountId} FOR UPDATE`);
    const [active] = await tx
      .select({ keys: count() })
      .from(apiKeys)
      .where(
        and(
          eq(apiKeys.accountId, accountId),
          isNull(apiKeys.revokedAt),
          or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, sql`now()`)),
        ),
      );
    if ((active?.keys ?? 0) >= activeKeysPerAccount)
      throw new ParleyError(
        'CONFLICT',
        `The account already has ${activeKeysPerAccount} keys, which is the limit. Revoke some first.`,
      );
    for (;;) {
      const secret = newSecret();
      const [row] = await tx
        .insert(apiKeys)
        .values({
          id: newId('key'),
          accountId,
          ...key,
          hash: hashSecret(secret, this.#pepper),
          prefix: prefixOf(secret),
          last4: secret.slice(-4),
          createdBy: nameOf(manager.session),
        })
        // Prefixes are unique. In the rare case of a duplicate, another secret is generated.
        .onConflictDoNothing()
        .returning();
      if (row) return { ...toApiKey(row), secret };
    }
  }

  async #note(
    tx: Executor,
    { session, origin }: Manager,
    action: 'api_key.created' | 'api_key.rotated' | 'api_key.revoked' | 'webhook.changed',
    key: { prefix: string },
  ): Promise<void> {
    await this.#audit.write(tx, {
      accountId: session.accountId,
      at: new Date(),
      actorType: 'session',
      actorId: session.sessionId,
      // The prefix of the changed key, so that filtering by it shows the key's whole history.
      actorPrefix: key.prefix,
      action,
      ...origin,
    });
  }
}

/** Matches the key only if it belongs to the manager's account. To other accounts, the key does not exist. */
const isOwn = ({ session }: Manager, id: string) =>
  and(eq(apiKeys.id, id), eq(apiKeys.accountId, session.accountId));

async function find(tx: Executor, manager: Manager, id: string): Promise<ApiKeyRow> {
  const [row] = await tx.select().from(apiKeys).where(isOwn(manager, id));
  if (row) return row;
  throw new ParleyError('NOT_FOUND', 'This account has no such API key.', { extra: { resource: 'api_key' } });
}

const nameOf = ({ wallet, accountId }: Identity) => wallet ?? accountId;
