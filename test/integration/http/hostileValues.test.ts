import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyScopes } from '../../../sdk/protocol/http.ts';
import { protocolVersion } from '../../../sdk/protocol/version.ts';
import { requests } from '../../../sdk/protocol/wire.ts';
import type { Route } from '../../../server/http/Route.ts';
import { routeTable, type Services } from '../../../server/api/routes.ts';
import { replaced, samplesOf } from '../../harness/schemaSamples.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { newCustomer, newKey, roomySettings, type Customer } from '../money/accountSupport.ts';
import {
  ask,
  bearer,
  closeSockets,
  connected,
  newWallet,
  refusal,
  send,
  signIn,
  socket,
  type Reply,
} from '../support.ts';

/* Replaces each value of each request with one that may break a database or a check. No answer may be a 500. */

const rows = routeTable({
  identity: {},
  billing: {},
  lookup: {},
  leaksearch: {},
  esim: {},
  verifications: {},
} as Services);
const nul = 'a\0b';
const hostile = [nul, 'a\ud83db', { length: { toString: 1, valueOf: 2 } }];
/** Times that ISO 8601 has and PostgreSQL has not, also as the ends of periods. */
const noTimes = [
  '0000-01-01',
  '0000-01-01T00:00:00.000Z',
  '0001-01-01',
  '0001-01-01T00:00:00+05:00',
  '9999-12-31',
  '9999-12-31T23:59:59-01:00',
];
const operator = newWallet();
const atOnce = 100;

let server: ServerProcess;
let customer: Customer;
let key: Record<string, string>;
let operatorSession: Record<string, string>;

beforeAll(async () => {
  server = await ServerProcess.start({
    ...roomySettings,
    OPERATOR_WALLETS: operator.address,
    RATE_LIMIT_REALTIME: '100000',
    RATE_LIMIT_LEAKSEARCH: '100000',
    RATE_LIMIT_UPLOADS: '100000',
  });
  customer = await newCustomer(server.url);
  key = bearer((await newKey(server.url, customer, { scopes: keyScopes })).secret);
  operatorSession = bearer((await signIn(server.url, operator, { audience: 'dashboard' })).token);
});
afterAll(async () => {
  closeSockets();
  await server?.dispose();
});

function credentialOf({ credential }: Route): Record<string, string> {
  if (credential === 'none') return {};
  if (credential === 'account' || credential === 'optional') return key;
  return credential === 'operator' ? operatorSession : customer.dashboard;
}

const call = (row: Route, path: string, body?: unknown): Promise<Reply> =>
  ask(server.url, row.method.toUpperCase(), `/api/v1${path}`, {
    headers: credentialOf(row),
    ...(body === undefined ? {} : { body }),
  });

/**
 * Paths and queries in which one value at a time is replaced by NUL, by half a surrogate pair, which UTF-8 cannot encode, or by a time that
 * PostgreSQL cannot store.
 */
function addressesOf(row: Route): string[] {
  const path = (value: string) => row.path.replace(/:\w+/g, value);
  const samples = row.query ? samplesOf(row.query) : [{}];
  const queries = samples.flatMap((sample) => [
    ...replaced(sample, nul),
    ...replaced(sample, 'a\ud83db'),
    // By itself, because the cursor of a sample is refused.
    ...Object.keys(sample as object).flatMap((name) => noTimes.map((time) => ({ [name]: time }))),
  ]);
  const valid = path(`x_${'0'.repeat(24)}`);
  return [
    ...(row.path.includes(':') ? ['a%00b', '%00', '%ED%A0%80', '%'].map(path) : []),
    ...queries.map((query) => `${valid}?${new URLSearchParams(query as Record<string, string>).toString()}`),
    ...(row.query ? [`${valid}?limit[length][toString]=1`, `${valid}?%00=1`] : []),
  ];
}

/** Whether the answer is a 5xx other than `service_unavailable`, the answer of services that are not configured. */
const isFault = ({ status, body }: Reply) => status >= 500 && body.error !== 'service_unavailable';

describe('over HTTP', () => {
  it.each(rows.map((row) => [`${row.method.toUpperCase()} ${row.path}`, row] as const))(
    '%s',
    async (_name, row) => {
      const path = row.path.replace(/:\w+/g, `x_${'0'.repeat(24)}`);
      const samples = row.body ? samplesOf(row.body) : [];
      const bodies = samples.flatMap((sample) => hostile.flatMap((value) => replaced(sample, value)));
      const cases = [
        ...addressesOf(row).map((address) => [address, undefined] as const),
        ...bodies.map((body) => [path, body] as const),
      ];
      const replies = [];
      // A gate has a thousand cases. All at once, they would wait for the database for longer than the server allows.
      for (let at = 0; at < cases.length; at += atOnce)
        replies.push(
          ...(await Promise.all(
            cases
              .slice(at, at + atOnce)
              .map(async ([address, body]) => ({ address, body, reply: await call(row, address, body) })),
          )),
        );
      expect(replies.filter(({ reply }) => isFault(reply))).toEqual([]);
      const misshapen = replies.filter(({ body }) => JSON.stringify(body ?? {}).includes('valueOf'));
      expect(misshapen.filter(({ reply }) => reply.status < 400)).toEqual([]);
    },
  );

  it('outside the API', async () => {
    for (const path of [
      'files',
      'hls',
      'whip',
      'whep',
      'sdk',
      'assets',
      'docs',
      'callbacks',
      'watch',
      'healthz',
    ])
      for (const suffix of [
        '%00',
        'a%00b',
        '%ED%A0%80',
        '%',
        'str_%00',
        'str_%00/index.m3u8',
        `str_${'0'.repeat(24)}/live.m3u8?session=%00&token=%00`,
      ])
        for (const method of ['GET', 'POST', 'DELETE']) {
          const reply = await ask(
            server.url,
            method,
            `/${path}/${suffix}`,
            method === 'POST' ? { raw: 'v=0' } : {},
          );
          const address = `${method} /${path}/${suffix}`;
          expect([address, reply.status < 500]).toEqual([address, true]);
        }
  });
});

describe('over the realtime connection', () => {
  it.each(Object.entries(requests))('%s', async (name, { request }) => {
    const device = await connected(server.url, (await signIn(server.url)).token);
    for (const sample of samplesOf(request)) {
      for (const value of hostile) {
        for (const payload of replaced(sample, value)) {
          const answer = await send(device, name, payload);
          const code = answer.ok ? 'ok' : answer.error.code;
          expect([payload, code]).not.toEqual([payload, 'INTERNAL']);
          if (value !== hostile[1]) expect([payload, code]).not.toEqual([payload, 'ok']);
        }
      }
      for (const time of noTimes) {
        for (const payload of replaced(sample, time)) {
          const answer = await send(device, name, payload);
          expect([payload, answer.ok ? 'ok' : answer.error.code]).not.toEqual([payload, 'INTERNAL']);
        }
      }
    }
    expect(device.connected).toBe(true);
    device.disconnect();
  });

  it('in the handshake', async () => {
    const { token } = await signIn(server.url);
    for (const handshake of hostile.flatMap((value) =>
      replaced({ token, protocolVersion, appKey: 'pk_live_x' }, value),
    )) {
      const refused = await refusal(socket(server.url, handshake as object));
      expect([handshake, refused?.data?.code]).not.toEqual([handshake, 'INTERNAL']);
      if (refused) expect([handshake, refused.data]).toEqual([handshake, expect.any(Object)]);
    }
  });
});

it('logs no failed request', () => {
  expect(server.logged('request failed')).toEqual([]);
});
