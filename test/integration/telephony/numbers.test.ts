import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addMonths } from '../../../server/money/account/addMonths.ts';
import type { WireNumber } from '../../../server/telephony/numbers/toWire.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import { connectDatabase, queryDatabase, roomySettings, wrongBalances } from '../money/accountSupport.ts';
import { grant, PhoneUser, type WireOrder } from './telephonySupport.ts';

/* Numbers on a real server with the loopback carrier. */

let server: ServerProcess;
let alice: PhoneUser;

const newUser = async (credits = 50_000) => {
  const user = await PhoneUser.create(() => server.url);
  if (credits > 0) await grant(server, user, credits);
  return user;
};
const available = async (query: string) =>
  (await alice.get<{ data: WireNumber[] }>(`/numbers/available?${query}`)).data;

beforeAll(async () => {
  server = await ServerProcess.start(roomySettings);
  alice = await newUser();
});
afterAll(() => server?.dispose());

describe('available numbers', () => {
  it.each([
    ['country=US', /^\+1\d{3}55501\d\d$/, 'local', 200],
    ['country=US&type=toll_free', /^\+18\d\d55501\d\d$/, 'toll_free', 400],
    ['country=US&areaCode=415', /^\+141555501\d\d$/, 'local', 200],
    ['country=US&areaCode=646', /^\+164655501\d\d$/, 'local', 200],
    ['country=CA', /^\+1\d{3}55501\d\d$/, 'local', 200],
    ['country=GB&type=mobile', /^\+447700900\d{3}$/, 'mobile', 400],
    ['country=GB&areaCode=20', /^\+442079460\d{3}$/, 'local', 200],
    ['country=DE', /^\+493023125\d{3}$/, 'local', 200],
  ])('match %s', async (query, pattern, type, monthlyCredits) => {
    const offers = await available(`${query}&limit=7`);
    expect(offers).toHaveLength(7);
    for (const offer of offers) {
      expect(offer.phoneNumber).toMatch(pattern);
      expect(offer).toMatchObject({ type, monthlyCredits, capabilities: { sms: true } });
      expect(Object.keys(offer).sort()).toEqual(
        ['phoneNumber', 'country', 'region', 'type', 'capabilities', 'monthlyCredits'].sort(),
      );
    }
  });

  it('are empty for an unknown area code, and an error for an unsupported country', async () => {
    expect(await available('country=US&areaCode=999')).toEqual([]);
    expect(await available('country=US&areaCode=416')).toEqual([]);
    for (const query of ['country=ZZ', 'country=CA&type=mobile'])
      expect(await alice.refusal('GET', `/numbers/available?${query}`)).toEqual([422, 'unsupported_country']);
  });
});

