import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyScopes, type KeyScope } from '../../../sdk/protocol/http.ts';
import type { Route } from '../../../server/http/Route.ts';
import { routeTable, type Services } from '../../../server/api/routes.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import {
  api,
  newCustomer,
  newKey,
  queryDatabase,
  roomySettings,
  wrongBalances,
  type Customer,
} from '../money/accountSupport.ts';
import { backendScopes, goodRequests as good, numberId, to } from './routeSamples.ts';
import { bearer, type Reply } from '../support.ts';

/* Tests the common behaviour of every row of the route table. */

// The rows are only read as data, so the services can be empty objects. These are the services that exist without configuration.
const rows = routeTable({
  identity: {},
  billing: {},
  lookup: {},
  leaksearch: {},
  esim: {},
  verifications: {},
} as Services);
const guarded = rows.filter(({ credential }) => credential === 'account' || credential === 'dashboard');
const forKeys = guarded.filter(({ credential }) => credential === 'account');
const scoped = forKeys.filter(({ scope }) => scope !== null);
const named = (list: Route[]): [string, Route][] =>
  list.map((row) => [`${row.method.toUpperCase()} ${row.path}`, row]);

/** The endpoint table of the specification. */
const specified: [string, KeyScope | null][] = [
  ['GET /account', null],
  ['GET /account/credits', null],
  ['GET /account/usage', 'account:read'],
  ['GET /account/history', 'account:read'],
  ['GET /account/subscription', 'account:read'],
  ['POST /sms/send', 'sms:send'],
  ['POST /messaging/send', 'sms:send'],
  ['POST /numbers/mine/send', 'sms:send'],
  ['POST /numbers/buy', 'numbers:buy'],
  ['POST /numbers/buy/us', 'numbers:buy'],
  ['POST /numbers/buy/intl', 'numbers:buy'],
  ['POST /xmpp/provision', 'numbers:buy'],
  ['POST /numbers/mine/renew', 'numbers:buy'],
  ['GET /numbers/mine', 'numbers:read'],
  ['GET /numbers/mine/messages', 'numbers:read'],
  ['GET /numbers/buy/status', 'numbers:read'],
  ['GET /sms/inbox', 'numbers:read'],
  ['PUT /numbers/mine/webhook', 'numbers:read'],
  ['GET /messaging/threads', 'numbers:read'],
  ['GET /messaging/threads/:counterparty', 'numbers:read'],
  ['POST /lookup', 'lookup:read'],
  ['POST /leaksearch/search', 'leaksearch:search'],
  ['POST /leaksearch/search-with-credits', 'leaksearch:search'],
  ['POST /esim/checkout', 'esim:order'],
  ['POST /verifications/start', 'verifications:start'],
];

