import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyScopes } from '../../../sdk/protocol/http.ts';
import type { OutgoingCode } from '../../../server/telephony/verifications/CodeSender.ts';
import { startProgram } from '../../harness/startProgram.ts';
import { FakeServer } from '../../harness/FakeServer.ts';
import { until } from '../../harness/until.ts';
import { api, newCustomer, newKey, queryDatabase, wrongBalances } from '../money/accountSupport.ts';
import { startCodeServer } from './codeServer.ts';
import type { SpendingServer } from '../money/spendingServer.ts';
import { bearer, type Reply } from '../support.ts';

let dataDir: string;
let carrier: FakeServer;
let server: SpendingServer | null;
/** What the carrier has taken. */
const texts: OutgoingCode[] = [];
/** How it answers a text, before or after it has taken it. */
let taking: 'at once' | 'refuses' | 'hangs before' | 'hangs after' = 'at once';
const never = new Promise<null>(() => {});

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  carrier = await FakeServer.start(({ method, path, body }) => {
    if (method === 'GET')
      return { status: texts.some(({ reference }) => path === `/${reference}`) ? 200 : 404 };
    if (taking === 'refuses') return { status: 422 };
    if (taking === 'hangs before') return never;
    texts.push(JSON.parse(body) as OutgoingCode);
    return taking === 'hangs after' ? never : {};
  });
  server = await startCodeServer(dataDir, carrier.url);
  key = await newKeyOf(server.url);
});
afterAll(async () => {
  await server?.close();
  await carrier?.close();
  await rm(dataDir, { recursive: true, force: true });
});

let key: Record<string, string>;
const newKeyOf = async (url: string) =>
  bearer((await newKey(url, await newCustomer(url), { scopes: keyScopes })).secret);
let numbers = 0;
const newNumber = () => `+4915112${String(300_000 + numbers++)}`;
const post = (path: string, body: object, headers = key): Promise<Reply> =>
  api(server?.url ?? '', 'POST', `/verifications/${path}`, headers, body);
const start = (to: string, more: object = {}) => post('start', { to, ...more });
const creditsOf = async (headers = key) =>
  (await api(server?.url ?? '', 'GET', '/account/credits', headers)).body;
const codeSentTo = (to: string) =>
  /\d{4,8}/.exec(texts.findLast((text) => text.to === to)?.text ?? '')?.[0] ?? '';
const another = (code: string) => String((Number(code) + 1) % 10 ** code.length).padStart(code.length, '0');

describe('a code', () => {
  it('is sent, and never answered; the right one is approved, once', async () => {
    const to = newNumber();
    const before = await creditsOf();
    const begun = await start(to);
    expect([begun.status, begun.body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^vrf_/) as string,
        to,
        channel: 'sms',
        status: 'pending',
        expiresAt: expect.any(String) as string,
        attemptsRemaining: 5,
        credits: 5,
        balance: Number(before.credits) - 5,
      },
    ]);
    const minutes = (Date.parse(String(begun.body.expiresAt)) - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(9.5);
    expect(minutes).toBeLessThanOrEqual(10);
    const code = codeSentTo(to);
    expect(code).toMatch(/^\d{6}$/);
    expect(begun.text).not.toContain(code);
    const { id } = begun.body;
    expect((await post('check', { id, code: another(code) })).body).toEqual({
      id,
      status: 'pending',
      valid: false,
      attemptsRemaining: 4,
    });
    const approved = await post('check', { to, code });
    expect([approved.status, approved.body]).toEqual([
      200,
      { id, status: 'approved', valid: true, attemptsRemaining: 3 },
    ]);
    for (const body of [
      { id, code },
      { to, code },
    ]) {
      const again = await post('check', body);
      expect([again.status, again.body.error, again.body.resource]).toEqual([
        404,
        'not_found',
        'verification',
      ]);
    }
    // Neither the code nor a hash that anybody could try codes on is kept.
    const [row] = await queryDatabase({ dataDir }, 'SELECT * FROM verifications WHERE id = $1', [id]);
    expect(JSON.stringify(row)).not.toContain(code);
    expect((row?.code_hash as Buffer).length).toBe(32);
  });

  it.each([4, 8])('has %d digits where that is asked for', async (codeLength) => {
    const to = newNumber();
    await start(to, { codeLength });
    expect(codeSentTo(to)).toHaveLength(codeLength);
  });

  it('is spoken of in the language asked for', async () => {
    const to = newNumber();
    await start(to, { locale: 'fr-CA' });
    expect(texts.at(-1)?.text).toContain('est votre code de vérification');
  });

  it('is replaced by a later one to the same number', async () => {
    const to = newNumber();
    await start(to);
    const first = codeSentTo(to);
    await start(to, { codeLength: 8 });
    expect((await post('check', { to, code: first })).body).toMatchObject({ valid: false });
    expect((await post('check', { to, code: codeSentTo(to) })).body).toMatchObject({ valid: true });
  });

  it('is over after ten minutes', async () => {
    const to = newNumber();
    const { id } = (await start(to)).body;
    await queryDatabase({ dataDir }, 'UPDATE verifications SET expires_at = now() WHERE id = $1', [id]);
    expect((await post('check', { id, code: codeSentTo(to) })).status).toBe(404);
  });

  it('is nobody else’s to check', async () => {
    const to = newNumber();
    const { id } = (await start(to)).body;
    const code = codeSentTo(to);
    const other = await newKeyOf(server?.url ?? '');
    for (const headers of [other, {}])
      for (const body of [
        { id, code },
        { to, code },
      ])
        expect((await post('check', body, headers)).status).toBe(404);
    expect((await post('check', { id, code })).body).toMatchObject({ valid: true, attemptsRemaining: 4 });
  });
});