describe('buying', () => {
  it('returns the number, which then belongs to the account', async () => {
    const before = await alice.credits();
    const [offer] = await available('country=US&areaCode=212&limit=1');
    const order = await alice.post<WireOrder>('/numbers/buy', {
      country: 'US',
      areaCode: '212',
      autoRenew: true,
    });
    expect(order).toEqual({
      orderId: expect.stringMatching(/^ord_[0-9A-Za-z]{24}$/) as string,
      status: 'completed',
      country: 'US',
      type: 'local',
      phoneNumber: offer?.phoneNumber,
      number: {
        id: expect.stringMatching(/^num_[0-9A-Za-z]{24}$/) as string,
        phoneNumber: offer?.phoneNumber,
        country: 'US',
        region: 'New York',
        type: 'local',
        capabilities: { sms: true, mms: true, voice: false },
        status: 'active',
        monthlyCredits: 200,
        autoRenew: true,
        purchasedAt: expect.any(String) as string,
        expiresAt: expect.any(String) as string,
        webhook: null,
      },
      credits: 200,
      balance: before - 200,
      createdAt: expect.any(String) as string,
    });
    const number = order.number as WireNumber;
    expect(new Date(number.expiresAt)).toEqual(addMonths(new Date(number.purchasedAt), 1));
    const status = await alice.get(`/numbers/buy/status?orderId=${order.orderId}`);
    expect(status).toEqual({
      orderId: order.orderId,
      status: 'completed',
      number,
      error: null,
      credits: 200,
      createdAt: order.createdAt,
      updatedAt: expect.any(String) as string,
    });
    expect((await alice.get<{ data: WireNumber[] }>('/numbers/mine')).data).toEqual([number]);
    const other = await newUser(0);
    expect(await other.refusal('GET', `/numbers/buy/status?orderId=${order.orderId}`)).toEqual([
      404,
      'not_found',
    ]);
    expect((await available('country=US&areaCode=212&limit=1'))[0]?.phoneNumber).not.toBe(offer?.phoneNumber);
  });

  it('has routes for the United States and for other countries', async () => {
    const us = await alice.post('/numbers/buy/us', { type: 'toll_free' });
    expect(us).toMatchObject({ country: 'US', type: 'toll_free', credits: 400 });
    const named = (await available('country=GB&type=mobile&limit=1'))[0]?.phoneNumber;
    // An order that names a number but no type has the price of the number's actual type.
    const gb = await alice.post('/numbers/buy/intl', { country: 'GB', phoneNumber: named });
    expect(gb).toMatchObject({ country: 'GB', type: 'mobile', phoneNumber: named, credits: 400 });
  });

  it('leaves no trace in the history when it is rejected', async () => {
    const history = await alice.get('/account/history');
    const mine = (await alice.get<{ data: WireNumber[] }>('/numbers/mine')).data[0];
    const cases: [string, object, number, string][] = [
      ['/numbers/buy', { country: 'ZZ' }, 422, 'unsupported_country'],
      ['/numbers/buy', { country: 'CA', type: 'mobile' }, 422, 'unsupported_country'],
      ['/numbers/buy/intl', { country: 'ZZ' }, 422, 'unsupported_country'],
      ['/numbers/buy/intl', { country: 'US' }, 422, 'use_us_route'],
    ];
    for (const [path, body, status, error] of cases)
      expect([body, await alice.refusal('POST', path, body)]).toEqual([body, [status, error]]);
    expect(await alice.get('/account/history')).toEqual(history);
    // These errors occur while credits are reserved; the reservation is then released.
    const before = await alice.credits();
    const later: [string, object, number, string][] = [
      ['/numbers/buy', { country: 'GB', phoneNumber: mine?.phoneNumber }, 409, 'number_unavailable'],
      ['/numbers/buy', { country: 'US', phoneNumber: '+12125559999' }, 409, 'number_unavailable'],
      ['/numbers/buy', { country: 'US', capabilities: ['voice'] }, 409, 'number_unavailable'],
      ['/numbers/buy', { country: 'US', phoneNumber: '+12025550190' }, 409, 'number_unavailable'],
      ['/numbers/buy', { country: 'FR', type: 'mobile' }, 422, 'regulatory_requirements'],
    ];
    for (const [path, body, status, error] of later)
      expect([body, await alice.refusal('POST', path, body)]).toEqual([body, [status, error]]);
    const { body } = await alice.ask('POST', '/numbers/buy', { country: 'FR', type: 'mobile' });
    expect(body.requirements).toEqual(['proof_of_identity', 'proof_of_address']);
    expect(await alice.credits()).toBe(before);
    const poor = await newUser(0);
    expect(await poor.refusal('POST', '/numbers/buy', { country: 'GB', type: 'mobile' })).toEqual([
      202,
      undefined,
    ]);
    expect(await poor.refusal('POST', '/numbers/buy', { country: 'US' })).toEqual([
      402,
      'insufficient_credits',
    ]);
  });

  it('sells a number only once to simultaneous buyers', async () => {
    const users = await Promise.all(Array.from({ length: 6 }, () => newUser(0)));
    const [wanted] = await available('country=SE&limit=1');
    const body = { country: 'SE', phoneNumber: wanted?.phoneNumber };
    const replies = await Promise.all(users.map((user) => user.ask('POST', '/numbers/buy', body)));
    expect(replies.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409, 409, 409]);
    const credits = await Promise.all(users.map((user) => user.credits()));
    expect(credits.sort()).toEqual([300, 500, 500, 500, 500, 500]);
  });

  it('sells different numbers to simultaneous buyers who ask for any number', async () => {
    const users = await Promise.all(Array.from({ length: 8 }, () => newUser(0)));
    const numbers = await Promise.all(users.map((user) => user.buy({ country: 'IE' })));
    expect(new Set(numbers.map(({ phoneNumber }) => phoneNumber)).size).toBe(8);
  });

  it('lists numbers in pages and by status', async () => {
    const user = await newUser();
    const bought = [await user.buy(), await user.buy(), await user.buy()];
    await user.post('/numbers/mine/release', { numberId: bought[1]?.id });
    const list = (query: string) =>
      user.get<{ data: WireNumber[]; nextCursor: string | null }>(`/numbers/mine?${query}`);
    const first = await list('limit=2');
    const second = await list(`limit=2&cursor=${first.nextCursor}`);
    const ids = [...first.data, ...second.data].map(({ id }) => id);
    expect(ids).toEqual(bought.map(({ id }) => id).reverse());
    expect((await list('status=active')).data).toHaveLength(2);
    expect((await list('status=released')).data).toMatchObject([{ id: bought[1]?.id, status: 'released' }]);
  });
});