/** Answers of rows whose request refers to something that this account does not have. */
const refused: Record<string, [number, string]> = {
  'POST /numbers/mine/send': [422, 'from_required'],
  'POST /numbers/mine/renew': [404, 'not_found'],
  'POST /numbers/mine/release': [404, 'not_found'],
  'GET /numbers/buy/status': [404, 'not_found'],
  'PUT /numbers/mine/webhook': [404, 'not_found'],
  'GET /numbers/mine/webhook': [404, 'not_found'],
  'POST /numbers/mine/webhook/test': [404, 'not_found'],
};
/** Invalid fields, the path of the reported error, and its code if the server defines it. */
const bad: Record<string, [object, string, string?]> = {
  'GET /account/usage': [{ groupBy: 'month' }, 'groupBy'],
  'GET /account/history': [{ cursor: 'x' }, 'cursor', 'invalid_cursor'],
  'POST /sms/send': [{ to: '555', message: 'x' }, 'to', 'invalid_phone_number'],
  'GET /sms/rate': [{ to: '555' }, 'to', 'invalid_phone_number'],
  'GET /sms/inbox': [{ since: 'yesterday' }, 'since'],
  'POST /messaging/send': [{ to, message: 'x'.repeat(1_601) }, 'message'],
  'GET /messaging/threads': [{ limit: '0' }, 'limit'],
  'GET /messaging/threads/:counterparty': [{ number: '12' }, 'number', 'invalid_phone_number'],
  'POST /numbers/mine/send': [{ message: 'x' }, 'to'],
  'POST /numbers/buy': [{ country: 'Germany' }, 'country'],
  'POST /numbers/buy/us': [{ type: 'mobile' }, 'type'],
  'POST /numbers/buy/intl': [{ country: 'Germany' }, 'country'],
  'GET /numbers/buy/status': [{}, 'orderId'],
  'GET /numbers/available': [{ country: 'de' }, 'country'],
  'PATCH /numbers/mine/:id': [{ autoRenew: 'yes' }, 'autoRenew'],
  'POST /numbers/mine/release': [{ numberId: '5' }, 'numberId'],
  'GET /numbers/mine': [{ status: 'lost' }, 'status'],
  'GET /numbers/mine/messages': [{ direction: 'up' }, 'direction'],
  'POST /numbers/mine/renew': [{ numberId, phoneNumber: to }, 'numberId'],
  'PUT /numbers/mine/webhook': [{ numberId, url: 5 }, 'url'],
  'GET /numbers/mine/webhook': [{}, 'numberId'],
  'POST /numbers/mine/webhook/test': [{ numberId, phoneNumber: to }, 'numberId'],
  'GET /numbers/mine/webhook/deliveries': [{ status: 'lost' }, 'status'],
  'POST /webhooks/endpoints': [{ url: 'https://hooks.example', events: ['room.left'] }, 'events.0'],
  'PATCH /webhooks/endpoints/:id': [{ disabled: 'yes' }, 'disabled'],
  'GET /webhooks/endpoints': [{ cursor: 'x' }, 'cursor', 'invalid_cursor'],
  'GET /webhooks/endpoints/:id/deliveries': [{ status: 'lost' }, 'status'],
  'GET /webhooks/events': [{ after: 'evt_1' }, 'after'],
  'GET /rooms/:id/quality': [{ from: 'yesterday' }, 'from'],
  'GET /calls/:id/quality': [{ from: 'yesterday' }, 'from'],
  'POST /rooms/:id/data': [{ topic: 'slide', bytes: 'AA=' }, 'bytes'],
  'POST /lookup': [{}, 'phoneNumber'],
  'POST /leaksearch/search': [{ query: 'x', type: 'password' }, 'type'],
  'POST /leaksearch/search-with-credits': [{ type: 'email' }, 'query'],
  'POST /esim/checkout': [{ packageId: 'x', quantity: 0 }, 'quantity'],
  'POST /verifications/start': [{ to, codeLength: 3 }, 'codeLength'],
  'POST /xmpp/provision': [{ username: 'A' }, 'username'],
  'POST /api-keys': [{ name: '' }, 'name'],
  'POST /account/identities': [{ type: 'password' }, 'type'],
  'DELETE /account': [{ type: 'password' }, 'type'],
  'POST /account/top-up': [{ credits: 1 }, 'credits'],
  'POST /account/subscription': [{ planId: '' }, 'planId'],
  'GET /account/payments': [{ limit: 'all' }, 'limit'],
  'GET /esim/orders': [{ cursor: 'x' }, 'cursor', 'invalid_cursor'],
  'GET /esim/packages': [{ country: 'Germany' }, 'country'],
  'GET /api-keys': [{ limit: 'all' }, 'limit'],
  'GET /audit-logs': [{ action: 'everything' }, 'action'],
  'DELETE /api-keys/:id': [{ webhooks: 'perhaps' }, 'webhooks'],
  'POST /rooms': [{ name: 'x', settings: { maxDuration: 0 } }, 'settings.maxDuration'],
  'GET /rooms': [{ cursor: 'x' }, 'cursor', 'invalid_cursor'],
  'PATCH /rooms/:id': [{ maxParticipants: 1 }, 'maxParticipants'],
  'GET /rooms/:id/participants': [{ identity: 'a b' }, 'identity'],
  'PATCH /rooms/:id/participants/:participantId': [{ grants: { canFly: true } }, 'grants.canFly'],
  'POST /rooms/:id/participants/:participantId/move': [{ to: 'room_1' }, 'to'],
  'POST /rooms/:id/breakouts': [{ rooms: [{ name: '' }] }, 'rooms.0.name'],
  'GET /rooms/:id/messages': [{ limit: '0' }, 'limit'],
  'POST /rooms/:id/messages': [{ content: '' }, 'content'],
  'POST /rooms/:id/tokens': [{ identity: 'alice', expiresInSeconds: 86_401 }, 'expiresInSeconds'],
  'GET /rooms/:id/tokens': [{ limit: '101' }, 'limit'],
  'POST /streams': [{ title: '' }, 'title'],
  'GET /streams': [{ status: 'lost' }, 'status'],
  'PATCH /streams/:id': [{ isPublic: 'no' }, 'isPublic'],
  'GET /streams/:id/viewers': [{ limit: '0' }, 'limit'],
  'POST /streams/:id/bans': [{}, 'walletAddress'],
  'DELETE /streams/:id/bans': [{ identity: 'not an identity' }, 'identity'],
  'POST /streams/:id/viewer-tokens': [{ walletAddress: '0x12' }, 'walletAddress', 'invalid_address'],
  'POST /streams/:id/tokens': [{ identity: 'bob', role: 'participant' }, 'role'],
  'GET /streams/:id/tokens': [{ limit: '101' }, 'limit'],
  'GET /calls': [{ cursor: 'x' }, 'cursor', 'invalid_cursor'],
  'GET /recordings': [{ kind: 'film' }, 'kind'],
};

