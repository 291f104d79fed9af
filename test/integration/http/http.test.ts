import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { pagePaths } from '../../../server/console/src/shell/paths.ts';
import { protocolVersion } from '../../../sdk/protocol/version.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import * as support from '../support.ts';
import { ask, bearer, connected, refresh, signedMessage, signIn, verify, type Reply } from '../support.ts';

const appOrigin = 'https://app.example';
let server: ServerProcess;
let url: string;

beforeAll(async () => {
  server = await ServerProcess.start({ ALLOWED_ORIGINS: appOrigin, LOG_LEVEL: 'trace' });
  url = server.url;
});
afterEach(() => support.closeSockets());
afterAll(() => server?.dispose());

/** Expects an error in the common format, without internals such as stack traces. */
function expectError(reply: Reply, status: number, error: string): void {
  expect([reply.status, reply.body.error]).toEqual([status, error]);
  expect(reply.body.message).toEqual(expect.any(String));
  expect(reply.body.requestId).toMatch(/^req_[0-9A-Za-z]{24}$/);
  expect(reply.body.requestId).toBe(reply.headers['x-request-id']);
  expect(reply.headers['cache-control']).toBe('no-store');
  expect(reply.text).not.toMatch(/node_modules|\.ts\b|at .*:\d+|Error:/);
}

const refreshPath = '/api/v1/auth/refresh';

