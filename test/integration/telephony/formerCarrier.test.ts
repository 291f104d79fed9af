import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import type { WireNumber } from '../../../server/telephony/numbers/toWire.ts';
import { until } from '../../harness/until.ts';
import { queryDatabase, wrongBalances } from '../money/accountSupport.ts';
import { startSpendingServer, type SpendingServer } from '../money/spendingServer.ts';
import { ScriptedCarrier } from './ScriptedCarrier.ts';
import { grant, PhoneUser, type WireOrder } from './telephonySupport.ts';

/* Numbers and orders of another carrier than the current one, as after a change of CARRIER. */

let dataDir: string;
let carrier: ScriptedCarrier;
let server: SpendingServer;
let user: PhoneUser;
let logged: Record<string, unknown>[];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  carrier = new ScriptedCarrier(join(dataDir, 'given'));
  const write = (line: string) => void logged.push(JSON.parse(line) as Record<string, unknown>);
  const log = pino({ level: 'error' }, { write });
  server = await startSpendingServer({ dataDir, carrier, log, settings: { SMS_SUBMIT_SECONDS: '1' } });
  user = await PhoneUser.create(() => server.url);
  await grant({ dataDir }, user, 5_000);
});
beforeEach(() => {
  logged = [];
});
afterAll(async () => {
  await server?.close();
  await rm(dataDir, { recursive: true, force: true });
});

const becomesTwilios = (phoneNumber: string) =>
  queryDatabase({ dataDir }, `UPDATE phone_numbers SET carrier = 'twilio' WHERE phone_number = $1`, [
    phoneNumber,
  ]);
const expires = (id: string, interval: string) =>
  queryDatabase(
    { dataDir },
    `WITH moved AS (UPDATE phone_numbers SET expires_at = now() + $2::interval WHERE id = $1)
     UPDATE due SET due_at = now() WHERE subject = $1`,
    [id, interval],
  );
const becomes = (id: string, status: string) =>
  until(async () => {
    const { data } = await user.get<{ data: WireNumber[] }>('/numbers/mine');
    return data.find((each) => each.id === id)?.status === status;
  }, `the number is ${status}`);
const isLogged = (msg: string, expected: object) =>
  expect.poll(() => logged).toContainEqual(expect.objectContaining({ msg, ...expected }));
const notReleased = 'number of a former carrier was not released: release it there';
const refunded = 'order of a former carrier was refunded: if it sold the number, release it there';

it('a number expires instead of being renewed, and is not released at the current carrier', async () => {
  const number = await user.buy({ country: 'US', areaCode: '401', autoRenew: true });
  const before = await user.credits();
  await becomesTwilios(number.phoneNumber);
  await expires(number.id, '-1 second');
  await becomes(number.id, 'expired');
  await isLogged('number of a former carrier was not renewed', { number: number.id, carrier: 'twilio' });
  const renewal = { numberId: number.id };
  expect(await user.refusal('POST', '/numbers/mine/renew', renewal)).toEqual([409, 'number_not_active']);
  expect(await user.credits()).toBe(before);
  await expires(number.id, '-15 days');
  await becomes(number.id, 'released');
  await isLogged(notReleased, {
    number: number.id,
    carrier: 'twilio',
    reference: `ref ${number.phoneNumber}`,
  });
  expect(carrier.market.released).not.toContain(number.phoneNumber);
});

it('a number that the carrier has taken back expires instead of being renewed', async () => {
  const number = await user.buy({ country: 'US', areaCode: '403', autoRenew: true });
  const before = await user.credits();
  carrier.lost = number.phoneNumber;
  onTestFinished(() => void (carrier.lost = null));
  await expires(number.id, '-1 second');
  await becomes(number.id, 'expired');
  await isLogged('number that the carrier no longer has was not renewed', { number: number.id });
  const renewal = { numberId: number.id };
  expect(await user.refusal('POST', '/numbers/mine/renew', renewal)).toEqual([409, 'number_not_active']);
  expect(await user.credits()).toBe(before);
});

it('a number that its owner releases is not released at the current carrier', async () => {
  const number = await user.buy({ country: 'US', areaCode: '402' });
  await becomesTwilios(number.phoneNumber);
  const released = await user.post('/numbers/mine/release', { numberId: number.id });
  expect(released).toMatchObject({ status: 'released' });
  await isLogged(notReleased, {
    number: number.id,
    carrier: 'twilio',
    reference: `ref ${number.phoneNumber}`,
  });
  expect(carrier.market.released).not.toContain(number.phoneNumber);
});

const putIntoStock = (id: string) =>
  queryDatabase(
    { dataDir },
    `INSERT INTO stock_numbers (carrier, phone_number, order_id)
     SELECT 'smpp', phone_number, carrier_reference FROM phone_numbers WHERE id = $1`,
    [id],
  );
const isInStock = async (phoneNumber: string) => {
  const sold = 'SELECT FROM stock_numbers WHERE phone_number = $1';
  return (await queryDatabase({ dataDir }, sold, [phoneNumber])).length === 0;
};

it('a number of a stock is for sale again there', async () => {
  const number = await user.buy({ country: 'US', areaCode: '404' });
  await becomesTwilios(number.phoneNumber);
  await putIntoStock(number.id);
  await user.post('/numbers/mine/release', { numberId: number.id });
  await until(() => isInStock(number.phoneNumber), 'the number is back in the stock');
  expect(logged).toEqual([]);
});

it('a number of a stock that was not renewed is for sale again there', async () => {
  const number = await user.buy({ country: 'US', areaCode: '405' });
  await becomesTwilios(number.phoneNumber);
  await putIntoStock(number.id);
  await expires(number.id, '-15 days');
  await until(() => isInStock(number.phoneNumber), 'the number is back in the stock');
  const jobs = () => queryDatabase({ dataDir }, 'SELECT FROM due WHERE subject = $1', [number.id]);
  await until(async () => (await jobs()).length === 0, 'all jobs of the number have ended');
  expect(logged).toEqual([]);
});

it('a pending order is refunded, although the current carrier cannot be asked for it', async () => {
  const before = await user.credits();
  const outcome = vi.spyOn(carrier.market, 'getOutcome').mockRejectedValue(new Error('unreachable'));
  onTestFinished(() => outcome.mockRestore());
  const body = { country: 'US', phoneNumber: '+13025550177' };
  const { orderId, status } = await user.post<WireOrder>('/numbers/buy', body);
  expect([status, await user.credits()]).toEqual(['pending', before - 200]);
  await becomesTwilios(body.phoneNumber);
  const read = () => user.get<{ status: string }>(`/numbers/buy/status?orderId=${orderId}`);
  await until(async () => (await read()).status === 'refunded', 'the order is refunded');
  expect(await read()).toMatchObject({ number: null, error: { code: 'carrier_unavailable' } });
  await isLogged(refunded, { order: orderId, carrier: 'twilio' });
  expect(await user.credits()).toBe(before);
  expect(await wrongBalances({ dataDir })).toEqual([]);
});