/** Rows that need an outside service, which is not configured here. */
const unconfigured = new Set([
  'POST /account/identities',
  'DELETE /account',
  'POST /account/top-up',
  'POST /account/subscription',
  'DELETE /account/subscription',
]);

let server: ServerProcess;
let customer: Customer;
let fullKey: Record<string, string>;
let revokedKey: Record<string, string>;
const lacking = new Map<KeyScope, Record<string, string>>();

beforeAll(async () => {
  server = await ServerProcess.start({ ...roomySettings, SIGNUP_CREDITS: '5000' });
  customer = await newCustomer(server.url);
  fullKey = bearer((await newKey(server.url, customer, { scopes: keyScopes })).secret);
  const old = await newKey(server.url, customer, { scopes: keyScopes });
  await api(server.url, 'DELETE', `/api-keys/${old.id}`, customer.dashboard);
  revokedKey = bearer(old.secret);
  for (const scope of keyScopes) {
    const scopes = keyScopes.filter((other) => other !== scope);
    lacking.set(scope, bearer((await newKey(server.url, customer, { scopes })).secret));
  }
});
afterAll(() => server?.dispose());

const nameOf = ({ method, path }: Route) => `${method.toUpperCase()} ${path}`;

/** Sends a request to a row, with the fields as its body, or as its query if it is a GET. */
function send(row: Route, headers: Record<string, string>, fields: object = {}): Promise<Reply> {
  const path = row.path.replace(':counterparty', '15005550006').replace(':id', 'key_unknown');
  const query = new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)]));
  if (row.method !== 'get' && !row.query) {
    const body = row.body ? fields : Object.keys(fields).length > 0 ? fields : undefined;
    return api(server.url, row.method.toUpperCase(), path, headers, body);
  }
  return api(
    server.url,
    row.method.toUpperCase(),
    query.size > 0 ? `${path}?${query.toString()}` : path,
    headers,
  );
}

/** The answer of a row to a valid request of a new account. */
function expectedOf(row: Route): [number, string | undefined] {
  if (!(row.handle ?? row.work) || unconfigured.has(nameOf(row))) return [503, 'service_unavailable'];
  // The id in the path is unknown.
  if (row.path.includes(':id')) return [404, 'not_found'];
  // Completed immediately by a driver that needs no configuration.
  if (row.path === '/esim/checkout') return [201, undefined];
  return refused[nameOf(row)] ?? [row.status, undefined];
}

/** Checks the properties that every answer has. */
function outcomeOf(reply: Reply): [number, unknown] {
  expect(reply.headers['x-request-id']).toMatch(/^req_[0-9A-Za-z]{24}$/);
  expect(reply.headers['ratelimit-policy']).toMatch(/^"\w+";q=\d+;w=60$/);
  expect(reply.headers.ratelimit).toMatch(/^"\w+";r=\d+;t=\d+$/);
  if (reply.status >= 400) {
    expect(reply.body.requestId).toBe(reply.headers['x-request-id']);
    expect(reply.text).not.toMatch(/node_modules|\.ts\b|at .*:\d+/);
  }
  return [reply.status, reply.body.error];
}

it('has all routes of the specification, with their scopes', () => {
  for (const [name, scope] of specified) {
    const row = rows.find((each) => nameOf(each) === name);
    expect([name, row?.credential, row?.scope]).toEqual([name, 'account', scope]);
  }
  expect(new Set(rows.map(nameOf)).size).toBe(rows.length);
});

it('offers x402 payment on the routes of the specification', () => {
  expect(rows.filter(({ x402 }) => x402).map(nameOf)).toEqual([
    'POST /sms/send',
    'POST /lookup',
    'POST /leaksearch/search',
    'POST /esim/checkout',
    'POST /verifications/start',
  ]);
});

it('has a price and supports Idempotency-Key on every route that spends', () => {
  const free = ['/numbers/mine/release', '/numbers/mine/webhook/test'];
  const isFree = ({ path, scope }: Route) =>
    free.includes(path) || (scope !== null && backendScopes.includes(scope));
  const spending = forKeys.filter((row) => row.method === 'post' && !isFree(row));
  for (const row of spending) {
    expect([nameOf(row), row.price !== null || row.path === '/leaksearch/search', row.idempotent]).toEqual([
      nameOf(row),
      true,
      true,
    ]);
  }
});