describe('guessing', () => {
  it('stands five guesses and no more, however many come at once', async () => {
    const to = newNumber();
    const { id } = (await start(to, { codeLength: 4 })).body;
    const right = codeSentTo(to);
    const wrong = Array.from({ length: 10_000 }, (_, code) => String(code).padStart(4, '0'))
      .filter((code) => code !== right)
      .slice(0, 60);
    // Each on a connection of its own.
    const replies = await Promise.all(wrong.map((code) => post('check', { id, code })));
    const answered = replies.filter(({ status }) => status === 200);
    expect(answered.map(({ body }) => body.attemptsRemaining).sort()).toEqual([0, 1, 2, 3, 4]);
    expect(answered.every(({ body }) => body.valid === false)).toBe(true);
    const refused = replies.filter(({ status }) => status !== 200);
    expect(new Set(refused.map(({ status, body }) => `${status} ${String(body.error)}`))).toEqual(
      new Set(['429 too_many_verifications']),
    );
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(500);
    // Now even the right one is refused.
    expect((await post('check', { id, code: right })).status).toBe(429);
  });

  it('is not found by guessing all day: fifty guesses at a number’s codes are a day’s', async () => {
    const to = newNumber();
    for (let hour = 1; hour <= 10; hour++) {
      const { body } = await start(to);
      await queryDatabase(
        { dataDir },
        `UPDATE verifications SET attempts = 5, created_at = now() - make_interval(hours => $2) WHERE id = $1`,
        [body.id, hour],
      );
    }
    const { body } = await start(to);
    const refused = await post('check', { id: body.id, code: codeSentTo(to) });
    expect([refused.status, refused.body.error]).toEqual([429, 'too_many_verifications']);
    expect(Number(refused.headers['retry-after'])).toBe(86_400);
    await queryDatabase(
      { dataDir },
      `UPDATE verifications SET created_at = now() - interval '25 hours' WHERE "to" = $1 AND id <> $2`,
      [to, body.id],
    );
    expect((await post('check', { id: body.id, code: codeSentTo(to) })).body).toMatchObject({ valid: true });
  });

  it('approves one of many that bring the right code at once', async () => {
    const to = newNumber();
    const { id } = (await start(to)).body;
    const code = codeSentTo(to);
    const replies = await Promise.all(Array.from({ length: 20 }, () => post('check', { id, code })));
    expect(replies.filter(({ body }) => body.valid === true)).toHaveLength(1);
    expect(new Set(replies.map(({ status }) => status)).has(500)).toBe(false);
  });
});

