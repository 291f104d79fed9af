import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyScopes, type KeyScope } from '../../../sdk/protocol/http.ts';
import { newId } from '../../../sdk/protocol/ids.ts';
import { Parley } from '../../../sdk/src/Parley.ts';
import { routeTable, type Services } from '../../../server/api/routes.ts';
import type { Route } from '../../../server/http/Route.ts';
import { TestClient } from '../../harness/clients/TestClient.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { backendScopes, goodRequests } from '../http/routeSamples.ts';
import { api, newCustomer, newKey, queryDatabase, roomySettings } from '../money/accountSupport.ts';
import { bearer, newWallet, signIn, type Reply } from '../support.ts';

/*
 * Every route of rooms, streams, calls, recordings and webhooks × every scope × a key of another account. The rows come from the route
 * table, so a new route is tested without a change here, if it has a sample in routeSamples.ts.
 */

const rows = routeTable({ identity: {}, billing: {} } as Services);
const nameOf = ({ method, path }: Pick<Route, 'method' | 'path'>) => `${method.toUpperCase()} ${path}`;
const isOfBackends = ({ scope }: Route) => scope !== null && backendScopes.includes(scope);
const tested = rows.filter(isOfBackends).map((row) => [nameOf(row), row] as const);

type Headers = Record<string, string>;
let server: ServerProcess;
let host: TestClient;
let owner: Headers;
let stranger: Headers;
const withOnly = new Map<KeyScope, Headers>();
const guests: Parley[] = [];

beforeAll(async () => {
  server = await ServerProcess.start({
    ...roomySettings,
    RATE_LIMIT_CALLS: '1000',
    RATE_LIMIT_CALLED: '1000',
  });
  const wallet = newWallet();
  host = await TestClient.signIn(server.url, wallet);
  const dashboard = bearer((await signIn(server.url, wallet, { audience: 'dashboard' })).token);
  const customer = { wallet: wallet.address, dashboard, app: {} };
  owner = bearer((await newKey(server.url, customer, { scopes: keyScopes })).secret);
  for (const scope of keyScopes)
    withOnly.set(scope, bearer((await newKey(server.url, customer, { scopes: [scope] })).secret));
  const other = await newCustomer(server.url);
  stranger = bearer((await newKey(server.url, other, { scopes: keyScopes })).secret);
});
afterAll(async () => {
  for (const guest of guests) guest.close();
  host?.close();
  await server?.dispose();
});

/** Creates what no route creates, at this path. @returns its id */
const creators: Record<string, (path: string) => Promise<string>> = {
  '/webhooks/deliveries': async () => {
    const endpoint = await created('/webhooks/endpoints', '/webhooks/endpoints');
    const { body } = await api(server.url, 'POST', `/webhooks/endpoints/${endpoint}/test`, owner);
    return String(body.id);
  },
  '/rooms/:id/participants': async (path) => {
    const tokens = path.replace(/participants$/, 'tokens');
    const { body } = await api(server.url, 'POST', tokens, owner, { identity: 'guest' });
    const guest = new Parley({ baseUrl: server.url, participantToken: String(body.token) });
    guests.push(guest);
    await guest.conference.join(String((await guest.guest())?.subjectId));
    const { data } = (await api(server.url, 'GET', path, owner)).body as { data: { id: string }[] };
    return data[0]?.id ?? '';
  },
  '/calls': async () => {
    const callee = await TestClient.signIn(server.url);
    const { id } = await host.parley.calls.start({ to: callee.address, type: 'audio' });
    callee.close();
    return id;
  },
  '/recordings': async () => {
    const id = newId('rec');
    await queryDatabase(
      server,
      `INSERT INTO recordings (id, kind, room_id, host, title, status, started_at, ended_at)
       VALUES ($1, 'conference', $2, $3, 'x', 'failed', now(), now())`,
      [id, newId('room'), host.address],
    );
    return id;
  },
};

/** The bodies that name another object of the owner. */
const bodies: Record<string, () => Promise<object>> = {
  'POST /rooms/:id/participants/:participantId/move': async () => ({ to: await created('/rooms', '/rooms') }),
};

/** The path of a row, with ids of new objects of the owner. */
async function pathTo({ path: pattern }: Route): Promise<string> {
  let path = '';
  let template = '';
  for (const part of pattern.split('/').slice(1)) {
    path += `/${part.startsWith(':') ? await created(template, path) : part}`;
    template += `/${part}`;
  }
  return path;
}

/** Creates an object in the collection at this path. @returns its id */
async function created(template: string, path: string): Promise<string> {
  const name = `POST ${template}`;
  if (rows.some((row) => nameOf(row) === name)) {
    const reply = await api(server.url, 'POST', path, owner, goodRequests[name]);
    if (reply.status >= 300) throw new Error(`${name}: ${reply.text}`);
    return String(reply.body.id);
  }
  return (await creators[template]?.(path)) ?? 'unknown';
}

async function send({ method, path: pattern, body }: Route, path: string, headers: Headers): Promise<Reply> {
  const name = nameOf({ method, path: pattern });
  const sample = (await bodies[name]?.()) ?? goodRequests[name];
  const query = sample && !body ? `?${new URLSearchParams({ ...sample }).toString()}` : '';
  return api(server.url, method.toUpperCase(), path + query, headers, body ? sample : undefined);
}

it('has the routes of rooms', () => {
  expect(tested.length).toBeGreaterThanOrEqual(18);
});

describe.each(tested)('%s', (_name, row) => {
  it('accepts only its scope', async () => {
    const path = await pathTo(row);
    for (const [scope, headers] of withOnly) {
      if (scope === row.scope) continue;
      const { status, body } = await send(row, path, headers);
      expect([scope, status, body.error, body.required]).toEqual([scope, 403, 'missing_scope', row.scope]);
    }
    const { status, text } = await send(row, path, withOnly.get(row.scope as KeyScope) ?? {});
    // 409, for example when a room that is not recorded is to be no longer recorded.
    expect([row.status, 202, 409], text).toContain(status);
  });

  // A key with the scope may create something.
  it.skipIf(row.method === 'post' && !row.path.includes('/:'))(
    'hides what belongs to another account',
    async () => {
      const path = await pathTo(row);
      if (!row.path.includes('/:')) {
        await created(row.path, path);
        const { status, body } = await send(row, path, stranger);
        return expect([status, body.data]).toEqual([200, []]);
      }
      const reply = await send(row, path, stranger);
      expect([reply.status, reply.body.error], reply.text).toEqual([404, 'not_found']);
      const unknown = await send(row, path.replace(/_[0-9A-Za-z]{24}/, `_${'0'.repeat(24)}`), stranger);
      expect({ ...unknown.body, requestId: '' }).toEqual({ ...reply.body, requestId: '' });
      const missing = await send(
        row,
        path.replace(/_[0-9A-Za-z]{24}(?=[^_]*$)/, `_${'0'.repeat(24)}`),
        owner,
      );
      expect([missing.status, missing.body.resource], missing.text).toEqual([404, expect.any(String)]);
    },
  );
});
