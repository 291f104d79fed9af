import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startProgram } from '../../harness/run/startProgram.ts';
import { until } from '../../harness/until.ts';
import { queryDatabase, wrongBalances } from '../money/accountSupport.ts';
import { grant, PhoneUser, type WireOrder } from './telephonySupport.ts';
import { CarrierError } from '../../../server/telephony/sms/CarrierError.ts';
import { ScriptedCarrier } from './ScriptedCarrier.ts';
import { startSpendingServer, type SpendingServer } from '../money/spendingServer.ts';

/* Orders with a carrier that is slow, loses responses or refuses, depending on the area code. */

const newFolder = () => mkdtemp(join(tmpdir(), 'parley-test-'));
type Status = { status: string; number: { status: string } | null; error: { code: string } | null };

describe('an order', () => {
  let dataDir: string;
  let carrier: ScriptedCarrier;
  let server: SpendingServer;
  let user: PhoneUser;
  beforeAll(async () => {
    dataDir = await newFolder();
    carrier = new ScriptedCarrier(join(dataDir, 'given'));
    const settings = { SMS_SUBMIT_SECONDS: '1' };
    server = await startSpendingServer({ dataDir, carrier, settings, hasWebhooks: true });
    user = await PhoneUser.create(() => server.url);
    await grant({ dataDir }, user, 5_000);
  });
  afterAll(async () => {
    await server?.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const order = (areaCode: string) => user.post<WireOrder>('/numbers/buy', { country: 'US', areaCode });
  const status = (id: string) => user.get<Status>(`/numbers/buy/status?orderId=${id}`);
  const reaches = async (id: string, wanted: string) => {
    await until(async () => (await status(id)).status === wanted, `the order is ${wanted}`);
    return status(id);
  };
  /** Keeps orders that do not complete immediately pending. @returns a function that lets them continue */
  const hold = () => {
    const release = carrier.market.hold();
    onTestFinished(release);
    return release;
  };
  const asked = (id: string) => carrier.market.asked.filter((each) => each === id).length;

  it('continues after its request has returned', async () => {
    const before = await user.credits();
    const release = hold();
    const pending = await order('301');
    expect(pending).toMatchObject({
      status: 'pending',
      number: null,
      phoneNumber: '+13015550100',
      credits: 200,
    });
    expect(await status(pending.orderId)).toMatchObject({ status: 'pending', number: null, error: null });
    release();
    expect((await reaches(pending.orderId, 'completed')).number).toMatchObject({ status: 'active' });
    expect(asked(pending.orderId)).toBe(2);
    expect(await user.credits()).toBe(before - 200);
  });

  it.each(['302', '306'])('with a lost response is looked up and not repeated (%s)', async (areaCode) => {
    const { orderId } = await order(areaCode);
    expect((await reaches(orderId, 'completed')).number).toMatchObject({ status: 'active' });
    expect(asked(orderId)).toBe(1);
  });

  it('whose number is unavailable because an earlier attempt bought it is completed', async () => {
    const { orderId } = await order('309');
    expect((await reaches(orderId, 'completed')).number).toMatchObject({ status: 'active' });
    expect(asked(orderId)).toBe(2);
  });

  it('is refunded when it fails later', async () => {
    const before = await user.credits();
    const release = hold();
    const { orderId, phoneNumber } = await order('303');
    expect(await user.credits()).toBe(before - 200);
    release();
    const failed = await reaches(orderId, 'refunded');
    expect(failed).toMatchObject({ number: null, error: { code: 'number_unavailable' } });
    expect(await user.credits()).toBe(before);
    expect(
      await queryDatabase({ dataDir }, 'SELECT * FROM phone_numbers WHERE phone_number = $1', [phoneNumber]),
    ).toEqual([]);
  });

  it('is refunded when it fails later, although its number has got a webhook meanwhile', async () => {
    const before = await user.credits();
    const release = hold();
    const phoneNumber = '+13035550177';
    const { orderId } = await user.post<WireOrder>('/numbers/buy', { country: 'US', phoneNumber });
    const hook = { phoneNumber, url: 'https://hooks.example' };
    expect((await user.ask('PUT', '/numbers/mine/webhook', hook)).status).toBe(200);
    release();
    expect(await reaches(orderId, 'refunded')).toMatchObject({ number: null });
    expect(await user.credits()).toBe(before);
    expect(await queryDatabase({ dataDir }, 'SELECT FROM webhooks')).toEqual([]);
  });

  it('stays pending and keeps its number reserved when the driver throws', async () => {
    const { orderId } = await order('307');
    expect(await status(orderId)).toMatchObject({ status: 'pending' });
    // Nobody else can buy the number in the meantime.
    const other = await PhoneUser.create(() => server.url);
    const body = { country: 'US', phoneNumber: '+13075550100' };
    expect(await other.refusal('POST', '/numbers/buy', body)).toEqual([409, 'number_unavailable']);
    expect(await user.refusal('POST', '/numbers/mine/renew', { phoneNumber: '+13075550100' })).toEqual([
      409,
      'number_not_active',
    ]);
  });

  it('returns the error of the carrier', async () => {
    const before = await user.credits();
    const refusal = (areaCode: string) => user.ask('POST', '/numbers/buy', { country: 'US', areaCode });
    const documents = await refusal('304');
    expect([documents.status, documents.body.error, documents.body.requirements]).toEqual([
      422,
      'regulatory_requirements',
      ['proof_of_address'],
    ]);
    const upstream = await refusal('305');
    expect([upstream.status, upstream.body.error]).toEqual([502, 'upstream_error']);
    expect(await user.credits()).toBe(before);
  });

  it('is answered again while the carrier does not answer', async () => {
    const key = (name: string) => ({ 'Idempotency-Key': name });
    const body = { country: 'US', areaCode: '310' };
    const first = await user.ask('POST', '/numbers/buy', body, key('answered'));
    const types = vi.spyOn(carrier.market, 'types');
    onTestFinished(() => types.mockRestore());
    types.mockRejectedValue(new CarrierError('temporary', 'carrier_unavailable', 'Away.'));
    const again = await user.ask('POST', '/numbers/buy', body, key('answered'));
    expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([
      202,
      first.text,
      'true',
    ]);
    const other = await user.ask('POST', '/numbers/buy', body, key('another'));
    expect([other.status, other.body.error]).toEqual([502, 'upstream_error']);
  });

  it('asks the carrier for its types outside of transactions, which PostgreSQL would end', async () => {
    let answer = (_types: ['local']) => {};
    const types = vi.spyOn(carrier.market, 'types');
    onTestFinished(() => types.mockRestore());
    types.mockReturnValueOnce(new Promise((resolve) => (answer = resolve)));
    const body = { country: 'US', areaCode: '308', type: 'local' };
    const ordered = user.ask('POST', '/numbers/buy', body);
    await until(() => types.mock.calls.length === 1, 'the carrier is asked');
    const open = `SELECT FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'`;
    await until(async () => (await queryDatabase({ dataDir }, open)).length === 0, 'no transaction waits');
    answer(['local']);
    expect([(await ordered).status, (await ordered).body.status]).toEqual([202, 'completed']);
  });

  it('releases a number whose payment was refunded in the meantime', async () => {
    // As if the request failed and was refunded after the carrier was asked. The number is released again once it is bought.
    const phoneNumber = '+13065550199';
    const release = hold();
    const { orderId } = await user.post<WireOrder>('/numbers/buy', { country: 'US', phoneNumber });
    await queryDatabase(
      { dataDir },
      `UPDATE reservations SET status = 'released' WHERE id = (SELECT reservation_id FROM number_orders WHERE id = $1)`,
      [orderId],
    );
    release();
    const ended = await reaches(orderId, 'refunded');
    expect(ended).toMatchObject({ number: null, error: { code: 'interrupted' } });
    await until(() => carrier.market.released.includes(phoneNumber), 'the number is released');
  });
});

it('leaves an order to its request if the clock of a node is ahead', async () => {
  const dataDir = await newFolder();
  const carrier = new ScriptedCarrier(join(dataDir, 'given'));
  const server = await startSpendingServer({ dataDir, carrier, settings: { SMS_SUBMIT_SECONDS: '60' } });
  try {
    const user = await PhoneUser.create(() => server.url);
    void user.ask('POST', '/numbers/buy', { country: 'US', areaCode: '306' }).catch(() => undefined);
    await until(() => carrier.market.asked.length === 1, 'the carrier is asked');
    carrier.market.sold.clear();
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(Date.now() + 3_600_000);
    const isReservation = `kind = 'reservation' AND due_at <= now()`;
    await queryDatabase({ dataDir }, `UPDATE due SET due_at = now() WHERE kind = 'reservation'`);
    await until(
      async () => (await queryDatabase({ dataDir }, `SELECT FROM due WHERE ${isReservation}`)).length === 0,
      'another node has looked for the outcome of the reservation',
    );
    const orders = await queryDatabase({ dataDir }, 'SELECT status FROM number_orders');
    expect(orders).toEqual([{ status: 'processing' }]);
  } finally {
    vi.useRealTimers();
    await server.close();
    await rm(dataDir, { recursive: true, force: true });
  }
});

it('settles two orders after a kill: charges the sold number and refunds the other', async () => {
  const dataDir = await newFolder();
  const file = join(dataDir, 'given');
  const child = await startProgram(new URL('textProgram.ts', import.meta.url), [dataDir, file]);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  let url = '';
  let user: PhoneUser;
  const orders = () =>
    queryDatabase({ dataDir }, `SELECT id, offer->>'phoneNumber' AS number FROM number_orders ORDER BY 2`);
  let sold = { id: '', number: '' };
  try {
    url = String((await lines.next()).value);
    user = await PhoneUser.create(() => url);
    for (const phoneNumber of ['+13065550100', '+13065550101'])
      void user.ask('POST', '/numbers/buy', { country: 'US', phoneNumber }).catch(() => undefined);
    await until(async () => (await orders()).length === 2, 'both orders are stored');
    sold = (await orders())[0] as typeof sold;
    expect(await user.get('/account/credits')).toMatchObject({ credits: 100, reserved: 400 });
    child.kill('SIGKILL');
  } finally {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  const carrier = new ScriptedCarrier(file);
  carrier.market.sold.set(sold.number, sold.id);
  const next = await startSpendingServer({ dataDir, carrier });
  try {
    url = next.url;
    const settled = async () => (await user.get<{ reserved: number }>('/account/credits')).reserved === 0;
    await until(settled, 'both orders are settled');
    const { data } = await user.get<{ data: unknown[] }>('/numbers/mine');
    expect(data).toMatchObject([{ phoneNumber: sold.number, status: 'active' }]);
    expect(await user.credits()).toBe(300);
    expect(carrier.market.asked).toEqual([]);
    expect(await wrongBalances({ dataDir })).toEqual([]);
  } finally {
    await next.close();
    await rm(dataDir, { recursive: true, force: true });
  }
});