describe('a number', () => {
  it('gets five codes in ten minutes of each account, however many are asked for at once', async () => {
    const to = newNumber();
    const other = await newKeyOf(server?.url ?? '');
    const before = [await creditsOf(), await creditsOf(other)].map(({ credits }) => Number(credits));
    const replies = await Promise.all(
      Array.from({ length: 16 }, (_, index) => post('start', { to }, index % 2 ? key : other)),
    );
    // What a stranger sends takes nothing from others.
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(10);
    const refused = replies.filter(({ status }) => status !== 201);
    expect(refused.every(({ body }) => body.error === 'too_many_verifications')).toBe(true);
    expect(refused.every(({ status, body }) => status === 429 && Number(body.retryAfter) > 500)).toBe(true);
    const after = [await creditsOf(), await creditsOf(other)].map(({ credits }) => Number(credits));
    expect(before.reduce((a, b) => a + b, 0) - after.reduce((a, b) => a + b, 0)).toBe(50);
    expect(texts.filter((text) => text.to === to)).toHaveLength(10);
    // When the first of them is ten minutes old, there may be one more.
    await queryDatabase(
      { dataDir },
      `UPDATE verifications SET created_at = created_at - interval '10 minutes' WHERE id =
       (SELECT id FROM verifications WHERE "to" = $1
        AND account_id = (SELECT account_id FROM verifications WHERE id = $2) ORDER BY created_at LIMIT 1)`,
      [to, replies[1]?.body.id ?? replies.find(({ status }, index) => index % 2 && status === 201)?.body.id],
    );
    expect((await start(to)).status).toBe(201);
    expect((await start(to)).status).toBe(429);
  });

  it('gets fifteen codes of all strangers, and still those of an account it has given a code back to', async () => {
    const to = newNumber();
    const business = await newKeyOf(server?.url ?? '');
    const first = await post('start', { to }, business);
    const [, code] = /(\d{6})/.exec(texts.findLast((text) => text.to === to)?.text ?? '') ?? [];
    expect((await post('check', { id: first.body.id, code }, business)).body.valid).toBe(true);
    const strangers = await Promise.all(Array.from({ length: 4 }, () => newKeyOf(server?.url ?? '')));
    const statuses: number[] = [];
    for (const stranger of strangers)
      for (let time = 0; time < 4; time++) statuses.push((await post('start', { to }, stranger)).status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(14);
    expect(statuses.filter((status) => status === 429)).toHaveLength(2);
    expect((await post('start', { to }, business)).status).toBe(201);
  });

  it('that may not be texted costs nothing, and no place among the five', async () => {
    const to = newNumber();
    const before = await creditsOf();
    taking = 'refuses';
    for (let round = 0; round < 6; round++) {
      const reply = await start(to);
      expect([reply.status, reply.body.error]).toEqual([422, 'unsupported_destination']);
    }
    taking = 'at once';
    expect((await creditsOf()).credits).toBe(before.credits);
    expect((await start(to)).status).toBe(201);
  });

  it('is not called by a server that makes no calls', async () => {
    const reply = await start(newNumber(), { channel: 'call' });
    expect([reply.status, reply.body.error]).toEqual([422, 'validation_failed']);
    expect(reply.body.details).toMatchObject([{ path: 'channel', code: 'channel_not_available' }]);
  });
});

describe('a process killed while a code was on its way', () => {
  const script = new URL('codeProgram.ts', import.meta.url);

  async function killWhileSending(to: string): Promise<Record<string, string>> {
    await server?.close();
    server = null;
    const child = await startProgram(script, [dataDir, carrier.url]);
    try {
      const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
      const url = String((await lines.next()).value);
      const headers = await newKeyOf(url);
      const asked = carrier.received.length;
      const lost = api(url, 'POST', '/verifications/start', headers, { to }).catch(() => 'lost');
      await until(() => carrier.received.length > asked, 'the carrier is asked');
      child.kill('SIGKILL');
      expect(await lost).toBe('lost');
      return headers;
    } finally {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      server = await startCodeServer(dataDir, carrier.url);
    }
  }

  it('is paid for where the code went out, which is good, and was sent once', async () => {
    const to = newNumber();
    taking = 'hangs after';
    const headers = await killWhileSending(to);
    taking = 'at once';
    await until(async () => (await creditsOf(headers)).reserved === 0, 'it is settled');
    expect((await creditsOf(headers)).credits).toBe(495);
    expect(texts.filter((text) => text.to === to)).toHaveLength(1);
    expect((await post('check', { to, code: codeSentTo(to) }, headers)).body).toMatchObject({ valid: true });
    expect(await wrongBalances({ dataDir })).toEqual([]);
  });

  it('costs nothing where it did not', async () => {
    const to = newNumber();
    taking = 'hangs before';
    const headers = await killWhileSending(to);
    taking = 'at once';
    await until(async () => (await creditsOf(headers)).reserved === 0, 'it is settled');
    expect((await creditsOf(headers)).credits).toBe(500);
    const rows = await queryDatabase({ dataDir }, 'SELECT status FROM verifications WHERE "to" = $1', [to]);
    expect(rows).toEqual([{ status: 'failed' }]);
    expect((await post('check', { to, code: '123456' }, headers)).status).toBe(404);
    expect(await wrongBalances({ dataDir })).toEqual([]);
  });
});
