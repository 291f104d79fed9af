import { expect, it } from 'vitest';
import { privateKeyToAccount } from 'viem/accounts';
import { requests, type RequestName } from '../../../sdk/protocol/wire.ts';
import { routeTable, type Services } from '../../../server/api/routes.ts';
import { requestsNotMeasured, routesNotMeasured } from './notMeasured.ts';
import type { Answer, SendHttp, SendRequest, Session } from './Operation.ts';
import { operations } from './operations.ts';

const routes = routeTable({ identity: {}, billing: {} } as Services).map(({ method, path, query }) => ({
  name: `${method.toUpperCase()} ${path}`,
  method: method.toUpperCase(),
  pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`),
  query,
}));
/** The fields that were sent with each request and route. */
const sent = new Map<string, Set<string>>();
await recordAll();

it('measures each request of the protocol, or says why not', () => {
  const missing = Object.keys(requests).filter((name) => sent.has(name) === name in requestsNotMeasured);
  expect(missing).toEqual([]);
  expect(Object.keys(requestsNotMeasured).filter((name) => !(name in requests))).toEqual([]);
});

it('measures each route, or says why not', () => {
  const missing = routes.filter(({ name }) => sent.has(name) === name in routesNotMeasured);
  expect(missing.map(({ name }) => name)).toEqual([]);
  const names = routes.map(({ name }) => name);
  expect(Object.keys(routesNotMeasured).filter((name) => !names.includes(name))).toEqual([]);
});

it('measures each list with each of its filters and another page', () => {
  const lists = operations.filter(({ group }) => group === 'lists by socket').map(({ name }) => name);
  // The fields of the address of a file are no filters.
  const asked = [
    ...routes.flatMap(({ name, method, query }) =>
      method === 'GET' && name !== 'GET /media/:id' ? [[name, fieldsOf(query)] as const] : [],
    ),
    ...(Object.keys(requests) as RequestName[])
      .filter((name) => lists.some((each) => each.split(',')[0] === name))
      .map((name) => [name, fieldsOf(requests[name].request)] as const),
  ];
  const missing = asked.flatMap(([name, fields]) =>
    fields.flatMap((field) =>
      sent.has(name) && field !== 'limit' && !sent.get(name)?.has(field) ? [`${name}: ${field}`] : [],
    ),
  );
  expect(missing).toEqual([]);
});

it('gives each operation a name of its own', () => {
  const names = operations.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

/** Runs all operations with a session that sends nothing. */
async function recordAll(): Promise<void> {
  const one = { id: 'x' };
  const answer = Object.assign([one], {
    ...{ id: 'x', nonce: 'nonce0123', token: 'x', refreshToken: 'x', url: 'x', nextCursor: 'x' },
    ...{ number: one, participant: one, message: one, data: [one] },
  }) as unknown as Answer;
  const overHttp: SendHttp = (method, path) => {
    const { pathname, searchParams } = new URL(path, 'http://server');
    const route = routes.find((each) => each.method === method && each.pattern.test(pathname));
    note(route?.name ?? `${method} ${pathname}`, [...searchParams.keys()]);
    return Promise.resolve(answer);
  };
  const over: SendRequest = (name, payload = {}) => {
    note(name, Object.keys(payload));
    return Promise.resolve(answer);
  };
  const session: Session = {
    api: overHttp,
    dashboard: overHttp,
    anyone: overHttp,
    ask: over,
    peer: over,
    peerWallet: `0x${'2'.repeat(40)}`,
    peerHears: () => Promise.resolve(),
    customerPays: () => overHttp('POST', '/stripe/webhook'),
    runJob: () => Promise.resolve(),
    url: 'http://server',
    account: privateKeyToAccount(`0x${'7'.repeat(64)}`),
    token: 'x',
    rows: 10_000,
  };
  for (const { group, run } of operations) if (group !== 'periodic work') await run(session);
}

function note(name: string, fields: string[]): void {
  sent.set(name, new Set([...(sent.get(name) ?? []), ...fields]));
}

/** The names of the fields of a schema. */
const fieldsOf = (schema: unknown): string[] =>
  Object.keys((schema as { shape?: object } | undefined)?.shape ?? {});
