import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyScopes } from '../../../sdk/protocol/http.ts';
import type { OutgoingCode } from '../../../server/telephony/verifications/CodeSender.ts';
import { startProgram } from '../../harness/run/startProgram.ts';
import { FakeServer } from '../../harness/services/FakeServer.ts';
import { until } from '../../harness/until.ts';
import { api, newCustomer, newKey, queryDatabase, wrongBalances } from '../money/accountSupport.ts';
import { startVerificationServer } from './verificationServer.ts';
import type { SpendingServer } from '../money/spendingServer.ts';
import { bearer, type Reply } from '../support.ts';

let dataDir: string;
let carrier: FakeServer;
let server: SpendingServer | null;
/** Texts that the carrier has accepted. */
const texts: OutgoingCode[] = [];
/** How the carrier answers: it may refuse, or hang before or after it has accepted the text. */
let behaviour: 'accepts' | 'refuses' | 'hangs before' | 'hangs after' = 'accepts';
const never = new Promise<null>(() => {});

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  carrier = await FakeServer.start(({ method, path, body }) => {
    if (method === 'GET')
      return { status: texts.some(({ reference }) => path === `/${reference}`) ? 200 : 404 };
    if (behaviour === 'refuses') return { status: 422 };
    if (behaviour === 'hangs before') return never;
    texts.push(JSON.parse(body) as OutgoingCode);
    return behaviour === 'hangs after' ? never : {};
  });
  server = await startVerificationServer(dataDir, carrier.url);
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
  it('is sent, does not appear in responses, and is approved once', async () => {
    const to = newNumber();
    const before = await creditsOf();
    const started = await start(to);
    expect([started.status, started.body]).toEqual([
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
    const minutes = (Date.parse(String(started.body.expiresAt)) - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(9.5);
    expect(minutes).toBeLessThanOrEqual(10);
    const code = codeSentTo(to);
    expect(code).toMatch(/^\d{6}$/);
    expect(started.text).not.toContain(code);
    const { id } = started.body;
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
    // Neither the code nor an unkeyed hash of it is stored.
    const [row] = await queryDatabase({ dataDir }, 'SELECT * FROM verifications WHERE id = $1', [id]);
    expect(JSON.stringify(row)).not.toContain(code);
    expect((row?.code_hash as Buffer).length).toBe(32);
  });

  it.each([4, 8])('has %d digits on request', async (codeLength) => {
    const to = newNumber();
    await start(to, { codeLength });
    expect(codeSentTo(to)).toHaveLength(codeLength);
  });

  it('is sent in the requested language', async () => {
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

  it('expires after ten minutes', async () => {
    const to = newNumber();
    const { id } = (await start(to)).body;
    await queryDatabase({ dataDir }, 'UPDATE verifications SET expires_at = now() WHERE id = $1', [id]);
    expect((await post('check', { id, code: codeSentTo(to) })).status).toBe(404);
  });

  it('cannot be checked by another account', async () => {
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
  it('is limited to five attempts, even if they are simultaneous', async () => {
    const to = newNumber();
    const { id } = (await start(to, { codeLength: 4 })).body;
    const right = codeSentTo(to);
    const wrong = Array.from({ length: 10_000 }, (_, code) => String(code).padStart(4, '0'))
      .filter((code) => code !== right)
      .slice(0, 60);
    // Each request uses a separate connection.
    const replies = await Promise.all(wrong.map((code) => post('check', { id, code })));
    const answered = replies.filter(({ status }) => status === 200);
    expect(answered.map(({ body }) => body.attemptsRemaining).sort()).toEqual([0, 1, 2, 3, 4]);
    expect(answered.every(({ body }) => body.valid === false)).toBe(true);
    const refused = replies.filter(({ status }) => status !== 200);
    expect(new Set(refused.map(({ status, body }) => `${status} ${String(body.error)}`))).toEqual(
      new Set(['429 too_many_verifications']),
    );
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(500);
    // Now even the right code is rejected.
    expect((await post('check', { id, code: right })).status).toBe(429);
  });

  it('is limited to fifty attempts per number and day', async () => {
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

  it('approves one of many simultaneous checks with the right code', async () => {
    const to = newNumber();
    const { id } = (await start(to)).body;
    const code = codeSentTo(to);
    const replies = await Promise.all(Array.from({ length: 20 }, () => post('check', { id, code })));
    expect(replies.filter(({ body }) => body.valid === true)).toHaveLength(1);
    expect(new Set(replies.map(({ status }) => status)).has(500)).toBe(false);
  });
});

describe('a number', () => {
  it('gets at most five codes per account in ten minutes, even for simultaneous requests', async () => {
    const to = newNumber();
    const other = await newKeyOf(server?.url ?? '');
    const before = [await creditsOf(), await creditsOf(other)].map(({ credits }) => Number(credits));
    const replies = await Promise.all(
      Array.from({ length: 16 }, (_, index) => post('start', { to }, index % 2 ? key : other)),
    );
    // The limit of one account does not affect others.
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(10);
    const refused = replies.filter(({ status }) => status !== 201);
    expect(refused.every(({ body }) => body.error === 'too_many_verifications')).toBe(true);
    expect(refused.every(({ status, body }) => status === 429 && Number(body.retryAfter) > 500)).toBe(true);
    const after = [await creditsOf(), await creditsOf(other)].map(({ credits }) => Number(credits));
    expect(before.reduce((a, b) => a + b, 0) - after.reduce((a, b) => a + b, 0)).toBe(50);
    expect(texts.filter((text) => text.to === to)).toHaveLength(10);
    // When the first code is ten minutes old, one more is allowed.
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

  it('gets at most fifteen codes from all strangers together, but more from an account that has verified it', async () => {
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

  it('in an unsupported country costs nothing and does not count towards the limit', async () => {
    const to = newNumber();
    const before = await creditsOf();
    behaviour = 'refuses';
    for (let round = 0; round < 6; round++) {
      const reply = await start(to);
      expect([reply.status, reply.body.error]).toEqual([422, 'unsupported_destination']);
    }
    behaviour = 'accepts';
    expect((await creditsOf()).credits).toBe(before.credits);
    expect((await start(to)).status).toBe(201);
  });

  it('is not called by a server without voice calls', async () => {
    const reply = await start(newNumber(), { channel: 'call' });
    expect([reply.status, reply.body.error]).toEqual([422, 'validation_failed']);
    expect(reply.body.details).toMatchObject([{ path: 'channel', code: 'channel_not_available' }]);
  });
});

describe('a kill while a code is sent', () => {
  const script = new URL('verificationProgram.ts', import.meta.url);

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
      server = await startVerificationServer(dataDir, carrier.url);
    }
  }

  it('charges once for a code that was sent, and accepts the code', async () => {
    const to = newNumber();
    behaviour = 'hangs after';
    const headers = await killWhileSending(to);
    behaviour = 'accepts';
    await until(async () => (await creditsOf(headers)).reserved === 0, 'the reservation is settled');
    expect((await creditsOf(headers)).credits).toBe(495);
    expect(texts.filter((text) => text.to === to)).toHaveLength(1);
    expect((await post('check', { to, code: codeSentTo(to) }, headers)).body).toMatchObject({ valid: true });
    expect(await wrongBalances({ dataDir })).toEqual([]);
  });

  it('does not charge for a code that was not sent', async () => {
    const to = newNumber();
    behaviour = 'hangs before';
    const headers = await killWhileSending(to);
    behaviour = 'accepts';
    await until(async () => (await creditsOf(headers)).reserved === 0, 'the reservation is settled');
    expect((await creditsOf(headers)).credits).toBe(500);
    const rows = await queryDatabase({ dataDir }, 'SELECT status FROM verifications WHERE "to" = $1', [to]);
    expect(rows).toEqual([{ status: 'failed' }]);
    expect((await post('check', { to, code: '123456' }, headers)).status).toBe(404);
    expect(await wrongBalances({ dataDir })).toEqual([]);
  });
});
