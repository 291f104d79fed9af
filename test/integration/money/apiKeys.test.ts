import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyScopes } from '../../../sdk/protocol/http.ts';
import { newSecret } from '../../../server/money/apiKeys/secret.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import {
  api,
  connectDatabase,
  newCustomer,
  newKey,
  queryDatabase,
  roomySettings,
  type Customer,
} from './accountSupport.ts';
import { bearer } from '../support.ts';

let server: ServerProcess;
let url: string;
let customer: Customer;

beforeAll(async () => {
  server = await ServerProcess.start({ ...roomySettings, LOG_LEVEL: 'trace' });
  url = server.url;
  customer = await newCustomer(url);
});
afterAll(() => server?.dispose());

const outcome = async (method: string, path: string, headers: Record<string, string>, body?: unknown) => {
  const reply = await api(url, method, path, headers, body);
  return [reply.status, reply.body.error];
};
const anyString = expect.any(String) as string;

describe('a key', () => {
  it('is shown with its secret once, and authenticates requests', async () => {
    const created = await newKey(url, customer, { name: '  bot ' });
    expect(created).toEqual({
      id: expect.stringMatching(/^key_[0-9A-Za-z]{24}$/) as string,
      name: 'bot',
      prefix: created.secret.slice(0, 15),
      last4: created.secret.slice(-4),
      scopes: ['account:read', 'sms:send', 'numbers:read', 'numbers:buy'],
      status: 'active',
      createdAt: anyString,
      createdBy: customer.wallet,
      expiresAt: null,
      isExpired: false,
      lastUsedAt: null,
      lastUsedIp: null,
      revokedAt: null,
      revokedBy: null,
      secret: expect.stringMatching(/^svc_live_[0-9A-Za-z]{38}$/) as string,
    });
    const { status, body } = await api(url, 'GET', '/account', bearer(created.secret));
    expect([status, body]).toEqual([
      200,
      {
        id: expect.stringMatching(/^acc_/) as string,
        credits: 500,
        authMethod: 'api_key',
        walletAddress: customer.wallet,
        walletId: customer.wallet,
        email: null,
        plan: null,
        apiKey: { id: created.id, prefix: created.prefix, scopes: created.scopes },
        createdAt: anyString,
      },
    ]);
    const listed = await api(url, 'GET', '/api-keys', customer.dashboard);
    expect(listed.text).not.toContain(created.secret);
    expect(listed.body.data).toContainEqual(expect.objectContaining({ id: created.id, name: 'bot' }));
  });

  it('is stored only as a hash, and never logged', async () => {
    const { secret, id } = await newKey(url, customer);
    await api(url, 'GET', '/account', bearer(secret));
    await api(url, 'GET', `/account?apiKey=${secret}`, bearer(`${secret}x`));
    const [row] = await queryDatabase(server, 'SELECT * FROM api_keys WHERE id = $1', [id]);
    expect(JSON.stringify(row)).not.toContain(secret.slice(-24));
    expect(server.log).not.toContain(secret.slice(-24));
  });

  it('may have no scopes or all scopes', async () => {
    const none = await newKey(url, customer, { scopes: [] });
    expect(await outcome('GET', '/account/credits', bearer(none.secret))).toEqual([200, undefined]);
    const refused = await api(url, 'GET', '/account/history', bearer(none.secret));
    expect([refused.status, refused.body]).toEqual([
      403,
      {
        error: 'missing_scope',
        message: 'This API key needs the scope account:read.',
        required: 'account:read',
        requestId: refused.headers['x-request-id'],
      },
    ]);
    const byApp = await api(url, 'GET', '/account/history', customer.app);
    expect([byApp.status, byApp.body]).toEqual([
      403,
      expect.objectContaining({
        error: 'missing_scope',
        message:
          'An app session cannot do this. Use an API key with the scope account:read in your backend, or a dashboard session.',
        required: 'account:read',
      }),
    ]);
    const all = await newKey(url, customer, { scopes: keyScopes });
    expect(all.scopes).toEqual(keyScopes);
    expect(await outcome('GET', '/account/history', bearer(all.secret))).toEqual([200, undefined]);
  });

  it.each<[string, unknown]>([
    ['no name', {}],
    ['an empty name', { name: ' ' }],
    ['a long name', { name: 'x'.repeat(65) }],
    ['an unknown scope', { name: 'x', scopes: ['admin'] }],
    ['no lifetime', { name: 'x', expiresInDays: 0 }],
    ['an unknown field', { name: 'x', admin: true }],
  ])('is not created with %s', async (_name, body) => {
    expect(await outcome('POST', '/api-keys', customer.dashboard, body)).toEqual([422, 'validation_failed']);
  });

  it('is rejected without a database query if it is malformed', async () => {
    const wrong = `${newSecret().slice(0, -1)}_`;
    const changed = newSecret().replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
    const holder = await connectDatabase(server);
    await holder.query('BEGIN; LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE');
    for (const secret of ['svc_', 'svc_test_x', wrong, changed])
      expect(await outcome('GET', '/account', bearer(secret))).toEqual([401, 'invalid_api_key']);
    // A secret with a valid checksum is looked up in the database, where it is unknown too.
    const unknown = outcome('GET', '/account', bearer(newSecret()));
    const waiting = `SELECT FROM pg_locks WHERE relation = 'api_keys'::regclass AND NOT granted`;
    await until(async () => (await holder.query(waiting)).rowCount, 'it is looked up');
    await holder.end();
    expect(await unknown).toEqual([401, 'invalid_api_key']);
  });

  it('expires at its time', async () => {
    const { secret, id, expiresAt } = await newKey(url, customer, { expiresInDays: 1 });
    expect(Date.parse(String(expiresAt)) - Date.now()).toBeGreaterThan(86_300_000);
    await queryDatabase(server, `UPDATE api_keys SET expires_at = now() WHERE id = $1`, [id]);
    expect(await outcome('GET', '/account', bearer(secret))).toEqual([401, 'api_key_expired']);
  });

  it('records when and from where it was used, at most once a minute', async () => {
    const { secret, id } = await newKey(url, customer);
    for (let round = 0; round < 3; round++) await api(url, 'GET', '/account/credits', bearer(secret));
    const row = await until(async () => {
      const [found] = await queryDatabase(server, 'SELECT * FROM api_keys WHERE id = $1', [id]);
      return found?.last_used_at ? found : null;
    }, 'its use is recorded');
    expect(row.last_used_ip).toBe('127.0.0.1');
    // A further use within the minute is not recorded.
    await api(url, 'GET', '/account/credits', bearer(secret));
    await new Promise((resolve) => setTimeout(resolve, 1_300));
    const [later] = await queryDatabase(server, 'SELECT last_used_at FROM api_keys WHERE id = $1', [id]);
    expect(later?.last_used_at).toEqual(row.last_used_at);
  });
});

