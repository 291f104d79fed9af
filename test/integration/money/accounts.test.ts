import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../sdk/protocol/ids.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import { api, newCustomer, newKey, queryDatabase, roomySettings, wrongBalances } from './accountSupport.ts';
import { bearer, newWallet, signIn } from '../support.ts';

const plans = JSON.stringify([
  { id: 'team', name: 'Team', monthlyCredits: 2_000, price: '15.00', leakSearches: 10 },
  { id: 'solo', name: 'Solo', monthlyCredits: 300, price: '3.00' },
]);
const settings = { ...roomySettings, PLANS: plans };
let server: ServerProcess;
let url: string;

beforeAll(async () => {
  server = await ServerProcess.start(settings);
  url = server.url;
});
afterAll(() => server?.dispose());

/** Runs the program of `npm run grant`. */
async function grant(...args: string[]) {
  const child = spawn(process.execPath, ['server/dist/grant.js', ...args], {
    cwd: fileURLToPath(new URL('../../..', import.meta.url)),
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: server.dataDir, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  child.stderr.on('data', (chunk) => (output += String(chunk)));
  await once(child, 'close');
  return { code: child.exitCode, output };
}
const creditsOf = async (headers: Record<string, string>) =>
  (await api(url, 'GET', '/account/credits', headers)).body;

describe('an account', () => {
  it('starts with the sign-up credits, granted once', async () => {
    const account = newWallet();
    const sessions = await Promise.all([1, 2, 3].map(() => signIn(url, account)));
    const { token } = await signIn(url, account, { audience: 'dashboard' });
    const { body } = await api(url, 'GET', '/account/history', bearer(token));
    expect(body).toEqual({
      data: [
        {
          id: expect.stringMatching(/^txn_[0-9A-Za-z]{24}$/) as string,
          type: 'credit',
          service: 'signup',
          amount: 500,
          balanceAfter: 500,
          description: expect.any(String) as string,
          reference: { type: 'signup', id: expect.stringMatching(/^acc_/) as string },
          apiKeyPrefix: null,
          createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
        },
      ],
      hasMore: false,
      nextCursor: null,
    });
    expect(await creditsOf(bearer(sessions[0]?.token ?? ''))).toEqual({
      credits: 500,
      reserved: 0,
      currency: 'USD',
      creditValue: '0.01',
      updatedAt: expect.any(String) as string,
    });
  });

  it('is the same for a session and a key, apart from the authentication method', async () => {
    const customer = await newCustomer(url);
    const key = await newKey(url, customer, { scopes: [] });
    const [session, app, withKey] = await Promise.all(
      [customer.dashboard, customer.app, bearer(key.secret)].map((headers) =>
        api(url, 'GET', '/account', headers),
      ),
    );
    expect(session?.body).toMatchObject({ authMethod: 'session', apiKey: null, plan: null, email: null });
    expect(app?.body).toEqual(session?.body);
    expect(withKey?.body).toEqual({
      ...session?.body,
      authMethod: 'api_key',
      apiKey: { id: key.id, prefix: key.prefix, scopes: [] },
    });
  });

  it('has no subscription at first, and a list of plans', async () => {
    const { dashboard } = await newCustomer(url);
    expect((await api(url, 'GET', '/account/subscription', dashboard)).body).toEqual({
      status: 'none',
      plan: null,
      currentPeriodStart: null,
      currentPeriodEnd: null,
      cancelAtPeriodEnd: false,
    });
    expect((await api(url, 'GET', '/account/plans', dashboard)).body).toMatchObject({
      data: [
        { id: 'team', name: 'Team', monthlyCredits: 2_000, price: '15.00', leakSearches: 10 },
        { id: 'solo', leakSearches: 0 },
      ],
      hasMore: false,
      nextCursor: null,
    });
  });

  it.each([
    'from=2026-01-01&to=2025-01-01',
    'from=2024-01-01&to=2026-01-01',
    'from=yesterday',
    'groupBy=month',
  ])('rejects the usage query %s', async (query) => {
    const { dashboard } = await newCustomer(url);
    const { status, body } = await api(url, 'GET', `/account/usage?${query}`, dashboard);
    expect([status, body.error]).toEqual([422, 'validation_failed']);
  });

  it('reports usage of whole days, for up to 366 days', async () => {
    const { dashboard } = await newCustomer(url);
    const { body } = await api(url, 'GET', '/account/usage?from=2024-01-01&to=2024-12-31', dashboard);
    expect(body).toEqual({
      from: '2024-01-01T00:00:00.000Z',
      to: '2025-01-01T00:00:00.000Z',
      groupBy: 'day',
      totals: { requests: 0, units: 0, credits: 0 },
      data: [],
    });
  });
});

describe('npm run grant', () => {
  it('grants credits while the server runs, by wallet or account id', async () => {
    const customer = await newCustomer(url);
    const { id } = (await api(url, 'GET', '/account', customer.dashboard)).body;
    const byWallet = await grant(customer.wallet.toLowerCase(), '250', 'sorry', 'for', 'the', 'outage');
    expect(byWallet).toEqual({
      code: 0,
      output: `${customer.wallet} (${String(id)}): 250 credits granted. The balance is 750.\n`,
    });
    expect((await grant(String(id), '1')).code).toBe(0);
    const { body } = await api(url, 'GET', '/account/history?type=credit', customer.dashboard);
    expect(body.data).toMatchObject([
      { amount: 1, balanceAfter: 751, description: 'Granted by the operator' },
      { amount: 250, balanceAfter: 750, description: 'sorry for the outage', service: 'grant' },
      { amount: 500, balanceAfter: 500 },
    ]);
    const audit = await api(url, 'GET', '/audit-logs?action=credits.granted', customer.dashboard);
    expect(audit.body.data).toMatchObject([
      { actor: { type: 'operator' }, credits: 1 },
      { actor: { type: 'operator' }, credits: 250 },
      { actor: { type: 'system' }, credits: 500 },
    ]);
    // The three movements, one per page.
    const onePerPage = async (path: string) => {
      const seen: Record<string, unknown>[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const next = cursor && `&cursor=${cursor}`;
        const { body } = await api(url, 'GET', `${path}&limit=1${next}`, customer.dashboard);
        seen.push(...(body.data as Record<string, unknown>[]));
        cursor = body.nextCursor as string | null;
      }
      return seen;
    };
    expect((await onePerPage('/account/history?type=credit')).map(({ amount }) => amount)).toEqual([
      1, 250, 500,
    ]);
    // The log of a period has an order of its own.
    const hour = 3_600_000;
    const from = new Date(Date.now() - hour).toISOString();
    const to = new Date(Date.now() + hour).toISOString();
    for (const period of [`from=${from}`, `to=${to}`, `from=${from}&to=${to}`])
      expect(await onePerPage(`/audit-logs?action=credits.granted&${period}`)).toEqual(audit.body.data);
  });

  it.each<[string, string[], RegExp]>([
    ['no account', [], /^Usage:/],
    ['no credits', ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8'], /^Usage:/],
    ['half a credit', ['acc_x', '0.5'], /^Usage:/],
    ['an unknown flag', ['acc_x', '5', '--force'], /^Usage:/],
    ['an unknown account', ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8', '5'], /There is no account/],
  ])('rejects %s', async (_name, args, expected) => {
    const { code, output } = await grant(...args);
    expect([code, expected.test(output)]).toEqual([1, true]);
    expect(output).not.toContain('    at ');
  });

  it('starts a plan, which grants its credits once a month', async () => {
    const { wallet, dashboard } = await newCustomer(url);
    expect(await grant(wallet, '--plan', 'gold')).toMatchObject({ code: 1 });
    const { code, output } = await grant(wallet, '--plan', 'team');
    expect([code, output]).toEqual([0, expect.stringContaining('2000 credits now and every month')]);
    const subscription = async () =>
      (await api(url, 'GET', '/account/subscription', dashboard)).body as {
        currentPeriodStart: string;
        currentPeriodEnd: string;
      };
    const first = await subscription();
    expect(first).toMatchObject({
      status: 'active',
      plan: { id: 'team', name: 'Team', monthlyCredits: 2_000, price: '15.00' },
      cancelAtPeriodEnd: false,
    });
    expect((await api(url, 'GET', '/account', dashboard)).body).toMatchObject({
      plan: 'team',
      credits: 2_500,
    });

    // The month ends, and the plan's job runs twice, as after a crash.
    await queryDatabase(
      server,
      `UPDATE subscriptions SET current_period_end = now() - interval '1 second' WHERE account_id = (SELECT id FROM accounts WHERE wallet = $1)`,
      [wallet],
    );
    const dueNow = () =>
      queryDatabase(
        server,
        `UPDATE due SET due_at = now() WHERE kind = 'plan period' AND subject = (SELECT id FROM accounts WHERE wallet = $1)`,
        [wallet],
      );
    await dueNow();
    await until(
      async () => (await creditsOf(dashboard)).credits === 4_500,
      'the credits of the second month',
    );
    const second = await subscription();
    const months = (from: string, to: string) =>
      (new Date(to).getUTCFullYear() - new Date(from).getUTCFullYear()) * 12 +
      new Date(to).getUTCMonth() -
      new Date(from).getUTCMonth();
    expect(months(first.currentPeriodEnd, second.currentPeriodEnd)).toBe(1);
    await dueNow();
    const pending = `SELECT FROM due WHERE kind = 'plan period' AND due_at <= now()`;
    await until(async () => (await queryDatabase(server, pending)).length === 0, 'the second run is over');
    expect(await creditsOf(dashboard)).toMatchObject({ credits: 4_500 });
  });

  it('ends a plan with its month', async () => {
    const { wallet, dashboard } = await newCustomer(url);
    expect((await grant(wallet, '--end-plan')).code).toBe(1);
    await grant(wallet, '--plan', 'solo');
    expect((await grant(wallet, '--end-plan')).code).toBe(0);
    const subscription = async () => (await api(url, 'GET', '/account/subscription', dashboard)).body;
    expect(await subscription()).toMatchObject({ status: 'active', cancelAtPeriodEnd: true });
    await queryDatabase(
      server,
      `WITH own AS (SELECT id FROM accounts WHERE wallet = $1),
         ended AS (UPDATE subscriptions SET current_period_end = now() WHERE account_id IN (SELECT id FROM own))
       UPDATE due SET due_at = now() WHERE subject IN (SELECT id FROM own)`,
      [wallet],
    );
    await until(async () => (await subscription()).status === 'canceled', 'the plan has ended');
    expect(await creditsOf(dashboard)).toMatchObject({ credits: 800 });
    expect((await api(url, 'GET', '/account', dashboard)).body.plan).toBeNull();
  });
});

describe('limits', () => {
  it('count per key and per account, separately for reads and writes', async () => {
    const limited = await ServerProcess.start({ RATE_LIMIT_READS: '3', RATE_LIMIT_WRITES: '2' });
    try {
      const customer = await newCustomer(limited.url);
      const first = bearer((await newKey(limited.url, customer)).secret);
      const second = bearer((await newKey(limited.url, customer)).secret);
      const read = (headers: Record<string, string>) => api(limited.url, 'GET', '/account/credits', headers);
      for (const left of [2, 1, 0]) {
        const { status, headers } = await read(first);
        expect([status, headers['ratelimit-policy']]).toEqual([200, '"reads";q=3;w=60']);
        expect(headers.ratelimit).toMatch(new RegExp(`^"reads";r=${left};t=\\d+$`));
      }
      const refused = await read(first);
      expect([refused.status, refused.body.error]).toEqual([429, 'rate_limit_exceeded']);
      expect(refused.headers['retry-after']).toBe(String(refused.body.retryAfter));
      // Another key of the account has a separate limit, and so does its session.
      expect((await read(second)).status).toBe(200);
      expect((await read(customer.dashboard)).status).toBe(200);
      // Creating two keys used up the account's limit for writes.
      const third = await api(limited.url, 'POST', '/api-keys', customer.dashboard, { name: 'x' });
      expect([third.status, third.headers['ratelimit-policy']]).toEqual([429, '"writes";q=2;w=60']);
      // A key's writes count against its limit before its scope and the body are checked.
      const statuses = [];
      for (let round = 0; round < 3; round++)
        statuses.push((await api(limited.url, 'POST', '/lookup', second, {})).status);
      expect(statuses).toEqual([403, 403, 429]);
      // A route that needs no credential counts those who send one in the same way, and the others by address.
      const check = { id: newId('vrf'), code: '0000' };
      const checks = [];
      for (const headers of [first, first, first, {}, {}, {}])
        checks.push((await api(limited.url, 'POST', '/verifications/check', headers, check)).status);
      expect(checks).toEqual([403, 403, 429, 404, 404, 429]);
      // Somebody who sends far too many requests would otherwise fill the database.
      const count = (which: string) =>
        queryDatabase(
          limited,
          `SELECT count(*)::int AS n FROM audit_log WHERE actor_type = 'api_key' AND ${which}`,
          [],
        );
      await until(async () => (await count('status = 403'))[0]?.n === 4, 'the requests are in the log');
      expect(await count('status = 429')).toEqual([{ n: 0 }]);
    } finally {
      await limited.dispose();
    }
  });

  it('count requests without a valid credential by address, on every route', async () => {
    const limited = await ServerProcess.start({
      RATE_LIMIT_AUTH: '5',
      RATE_LIMIT_READS: '2',
      RATE_LIMIT_NETWORK_FACTOR: '4',
    });
    try {
      // The signed URLs of files are for all users behind one address.
      const signed = `/media/${newId('med')}?expires=1&signature=x`;
      const { headers: limits } = await api(limited.url, 'GET', signed);
      expect([limits['ratelimit-policy'], limits.ratelimit]).toEqual([
        '"downloads";q=8;w=60',
        expect.stringMatching(/^"downloads";r=7;/),
      ]);
      const statuses = [];
      for (const [path, headers] of [
        ['/account', {}],
        ['/account', bearer('svc_live_x')],
        ['/sms/inbox', bearer('a.b.c')],
        ['/unknown', {}],
        ['/account', {}],
        ['/account', {}],
        ['/unknown', {}],
      ] as const)
        statuses.push((await api(limited.url, 'GET', path, headers)).status);
      expect(statuses).toEqual([401, 401, 401, 404, 401, 429, 429]);
    } finally {
      await limited.dispose();
    }
  });
});

it('reports its services without a credential', async () => {
  const { status, body } = await api(url, 'GET', '/status');
  expect([status, body]).toEqual([
    200,
    {
      status: 'operational',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
      time: expect.any(String) as string,
      network: 'mainnet',
      services: expect.objectContaining({
        account: 'available',
        lookup: 'available',
        leaksearch: 'available',
        esim: 'available',
        xmpp: 'unavailable',
        sms: 'available',
      }) as object,
    },
  ]);
});

it('keeps every balance equal to the sum of its movements, even after a grant while the server is stopped', async () => {
  const customer = await newCustomer(url);
  expect(await wrongBalances(server)).toEqual([]);
  await server.stop();
  const { code, output } = await grant(customer.wallet, '100');
  expect([code, output]).toEqual([0, expect.stringContaining('The balance is 600')]);
  await server.start();
  expect(await creditsOf(customer.dashboard)).toMatchObject({ credits: 600 });
  expect(server.log).not.toContain('balance differs from the sum');
});

it('reports a wrong balance in the daily check', async () => {
  const customer = await newCustomer(url);
  const { body } = await api(url, 'GET', '/account', customer.dashboard);
  await queryDatabase(server, 'UPDATE accounts SET credits = credits + 1 WHERE id = $1', [body.id]);
  await queryDatabase(server, `UPDATE due SET due_at = now() WHERE kind = 'balances'`);
  const [line] = await server.waitForLog('balance differs from the sum of its ledger');
  expect(line?.['account']).toMatchObject({ id: body.id, credits: '501', ledger: '500' });
  await queryDatabase(server, 'UPDATE accounts SET credits = credits - 1 WHERE id = $1', [body.id]);
});