describe.each(named(guarded))('%s', (name, row) => {
  it('rejects missing, wrong and revoked credentials', async () => {
    const reply = await send(row, {}, good[name]);
    expect(outcomeOf(reply)).toEqual([401, 'missing_credentials']);
    expect(reply.headers['www-authenticate']).toBe('Bearer');
    for (const [headers, error] of [
      [bearer('svc_live_wrong'), 'invalid_api_key'],
      [bearer('a.b.c'), 'invalid_token'],
      [{ Authorization: 'Basic eDp5' }, 'missing_credentials'],
      [revokedKey, 'api_key_revoked'],
    ] as const)
      expect(outcomeOf(await send(row, headers, good[name]))).toEqual([401, error]);
    const both = { ...fullKey, 'PAYMENT-SIGNATURE': 'x' };
    expect(outcomeOf(await send(row, both, good[name]))).toEqual([400, 'ambiguous_credentials']);
  });

  it('rejects unknown fields, and invalid ones by name', async () => {
    const headers = row.credential === 'dashboard' ? customer.dashboard : fullKey;
    const unknown = await send(row, headers, { ...good[name], admin: true });
    expect(outcomeOf(unknown)).toEqual([422, 'validation_failed']);
    expect(unknown.body.details).toContainEqual({
      path: 'admin',
      code: 'unknown_field',
      message: 'is not a known field',
    });
    const [fields, path, code] = bad[name] ?? [];
    if (!fields) return expect([row.body, row.query]).toEqual([undefined, undefined]);
    const reply = await send(row, headers, fields);
    expect(outcomeOf(reply)).toEqual([422, 'validation_failed']);
    expect(reply.body.details).toContainEqual(
      expect.objectContaining({ path, ...(code === undefined ? {} : { code }) }),
    );
  });

  it('serves a dashboard session', async () => {
    const reply = await send(row, customer.dashboard, good[name]);
    expect(outcomeOf(reply)).toEqual(expectedOf(row));
  });
});

describe.each(named(scoped))('%s', (name, row) => {
  it('rejects a key without its scope and an app session before it validates the body', async () => {
    const { scope } = row;
    for (const headers of [lacking.get(scope as KeyScope), customer.app]) {
      for (const fields of [good[name], { nonsense: true }]) {
        const reply = await send(row, headers ?? {}, fields);
        expect(outcomeOf(reply)).toEqual([403, 'missing_scope']);
        expect(reply.body.required).toBe(scope);
      }
    }
  });
});

describe.each(named(forKeys))('%s', (name, row) => {
  it('serves a key with its scope', async () => {
    expect(outcomeOf(await send(row, fullKey, good[name]))).toEqual(expectedOf(row));
  });
});

describe.each(named(forKeys.filter(({ scope }) => scope === null)))('%s', (_name, row) => {
  it('serves any key and an app session', async () => {
    const none = await newKey(server.url, customer, { scopes: [] });
    for (const headers of [bearer(none.secret), customer.app])
      expect(outcomeOf(await send(row, headers))[0]).toBe(200);
  });
});

it('neither charges nor reserves credits for a service that is not configured', async () => {
  const newcomer = await newCustomer(server.url);
  const key = bearer((await newKey(server.url, newcomer, { scopes: keyScopes })).secret);
  for (const row of rows.filter(({ price, handle, work }) => price && !handle && !work)) {
    const headers = { ...key, 'Idempotency-Key': 'one' };
    for (let round = 0; round < 2; round++)
      expect(outcomeOf(await send(row, headers, good[nameOf(row)]))).toEqual([503, 'service_unavailable']);
  }
  const { body } = await api(server.url, 'GET', '/account/credits', key);
  expect(body).toMatchObject({ credits: 5_000, reserved: 0 });
  const { id } = (await api(server.url, 'GET', '/account', key)).body;
  for (const table of ['reservations', 'idempotency_keys'])
    expect(await queryDatabase(server, `SELECT * FROM ${table} WHERE account_id = $1`, [id])).toEqual([]);
  expect(await wrongBalances(server)).toEqual([]);
});

it('writes every authenticated request to the audit log, with its request id', async () => {
  const reply = await send(rows.find((each) => nameOf(each) === 'POST /sms/send') as Route, fullKey, {
    to: 'x',
  });
  const id = reply.headers['x-request-id'];
  const row = await until(async () => {
    const { body } = await api(server.url, 'GET', '/audit-logs?action=request&limit=100', customer.dashboard);
    return (body.data as { requestId: string }[]).find(({ requestId }) => requestId === id);
  }, 'the request is in the audit log');
  expect(row).toMatchObject({
    id: expect.stringMatching(/^aud_[0-9A-Za-z]{24}$/) as string,
    actor: { type: 'api_key', id: expect.stringMatching(/^key_/) as string, payer: null },
    method: 'POST',
    path: '/api/v1/sms/send',
    status: 422,
    ip: '127.0.0.1',
    credits: null,
  });
});