describe('rotation', () => {
  it('keeps the old key valid until it is revoked, and shows the requests of both in the audit log', async () => {
    const owner = await newCustomer(url);
    const old = await newKey(url, owner, { scopes: ['lookup:read'], expiresInDays: 30 });
    const reply = await api(url, 'POST', `/api-keys/${old.id}/rotate`, owner.dashboard);
    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({ name: old.name, scopes: ['lookup:read'], status: 'active' });
    const next = reply.body as unknown as typeof old;
    expect(next.secret).not.toBe(old.secret);
    for (const { secret } of [old, next])
      expect(await outcome('GET', '/account', bearer(secret))).toEqual([200, undefined]);

    const revoked = await api(url, 'DELETE', `/api-keys/${old.id}`, owner.dashboard);
    expect([revoked.status, revoked.body]).toMatchObject([
      200,
      { id: old.id, status: 'revoked', revokedAt: anyString, revokedBy: owner.wallet },
    ]);
    expect(await outcome('GET', '/account', bearer(old.secret))).toEqual([401, 'api_key_revoked']);
    expect(await outcome('GET', '/account', bearer(next.secret))).toEqual([200, undefined]);
    // A second revocation is no error and changes nothing.
    const again = await api(url, 'DELETE', `/api-keys/${old.id}`, owner.dashboard);
    expect(again.body).toEqual(revoked.body);
    expect(await outcome('POST', `/api-keys/${old.id}/rotate`, owner.dashboard)).toEqual([409, 'conflict']);

    const rowsOf = async (query: string) => {
      const { body } = await api(url, 'GET', `/audit-logs?${query}`, owner.dashboard);
      return body.data as { action: string; path: string; status: number; requestId: string }[];
    };
    await until(
      async () => (await rowsOf(`keyPrefix=${next.prefix}&action=request`)).length === 2,
      'the requests of the new key are logged',
    );
    const requests = await rowsOf(`keyPrefix=${old.prefix}&action=request`);
    // Requests with the key after its revocation are visible.
    expect(requests).toMatchObject([
      { path: '/api/v1/account', status: 401, method: 'GET' },
      { path: '/api/v1/account', status: 200, method: 'GET' },
    ]);
    const actions = (await rowsOf('limit=100')).map((row) => row.action).filter((name) => name !== 'request');
    expect(actions).toEqual([
      'api_key.revoked',
      'api_key.rotated',
      'api_key.created',
      'session.created',
      'session.created',
      'credits.granted',
    ]);
    // No request succeeds after the revocation.
    const since = encodeURIComponent(String(revoked.body.revokedAt));
    expect(await rowsOf(`keyPrefix=${old.prefix}&action=request&from=${since}`)).toMatchObject([
      { status: 401 },
    ]);
  });
});

