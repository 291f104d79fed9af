import { createConnection } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { closeOf, shown, type OpenEntryPoint, type Outcome } from '../EntryPoint.ts';
import { mutateBytes, mutateLines, type Random } from '../mutate.ts';

const head = (line: string, ...headers: string[]) =>
  [line, 'Host: 127.0.0.1', ...headers, '', ''].join('\r\n');
const body = '{"to":"+15005550006","message":"hello"}';
const long = 'a'.repeat(20_000);
const requests = [
  head('GET /healthz HTTP/1.1'),
  head('GET /api/v1/status?a=b HTTP/1.1', 'Accept: */*', 'Connection: keep-alive'),
  head('GET /api/v1/account HTTP/1.1', 'Authorization: Bearer x', 'Authorization: Basic eDp4'),
  head('POST /api/v1/sms/send HTTP/1.1', 'Content-Type: application/json', `Content-Length: ${body.length}`) +
    body,
  `${head('POST /api/v1/auth/verify HTTP/1.1', 'Content-Type: application/json', 'Transfer-Encoding: chunked')}5\r\n{"a":\r\n4;x=y\r\n "b"\r\n1\r\n}\r\n0\r\nTrailer: x\r\n\r\n`,
  `${head('POST /api/v1/media HTTP/1.1', 'Expect: 100-continue', 'Content-Length: 4')}\x89PNG`,
  head(
    'PATCH /api/v1/media/uploads/med_0 HTTP/1.1',
    'Tus-Resumable: 1.0.0',
    'Upload-Offset: 0',
    'Content-Length: 0',
  ),
  head('OPTIONS /whip HTTP/1.1', 'Origin: https://example.org', 'Access-Control-Request-Method: POST'),
  head('GET /docs/ HTTP/1.0', 'Range: bytes=0-1,5-', 'Accept-Encoding: gzip, br', 'If-None-Match: W/"x"'),
  head(
    'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1',
    ...[
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ],
  ) + '\x81\x85\x01\x02\x03\x04\x35\x32\x7b\x79\x01',
];
const oddities = [
  'GET /elsewhere HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket',
  ...[
    'CONNECT example.org:443 HTTP/1.1',
    'PRI * HTTP/2.0',
    'GET http://example.org/ HTTP/1.1',
    'GET * HTTP/1.1',
    'GET',
  ],
  ...[
    'Content-Length: 5',
    'Content-Length: -1',
    'Content-Length: 99999999999999',
    'Transfer-Encoding: chunked, chunked',
  ],
  ...[
    'Transfer-Encoding: gzip',
    'FFFFFFFFFFFFFFFF',
    '-1',
    `X: ${long}`,
    `GET /${long} HTTP/1.1`,
    ' folded',
    ': nothing',
  ],
  ...[
    'Upgrade: h2c',
    'Connection: Upgrade, close',
    'Content-Encoding: gzip',
    'X-Forwarded-For: 1.2.3.4, ::1',
    'Host: a, b',
  ],
];

const answerLimitMs = 20_000;

/** Sends the HTTP port what no client library would send: mutated request lines, headers and chunks. */
export const rawEntry: OpenEntryPoint = ({ server: { url } }) =>
  Promise.resolve({
    send: (random) => sendRaw(Number(new URL(url).port), random),
    async check() {
      const reply = await fetch(`${url}/api/v1/status`);
      if (!reply.ok) throw new Error(await reply.text());
    },
    close: () => Promise.resolve(),
  });

/**
 * Sends bytes to a port on a new connection.
 * @param bytes the bytes to send. Default: one or two mutated requests
 */
export async function sendRaw(
  port: number,
  random: Random,
  bytes: Buffer = Buffer.concat(Array.from({ length: random.pick([1, 1, 2]) }, () => mutatedRequest(random))),
): Promise<Outcome> {
  const socket = createConnection({ port, host: '127.0.0.1' });
  let received = '';
  socket.on('data', (data) => (received += data.toString('latin1')));
  socket.on('error', () => undefined);
  const closed = closeOf(socket);
  const cut = random.int(bytes.length + 1);
  socket.write(bytes.subarray(0, cut));
  if (random.chance(0.3)) await delay(1);
  // End the input, so that the server answers or closes the connection instead of waiting for the rest of a request.
  if (socket.writable) socket.end(bytes.subarray(cut));
  const isClosed = await Promise.race([closed.then(() => true), delay(answerLimitMs, false, { ref: false })]);
  socket.destroy();
  const statuses = [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status ?? '');
  const isFault = statuses.some((status) => status >= '500') && !received.includes('service_unavailable');
  const sent = { sent: bytes.toString('latin1'), received: received.slice(0, 1_000) };
  if (!isClosed) return { kind: 'stays open', fault: shown(sent) };
  const kind = statuses.find((status) => status >= '200') ?? (statuses[0] ? statuses[0] : 'closed');
  return { kind, ...(isFault ? { fault: shown(sent) } : {}) };
}

function mutatedRequest(random: Random): Buffer {
  const good = random.pick(requests);
  if (random.chance(0.05)) return Buffer.from(good, 'latin1');
  if (random.chance(0.4)) return mutateBytes(random, Buffer.from(good, 'latin1'));
  if (random.chance(0.6)) return Buffer.from(mutateLines(random, good), 'latin1');
  const lines = good.split('\r\n');
  lines.splice(random.int(lines.length), random.int(2), random.pick(oddities));
  return Buffer.from(lines.join('\r\n'), 'latin1');
}
