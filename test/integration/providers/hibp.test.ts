import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import { FakeServer, type Received, type FakeAnswer } from '../../harness/services/FakeServer.ts';
import { api, newCustomer, queryDatabase, type Customer } from '../money/accountSupport.ts';

let hibp: FakeServer;
let server: ServerProcess;
let customer: Customer;
let answer: (received: Received) => FakeAnswer | null;

// The example in the documentation of Have I Been Pwned.
const adobe = {
  Name: 'Adobe',
  Title: 'Adobe',
  Domain: 'adobe.com',
  BreachDate: '2013-10-04',
  AddedDate: '2013-12-04T00:00:00Z',
  ModifiedDate: '2022-05-15T23:52:49Z',
  PwnCount: 152445165,
  Description: 'In October 2013, 153 million Adobe accounts were breached…',
  LogoPath: 'https://logos.haveibeenpwned.com/Adobe.png',
  DataClasses: ['Email addresses', 'Password hints', 'Passwords', 'Usernames'],
  IsVerified: true,
  IsFabricated: false,
  IsSensitive: false,
  IsRetired: false,
  IsSpamList: false,
};
const result = {
  source: 'Adobe',
  title: 'Adobe',
  domain: 'adobe.com',
  breachDate: '2013-10-04',
  dataClasses: ['Email addresses', 'Password hints', 'Passwords', 'Usernames'],
  verified: true,
  records: 152445165,
};

beforeAll(async () => {
  hibp = await FakeServer.start((received) => answer(received));
  server = await ServerProcess.start({
    RATE_LIMIT_LEAKSEARCH: '1000',
    LEAKSEARCH_DRIVER: 'hibp',
    LEAKSEARCH_FREE_SEARCHES: '1000',
    HIBP_API_KEY: '00112233445566778899aabbccddeeff',
    HIBP_URL: `${hibp.url}/api/v3`,
    HIBP_PASSWORDS_URL: hibp.url,
  });
  customer = await newCustomer(server.url);
});
afterAll(async () => {
  await server?.dispose();
  await hibp?.close();
});

const search = (query: string, type: string) =>
  api(server.url, 'POST', '/leaksearch/search', customer.dashboard, { query, type });
const used = async () => {
  const { body } = await api(server.url, 'GET', '/account/usage', customer.dashboard);
  return body;
};

describe('Have I Been Pwned', () => {
  it('gets the API key and a request for full breaches', async () => {
    answer = () => ({ body: [adobe] });
    expect((await search('Ada+x@Example.org', 'email')).body).toMatchObject({ total: 1, results: [result] });
    const { path, query, headers } = hibp.received.at(-1) as Received;
    expect([path, query.get('truncateResponse')]).toEqual([
      '/api/v3/breachedaccount/ada+x@example.org',
      'false',
    ]);
    expect(headers).toMatchObject({
      'hibp-api-key': '00112233445566778899aabbccddeeff',
      'user-agent': 'Parley',
    });
    expect(server.log).not.toMatch(/ada\+x|ada%2Bx|00112233/i);
    expect(JSON.stringify(await used())).not.toMatch(/ada\+x|ada%2Bx|example\.org/i);
  });

  it('searches breaches by domain, and treats a 404 as no results', async () => {
    answer = () => ({ body: [adobe] });
    await search('Adobe.com', 'domain');
    expect(hibp.received.at(-1)).toMatchObject({ path: '/api/v3/breaches' });
    expect(hibp.received.at(-1)?.query.get('Domain')).toBe('adobe.com');
    answer = () => ({ status: 404 });
    const reply = await search('nobody@example.org', 'email');
    expect([reply.status, reply.body.found, reply.body.results]).toEqual([200, false, []]);
  });

  it('gets only five digits of a password hash and no key; its padding is removed', async () => {
    const [first, second] = ['0018A45C4D1DEF81644B54AB7F969B88D65', '00D4F6E8FA6EECAD2A3AA415EEC418D38EC'];
    answer = () => ({ body: `${first}:10\r\n${second}:2\r\n${'F'.repeat(35)}:0\r\n` });
    const { body } = await search('21bd1', 'password_sha1_prefix');
    expect(body).toMatchObject({
      query: { masked: '21***' },
      total: 2,
      results: [
        { source: 'pwned-passwords', title: first, records: 10 },
        { title: second, records: 2 },
      ],
    });
    const { path, headers } = hibp.received.at(-1) as Received;
    expect([path, headers['add-padding'], headers['hibp-api-key']]).toEqual([
      '/range/21BD1',
      'true',
      undefined,
    ]);
  });

  it('is asked again after a short Retry-After', async () => {
    let asked = 0;
    answer = () => (asked++ === 0 ? { status: 429, headers: { 'retry-after': '1' } } : { body: [adobe] });
    expect((await search('ada@example.org', 'email')).body).toMatchObject({ total: 1 });
    expect(asked).toBe(2);
  });

  it.each<[string, FakeAnswer | null]>([
    ['rejects the key', { status: 401, body: { statusCode: 401 } }],
    ['fails', { status: 503 }],
    ['hangs up', null],
    ['returns invalid JSON', { body: 'pwned' }],
    ['returns an unexpected shape', { body: [{ Name: 'Adobe' }] }],
  ])('causes an upstream error and no quota use when it %s', async (_case, given) => {
    answer = () => given;
    const quota = () => queryDatabase(server, 'SELECT used FROM leak_quotas');
    const before = await quota();
    const reply = await search('ada@example.org', 'email');
    expect([reply.status, reply.body.error]).toEqual([502, 'upstream_error']);
    expect(reply.text).not.toContain('ada@');
    expect(await quota()).toEqual(before);
    const lines = () => server.logged(String(reply.body.requestId));
    await until(() => lines().some(({ msg }) => msg === 'request failed'), 'the failure is in the log');
    expect(JSON.stringify(lines())).not.toContain('ada@');
  });

  it('refuses a query, which is then not tried again', async () => {
    answer = () => ({ status: 400 });
    const reply = await search('ada@localhost', 'email');
    expect([reply.status, reply.body.error]).toEqual([422, 'validation_failed']);
    expect(reply.body.details).toMatchObject([{ path: 'query', code: 'invalid_query' }]);
  });

  it('is not asked again during a long Retry-After', async () => {
    answer = () => ({ status: 429, headers: { 'retry-after': '120' } });
    const first = await search('ada@example.org', 'email');
    expect([first.status, first.headers['retry-after']]).toEqual([503, '120']);
    const asked = hibp.received.length;
    const second = await search('ada@example.org', 'email');
    expect(second.status).toBe(503);
    expect(Number(second.headers['retry-after'])).toBeGreaterThan(100);
    expect(hibp.received).toHaveLength(asked);
    // Password ranges need no key and have no such limit.
    answer = () => ({ body: '' });
    expect((await search('21bd1', 'password_sha1_prefix')).status).toBe(200);
  });
});
