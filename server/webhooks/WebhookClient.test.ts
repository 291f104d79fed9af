import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { createServer as createTlsServer } from 'node:https';
import { once } from 'node:events';
import { generate } from 'selfsigned';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DnsServer } from '../../test/harness/services/DnsServer.ts';
import { WebhookReceiver, verify } from '../../test/harness/services/WebhookReceiver.ts';
import { ownAddresses } from '../outgoing/addressRules.ts';
import { dnsResolve } from '../outgoing/guardedLookup.ts';
import { OutsideClient } from '../outgoing/OutsideClient.ts';
import { newWebhookSecret } from './sign.ts';
import { WebhookClient } from './WebhookClient.ts';

/** Uses real sockets and a real name server that changes its answers. */

const publicAddress = '93.184.216.34';
/** The test's own server, by its name and by the address it announces. */
const own = ownAddresses('https://parley.example.org', ['93.184.216.35']);
const event = { id: 'evt_1', body: '{"type":"webhook.test"}', secrets: [newWebhookSecret()] };
const never = new AbortController().signal;

let dns: DnsServer;
/** An internal service that must not be reached. It counts connections. */
let inside: Server;
let insidePort: number;
let connections = 0;

const client = (allowLoopback: boolean, timeoutMs = 30_000) =>
  new WebhookClient({
    outside: new OutsideClient({ resolve: dnsResolve([dns.address]), allowLoopback, own }),
    timeoutMs,
  });

beforeAll(async () => {
  dns = await DnsServer.start();
  inside = createTcpServer((socket) => {
    connections++;
    socket.on('error', () => {}).end('HTTP/1.1 200 OK\r\n\r\n');
  });
  inside.listen(0, '::', () => {});
  await once(inside, 'listening');
  insidePort = (inside.address() as AddressInfo).port;
});
afterEach(() => {
  connections = 0;
  dns.questions.length = 0;
});
afterAll(() => {
  dns.close();
  inside.close();
});

it('does not connect to this server itself, by its name, its address or a name that resolves to it', async () => {
  dns.answer = () => ['93.184.216.35'];
  for (const host of ['parley.example.org', 'PARLEY.example.org.', '93.184.216.35', 'other.example'])
    expect((await client(true).post(`https://${host}:${insidePort}/`, event, never)).error).toBe(
      'address_not_allowed',
    );
  expect(dns.questions.map((question) => question.split(' ')[1])).toEqual(['other.example', 'other.example']);
});

describe('an internal address', () => {
  it.each([
    '127.0.0.1',
    '::1',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
    '10.0.0.1',
    '169.254.169.254',
    `${publicAddress} 127.0.0.1`,
    '2606:4700:4700::1111 ::1',
    `${publicAddress} ::1`,
  ])('is refused if a name resolves to it: %s', async (addresses) => {
    dns.answer = () => addresses.split(' ');
    expect(await client(false).post(`https://hooks.example:${insidePort}/`, event, never)).toEqual({
      status: null,
      body: null,
      error: 'address_not_allowed',
    });
    expect(connections).toBe(0);
  });

  it('is refused even if its name resolved to a public address before (DNS rebinding)', async () => {
    dns.answer = (_name, nth) => [nth === 0 ? publicAddress : '127.0.0.1'];
    const url = `https://rebind.example:${insidePort}/`;
    // A client that resolved once to check and again to connect would now reach the internal service. This one uses the address it
    // checked, where there is no server.
    const first = await client(false, 3_000).post(url, event, never);
    expect(first.status).toBeNull();
    expect(first.error).not.toBe('address_not_allowed');
    expect(dns.questions.sort()).toEqual(['A rebind.example', 'AAAA rebind.example']);
    for (let attempt = 0; attempt < 3; attempt++)
      expect((await client(false).post(url, event, never)).error).toBe('address_not_allowed');
    expect(connections).toBe(0);
  });

  it.each(['127.0.0.1', '[::1]', '[::ffff:7f00:1]', '2130706433', '0x7f.1', 'localhost', 'a.localhost'])(
    'is refused as a literal address or local name: %s',
    async (host) => {
      const answer = await client(false).post(`https://${host}:${insidePort}/`, event, never);
      expect(answer.error).toBe('address_not_allowed');
      expect(connections).toBe(0);
    },
  );

  it('is accepted if it is loopback and loopback is allowed', async () => {
    dns.answer = () => ['127.0.0.1'];
    const answer = await client(true).post(`http://hooks.example:${insidePort}/`, event, never);
    expect([answer.status, connections]).toEqual([200, 1]);
    dns.answer = () => ['10.0.0.1'];
    const url = `http://hooks.example:${insidePort}/`;
    expect((await client(true).post(url, event, never)).error).toBe('address_not_allowed');
  });
});

it('refuses plain HTTP to the internet', async () => {
  dns.answer = () => [publicAddress];
  expect((await client(false).post('http://hooks.example/', event, never)).error).toBe('address_not_allowed');
  expect(dns.questions).toEqual([]);
});

it('reports why there was no answer', async () => {
  dns.answer = () => [];
  expect((await client(true).post('https://nowhere.example/', event, never)).error).toBe('ENODATA');
  expect((await client(true).post('http://127.0.0.1:1/', event, never)).error).toBe('ECONNREFUSED');
});

it('rejects self-signed certificates', async () => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }]);
  const requests: unknown[] = [];
  const receiver = createTlsServer({ key, cert }, (request) => requests.push(request));
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;
  const answer = await client(true).post(`https://127.0.0.1:${port}/`, event, never);
  expect([answer.error, requests]).toEqual(['DEPTH_ZERO_SELF_SIGNED_CERT', []]);
  receiver.close();
});

it('posts the signed body and reads at most a kilobyte of the answer', async () => {
  const receiver = await WebhookReceiver.start();
  receiver.answer(418, {}, 'é'.repeat(5_000));
  const answer = await client(true).post(receiver.url, event, never);
  expect(answer).toEqual({ status: 418, body: 'é'.repeat(512), error: null });
  const [received] = receiver.received;
  expect(received?.text).toBe(event.body);
  expect(verify(event.secrets[0] ?? '', received as never)).toEqual({ type: 'webhook.test' });
  receiver.respond = () => {};
  const stopped = new AbortController();
  const asked = client(true).post(receiver.url, event, stopped.signal);
  await receiver.wait(2);
  stopped.abort();
  await expect(asked).rejects.toThrow();
  await receiver.close();
});

it('does not wait for an answer that never ends: its status is enough', async () => {
  const receiver = await WebhookReceiver.start();
  receiver.respond = (response) => void response.writeHead(200).write('taken');
  const answer = await client(true, 600_000).post(receiver.url, event, never);
  expect(answer).toEqual({ status: 200, body: 'taken', error: null });
  await receiver.close();
});
