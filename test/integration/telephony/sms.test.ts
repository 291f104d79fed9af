import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loopbackPool } from '../../../server/telephony/sms/loopback/fiction.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import { queryDatabase, roomySettings, wrongBalances } from '../money/accountSupport.ts';
import { grant, PhoneUser } from './telephonySupport.ts';

/* Texts on a real server with the loopback carrier. */

let server: ServerProcess;
let alice: PhoneUser;
let bob: PhoneUser;
let hers: string;
let his: string;

const newUser = async (credits = 5_000) => {
  const user = await PhoneUser.create(() => server.url);
  await grant(server, user, credits);
  return user;
};

beforeAll(async () => {
  server = await ServerProcess.start(roomySettings);
  [alice, bob] = [await newUser(), await newUser()];
  hers = (await alice.buy({ country: 'US' })).phoneNumber;
  his = (await bob.buy({ country: 'GB', type: 'mobile' })).phoneNumber;
});
afterAll(() => server?.dispose());

describe('a text between numbers of two accounts', () => {
  it('arrives and gets a receipt', async () => {
    const before = await alice.credits();
    const sent = await alice.post<{ id: string }>('/numbers/mine/send', { to: his, message: 'hello Bob' });
    expect(sent).toEqual({
      id: expect.stringMatching(/^msg_[0-9A-Za-z]{24}$/) as string,
      threadId: expect.stringMatching(/^thr_[0-9A-Za-z]{24}$/) as string,
      direction: 'outbound',
      from: hers,
      to: his,
      message: 'hello Bob',
      media: [],
      status: 'queued',
      segments: 1,
      encoding: 'GSM-7',
      credits: 5,
      balance: before - 5,
      errorCode: null,
      errorMessage: null,
      createdAt: expect.stringMatching(/Z$/) as string,
      sentAt: null,
      deliveredAt: null,
    });
    const delivered = await alice.reached(sent.id, 'delivered');
    const at = (text: string | null) => new Date(text ?? '').getTime();
    expect(at(delivered.createdAt)).toBeLessThanOrEqual(at(delivered.sentAt));
    expect(delivered.deliveredAt).not.toBeNull();
    const [received] = await bob.messages();
    expect(received).toMatchObject({
      direction: 'inbound',
      from: hers,
      to: his,
      message: 'hello Bob',
      status: 'received',
      credits: 0,
      segments: 1,
    });
    expect((await bob.ask('GET', `/sms/${sent.id}`)).status).toBe(404);
    expect(await alice.credits()).toBe(before - 5);
  });

  it.each([
    ['characters of two septets', '€'.repeat(80), 1, 'GSM-7', 5],
    ['two parts', 'a'.repeat(161), 2, 'GSM-7', 10],
    ['another alphabet', 'ж'.repeat(71), 2, 'UCS-2', 10],
    ['emoji', '😀'.repeat(800), 25, 'UCS-2', 125],
  ])('is counted and charged per segment: %s', async (_case, message, segments, encoding, credits) => {
    const sent = await alice.post<{ id: string }>('/messaging/send', { from: hers, to: his, message });
    expect(sent).toMatchObject({ segments, encoding, credits });
    await alice.reached(sent.id, 'delivered');
    const [received] = await bob.messages(`?with=${encodeURIComponent(hers)}&limit=1`);
    expect(received).toMatchObject({ message, segments, encoding });
  });

  it('can contain images for the price of three segments', async () => {
    const media = ['https://media.example/a.png', 'https://media.example/b.png'];
    const text = { from: hers, to: his, message: 'look', mediaUrls: media };
    const sent = await alice.post<{ id: string }>('/messaging/send', text);
    expect(sent).toMatchObject({ media, credits: 15, segments: 1 });
    await alice.reached(sent.id, 'delivered');
    expect((await bob.messages('?limit=1'))[0]).toMatchObject({ media, message: 'look' });
  });

  it('can contain images with addresses that browsers accept', async () => {
    const mediaUrls = ['https://media.example/a\0b.png', 'https://media.example/\ud83d.png'];
    const sent = await alice.post('/messaging/send', { from: hers, to: his, message: 'look', mediaUrls });
    expect(sent).toMatchObject({
      media: ['https://media.example/a%00b.png', 'https://media.example/%EF%BF%BD.png'],
    });
  });

  it('is sent once per Idempotency-Key', async () => {
    const before = await alice.credits();
    const body = { to: his, message: 'only once' };
    const send = () => alice.ask('POST', '/numbers/mine/send', body, { 'Idempotency-Key': 'once' });
    const [first, second] = [await send(), await send()];
    expect(second.body).toEqual(first.body);
    expect(second.headers['idempotent-replayed']).toBe('true');
    await alice.reached(first.body.id as string, 'delivered');
    const received = await bob.messages(`?direction=inbound&with=${encodeURIComponent(hers)}`);
    expect(received.filter(({ message }) => message === 'only once')).toHaveLength(1);
    expect(await alice.credits()).toBe(before - 5);
  });
});

