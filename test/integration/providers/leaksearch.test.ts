import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyScopes } from '../../../sdk/protocol/http.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { runCommand } from '../../harness/run/runCommand.ts';
import {
  api,
  newCustomer,
  newKey,
  queryDatabase,
  wrongBalances,
  type Customer,
} from '../money/accountSupport.ts';
import { bearer, type Reply } from '../support.ts';

const plans = [{ id: 'team', name: 'Team', monthlyCredits: 0, price: '9.00', leakSearches: 2 }];
let folder: string;
let server: ServerProcess;
let customer: Customer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-test-'));
  server = await ServerProcess.start({
    RATE_LIMIT_LEAKSEARCH: '1000',
    PLANS: JSON.stringify(plans),
    LEAKSEARCH_FREE_SEARCHES: '3',
  });
  customer = await newCustomer(server.url);
});
afterAll(async () => {
  await server?.dispose();
  await rm(folder, { recursive: true, force: true });
});

async function command(script: string, ...args: string[]): Promise<{ code: number; output: string }> {
  const env = {
    PATH: process.env.PATH,
    NODE_ENV: 'test',
    DATA_DIR: server.dataDir,
    PLANS: JSON.stringify(plans),
  };
  const child = spawn(process.execPath, [`server/dist/${script}.js`, ...args], { env });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number];
  return { code, output };
}

const importFile = async (name: string, content: string, ...args: string[]) => {
  const path = join(folder, name);
  await writeFile(path, content);
  const { code, output } = await command('importLeaks', path, ...args);
  expect([code, output]).toEqual([0, expect.stringContaining('records')]);
  return output;
};
const search = (query: string, type: string, headers = customer.dashboard): Promise<Reply> =>
  api(server.url, 'POST', '/leaksearch/search-with-credits', headers, { query, type });
const searchOnQuota = (headers: Record<string, string>, more: Record<string, string> = {}) =>
  api(
    server.url,
    'POST',
    '/leaksearch/search',
    { ...headers, ...more },
    { query: 'a@b.example', type: 'email' },
  );
const sources = ({ body }: Reply) => (body.results as { source: string }[]).map(({ source }) => source);