describe('the audit log', () => {
  it('truncates long paths', async () => {
    const owner = await newCustomer(url);
    expect((await api(url, 'GET', `/media/${'x'.repeat(10_000)}`, owner.dashboard)).status).toBe(422);
    const paths = async () => {
      const { body } = await api(url, 'GET', '/audit-logs?action=request', owner.dashboard);
      return (body.data as { path: string }[]).map(({ path }) => path);
    };
    const isLogged = (path: string) => path.startsWith('/api/v1/media/xxx');
    await until(async () => (await paths()).some(isLogged), 'the request is logged');
    expect((await paths()).find(isLogged)).toHaveLength(200);
  });
});

describe('key management', () => {
  it('requires a dashboard session', async () => {
    const { secret, id } = await newKey(url, customer, { scopes: keyScopes });
    for (const headers of [bearer(secret), customer.app]) {
      for (const [method, path, body] of [
        ['POST', '/api-keys', { name: 'x' }],
        ['GET', '/api-keys'],
        ['GET', '/api-keys/publishable'],
        ['DELETE', `/api-keys/${id}`],
        ['POST', `/api-keys/${id}/rotate`],
        ['GET', '/audit-logs'],
      ] as const)
        expect(await outcome(method, path, headers, body)).toEqual([403, 'session_required']);
    }
  });

  it('is separate for each account', async () => {
    const { id, secret } = await newKey(url, customer);
    const other = await newCustomer(url);
    expect(await outcome('DELETE', `/api-keys/${id}`, other.dashboard)).toEqual([404, 'not_found']);
    expect(await outcome('POST', `/api-keys/${id}/rotate`, other.dashboard)).toEqual([404, 'not_found']);
    expect((await api(url, 'GET', '/api-keys', other.dashboard)).body.data).toEqual([]);
    expect(await outcome('GET', '/account', bearer(secret))).toEqual([200, undefined]);
  });

  it('gives each account one publishable key, which authenticates nothing', async () => {
    const first = await api(url, 'GET', '/api-keys/publishable', customer.dashboard);
    expect(first.body).toEqual({
      publishableKey: expect.stringMatching(/^pk_live_[0-9A-Za-z]{32}$/) as string,
      createdAt: anyString,
    });
    expect((await api(url, 'GET', '/api-keys/publishable', customer.dashboard)).body).toEqual(first.body);
    const publishable = first.body.publishableKey as string;
    expect(await outcome('GET', '/account', bearer(publishable))).toEqual([401, 'invalid_token']);
  });

  it('lists keys in pages without gaps or repeats', async () => {
    const owner = await newCustomer(url);
    const created = [];
    for (let index = 0; index < 5; index++) created.push((await newKey(url, owner)).id);
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await api(url, 'GET', `/api-keys?limit=2${cursor}`, owner.dashboard);
      seen.push(...(body.data as { id: string }[]).map(({ id }) => id));
      expect(body.hasMore).toBe(body.nextCursor !== null);
      cursor = body.hasMore ? `&cursor=${String(body.nextCursor)}` : '';
    } while (cursor);
    expect(seen).toEqual(created.reverse());
    for (const wrong of ['cursor=x', 'limit=0', 'limit=101', 'limit=1.5', 'page=2'])
      expect(await outcome('GET', `/api-keys?${wrong}`, owner.dashboard)).toEqual([422, 'validation_failed']);
  });

  it('allows at most a hundred active keys, even with simultaneous requests', async () => {
    const owner = await newCustomer(url);
    const replies = await Promise.all(
      Array.from({ length: 110 }, () => outcome('POST', '/api-keys', owner.dashboard, { name: 'x' })),
    );
    expect(replies.filter(([status]) => status === 201)).toHaveLength(100);
    expect(replies.filter(([, error]) => error === 'conflict')).toHaveLength(10);
    const { body } = await api(url, 'GET', '/api-keys?limit=1', owner.dashboard);
    const [{ id } = { id: '' }] = body.data as { id: string }[];
    await queryDatabase(
      server,
      `UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = $1`,
      [id],
    );
    const create = () => outcome('POST', '/api-keys', owner.dashboard, { name: 'x' });
    expect((await create())[0]).toBe(201);
    expect(await create()).toEqual([409, 'conflict']);
  });
});
