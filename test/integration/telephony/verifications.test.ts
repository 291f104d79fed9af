import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { keyScopes } from '../../../sdk/protocol/http.ts';
import { startProgram } from '../../harness/run/startProgram.ts';
import { until } from '../../harness/until.ts';
import {
  api,
  connectDatabase,
  newCustomer,
  newKey,
  queryDatabase,
  wrongBalances,
} from '../money/accountSupport.ts';
import { holdWrites, type HeldWrite } from '../money/holdWrites.ts';
import { CarrierError } from '../../../server/telephony/sms/CarrierError.ts';
import { startVerificationServer } from './verificationServer.ts';
import type { SpendingServer } from '../money/spendingServer.ts';
import { bearer, type Reply } from '../support.ts';

let dataDir: string;
let server: SpendingServer | null;
/** The texts that the carrier got from this process. */
const texts: { to: string; text: string }[] = [];
/** A number to which the carrier sends nothing. */
let refusedNumber: string | null = null;
function onSend(text: string, to: string): void {
  texts.push({ to, text });
  if (to === refusedNumber) throw new CarrierError('permanent', 'blocked', 'Filtered.');
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  server = await startVerificationServer(dataDir, onSend);
  key = await newKeyOf(server.url);
});
afterAll(async () => {
  await server?.close();
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
const textsTo = (to: string) => texts.filter((text) => text.to === to);
/** Waits for the text with a code. @param count the number of codes to this number so far */
async function codeSentTo(to: string, count = 1): Promise<string> {
  const { text } = await until(() => textsTo(to)[count - 1], 'the carrier gets the code');
  return /\d{4,8}/.exec(text)?.[0] ?? '';
}
const another = (code: string) => String((Number(code) + 1) % 10 ** code.length).padStart(code.length, '0');

describe('a code', () => {
  it.each([1, -1])('is valid if the clock of the node is off by %i hours', async (hours) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    vi.setSystemTime(Date.now() + hours * 3_600_000);
    const to = newNumber();
    const { id } = (await start(to)).body;
    const checked = await post('check', { id, code: await codeSentTo(to) });
    expect([checked.status, checked.body]).toMatchObject([200, { id, valid: true }]);
  });

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
    const code = await codeSentTo(to);
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
    expect(await codeSentTo(to)).toHaveLength(codeLength);
  });

  it('is sent in the requested language', async () => {
    const to = newNumber();
    await start(to, { locale: 'fr-CA' });
    await codeSentTo(to);
    expect(textsTo(to)[0]?.text).toContain('est votre code de vérification');
  });

  it('is replaced by a later one to the same number', async () => {
    const to = newNumber();
    await start(to);
    const first = await codeSentTo(to);
    await start(to, { codeLength: 8 });
    expect((await post('check', { to, code: first })).body).toMatchObject({ valid: false });
    expect((await post('check', { to, code: await codeSentTo(to, 2) })).body).toMatchObject({ valid: true });
  });

  it('expires after ten minutes', async () => {
    const to = newNumber();
    const { id } = (await start(to)).body;
    await queryDatabase({ dataDir }, 'UPDATE verifications SET expires_at = now() WHERE id = $1', [id]);
    expect((await post('check', { id, code: await codeSentTo(to) })).status).toBe(404);
  });

  it('cannot be checked by another account', async () => {
    const to = newNumber();
    const { id } = (await start(to)).body;
    const code = await codeSentTo(to);
    const other = await newKeyOf(server?.url ?? '');
    for (const headers of [other, {}])
      for (const body of [
        { id, code },
        { to, code },
      ])
        expect((await post('check', body, headers)).status).toBe(404);
    // A payer who names the number must not start, and pay for, another one.
    expect((await post('check', { to, code }, {})).body.message).toContain('by the id from');
    expect((await post('check', { id, code })).body).toMatchObject({ valid: true, attemptsRemaining: 4 });
  });
});