describe('a text from the pool', () => {
  it('has its replies delivered to the inbox of the account that last used the number', async () => {
    const sent = await alice.post<{ id: string; from: string }>('/sms/send', {
      to: his,
      message: 'from the pool',
    });
    expect(sent).toEqual({
      id: expect.stringMatching(/^msg_/) as string,
      status: 'queued',
      to: his,
      from: expect.stringMatching(/^\+44/) as string,
      segments: 1,
      encoding: 'GSM-7',
      credits: 5,
      balance: await alice.credits(),
      createdAt: expect.any(String) as string,
    });
    expect(loopbackPool).toContain(sent.from);
    await alice.reached(sent.id, 'delivered');
    await bob.post('/numbers/mine/send', { to: sent.from, message: 'a reply' });
    await until(async () => (await alice.inbox()).length > 0, 'the reply');
    expect((await alice.inbox())[0]).toMatchObject({
      from: his,
      to: sent.from,
      message: 'a reply',
      direction: 'inbound',
    });
    // The account keeps its pool number for this recipient; other accounts get another one.
    expect(await alice.post('/sms/send', { to: his, message: 'again' })).toMatchObject({ from: sent.from });
    const carol = await newUser();
    const other = await carol.post<{ from: string }>('/sms/send', { to: his, message: 'from Carol' });
    expect(other.from).not.toBe(sent.from);
    await bob.post('/numbers/mine/send', { to: other.from, message: 'for Carol' });
    await until(async () => (await carol.inbox()).length === 1, 'Carol’s reply');
    expect((await alice.inbox()).map(({ message }) => message)).toEqual(['a reply']);
    // While a pool number is in use with this recipient, no other account gets the number, not even on request.
    const stolen = { from: sent.from, to: his, message: 'not yours' };
    expect(await carol.refusal('POST', '/messaging/send', stolen)).toEqual([503, 'no_pool_number']);
    await bob.post('/numbers/mine/send', { to: sent.from, message: 'still for Alice' });
    await until(async () => (await alice.inbox()).length === 2, 'Alice’s reply');
    // After a long silence, another account can use the number and then gets the replies.
    const ageBy = (interval: string) =>
      queryDatabase(
        server,
        `UPDATE pool_assignments SET used_at = now() - interval '${interval}' WHERE number = $1`,
        [sent.from],
      );
    await ageBy('29 days');
    expect(await carol.refusal('POST', '/messaging/send', stolen)).toEqual([503, 'no_pool_number']);
    await ageBy('31 days');
    await bob.post('/numbers/mine/send', { to: sent.from, message: 'late, and Alice’s again' });
    await until(async () => (await alice.inbox()).length === 3, 'a late reply');
    expect(await carol.refusal('POST', '/messaging/send', stolen)).toEqual([503, 'no_pool_number']);
    await ageBy('31 days');
    await carol.post('/messaging/send', stolen);
    await bob.post('/numbers/mine/send', { to: sent.from, message: 'now for Carol' });
    await until(async () => (await carol.inbox()).length === 2, 'the number is Carol’s now');
    expect(await alice.inbox()).toHaveLength(3);
    const from = encodeURIComponent(his);
    expect(await carol.inbox(`?from=${from}&since=2026-01-01`)).toHaveLength(2);
    expect(await carol.inbox(`?from=${encodeURIComponent(hers)}`)).toEqual([]);
    expect(await carol.inbox('?since=2100-01-01')).toEqual([]);
  });

  it('is rejected without charge when all pool numbers are in use with the recipient', async () => {
    const senders = await Promise.all(Array.from({ length: loopbackPool.length + 2 }, () => newUser(100)));
    const replies = await Promise.all(
      senders.map((user) => user.ask('POST', '/sms/send', { to: hers, message: 'hi' })),
    );
    const sent = replies.filter(({ status }) => status === 202);
    expect(new Set(sent.map(({ body }) => body.from))).toEqual(new Set(loopbackPool));
    expect(sent).toHaveLength(loopbackPool.length);
    const refused = replies.filter(({ status }) => status !== 202);
    expect(refused.map(({ status, body }) => [status, body.error])).toEqual([
      [503, 'no_pool_number'],
      [503, 'no_pool_number'],
    ]);
    const credits = await Promise.all(senders.map((user) => user.credits()));
    expect(credits).toEqual(replies.map(({ status }) => (status === 202 ? 598 : 600)));
    // Verification codes still arrive, because they need no reply.
    expect(await senders[0]?.ask('POST', '/verifications/start', { to: hers })).toMatchObject({
      status: 201,
    });
  });
});