describe('the local index', () => {
  it('finds nothing in an empty index', async () => {
    const reply = await search('Nobody@Example.org', 'email');
    expect([reply.status, reply.body]).toEqual([
      200,
      {
        query: { type: 'email', masked: 'n***@e***.org' },
        found: false,
        total: 0,
        results: [],
        searchedAt: expect.any(String) as string,
        credits: 10,
        balance: 490,
      },
    ]);
  });

  it('finds imported records in any spelling, and stores only hashes', async () => {
    const csv = `email,username,phone,password,source,title,breach_domain,breach_date,data_classes,verified,records
Lovelace@Example.org,lovelace99,+4915112345678,correct horse,adobe,Adobe,adobe.com,2013-10-04,Email addresses;Passwords,true,152445165
"hopper@example.org","hop,per",,hunter2,adobe,Adobe,adobe.com,2013-10-04,Email addresses;Passwords,true,152445165
,,,,adobe,,,,,,
not a date,x,,,bad,Bad,,yesterday,,,
lovelace@example.org,,,,linkedin,LinkedIn,linkedin.com,2012-05-05,Email addresses,yes,164611595
`;
    expect(await importFile('first.csv', csv)).toContain('5 records, 5 of them new, 2 skipped as invalid');
    const found = await search('lovelace@EXAMPLE.org', 'email');
    expect(found.body).toMatchObject({
      query: { type: 'email', masked: 'l***@e***.org' },
      found: true,
      total: 2,
      results: [
        {
          source: 'adobe',
          title: 'Adobe',
          domain: 'adobe.com',
          breachDate: '2013-10-04',
          dataClasses: ['Email addresses', 'Passwords'],
          verified: true,
          records: 152445165,
        },
        { source: 'linkedin', verified: true },
      ],
    });
    expect(sources(await search('LOVELACE99', 'username'))).toEqual(['adobe']);
    expect(sources(await search('hop,per', 'username'))).toEqual(['adobe']);
    expect(sources(await search('+4915112345678', 'phone'))).toEqual(['adobe']);
    expect(sources(await search('example.org', 'domain'))).toEqual(['adobe', 'linkedin']);
    expect(sources(await search('linkedin.com', 'domain'))).toEqual(['linkedin']);
    // An email address is not a username.
    expect(sources(await search('lovelace@example.org', 'username'))).toEqual([]);
    const tables = [
      'leak_entries',
      'leak_breaches',
      'leak_passwords',
      'leak_imports',
      'leak_quotas',
      'audit_log',
    ];
    // Strings that no random id contains by chance.
    for (const table of tables) {
      const rows = await queryDatabase(server, `SELECT t::text AS line FROM ${table} t`);
      expect(JSON.stringify(rows)).not.toMatch(/lovelace|hopper|hop,per|hunter2|correct horse|15112345678/i);
    }
    expect(server.log).not.toMatch(/lovelace|15112345678|l\*\*\*@/i);
  });

  it('finds passwords by the first five digits of their SHA-1', async () => {
    // SHA-1 of hunter2: f3bbbd66a63d4bf1747940578ec3d0103530e21d
    const reply = await search('F3BBB', 'password_sha1_prefix');
    expect(reply.body).toMatchObject({
      query: { type: 'password_sha1_prefix', masked: 'f3***' },
      total: 1,
      results: [{ source: 'pwned-passwords', title: 'D66A63D4BF1747940578EC3D0103530E21D', records: 1 }],
    });
    await importFile(
      'pw.ndjson',
      '{"password":"hunter2","source":"x"}\n{"password_sha1":"F3BBB00000000000000000000000000000000000","source":"x"}',
    );
    const { body } = await search('f3bbb', 'password_sha1_prefix');
    const results = body.results as { title: string; records: number }[];
    expect(results.map(({ title, records }) => [title.slice(0, 6), records])).toEqual([
      ['000000', 1],
      ['D66A63', 2],
    ]);
    expect(
      await importFile(
        'pw.ndjson',
        '{"password":"hunter2","source":"x"}\n{"password_sha1":"F3BBB00000000000000000000000000000000000","source":"x"}',
      ),
    ).toContain('0 of them new');
    expect((await search('f3bbb', 'password_sha1_prefix')).body).toMatchObject({ results });
  });

  it('imports NDJSON with options that apply to every line', async () => {
    const lines = [
      ...[
        '{"email":"one@x.example"}',
        'not json',
        `{"email":"${'y'.repeat(70_000)}@x.example"}`,
        '[]',
        '17',
        'null',
      ],
      '{"username":42,"data_classes":["Names"],"source":"other"}',
      '{"email":"last@x.example"}',
    ];
    const args = [
      '--source',
      'dump',
      '--title',
      'A dump',
      '--date',
      '2024-02-01',
      '--classes',
      'Emails; IPs',
    ];
    const output = await importFile(
      'dump.ndjson',
      lines.join('\n'),
      ...args,
      '--domain',
      'X.example',
      '--verified',
    );
    expect(output).toContain('8 records, 8 of them new, 5 skipped as invalid');
    expect((await search('last@x.example', 'email')).body.results).toEqual([
      {
        source: 'dump',
        title: 'A dump',
        domain: 'x.example',
        breachDate: '2024-02-01',
        dataClasses: ['Emails', 'IPs'],
        verified: true,
        records: null,
      },
    ]);
    expect((await search('42', 'username')).body).toMatchObject({ results: [{ dataClasses: ['Names'] }] });
  });

  it('creates no tables in a database of another program', async () => {
    await queryDatabase(server, 'CREATE DATABASE others');
    const DATABASE_URL = `postgresql:///others?host=${encodeURIComponent(server.database.host)}&user=postgres&ssl=0`;
    const args = ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8', '5'];
    const { code, output } = await runCommand('grant', args, { DATABASE_URL });
    expect([code, output]).toEqual([1, expect.stringContaining('has no tables of Parley')]);
  });

  it('prints the usage for invalid arguments', async () => {
    for (const args of [[], ['x.txt'], ['x.csv', '--date', 'today'], ['x.csv', '--nonsense']])
      expect(await command('importLeaks', ...args)).toEqual({
        code: 1,
        output: expect.stringContaining('Usage:') as string,
      });
    const { code, output } = await command('importLeaks', join(folder, 'absent.csv'));
    expect([code, output]).toEqual([1, expect.stringContaining('no such file')]);
  });

  it.each([
    ['email', 'nobody'],
    ['phone', '0151 123'],
    ['domain', 'localhost'],
    ['username', ' '],
    ['password_sha1_prefix', 'f3bbb'.repeat(8)],
    ['password_sha1_prefix', 'xxxxx'],
  ])('rejects an invalid %s: %s', async (type, query) => {
    const reply = await search(query, type);
    expect([reply.status, reply.body.error]).toEqual([422, 'validation_failed']);
    expect(reply.body.details).toMatchObject([{ path: 'query', code: 'invalid_query' }]);
  });
});

describe('searches with a quota', () => {
  it('stay within the quota when many are sent at the same time; a replay does not count', async () => {
    const me = await newCustomer(server.url);
    const replies = await Promise.all(Array.from({ length: 12 }, () => searchOnQuota(me.dashboard)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(3);
    const refused = replies.filter(({ status }) => status !== 200);
    const now = new Date();
    const nextMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString();
    expect(refused).toHaveLength(9);
    for (const { status, body } of refused)
      expect([status, body.error, body.resetsAt]).toEqual([402, 'quota_exceeded', nextMonth]);
    // The credits are untouched and pay for further searches.
    expect((await api(server.url, 'GET', '/account/credits', me.dashboard)).body.credits).toBe(500);
    expect((await search('a@b.example', 'email', me.dashboard)).body).toMatchObject({
      credits: 10,
      balance: 490,
    });
    expect(await wrongBalances(server)).toEqual([]);

    const { output } = await command('grant', me.wallet, '--plan', 'team');
    expect(output).toContain('has the plan Team');
    const once = { 'Idempotency-Key': 'one' };
    const first = await searchOnQuota(me.dashboard, once);
    const again = await searchOnQuota(me.dashboard, once);
    expect([again.body, again.headers['idempotent-replayed']]).toEqual([first.body, 'true']);
    expect((await searchOnQuota(me.dashboard)).status).toBe(200);
    const over = await searchOnQuota(me.dashboard);
    const { currentPeriodEnd } = (await api(server.url, 'GET', '/account/subscription', me.dashboard)).body;
    expect([over.status, over.body.resetsAt]).toEqual([402, currentPeriodEnd]);
  });

  it('accept API keys with the scope', async () => {
    const me = await newCustomer(server.url);
    const key = bearer((await newKey(server.url, me, { scopes: keyScopes })).secret);
    expect((await searchOnQuota(key)).body).toMatchObject({
      found: false,
      query: { masked: 'a***@b***.example' },
    });
  });
});