describe('the Host header', () => {
  const foreign = { Host: 'rebound.example:3000' };

  it.each([
    ['GET', '/api/v1/status'],
    ['POST', '/api/v1/auth/verify'],
    ['GET', '/'],
    ['POST', '/whip'],
    ['POST', '/whep/stream'],
  ])('%s %s rejects a foreign name', async (method, path) => {
    const reply = await ask(url, method, path, { headers: foreign });
    expectError(reply, 421, 'misdirected_request');
    expect(reply.body.message).toMatch(/rebound\.example.*PUBLIC_URL.*ALLOWED_ORIGINS/);
    expect(reply.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('rejects Socket.IO connections to a foreign name, and logs it once', async () => {
    const { token } = await signIn(url);
    const refused = await support.refusal(
      support.socket(url, { token, protocolVersion }, { extraHeaders: foreign }),
    );
    expect((refused as unknown as { description: object }).description).toMatchObject({
      message: 'Unexpected server response: 421',
    });
    const polling = await ask(url, 'GET', '/socket.io/?EIO=4&transport=polling', { headers: foreign });
    expect([polling.status, polling.text]).toEqual([421, expect.stringContaining('ALLOWED_ORIGINS')]);
    expect(await server.waitForLog('request refused: its host name is neither')).toMatchObject([
      { host: 'rebound.example' },
    ]);
  });

  it.each(['localhost:9', 'me.localhost', '192.168.1.7:3000', '[fe80::1]:3000', 'app.example'])(
    'accepts %s',
    async (host) => {
      expect((await ask(url, 'GET', '/api/v1/status', { headers: { Host: host } })).status).toBe(200);
    },
  );

  it.each(['/healthz', '/readyz'])('%s accepts any name, and logs no refusal', async (path) => {
    expect((await ask(url, 'GET', path, { headers: { Host: 'monitor.example' } })).status).toBe(200);
    expect(server.log).not.toContain('monitor.example');
  });
});

describe('errors', () => {
  it.each<[string, string, string, number, string]>([
    ['an unknown route', 'GET', '/api/v1/unknown', 404, 'not_found'],
    ['an unknown version', 'GET', '/api/v2/auth/nonce', 404, 'not_found'],
    ['a wrong method', 'DELETE', '/api/v1/auth/nonce', 405, 'method_not_allowed'],
    ['a POST to a page', 'POST', '/somewhere', 404, 'not_found'],
    ['a path that cannot be decoded', 'GET', '/api/v1/%ff', 404, 'not_found'],
    ['a page address that cannot be decoded', 'GET', '/%ff', 400, 'invalid_request'],
    ['a path out of the folder', 'GET', '/sdk/..%2f..%2fpackage.json', 404, 'not_found'],
  ])('reports %s', async (_name, method, path, status, error) => {
    expectError(await ask(url, method, path, { headers: { Accept: 'application/json' } }), status, error);
  });

  it('names the whole path of an unknown route, and says that a body is missing', async () => {
    const messageOf = async (...asked: Parameters<typeof ask>) =>
      ((await ask(...asked)).body as { message: string }).message;
    expect(await messageOf(url, 'GET', '/api/v1/api/v1/account?limit=1')).toBe(
      'There is no route GET /api/v1/api/v1/account.',
    );
    expect(await messageOf(url, 'POST', refreshPath)).toBe(
      'This request needs a body: send its fields as JSON.',
    );
  });

  it.each<[string, string | Buffer, Record<string, string>, number, string]>([
    ['malformed JSON', '{"a":', {}, 400, 'invalid_json'],
    ['a bare literal', 'null', {}, 400, 'invalid_json'],
    ['a string', '"text"', {}, 400, 'invalid_json'],
    ['text in Latin-1', Buffer.from('{"refreshToken":"caf\xe9"}', 'latin1'), {}, 400, 'invalid_json'],
    ['half a character', Buffer.from('{"refreshToken":"\xf0\x9f"}', 'latin1'), {}, 400, 'invalid_json'],
    [
      'another content type',
      'a=b',
      { 'Content-Type': 'application/x-www-form-urlencoded' },
      415,
      'unsupported_media_type',
    ],
    ['no content type', '{}', { 'Content-Type': '' }, 415, 'unsupported_media_type'],
    [
      'another character set',
      '{}',
      { 'Content-Type': 'application/json; charset=latin1' },
      415,
      'unsupported_media_type',
    ],
    ['a compressed body', gzipSync('{}'), { 'Content-Encoding': 'gzip' }, 415, 'unsupported_media_type'],
    ['too many bytes', JSON.stringify({ refreshToken: 'x'.repeat(110_000) }), {}, 413, 'payload_too_large'],
    ['a list', '[]', {}, 422, 'validation_failed'],
    ['40,000 nested lists', `${'['.repeat(40_000)}${']'.repeat(40_000)}`, {}, 422, 'validation_failed'],
    ['an unknown field', '{"refreshToken":"x","admin":true}', {}, 422, 'validation_failed'],
    ['__proto__', '{"refreshToken":"x","__proto__":{"admin":true}}', {}, 422, 'validation_failed'],
    ['constructor', '{"refreshToken":"x","constructor":{"prototype":{}}}', {}, 422, 'validation_failed'],
    ['a field of the wrong type', '{"refreshToken":{"$gt":""}}', {}, 422, 'validation_failed'],
    ['no bytes', '', {}, 422, 'validation_failed'],
  ])('rejects a body of %s', async (_name, raw, headers, status, error) => {
    const reply = await ask(url, 'POST', refreshPath, { raw, headers });
    expectError(reply, status, error);
    expect(reply.headers.ratelimit).toBeDefined();
  });

  it.each(['utf8', 'UTF-8', '"utf8"'])('reads a body whose character set is %s', async (charset) => {
    const headers = { 'Content-Type': `application/json; charset=${charset}` };
    const reply = await ask(url, 'POST', refreshPath, { raw: '{"refreshToken":"é"}', headers });
    expectError(reply, 401, 'invalid_token');
  });

  it('takes chunks without a byte for no body, as proxies send it, and refuses others without a content type', async () => {
    const { hostname, port } = new URL(url);
    const { token } = await signIn(url);
    const post = async (path: string, body: string) => {
      const headers = { ...bearer(token), 'Transfer-Encoding': 'chunked' };
      const sent = request({ hostname, port, method: 'POST', path, headers, agent: false });
      sent.end(body);
      const [reply] = (await once(sent, 'response')) as [IncomingMessage];
      reply.resume();
      return reply.statusCode;
    };
    expect(await post(refreshPath, '{"refreshToken":"x"}')).toBe(415);
    expect(await post(refreshPath, '')).toBe(422);
    expect(await post('/api/v1/auth/logout', '')).toBe(200);
  });

  it('truncates values of the client in messages', async () => {
    const reply = await ask(url, 'POST', refreshPath, {
      body: { refreshToken: 'x', ['y'.repeat(50_000)]: 1 },
    });
    expectError(reply, 422, 'validation_failed');
    expect(reply.text.length).toBeLessThan(2_000);
  });

  it('names the required credential in WWW-Authenticate', async () => {
    const reply = await ask(url, 'POST', '/api/v1/auth/logout', { headers: bearer('x.y.z') });
    expectError(reply, 401, 'invalid_token');
    expect(reply.headers['www-authenticate']).toBe('Bearer');
  });

  it('closes only the connection that sends malformed HTTP', async () => {
    const { port } = new URL(url);
    for (const bytes of [
      '\x16\x03\x01 hello',
      'GET / HTTP/9.9\r\n\r\n',
      `GET / HTTP/1.1\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`,
      `GET /?x=${'y'.repeat(20_000)} HTTP/1.1\r\n\r\n`,
    ]) {
      const answer = await new Promise<string>((resolve) => {
        let text = '';
        const client = connect(Number(port), '127.0.0.1', () => client.write(bytes));
        client.on('data', (chunk) => (text += chunk.toString()));
        client.on('close', () => resolve(text));
        client.on('error', () => {});
      });
      expect(answer).toMatch(/^HTTP\/1\.1 4\d\d .*\r\nX-Request-Id: (req_\w+)\r\n[^]*"requestId":"\1"/);
      expect(answer).not.toContain('at ');
      if (bytes.includes('?')) expect(answer).toContain('The address and the headers');
    }
    expect((await ask(url, 'GET', '/healthz')).status).toBe(200);
  });

  it('closes the connection of a refused request that asks for it', async () => {
    const { port } = new URL(url);
    const head = 'GET /api/v1/status HTTP/1.1\r\nHost: foreign.example\r\nConnection: close\r\n\r\n';
    const client = connect(Number(port), '127.0.0.1', () => client.write(head));
    expect(await text(client)).toMatch(/^HTTP\/1\.1 421 [^]*\r\nConnection: close\r\n/);
  });

  it('serves requests that offer HTTP/2 without TLS, as Java’s HttpClient does, by HTTP/1.1', async () => {
    const { host, port } = new URL(url);
    const offer =
      'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\n';
    const body = JSON.stringify({ refreshToken: 'unknown' });
    const head = `POST ${refreshPath} HTTP/1.1\r\nHost: ${host}\r\n${offer}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    const client = connect(Number(port), '127.0.0.1');
    let text = '';
    client.on('data', (chunk) => (text += chunk.toString()));
    const answers = async (...statuses: string[]) => {
      await until(() => text.split('"requestId"').length > statuses.length, 'the answers');
      expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(statuses.map((status) => `HTTP/1.1 ${status}`));
    };
    client.write(head);
    // The body arrives by itself.
    await new Promise((resolve) => setTimeout(resolve, 50));
    client.write(body);
    await answers('401');
    client.write(head + body);
    await answers('401', '401');
    client.write(`GET /api/v1/account HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    await answers('401', '401', '401');
    client.destroy();
  });
});

describe('paths', () => {
  it('serve the console at every page address, and nothing at unknown ones', async () => {
    const browser = { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };
    for (const path of ['/metrics', '/rooms/x/y', '/wp-login.php', '/.env', '/index.php', '/%00', '/roomsy'])
      expect([path, (await ask(server.url, 'GET', path, browser)).status]).not.toEqual([path, 200]);
    for (const path of Object.values(pagePaths).flat()) {
      const page = await ask(server.url, 'GET', path.replace(/:\w+/, 'x'), browser);
      expect([path, page.status, page.text.includes('<div id="root">')]).toEqual([path, 200, true]);
    }
  });

  it('answer 405 with the allowed methods to any other method', async () => {
    for (const [method, path, allowed] of [
      ['GET', '/lookup', 'POST, OPTIONS'],
      ['PUT', '/api-keys', 'POST, GET, HEAD, OPTIONS'],
      ['PATCH', '/account', 'GET, HEAD, DELETE, OPTIONS'],
      // `send` must not be mistaken for the id of a text, nor `publishable` for the id of a key.
      ['GET', '/sms/send', 'POST, OPTIONS'],
      ['DELETE', '/api-keys/publishable', 'GET, HEAD, OPTIONS'],
    ] as const) {
      const { status, body, headers } = await ask(server.url, method, `/api/v1${path}`);
      expect([path, status, body.error, headers.allow]).toEqual([path, 405, 'method_not_allowed', allowed]);
      const asked = await ask(server.url, 'OPTIONS', `/api/v1${path}`);
      expect([path, asked.status, asked.headers.allow]).toEqual([path, 200, allowed]);
    }
    expect((await ask(server.url, 'GET', '/api/v1/unknown')).status).toBe(404);
  });

  it('serve files compressed, with validators and cache lifetimes', async () => {
    const get = (path: string, encodings: string, more = {}) =>
      ask(server.url, 'GET', path, { headers: { 'Accept-Encoding': encodings, ...more } });
    const plain = await get('/sdk/parley.js', 'identity');
    const size = ({ headers }: Reply) => Number(headers['content-length']);
    for (const [encodings, used] of [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
    ] as const) {
      const compressed = await get('/sdk/parley.js', encodings);
      expect([compressed.headers['content-encoding'], compressed.headers.vary]).toEqual([
        used,
        'Accept-Encoding',
      ]);
      expect(compressed.headers['content-type']).toMatch(/^text\/javascript/);
      expect(size(compressed)).toBeLessThan(size(plain) / 2);
      const again = await get('/sdk/parley.js', encodings, {
        'If-None-Match': String(compressed.headers.etag),
      });
      expect(again.status).toBe(304);
    }
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.headers['cache-control']).toBe('public, max-age=300');
    const worker = await get('/sdk/parley-push.js', 'br');
    expect(worker.headers['service-worker-allowed']).toBe('/');
    const { text } = await ask(server.url, 'GET', '/');
    const [script = ''] = /\/assets\/[\w-]+\.js/.exec(text) ?? [];
    const asset = await get(script, 'br');
    expect(asset.headers['content-encoding']).toBe('br');
    expect(asset.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  });
});

describe('every answer', () => {
  it('forbids caching and content sniffing', async () => {
    const reply = await ask(url, 'GET', '/api/v1/auth/nonce');
    expect(reply.headers['cache-control']).toBe('no-store');
    expect(reply.headers.etag).toBeUndefined();
    expect(reply.headers['x-powered-by']).toBeUndefined();
    expect(reply.headers['x-content-type-options']).toBe('nosniff');
    expect(reply.headers['strict-transport-security']).toBeUndefined();
  });

  it('has a content security policy: none for data, a separate one for pages', async () => {
    const policyOf = async (path: string) =>
      (await ask(url, 'GET', path)).headers['content-security-policy'] as string;
    const dataPolicy = "default-src 'none'; frame-ancestors 'none'";
    expect(await policyOf('/api/v1/auth/nonce')).toBe(dataPolicy);
    expect(await policyOf('/api/v1/unknown')).toBe(dataPolicy);
    expect(await policyOf('/api/unknown')).toBe(dataPolicy);
    for (const path of ['/', '/healthz', '/unknown'])
      expect(await policyOf(path)).toContain("script-src 'self'");
  });

  it('is the same for different spellings of a path', async () => {
    const path = '/api/v1/auth/nonce';
    const exact = await ask(url, 'GET', path);
    expect(Object.keys(exact.body)).toEqual(['nonce', 'expiresAt']);
    for (const other of [`${path}/`, path.replace('nonce', 'NONCE'), `http://other.example${path}`]) {
      const reply = await ask(url, 'GET', other);
      expect([reply.status, Object.keys(reply.body)]).toEqual([200, ['nonce', 'expiresAt']]);
      expect(Object.keys(reply.headers)).toEqual(Object.keys(exact.headers));
    }
    const head = await ask(url, 'HEAD', path);
    expect([head.status, head.text]).toEqual([200, '']);
    expect(Object.keys(head.headers)).toEqual(Object.keys(exact.headers));
    expectError(await ask(url, 'GET', `${path}?unknown=1`), 422, 'validation_failed');
  });

  it('carries a request id that the log also has', async () => {
    const reply = await ask(url, 'GET', '/api/v1/unknown?token=in-the-query', {
      headers: { 'X-Request-Id': 'mine' },
    });
    const id = reply.headers['x-request-id'] as string;
    expect(id).not.toBe('mine');
    const [line] = await server.waitForLog(id);
    expect(line).toMatchObject({
      req: { id, method: 'GET', path: '/api/v1/unknown' },
      res: { statusCode: 404 },
    });
    expect(server.log).not.toContain('in-the-query');
  });

  it('allows only configured origins by CORS', async () => {
    const corsOf = async (method: string, origin: string) => {
      const { status, headers } = await ask(url, method, '/api/v1/auth/nonce', {
        headers: { Origin: origin },
      });
      return [status, headers['access-control-allow-origin']];
    };
    expect(await corsOf('GET', appOrigin)).toEqual([200, appOrigin]);
    expect(await corsOf('GET', url)).toEqual([200, url]);
    expect(await corsOf('OPTIONS', appOrigin)).toEqual([204, appOrigin]);
    for (const origin of ['https://evil.example', 'null', `${appOrigin}.evil`, appOrigin.toUpperCase(), ''])
      expect(await corsOf('GET', origin)).toEqual([200, undefined]);
    expect(await corsOf('OPTIONS', 'https://evil.example')).toEqual([200, undefined]);
    const { headers } = await ask(url, 'OPTIONS', '/api/v1/auth/nonce', { headers: { Origin: appOrigin } });
    // A page that traces its requests sends the last three.
    for (const name of ['Authorization', 'traceparent', 'tracestate', 'baggage'])
      expect(headers['access-control-allow-headers']).toContain(name);
    expect(headers['access-control-allow-credentials']).toBeUndefined();
    expect(headers.vary).toContain('Origin');
  });

  it('has CORS headers on errors as well', async () => {
    const reply = await ask(url, 'POST', refreshPath, { raw: '{', headers: { Origin: appOrigin } });
    expectError(reply, 400, 'invalid_json');
    expect(reply.headers['access-control-allow-origin']).toBe(appOrigin);
    expect(reply.headers['access-control-expose-headers']).toContain('X-Request-Id');
  });
});

describe('the log', () => {
  it('contains no secrets of sign-ins, refreshes and refused handshakes', async () => {
    const signed = await signedMessage(url);
    const { body } = await verify(url, signed);
    const { body: next } = await refresh(url, body.refreshToken as string);
    await verify(url, signed);
    await verify(url, { ...signed, extra: 1 });
    await refresh(url, body.refreshToken as string);
    await ask(url, 'POST', '/api/v1/auth/logout', { headers: bearer(next.token as string) });
    for (const token of [next.token as string, 'forged.token.here', ''])
      await support.refusal(support.socket(url, { token, protocolVersion }));
    const device = await connected(url, (await signIn(url)).token);
    await support.send(device, 'session.renew', { token: next.token });
    await until(() => server.logged('handshake refused').length >= 3, 'the refused handshakes are logged');
    const nonce = /Nonce: (\w+)/.exec(signed.message)?.[1] ?? '';
    const secrets = [
      signed.signature,
      nonce,
      body.token,
      body.refreshToken,
      next.token,
      next.refreshToken,
    ] as string[];
    for (const secret of [...secrets, await support.secretKeyOf(server.dataDir)]) {
      // Neither the secret nor a part of it.
      expect(secret.length).toBeGreaterThan(40);
      expect(server.log).not.toContain(secret);
      expect(server.log).not.toContain(secret.slice(-24));
    }
    for (const line of server.logged('handshake refused'))
      expect(line).toMatchObject({
        requestId: expect.stringMatching(/^req_/) as string,
        code: 'AUTHENTICATION_REQUIRED',
      });
  });
});

describe('the rate limit', () => {
  let limited: ServerProcess;
  beforeAll(async () => {
    limited = await ServerProcess.start({ RATE_LIMIT_AUTH: '3', TRUST_PROXY: '1' });
  });
  afterAll(() => limited?.dispose());

  it('counts per network, reports its state in the format of draft 8, and answers 429', async () => {
    const nonce = (address: string, raw?: string) =>
      raw === undefined
        ? ask(limited.url, 'GET', '/api/v1/auth/nonce', { headers: { 'X-Forwarded-For': address } })
        : ask(limited.url, 'POST', refreshPath, { raw, headers: { 'X-Forwarded-For': address } });
    // A malformed body counts as well.
    const replies = [await nonce('192.0.2.1'), await nonce('192.0.2.1', '{'), await nonce('192.0.2.1')];
    expect(replies.map((reply) => reply.status)).toEqual([200, 400, 200]);
    for (const [index, reply] of replies.entries()) {
      expect(reply.headers['ratelimit-policy']).toBe('"auth";q=3;w=60');
      expect(reply.headers.ratelimit).toMatch(new RegExp(`^"auth";r=${2 - index};t=([1-9]|[1-5][0-9]|60)$`));
    }
    const refused = await nonce('192.0.2.1');
    expectError(refused, 429, 'rate_limit_exceeded');
    expect(refused.headers.ratelimit).toMatch(/^"auth";r=0;t=\d+$/);
    expect(Number(refused.headers['retry-after'])).toBe(refused.body.retryAfter);
    expect(refused.body.retryAfter).toBeGreaterThan(0);
    // Another address is not affected. Only the entry of the one trusted proxy counts.
    expect((await nonce('192.0.2.2')).status).toBe(200);
    expect((await nonce('192.0.2.9, 192.0.2.1')).status).toBe(429);
    // A whole IPv6 /64 counts as one.
    for (const host of ['1', '2', '3']) expect((await nonce(`2001:db8::${host}`)).status).toBe(200);
    expect((await nonce('2001:db8::4')).status).toBe(429);
    expect((await nonce('2001:db8:0:1::4')).status).toBe(200);
  });

  it('ignores X-Forwarded-For without a trusted proxy', async () => {
    const field = (name: string, header: unknown) =>
      Number(new RegExp(`${name}=(\\d+)`).exec(String(header))?.[1]);
    const limitAfter = async (headers: Record<string, string>) =>
      (await ask(url, 'GET', '/api/v1/auth/nonce', { headers })).headers.ratelimit;
    let [before, spoofed] = [await limitAfter({}), await limitAfter({ 'X-Forwarded-For': '192.0.2.77' })];
    // A new window has begun between the two requests.
    if (field('t', spoofed) > field('t', before))
      [before, spoofed] = [await limitAfter({}), await limitAfter({ 'X-Forwarded-For': '192.0.2.77' })];
    expect(field('r', spoofed)).toBe(field('r', before) - 1);
    // Logged once, with the setting to change.
    await ask(server.url, 'GET', '/healthz', { headers: { 'X-Forwarded-For': '192.0.2.78' } });
    expect(await server.waitForLog('TRUST_PROXY is 0')).toHaveLength(1);
  });

  it('does not apply to health checks', async () => {
    for (let round = 0; round < 6; round++)
      expect((await ask(limited.url, 'GET', '/healthz')).status).toBe(200);
  });
});
