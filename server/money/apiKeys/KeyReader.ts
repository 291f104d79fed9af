import type pg from 'pg';
import type { Logger } from 'pino';
import type { Address } from '../../../sdk/protocol/common.ts';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { HttpReason } from '../../../sdk/protocol/reasons.ts';
import type { KeyScope } from '../../../sdk/protocol/http.ts';
import { Batch } from '../../../platform/Batch.ts';
import { GroupCommit } from '../../../platform/database/GroupCommit.ts';
import type { AccountPrincipal } from '../../http/Principal.ts';
import { accountBlocked } from '../account/accountBlocked.ts';
import { hashSecret, looksLikeSecret } from './secret.ts';

interface Use {
  id: string;
  at: Date;
  ip: string;
}

/** Column values as text, the way PostgreSQL sends them. Each is parsed only when it is needed, because most of them are not. */
type Row = [
  id: string,
  prefix: string,
  scopes: string,
  expiresAt: string | null,
  revokedAt: string | null,
  lastUsedAt: string | null,
  accountId: string,
  wallet: Address | null,
  email: string | null,
  credits: string,
  reserved: string,
  creditsUpdatedAt: string,
  createdAt: string,
  blockedAt: string | null,
  hash: string,
];
const unparsed = { getTypeParser: () => (text: unknown) => text };

/**
 * The query for keys, prepared once per connection because it runs for every request with a key. The query of each read inherits from this
 * object. The driver copies only own properties, so it copies only `values`.
 */
const readKeys: pg.QueryArrayConfig = {
  name: 'read api keys',
  rowMode: 'array',
  types: unparsed,
  text: `SELECT k.id, k.prefix, k.scopes, k.expires_at, k.revoked_at, k.last_used_at,
      a.id, a.wallet, a.email, a.credits, a.reserved, a.credits_updated_at, a.created_at, a.blocked_at, k.hash
    FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE k.hash = ANY($1::text[])`,
};

/**
 * The `cause` of the error that refuses a revoked or expired key. With it, the audit log can show the owner that the key is still being
 * used.
 */
export class FormerKey {
  readonly accountId: string;
  readonly id: string;
  readonly prefix: string;

  constructor(accountId: string, id: string, prefix: string) {
    this.accountId = accountId;
    this.id = id;
    this.prefix = prefix;
  }
}

const touchEveryMs = 60_000;
/** The maximum number of keys in one query. */
const readTogether = 100;

/**
 * Authenticates API keys. The key and its account are read for every request after it has arrived, so a revoked key is refused immediately
 * on every node. Requests that arrive while a query is running are read together by the next one. The time of last use is written at most
 * once a minute, in the background.
 */
export class KeyReader {
  readonly #pool: pg.Pool;
  readonly #pepper: Buffer;
  readonly #reads: GroupCommit<string, Row | undefined>;
  readonly #uses: Batch<Use>;
  /** The ids of keys whose last use has not been written yet. */
  readonly #noted = new Set<string>();

  constructor({ pool, pepper, log }: { pool: pg.Pool; pepper: Buffer; log: Logger }) {
    this.#pool = pool;
    this.#pepper = pepper;
    this.#reads = new GroupCommit({ size: readTogether, write: (hashes) => this.#read(hashes) });
    this.#uses = new Batch({
      ...{ name: 'uses of keys', everyMs: 1_000, size: 500, limit: 10_000, log },
      write: (uses) => this.#write(uses),
      onDropped: (uses) => this.#forget(uses),
    });
  }

  /** @throws ParleyError AUTHENTICATION_REQUIRED: invalid_api_key, api_key_revoked or api_key_expired; ACCESS_DENIED: account_blocked */
  async authenticate(secret: string, ip: string): Promise<AccountPrincipal> {
    if (!looksLikeSecret(secret))
      throw refusal('invalid_api_key', 'This API key is not valid on this server.');
    const row = await this.#reads.run(hashSecret(secret, this.#pepper));
    if (!row) throw refusal('invalid_api_key', 'This API key is not valid on this server.');
    const [id, prefix, scopes, expiresAt, revokedAt, lastUsedAt, accountId, wallet, email, ...state] = row;
    const [credits, reserved, creditsUpdatedAt, createdAt, blockedAt] = state;
    // The sender has the secret, so the answer may say whether the key was revoked or has expired.
    const holder = new FormerKey(accountId, id, prefix);
    if (revokedAt !== null)
      throw refusal('api_key_revoked', 'This API key has been revoked. Use another one.', holder);
    if (blockedAt !== null) throw accountBlocked();
    const now = Date.now();
    if (expiresAt !== null && Date.parse(expiresAt) <= now)
      throw refusal('api_key_expired', 'This API key has expired. Use another one.', holder);
    if (lastUsedAt === null || now - Date.parse(lastUsedAt) >= touchEveryMs) this.#note(id, now, ip);
    return {
      kind: 'key',
      accountId,
      key: { id, prefix, scopes: scopes === '{}' ? [] : (scopes.slice(1, -1).split(',') as KeyScope[]) },
      account: {
        id: accountId,
        wallet,
        email,
        credits: Number(credits),
        reserved: Number(reserved),
        get creditsUpdatedAt() {
          return new Date(creditsUpdatedAt);
        },
        get createdAt() {
          return new Date(createdAt);
        },
      },
    };
  }

  close(): Promise<void> {
    return this.#uses.close();
  }

  /** @returns the row of each hash */
  async #read(hashes: string[]): Promise<(Row | undefined)[]> {
    const query = Object.create(readKeys) as typeof readKeys;
    query.values = [[...new Set(hashes)]];
    const { rows } = await this.#pool.query<Row>(query);
    const byHash = new Map(rows.map((row) => [row[14], row]));
    return hashes.map((hash) => byHash.get(hash));
  }

  #note(id: string, now: number, ip: string): void {
    if (this.#noted.has(id)) return;
    this.#noted.add(id);
    this.#uses.add({ id, at: new Date(now), ip });
  }

  async #write(uses: Use[]): Promise<void> {
    // Locked in the order of their ids: other nodes write the uses of the same keys, and would otherwise wait for each other.
    await this.#pool.query(
      `WITH used AS (SELECT id FROM api_keys WHERE id = ANY($1::text[]) ORDER BY id FOR NO KEY UPDATE)
       UPDATE api_keys k SET last_used_at = u.at, last_used_ip = u.ip
       FROM used JOIN unnest($1::text[], $2::timestamptz[], $3::text[]) AS u (id, at, ip) USING (id)
       WHERE k.id = used.id AND (k.last_used_at IS NULL OR k.last_used_at < u.at)`,
      [uses.map(({ id }) => id), uses.map(({ at }) => at), uses.map(({ ip }) => ip)],
    );
    this.#forget(uses);
  }

  #forget(uses: Use[]): void {
    for (const { id } of uses) this.#noted.delete(id);
  }
}

const refusal = (reason: HttpReason, message: string, cause?: FormerKey) =>
  new ParleyError('AUTHENTICATION_REQUIRED', message, { reason, cause });