describe('guessing', () => {
  it('is limited to five attempts, even if they are simultaneous', async () => {
    const to = newNumber();
    const { id } = (await start(to, { codeLength: 4 })).body;
    const right = await codeSentTo(to);
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
    const code = await codeSentTo(to, 11);
    const refused = await post('check', { id: body.id, code });
    expect([refused.status, refused.body.error]).toEqual([429, 'too_many_verifications']);
    expect(Number(refused.headers['retry-after'])).toBe(86_400);
    await queryDatabase(
      { dataDir },
      `UPDATE verifications SET created_at = now() - interval '25 hours' WHERE "to" = $1 AND id <> $2`,
      [to, body.id],
    );
    expect((await post('check', { id: body.id, code })).body).toMatchObject({ valid: true });
  });

  it('approves one of many simultaneous checks with the right code', async () => {
    const to = newNumber();
    const { id } = (await start(to)).body;
    const code = await codeSentTo(to);
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
    await codeSentTo(to, 10);
    expect(textsTo(to)).toHaveLength(10);
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
    const code = await codeSentTo(to);
    expect((await post('check', { id: first.body.id, code }, business)).body.valid).toBe(true);
    const strangers = await Promise.all(Array.from({ length: 4 }, () => newKeyOf(server?.url ?? '')));
    const statuses: number[] = [];
    for (const stranger of strangers)
      for (let time = 0; time < 4; time++) statuses.push((await post('start', { to }, stranger)).status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(14);
    expect(statuses.filter((status) => status === 429)).toHaveLength(2);
    expect((await post('start', { to }, business)).status).toBe(201);
  });

  it('that has opted out costs nothing and does not count towards the limit', async () => {
    const to = newNumber();
    const before = await creditsOf();
    const pair = ['pool', to];
    await queryDatabase({ dataDir }, 'INSERT INTO opt_outs (sender, recipient) VALUES ($1, $2)', pair);
    for (let round = 0; round < 6; round++) {
      const reply = await start(to);
      expect([reply.status, reply.body.error]).toEqual([422, 'recipient_opted_out']);
    }
    await queryDatabase({ dataDir }, 'DELETE FROM opt_outs WHERE sender = $1 AND recipient = $2', pair);
    expect((await creditsOf()).credits).toBe(before.credits);
    expect((await start(to)).status).toBe(201);
  });

  it('that the carrier refuses does not use up its codes', async () => {
    const to = newNumber();
    const before = await creditsOf();
    refusedNumber = to;
    for (let round = 1; round <= 6; round++) {
      expect((await start(to)).status).toBe(201);
      await codeSentTo(to, round);
      await until(async () => (await creditsOf()).credits === before.credits, 'the credits are refunded');
    }
    refusedNumber = null;
    const { body } = await start(to);
    expect((await post('check', { id: body.id, code: await codeSentTo(to, 7) })).body).toMatchObject({
      valid: true,
    });
  });

  it('is not called by a server without voice calls', async () => {
    const reply = await start(newNumber(), { channel: 'call' });
    expect([reply.status, reply.body.error]).toEqual([422, 'validation_failed']);
    expect(reply.body.details).toMatchObject([{ path: 'channel', code: 'channel_not_available' }]);
  });
});

describe('a kill while a code is sent', () => {
  const script = new URL('verificationProgram.ts', import.meta.url);

  /**
   * Kills a server during a request.
   * @param held the write of the request at which it is killed; null to kill it when the carrier has the code
   * @returns the headers of the request, and what the carrier got
   */
  async function killWhileSending(to: string, held: HeldWrite | null) {
    await server?.close();
    server = null;
    const child = await startProgram(script, [dataDir]);
    let client: pg.Client | null = null;
    try {
      const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
      const line = async () => String((await lines.next()).value);
      const url = await line();
      const headers = { ...(await newKeyOf(url)), 'Idempotency-Key': 'the one' };
      client = await connectDatabase({ dataDir });
      const countHeld = held && (await holdWrites(client, held));
      const sent = api(url, 'POST', '/verifications/start', headers, { to }).catch(() => null);
      if (countHeld) await until(async () => (await countHeld()) === 1, 'the request is held');
      const given = countHeld ? null : await line();
      child.kill('SIGKILL');
      await sent;
      return { headers, given };
    } finally {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      await client?.end().catch(() => undefined);
      server = await startVerificationServer(dataDir, onSend);
    }
  }

  it('charges once for a code that was sent, and accepts the code', async () => {
    const to = newNumber();
    const { headers, given } = await killWhileSending(to, null);
    const code = new RegExp(`^given \\${to} (\\d{6}) `).exec(given ?? '')?.[1];
    const again = await post('start', { to }, headers);
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
    expect(await creditsOf(headers)).toMatchObject({ credits: 495, reserved: 0 });
    expect(textsTo(to)).toEqual([]);
    expect((await post('check', { to, code }, headers)).body).toMatchObject({ valid: true });
    expect(await wrongBalances({ dataDir })).toEqual([]);
  });

  it('does not charge for a code that was not sent', async () => {
    const to = newNumber();
    const { headers } = await killWhileSending(to, { write: 'INSERT ON verifications' });
    expect(await creditsOf(headers)).toMatchObject({ credits: 500, reserved: 0 });
    expect(await queryDatabase({ dataDir }, 'SELECT * FROM verifications WHERE "to" = $1', [to])).toEqual([]);
    expect((await post('check', { to, code: '123456' }, headers)).status).toBe(404);
    // The same request now sends the code.
    const again = await post('start', { to }, headers);
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, undefined]);
    expect(await creditsOf(headers)).toMatchObject({ credits: 495, reserved: 0 });
    expect((await post('check', { to, code: await codeSentTo(to) }, headers)).body.valid).toBe(true);
    expect(await wrongBalances({ dataDir })).toEqual([]);
  });
});
