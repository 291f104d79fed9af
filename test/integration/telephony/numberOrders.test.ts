import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startProgram } from '../../harness/startProgram.ts';
import { until } from '../../harness/until.ts';
import { queryDatabase, wrongBalances } from '../money/accountSupport.ts';
import { grant, PhoneUser, type WireOrder } from './telephonySupport.ts';
import { ScriptedCarrier } from './ScriptedCarrier.ts';
import { startSpendingServer, type SpendingServer } from '../money/spendingServer.ts';

/* Orders with a carrier that is slow, lost or contrary: the area code says which. */

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
    server = await startSpendingServer({ dataDir, carrier, settings: { SMS_SUBMIT_SECONDS: '1' } });
    user = await PhoneUser.create(() => server.url);
    await grant({ dataDir }, user, 5_000);
  });
  afterAll(async () => {
    await server?.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const order = (areaCode: string) => user.post<WireOrder>('/numbers/buy', { country: 'US', areaCode });
  const status = (id: string) => user.get<Status>(`/numbers/buy/status?orderId=${id}`);
  const ends = async (id: string, as: string) => {
    await until(async () => (await status(id)).status === as, `the order is ${as}`);
    return status(id);
  };
  /** Orders that are not completed at once stay so. @returns has them go on */
  const hold = () => {
    const goOn = carrier.market.hold();
    onTestFinished(goOn);
    return goOn;
  };
  const asked = (id: string) => carrier.market.asked.filter((each) => each === id).length;

  it('that takes longer goes on without its request', async () => {
    const before = await user.credits();
    const goOn = hold();
    const pending = await order('301');
    expect(pending).toMatchObject({
      status: 'pending',
      number: null,
      phoneNumber: '+13015550100',
      credits: 200,
    });
    expect(await status(pending.orderId)).toMatchObject({ status: 'pending', number: null, error: null });
    goOn();
    expect((await ends(pending.orderId, 'completed')).number).toMatchObject({ status: 'active' });
    expect(asked(pending.orderId)).toBe(2);
    expect(await user.credits()).toBe(before - 200);
  });

  it.each(['302', '306'])('whose answer is lost is asked about, not made again (%s)', async (areaCode) => {
    const { orderId } = await order(areaCode);
    expect((await ends(orderId, 'completed')).number).toMatchObject({ status: 'active' });
    expect(asked(orderId)).toBe(1);
  });

  it('that fails in the end gives its credits back', async () => {
    const before = await user.credits();
    const goOn = hold();
    const { orderId, phoneNumber } = await order('303');
    expect(await user.credits()).toBe(before - 200);
    goOn();
    const failed = await ends(orderId, 'refunded');
    expect(failed).toMatchObject({ number: null, error: { code: 'number_unavailable' } });
    expect(await user.credits()).toBe(before);
    expect(
      await queryDatabase({ dataDir }, 'SELECT * FROM phone_numbers WHERE phone_number = $1', [phoneNumber]),
    ).toEqual([]);
  });

  it('of a driver with a bug is taken up again', async () => {
    const { orderId } = await order('307');
    expect(await status(orderId)).toMatchObject({ status: 'pending' });
    // The number is nobody else’s meanwhile.
    const other = await PhoneUser.create(() => server.url);
    const body = { country: 'US', phoneNumber: '+13075550100' };
    expect(await other.refusal('POST', '/numbers/buy', body)).toEqual([409, 'number_unavailable']);
    expect(await user.refusal('POST', '/numbers/mine/renew', { phoneNumber: '+13075550100' })).toEqual([
      409,
      'number_not_active',
    ]);
  });

  it('says what the carrier says', async () => {
    const before = await user.credits();
    const refusal = (areaCode: string) => user.ask('POST', '/numbers/buy', { country: 'US', areaCode });
    const papers = await refusal('304');
    expect([papers.status, papers.body.error, papers.body.requirements]).toEqual([
      422,
      'regulatory_requirements',
      ['proof_of_address'],
    ]);
    const upstream = await refusal('305');
    expect([upstream.status, upstream.body.error]).toEqual([502, 'upstream_error']);
    expect(await user.credits()).toBe(before);
  });

  it('never is sold what was paid back meanwhile', async () => {
    // The request fails after the carrier was asked, and is given its credits back: what it bought goes back too.
    const phoneNumber = '+13065550199';
    const goOn = hold();
    const { orderId } = await user.post<WireOrder>('/numbers/buy', { country: 'US', phoneNumber });
    await queryDatabase(
      { dataDir },
      `UPDATE reservations SET status = 'released' WHERE id = (SELECT reservation_id FROM number_orders WHERE id = $1)`,
      [orderId],
    );
    goOn();
    const ended = await ends(orderId, 'refunded');
    expect(ended).toMatchObject({ number: null, error: { code: 'interrupted' } });
    await until(() => carrier.market.released.includes(phoneNumber), 'it is given back');
  });
});

it('killed in the middle of two orders: what was sold is the account’s and paid, what was not is paid back', async () => {
  const dataDir = await newFolder();
  const file = join(dataDir, 'given');
  const child = await startProgram(new URL('textingProgram.ts', import.meta.url), [dataDir, file]);
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
    await until(async () => (await orders()).length === 2, 'both are under way');
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
    await until(settled, 'both are settled');
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