describe('the term of a number', () => {
  const set = (id: string, interval: string) =>
    queryDatabase(
      server,
      `WITH moved AS (UPDATE phone_numbers SET expires_at = now() + $2::interval WHERE id = $1 RETURNING id)
       UPDATE due SET due_at = now() WHERE subject = $1`,
      [id, interval],
    );
  const find = async (user: PhoneUser, id: string) =>
    (await user.get<{ data: WireNumber[] }>('/numbers/mine')).data.find((each) => each.id === id);
  const becomes = (user: PhoneUser, id: string, status: string) =>
    until(async () => (await find(user, id))?.status === status, `the number is ${status}`);

  it('is extended from its end, at the price for the months and the type', async () => {
    const user = await newUser();
    const mobile = await user.buy({ country: 'GB', type: 'mobile' });
    const before = await user.credits();
    const renewed = await user.post<{ number: WireNumber }>('/numbers/mine/renew', {
      phoneNumber: mobile.phoneNumber,
      months: 3,
    });
    expect(renewed).toMatchObject({ credits: 1_200, balance: before - 1_200 });
    expect(new Date(renewed.number.expiresAt)).toEqual(addMonths(new Date(mobile.expiresAt), 3));
    const again = await user.post<{ number: WireNumber }>('/numbers/mine/renew', { numberId: mobile.id });
    expect(new Date(again.number.expiresAt)).toEqual(addMonths(new Date(renewed.number.expiresAt), 1));
    expect(await alice.refusal('POST', '/numbers/mine/renew', { numberId: mobile.id })).toEqual([
      404,
      'not_found',
    ]);
    expect(await alice.refusal('POST', '/numbers/mine/renew', { phoneNumber: '+12125559999' })).toEqual([
      404,
      'not_found',
    ]);
  });

  it('is extended once although PostgreSQL ends its transaction as a deadlock', async () => {
    const { id, phoneNumber, expiresAt } = await alice.buy();
    const before = await alice.credits();
    const other = await connectDatabase(server);
    try {
      await other.query(`SET deadlock_timeout = '1min'`);
      await other.query('BEGIN');
      const isOf = 'id = (SELECT account_id FROM phone_numbers WHERE id = $1)';
      await other.query(`SELECT FROM accounts WHERE ${isOf} FOR UPDATE`, [id]);
      const renewal = alice.ask('POST', '/numbers/mine/renew', { phoneNumber });
      await until(async () => {
        const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%accounts%'`;
        return (await queryDatabase(server, waiting)).length > 0;
      }, 'the renewal has locked the number and waits for the account');
      await other.query('SELECT FROM phone_numbers WHERE id = $1 FOR UPDATE', [id]);
      await other.query('COMMIT');
      const { status, body } = await renewal;
      const renewed = addMonths(new Date(expiresAt), 1).toISOString();
      expect([status, (body.number as WireNumber | undefined)?.expiresAt]).toEqual([200, renewed]);
    } finally {
      await other.end();
    }
    expect(before - (await alice.credits())).toBe(200);
  });

  it('renews automatically if the setting and the credits allow it', async () => {
    const user = await newUser(0);
    const number = await user.buy();
    const changed = await user.ask('PATCH', `/numbers/mine/${number.id}`, { autoRenew: true });
    expect([changed.status, changed.body]).toEqual([200, { ...number, autoRenew: true }]);
    await set(number.id, '-1 second');
    await until(
      async () => new Date((await find(user, number.id))?.expiresAt ?? 0).getTime() > Date.now(),
      'the number is renewed',
    );
    expect(await find(user, number.id)).toMatchObject({ status: 'active' });
    expect(await user.credits()).toBe(100);
    // The credits do not suffice for a second renewal.
    await set(number.id, '-1 second');
    await becomes(user, number.id, 'expired');
    expect(await user.credits()).toBe(100);
  });

  it('expires, can be renewed during a grace period, and finally ends with the release of the number', async () => {
    const user = await newUser();
    const number = await user.buy({ country: 'GB', type: 'mobile' });
    await set(number.id, '-1 second');
    await becomes(user, number.id, 'expired');
    const text = { from: number.phoneNumber, to: '+12025550123', message: 'x' };
    expect(await user.refusal('POST', '/numbers/mine/send', text)).toEqual([409, 'number_not_active']);
    const { number: back } = await user.post<{ number: WireNumber }>('/numbers/mine/renew', {
      numberId: number.id,
    });
    expect(back.status).toBe('active');
    expect(new Date(back.expiresAt).getTime()).toBeGreaterThan(Date.now() + 27 * 86_400_000);
    // Beyond the grace period.
    await set(number.id, '-15 days');
    await becomes(user, number.id, 'released');
    await until(
      async () =>
        (await available('country=GB&type=mobile&limit=100')).some(
          ({ phoneNumber }) => phoneNumber === number.phoneNumber,
        ),
      'the number is for sale again',
    );
  });

  it('ends immediately when the number is released; the next owner sees no earlier texts', async () => {
    const [user, next] = [await newUser(), await newUser()];
    const number = await user.buy({ country: 'AU' });
    const { phoneNumber } = number;
    const { id } = await alice.post<{ id: string }>('/sms/send', {
      to: phoneNumber,
      message: 'for the first',
    });
    await alice.reached(id, 'delivered');
    expect(await next.refusal('POST', '/numbers/mine/release', { numberId: number.id })).toEqual([
      404,
      'not_found',
    ]);
    const released = await user.post('/numbers/mine/release', { numberId: number.id });
    expect(released).toMatchObject({ id: number.id, status: 'released', autoRenew: false });
    for (const [method, path, body] of [
      ['POST', '/numbers/mine/release', { numberId: number.id }],
      ['POST', '/numbers/mine/renew', { numberId: number.id }],
      ['PATCH', `/numbers/mine/${number.id}`, { autoRenew: true }],
    ] as const)
      expect(await user.refusal(method, path, body)).toEqual([409, 'number_released']);
    const owned = await until(async () => {
      const reply = await next.ask('POST', '/numbers/buy', { country: 'AU', phoneNumber });
      return reply.status === 202 && (reply.body.number as WireNumber);
    }, 'the number can be bought again');
    expect(owned).toMatchObject({ phoneNumber, status: 'active' });
    expect(await next.messages()).toEqual([]);
    expect(await user.messages(`?number=${encodeURIComponent(phoneNumber)}`)).toHaveLength(1);
  });
});

it('keeps every balance equal to the sum of its ledger, and leaves no reservation held', async () => {
  expect(await wrongBalances(server)).toEqual([]);
  expect(await queryDatabase(server, `SELECT * FROM reservations WHERE status = 'held'`)).toEqual([]);
  expect(server.log).not.toContain('"level":50');
});
