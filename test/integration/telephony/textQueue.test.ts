import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keywordReplies } from '../../../server/telephony/sms/optOuts.ts';
import { until } from '../../harness/until.ts';
import { queryDatabase, wrongBalances } from '../money/accountSupport.ts';
import { grant, inUnit, PhoneUser } from './telephonySupport.ts';
import { ScriptedCarrier } from './ScriptedCarrier.ts';
import { withCodes } from './withCodes.ts';
import { startSpendingServer, type SpendingServer } from '../money/spendingServer.ts';

const to = '+12025550123';
const newFolder = () => mkdtemp(join(tmpdir(), 'parley-test-'));

describe('the queue', () => {
  let dataDir: string;
  let file: string;
  let carrier: ScriptedCarrier;
  let server: SpendingServer;
  let user: PhoneUser;
  beforeAll(async () => {
    dataDir = await newFolder();
    file = join(dataDir, 'given');
    writeFileSync(file, '');
    carrier = new ScriptedCarrier(file);
    server = await startSpendingServer({
      dataDir,
      carrier,
      settings: { SMS_SUBMIT_SECONDS: '1' },
      provide: withCodes,
    });
    user = await PhoneUser.create(() => server.url);
    await grant({ dataDir }, user, 5_000);
  });
  afterAll(async () => {
    await server?.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const send = async (message: string) => (await user.post<{ id: string }>('/sms/send', { to, message })).id;
  const given = (id: string) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line === id).length;

  it('retries a text that was certainly not sent', async () => {
    const id = await send('temporary');
    expect(await user.reached(id, 'sent')).toMatchObject({ errorCode: null, credits: 2 });
    expect(given(id)).toBe(2);
  });

  it('refunds a text that was not sent', async () => {
    const before = await user.credits();
    const id = await send('permanent');
    expect(await user.reached(id, 'failed')).toMatchObject({
      errorCode: 'blocked',
      errorMessage: 'Filtered.',
      sentAt: null,
    });
    expect(await user.credits()).toBe(before);
    const { data } = await user.get<{ data: unknown[] }>('/account/history?limit=2');
    expect(data).toMatchObject([
      { type: 'refund', amount: 2, description: 'Not sent: blocked' },
      { type: 'debit', amount: 2 },
    ]);
    expect(given(id)).toBe(1);
  });

  it.each(['broken', 'hang'])('does not repeat a text that may have been sent: %s', async (message) => {
    const before = await user.credits();
    const id = await send(message);
    expect(await user.reached(id, 'failed')).toMatchObject({ errorCode: 'unknown_outcome' });
    expect(given(id)).toBe(1);
    expect(await user.credits()).toBe(before - 2);
  });

  it('asks the carrier for the outcome of an unanswered text', async () => {
    const accepted = await send('hang, but accepted');
    expect(await user.reached(accepted, 'sent')).toMatchObject({ errorCode: null });
    expect(given(accepted)).toBe(1);
  });

  it('marks a text as delivered when all its parts are, even if receipts arrive early', async () => {
    const early = await send(`early ${'a'.repeat(200)}`);
    await user.reached(early, 'delivered');
    const id = await send('b'.repeat(400));
    await user.reached(id, 'sent');
    await carrier.report(`${id}/2`, 'delivered');
    await carrier.report(`${id}/0`, 'delivered');
    expect(await user.message(id)).toMatchObject({ status: 'sent', deliveredAt: null });
    // The last receipt arrives twice at the same time.
    await Promise.all([carrier.report(`${id}/1`, 'delivered'), carrier.report(`${id}/1`, 'delivered')]);
    expect(await user.message(id)).toMatchObject({ status: 'delivered' });
    // A final status does not change.
    await carrier.report(`${id}/1`, 'failed');
    await carrier.report(`${id}/1`, 'sent');
    expect(await user.message(id)).toMatchObject({ status: 'delivered', errorCode: null });
  });

  it('marks a text as failed when one part fails, and accepts a receipt after an unknown outcome', async () => {
    const id = await send('c'.repeat(200));
    await user.reached(id, 'sent');
    await carrier.report(`${id}/0`, 'delivered');
    await carrier.report(`${id}/1`, 'failed');
    expect(await user.message(id)).toMatchObject({ status: 'failed', errorCode: 'unreachable' });
    const lost = await send('hang');
    await user.reached(lost, 'failed');
    await carrier.report(`${lost}/0`, 'delivered', lost);
    expect(await user.message(lost)).toMatchObject({
      status: 'delivered',
      errorCode: null,
      errorMessage: null,
    });
    // A receipt of an unknown text is ignored.
    await carrier.report('unknown', 'delivered');
  });

  it('does not take the receipt of an earlier text for that of a new one when the carrier uses a reference again', async () => {
    const first = await send('reused');
    await user.reached(first, 'sent');
    await carrier.report('reused', 'failed');
    const second = await send('reused again');
    await user.reached(second, 'sent');
    await carrier.report('reused', 'delivered');
    expect(await user.message(second)).toMatchObject({ status: 'delivered', errorCode: null });
    expect(await user.message(first)).toMatchObject({ status: 'failed', errorCode: 'unreachable' });
    const lost = await send('hang');
    await user.reached(lost, 'failed');
    await carrier.report('reused', 'delivered', lost);
    expect(await user.message(lost)).toMatchObject({ status: 'delivered' });
    // A receipt of the day before is that of another text, too.
    await queryDatabase(
      { dataDir },
      `UPDATE message_parts SET message_id = NULL, state = 'failed', created_at = now() - interval '25 hours' WHERE reference = 'reused'`,
    );
    const last = await send('reused for the last time');
    await user.reached(last, 'sent');
    await carrier.report('reused', 'delivered');
    expect(await user.message(last)).toMatchObject({ status: 'delivered' });
  });

  it('does not send a text through another carrier if the former one may have sent it', async () => {
    const id = await send('not_sent, according to the new carrier');
    await user.reached(id, 'sent');
    // Recreates the state after a process died during the submission and the operator changed CARRIER.
    for (const statement of [
      `DELETE FROM message_parts WHERE message_id = '${id}'`,
      `UPDATE messages SET status = 'submitting', sent_at = NULL, carrier = 'former', submitting_until = now() WHERE id = '${id}'`,
      `INSERT INTO due (kind, subject, due_at, payload) VALUES ('text.submission', '${id}', now(), '{}')`,
    ])
      await queryDatabase({ dataDir }, statement);
    expect(await user.reached(id, 'failed')).toMatchObject({ errorCode: 'unknown_outcome' });
    expect(given(id)).toBe(1);
  });

  it('replies to STOP and HELP only in supported countries', async () => {
    const [supported, unsupported] = ['+12025550177', '+8613812345678'];
    const receive = (from: string, text: string) =>
      carrier.events?.inbound({
        reference: `${from} ${text}`,
        from,
        to: '+12025550190',
        text,
        mediaUrls: [],
        receivedAt: new Date(),
      });
    for (const text of ['HELP', 'STOP'])
      for (const from of [unsupported, supported]) await receive(from, text);
    const answers = await queryDatabase(
      { dataDir },
      `SELECT counterparty FROM messages WHERE direction = 'outbound' AND counterparty IN ($1, $2)`,
      [supported, unsupported],
    );
    expect(answers).toEqual([{ counterparty: supported }, { counterparty: supported }]);
    // The opt-out applies in both cases.
    const stopped = await queryDatabase({ dataDir }, 'SELECT recipient FROM opt_outs ORDER BY recipient');
    expect(stopped).toEqual([{ recipient: supported }, { recipient: unsupported }]);
  });

  it('does not answer a keyword that the carrier has answered', async () => {
    const from = '+12025550178';
    const inbound = { from, to: '+12025550190', mediaUrls: [], receivedAt: new Date() };
    const optOuts = () => queryDatabase({ dataDir }, 'SELECT FROM opt_outs WHERE recipient = $1', [from]);
    const keywords = [
      ['Baja', 'stop'],
      ['Ayuda', 'help'],
      ['Alta', 'start'],
    ] as const;
    for (const [text, answeredKeyword] of keywords) {
      await carrier.events?.inbound({ ...inbound, reference: `answered ${text}`, text, answeredKeyword });
      expect(await optOuts()).toHaveLength(answeredKeyword === 'start' ? 0 : 1);
    }
    const query = `SELECT FROM messages WHERE direction = 'outbound' AND counterparty = $1`;
    expect(await queryDatabase({ dataDir }, query, [from])).toEqual([]);
  });

  it('refunds a code that was not sent', async () => {
    carrier.refusesCodes = true;
    const before = await user.credits();
    const { id } = await user.post<{ id: string }>('/verifications/start', { to });
    await until(async () => (await user.credits()) === before, 'the credits are refunded');
    carrier.refusesCodes = false;
    const [row] = await queryDatabase(
      { dataDir },
      'SELECT text, status FROM messages WHERE payment_id = $1',
      [id],
    );
    expect(row).toEqual({ text: '', status: 'failed' });
  });

  it('does not send an expired code', async () => {
    const code = { to, message: '123456 is your verification code.' };
    const { id } = await inUnit(server.database.db, async (unit) => {
      const sender = { payer: null, paymentId: 'vrf_old' };
      const queued = await server.telephony.texts.queue(unit, sender, 'codes', code, true);
      await unit.tx.execute(
        sql`UPDATE messages SET created_at = now() - interval '11 minutes' WHERE id = ${queued.id}`,
      );
      return queued;
    });
    const find = async () => {
      const query = 'SELECT status, error_code, text FROM messages WHERE id = $1';
      const [row] = await queryDatabase({ dataDir }, query, [id]);
      return row?.status === 'queued' || row?.status === 'submitting' ? undefined : row;
    };
    expect(await until(find, 'the text is settled')).toEqual({
      status: 'failed',
      error_code: 'expired',
      text: '',
    });
    expect(given(id)).toBe(0);
  });

  /**
   * Queues texts that were stored some time ago.
   * @param then done before they are submitted
   * @returns their ids
   */
  const queueOld = async (texts: string[], age: string, then = sql`SELECT`) => {
    const accountId = (await user.get<{ id: string }>('/account')).id;
    return inUnit(server.database.db, async (unit) => {
      const ids: string[] = [];
      for (const message of texts)
        ids.push((await server.telephony.texts.queue(unit, { accountId }, 'pool', { to, message })).id);
      await unit.tx.execute(sql`
        UPDATE messages SET created_at = now() - ${age}::interval WHERE id = ANY (${sql.param(ids)}::text[])`);
      await unit.tx.execute(then);
      return ids;
    });
  };

  it('does not send a text that waited for more than four hours because no process ran', async () => {
    const [late = ''] = await queueOld(['dinner is ready'], '5 hours');
    expect(await user.reached(late, 'failed')).toMatchObject({ errorCode: 'expired', sentAt: null });
    expect(given(late)).toBe(0);
    const [early = ''] = await queueOld(['dinner is almost ready'], '3 hours');
    await user.reached(early, 'sent');
  });

  it('does not send a text whose recipient opted out while it waited, except for the answer', async () => {
    const optOut = sql`INSERT INTO opt_outs (sender, recipient) VALUES ('pool', ${to})`;
    const [text = '', answer = ''] = await queueOld(['news', keywordReplies.stop], '1 minute', optOut);
    const code = 'recipient_opted_out';
    expect(await user.reached(text, 'failed')).toMatchObject({ errorCode: code, sentAt: null });
    await user.reached(answer, 'sent');
    expect([given(text), given(answer)]).toEqual([0, 1]);
    await queryDatabase({ dataDir }, 'DELETE FROM opt_outs WHERE recipient = $1', [to]);
  });

  it('sends one text per x402 payment; replies to it belong to no account', async () => {
    const { texts } = server.telephony;
    const stranger = '+15005550007';
    const payer = { payer: '0x0000000000000000000000000000000000000001', paymentId: 'pay_1' };
    const charge = { id: payer.paymentId, credits: 2, balance: null, reservationId: null };
    const text = { to: stranger, message: 'paid' };
    const send = () => inUnit(server.database.db, (unit) => texts.queue(unit, payer, 'pool', text), charge);
    const [row, again] = [await send(), await send()];
    expect(again.id).toBe(row.id);
    expect(row).toMatchObject({ accountId: null, threadId: null, payer: payer.payer, credits: 2 });
    await until(() => given(row.id) > 0, 'the text is sent');
    expect(given(row.id)).toBe(1);
    const inbox = await user.inbox();
    const reply = { reference: 'reply', from: stranger, to: row.number, text: 'who is it?', mediaUrls: [] };
    await carrier.events?.inbound({ ...reply, receivedAt: new Date() });
    expect(await user.inbox()).toEqual(inbox);
  });

  it('hides texts with codes from all lists and wipes them after sending', async () => {
    const accountId = (await user.get<{ id: string }>('/account')).id;
    const { texts } = server.telephony;
    const before = await user.threads();
    const text = { to, message: 'Your code is 123456' };
    const row = await inUnit(server.database.db, (unit) =>
      texts.queue(unit, { accountId }, 'codes', text, true),
    );
    const find = () =>
      queryDatabase({ dataDir }, 'SELECT text, status FROM messages WHERE id = $1', [row.id]);
    await until(async () => (await find())[0]?.status === 'sent', 'the text is sent');
    expect(await find()).toEqual([{ text: '', status: 'sent' }]);
    expect((await user.ask('GET', `/sms/${row.id}`)).status).toBe(404);
    expect(await user.threads()).toEqual(before);
  });

  it('rejects images that the carrier does not support', async () => {
    const body = { to, message: 'x', mediaUrls: ['https://media.example/a.png'] };
    const reply = await user.ask('POST', '/messaging/send', body);
    expect(reply.status).toBe(422);
    expect(reply.body.details).toMatchObject([{ path: 'mediaUrls', code: 'media_not_supported' }]);
  });

  it('stores an inbound text once, without characters that the database cannot store', async () => {
    await user.reached(await send('mine'), 'sent');
    const inbound = {
      reference: 'in 1',
      from: to,
      to: '+12025550190',
      text: 'nul \0, half \ud83d',
      mediaUrls: [],
      receivedAt: new Date(),
    };
    await Promise.all([carrier.events?.inbound(inbound), carrier.events?.inbound(inbound)]);
    const inbox = await user.inbox();
    expect(inbox.map(({ message }) => message)).toEqual(['nul , half �']);
    // A text to an unassigned number is accepted and dropped.
    await carrier.events?.inbound({ ...inbound, reference: 'in 2', to: '+12025550199' });
    expect(await wrongBalances({ dataDir })).toEqual([]);
  });
});

it('rejects texts when the pool has no number', async () => {
  const dataDir = await newFolder();
  const carrier = new ScriptedCarrier(join(dataDir, 'given'), []);
  const server = await startSpendingServer({ dataDir, carrier });
  try {
    const user = await PhoneUser.create(() => server.url);
    for (const path of ['/sms/send', '/messaging/send'])
      expect(await user.refusal('POST', path, { to, message: 'x' })).toEqual([503, 'no_pool_number']);
    expect(await user.credits()).toBe(500);
  } finally {
    await server.close();
    await rm(dataDir, { recursive: true, force: true });
  }
});