describe('a rejected text', () => {
  const to = '+15005550006';

  it('can be predicted from the rate of the destination', async () => {
    const user = await newUser();
    const rate = (number: string) => user.get(`/sms/rate?to=${encodeURIComponent(number)}`);
    expect(await rate(to)).toEqual({ to, country: 'US', supported: true, creditsPerSegment: 2 });
    expect(await rate('+442079460100')).toMatchObject({
      country: 'GB',
      supported: true,
      creditsPerSegment: 5,
    });
    expect(await rate('+79161234567')).toMatchObject({ country: 'RU', supported: false });
    expect(await rate('+4407400123456')).toMatchObject({ country: 'GB', supported: false });
    expect(await rate('+99912345678')).toMatchObject({ country: null, supported: false });
  });

  it('names a plus sign that is not encoded in the address of a request', async () => {
    const messageOf = async (path: string) => (await alice.ask('GET', `/sms/${path}`)).body.message;
    const hint = '; a + in an address means a space, so write it as %2B';
    const wrong = 'to: must be a phone number: + and 7 to 15 digits (E.164)';
    expect(await messageOf(`rate?to=${to}`)).toBe(`${wrong}${hint}`);
    expect(await messageOf('inbox?since=2026-11-20T12:00:00+02:00')).toBe(
      `since: must be a day (2026-11-20) or a time (2026-11-20T12:00:00Z)${hint}`,
    );
    expect(await messageOf('rate?to=+1')).toBe(wrong);
  });

  it('names a field that is given more than once in the address of a request', async () => {
    const messageOf = async (path: string) => (await alice.ask('GET', `/sms/${path}`)).body.message;
    const repeated = 'is given more than once: give it once';
    expect(await messageOf('inbox?limit=10&limit=20')).toBe(`limit: ${repeated}`);
    expect(await messageOf('inbox?since=2026-11-20&since=2026-11-21')).toBe(`since: ${repeated}`);
    expect(await messageOf('inbox?what=1&what=2')).toBe('what: is not a known field');
  });

  it('costs nothing and leaves no trace in the history', async () => {
    const user = await newUser();
    await user.buy();
    const history = () => user.get<{ data: unknown[] }>('/account/history');
    const before = await history();
    const cases: [number, string, string, object][] = [
      [422, 'unsupported_destination', '/sms/send', { to: '+79161234567', message: 'x' }],
      [422, 'unsupported_destination', '/sms/send', { to: '+14155550', message: 'x' }],
      [422, 'unsupported_destination', '/messaging/send', { to: '+99912345678', message: 'x' }],
      [422, 'unsupported_destination', '/sms/send', { to: '+4407400123456', message: 'x' }],
      [404, 'not_found', '/messaging/send', { from: his, to, message: 'x' }],
      [404, 'not_found', '/numbers/mine/send', { from: his, to, message: 'x' }],
      [404, 'not_found', '/numbers/mine/send', { from: loopbackPool[0], to, message: 'x' }],
      [422, 'validation_failed', '/sms/send', { to, message: 'half \ud83d a pair' }],
      [422, 'validation_failed', '/sms/send', { to, message: 'nul \0' }],
    ];
    for (const [status, error, path, body] of cases)
      expect([path, body, await user.refusal('POST', path, body)]).toEqual([path, body, [status, error]]);
    expect(await history()).toEqual(before);
  });

  it('lacks a sender if the account has no number or several numbers', async () => {
    const user = await newUser();
    const send = () => user.ask('POST', '/numbers/mine/send', { to: his, message: 'x' });
    const withoutNumber = await send();
    expect([withoutNumber.status, withoutNumber.body.error]).toEqual([422, 'from_required']);
    expect(withoutNumber.body.details).toMatchObject([{ path: 'from', code: 'from_required' }]);
    const first = await user.buy();
    expect((await send()).status).toBe(202);
    await user.buy();
    expect((await send()).body.error).toBe('from_required');
    await user.post('/numbers/mine/release', { numberId: first.id });
    expect((await send()).status).toBe(202);
    expect(
      await user.refusal('POST', '/numbers/mine/send', { from: first.phoneNumber, to: his, message: 'x' }),
    ).toEqual([409, 'number_not_active']);
  });

  it('costs more than the credits of the account', async () => {
    const user = await PhoneUser.create(() => server.url);
    await user.buy();
    await user.buy();
    const reply = await user.ask('POST', '/sms/send', { to: his, message: '😀'.repeat(800) });
    expect([reply.status, reply.body.error, reply.body.creditsRequired]).toEqual([
      402,
      'insufficient_credits',
      125,
    ]);
  });
});

it('charges for a text to an unassigned number, because the carrier accepted it', async () => {
  const before = await alice.credits();
  const { id } = await alice.post<{ id: string }>('/sms/send', { to: '+15005550006', message: 'anybody?' });
  const failed = await alice.reached(id, 'failed');
  expect(failed).toMatchObject({ errorCode: 'unreachable', credits: 2, deliveredAt: null });
  expect(failed.sentAt).not.toBeNull();
  expect(await alice.credits()).toBe(before - 2);
});

it('keeps every balance equal to the sum of its ledger, and writes no text to the log', async () => {
  expect(await wrongBalances(server)).toEqual([]);
  expect(server.log).not.toMatch(/hello Bob|only once|a reply|anybody\?/);
  expect(server.log).not.toContain('"level":50');
});
