import { keyScopes } from '../../../sdk/protocol/http.ts';
import type { Route } from '../../../server/http/Route.ts';
import { routeTable, type Services } from '../../../server/api/routes.ts';
import { samplesOf } from '../../harness/schemaSamples.ts';
import { newCustomer, newKey } from '../../integration/money/accountSupport.ts';
import { goodRequests } from '../../integration/http/routeSamples.ts';
import { ask, bearer, type Reply } from '../../integration/support.ts';
import { shown, type OpenEntryPoint, type Outcome } from '../EntryPoint.ts';
import { hostileText, mutateBytes, mutateText, mutateValue, type Random } from '../mutate.ts';

const rows = routeTable({
  identity: {},
  billing: {},
  lookup: {},
  leaksearch: {},
  esim: {},
  verifications: {},
} as Services);
/** Paths that are not in the route table. */
const otherPaths = [
  ...[
    '/',
    '/healthz',
    '/readyz',
    '/docs/',
    '/sdk/parley.js',
    '/assets/x.js',
    '/files/x',
    '/hls/str_0/index.m3u8',
  ],
  ...[
    '/callbacks/twilio',
    '/callbacks/x',
    '/watch/str_0',
    '/.well-known/security.txt',
    '/api/v1/none',
    '/room/room_0',
  ],
  ...['/socket.io/?EIO=4&transport=polling', '/socket.io/?EIO=4&transport=websocket'],
];
const headerNames = [
  ...[
    'Authorization',
    'Content-Type',
    'Idempotency-Key',
    'X-Payment',
    'Payment-Signature',
    'Range',
    'Host',
    'Origin',
  ],
  ...[
    'Accept',
    'Accept-Language',
    'Accept-Encoding',
    'Content-Encoding',
    'If-None-Match',
    'X-Forwarded-For',
    'Cookie',
  ],
  ...['Expect', 'Upgrade', 'X-Http-Method-Override', 'X-Request-Id', 'Upload-Length', 'Tus-Resumable'],
];
/** The size above which a request may exceed Node's limit for headers (16 KB). */
const mostHeadBytes = 14_000;
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'TRACE'];

/** Sends requests for every route of the table and for other paths, with mutated paths, queries, headers and bodies. */
export const httpEntry: OpenEntryPoint = async ({ server: { url } }) => {
  const customer = await newCustomer(url);
  const key = bearer((await newKey(url, customer, { scopes: keyScopes })).secret);
  const credentials = [key, customer.dashboard, customer.app];

  function requestOf(random: Random): [method: string, path: string, options: Parameters<typeof ask>[3]] {
    const row = random.pick(rows);
    const method = random.chance(0.02) ? random.pick(methods) : row.method.toUpperCase();
    const path = random.chance(0.05)
      ? mutatePath(random, random.pick(otherPaths))
      : `/api/v1${pathOf(random, row)}`;
    const headers = { ...credentialOf(random, row), ...headersOf(random) };
    const good =
      row.body && random.pick([...samplesOf(row.body), goodRequests[`${method} ${row.path}`] ?? {}]);
    if (good === undefined) return [method, path, { headers }];
    const body = random.chance(0.1) ? good : mutateValue(random, good);
    const text = JSON.stringify(body) ?? '';
    if (!random.chance(0.1)) return [method, path, { headers, raw: text }];
    return [method, path, { headers, raw: mutateBytes(random, Buffer.from(text)) }];
  }

  function credentialOf(random: Random, { credential }: Route): Record<string, string> {
    if (random.chance(0.03)) return {};
    if (random.chance(0.03)) return { Authorization: headerText(mutateText(random, key.Authorization)) };
    if (random.chance(0.05)) return random.pick(credentials);
    if (credential === 'none') return {};
    return credential === 'account' || credential === 'optional' ? key : customer.dashboard;
  }

  return {
    async send(random) {
      const request = requestOf(random);
      try {
        return judge(await ask(url, ...request), request);
      } catch (error) {
        // Node answers 431 and closes the connection before it has read all data, so the client may not receive the answer.
        if (JSON.stringify(request).length > mostHeadBytes) return { kind: 'cut off (431)' };
        throw error;
      }
    },
    async check() {
      const reply = await ask(url, 'POST', '/api/v1/sms/send', {
        headers: key,
        body: { to: '+15005550006', message: 'hello' },
      });
      if (reply.status >= 300) throw new Error(reply.text);
    },
    close: () => Promise.resolve(),
  };
};

/** Classifies an answer. A 503 with a Parley error code is not a fault: it means that a provider is not configured. */
export function judge({ status, body, text }: Reply, request: unknown): Outcome {
  if (status === 503 && body.error === 'service_unavailable') return { kind: '503 not configured' };
  return { kind: String(status), ...(status >= 500 ? { fault: `${shown(request)} answered ${text}` } : {}) };
}

function pathOf(random: Random, row: Route): string {
  const path = row.path.replace(/:\w+/g, () =>
    random.chance(0.5) ? `x_${'0'.repeat(24)}` : encoded(random, hostileText(random)),
  );
  if (!row.query || random.chance(0.1)) return path;
  const samples = [...samplesOf(row.query), goodRequests[`GET ${row.path}`] ?? {}];
  const query = mutateValue(random, random.pick(samples)) as Record<string, unknown> | null;
  const pairs = Object.entries(query ?? {}).map(
    ([name, value]) =>
      `${encoded(random, name)}${random.pick(['', '', '', '[]', '[a][b]'])}=${encoded(random, tokensOf(value))}`,
  );
  return `${path}?${pairs.join(random.pick(['&', '&', '&', ';']))}`;
}

const mutatePath = (random: Random, path: string) =>
  `/${mutateText(random, path).replace(/[^!-~]/g, (character) => encodeURIComponent(wellFormed(character)))}`;

/** Replaces unpaired surrogates, which UTF-8 cannot encode. */
const wellFormed = (text: string) => Buffer.from(text).toString();

const tokensOf = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** Encodes a text for a URL, or sometimes returns an invalid sequence instead. */
function encoded(random: Random, text: string): string {
  if (random.chance(0.05)) return random.pick(['%', '%ED%A0%80', '%00', '%C0%AF', '%2e%2e%2f', '%FF']);
  return encodeURIComponent(wellFormed(text.slice(0, 4_000)));
}

function headersOf(random: Random): Record<string, string> {
  if (random.chance(0.6)) return {};
  const name = random.pick(headerNames);
  return {
    [name]: headerText(
      random.chance(0.5) ? hostileText(random) : random.bytes(random.int(40)).toString('latin1'),
    ),
  };
}

/** Removes characters that Node's HTTP client refuses in headers. The entry point "raw" can send them. */
const headerText = (text: string) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '').slice(0, 8_000);
