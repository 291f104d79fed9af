import { afterAll, beforeAll, expect, it } from 'vitest';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { FakeTwilio, twilioAccount } from '../../harness/services/FakeTwilio.ts';
import { until } from '../../harness/until.ts';
import { queryDatabase, roomySettings, wrongBalances } from '../money/accountSupport.ts';
import { grant, PhoneUser, type WireOrder } from './telephonySupport.ts';

/* A complete server with a fake Twilio. */

const pool = '+12025550151';
let twilio: FakeTwilio;
let server: ServerProcess;
let alice: PhoneUser;

beforeAll(async () => {
  twilio = await FakeTwilio.start();
  server = await ServerProcess.start(({ port }) => ({
    ...roomySettings,
    CARRIER: 'twilio',
    TWILIO_ACCOUNT_SID: twilioAccount.accountSid,
    TWILIO_AUTH_TOKEN: twilioAccount.authToken,
    TWILIO_API_BASE: twilio.url,
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    SMS_POOL_NUMBERS: pool,
    SMS_SUBMIT_SECONDS: '3',
  }));
  twilio.inboundUrls.set(pool, `${server.url}/callbacks/twilio/inbound`);
  alice = await PhoneUser.create(() => server.url);
});
afterAll(async () => {
  await server?.dispose();
  await twilio?.stop();
});

it('buys a number, sends and receives texts with repeated callbacks, and releases the number', async () => {
  await grant(server, alice, 1_000);
  const number = await alice.buy({ country: 'GB', type: 'mobile' });
  twilio.callbackCopies = 2;
  const sent = await alice.post<{ id: string }>('/messaging/send', {
    from: number.phoneNumber,
    to: number.phoneNumber,
    message: 'to myself',
  });
  await alice.reached(sent.id, 'delivered');
  const inbound = await until(async () => {
    const found = await alice.messages('?direction=inbound');
    return found.length > 0 && found;
  }, 'the text');
  expect(inbound).toMatchObject([{ message: 'to myself', from: number.phoneNumber, to: number.phoneNumber }]);
  await alice.post('/numbers/mine/release', { numberId: number.id });
  await until(() => !twilio.owns(number.phoneNumber), 'the number is released');
});

it('buys a number once that Twilio sells only after its answer was given up', async () => {
  const before = await alice.credits();
  let sell = () => {};
  twilio.sale = new Promise((resolve) => (sell = resolve));
  const path = `/2010-04-01/Accounts/${twilioAccount.accountSid}/IncomingPhoneNumbers.json`;
  const count = (method: string) => twilio.requests.filter((each) => each === `${method} ${path}`).length;
  const [looks, orders] = [count('GET'), count('POST')];
  const wanted = { country: 'GB', type: 'mobile', phoneNumber: '+447400123457' };
  const { orderId, status } = await alice.post<WireOrder>('/numbers/buy', wanted);
  expect(status).toBe('pending');
  // Before the purchase, and for its outcome.
  await until(() => count('GET') > looks + 1, 'Twilio is asked for the outcome');
  const isScheduled = `SELECT FROM due WHERE kind = 'number.order' AND due_at > now() AND lease_until IS NULL`;
  await until(async () => (await queryDatabase(server, isScheduled)).length === 1, 'the order is continued');
  sell();
  twilio.sale = null;
  const ordered = () => alice.get<WireOrder>(`/numbers/buy/status?orderId=${orderId}`);
  await until(async () => (await ordered()).status === 'completed', 'the order is completed');
  expect([count('POST') - orders, before - (await alice.credits())]).toEqual([1, 400]);
});

it('refunds a text that Twilio rejects', async () => {
  twilio.onSend = () => ({ status: 400, code: 21610 });
  const before = await alice.credits();
  const { id } = await alice.post<{ id: string }>('/sms/send', { to: '+12025550177', message: 'unwanted' });
  expect(await alice.reached(id, 'failed')).toMatchObject({ errorCode: 'blocked' });
  await until(async () => (await alice.credits()) === before, 'the refund');
  twilio.onSend = null;
});

it('finds a text at Twilio if the server was killed before the response, without sending it again', async () => {
  let isSent = false;
  twilio.onSend = () => ((isSent = true), 'answer lost');
  twilio.callbackCopies = 0;
  const { id } = await alice.post<{ id: string }>('/sms/send', { to: '+12025550178', message: 'killed' });
  await until(() => isSent, 'the text is sent');
  await server.kill();
  twilio.onSend = null;
  await server.start();
  await alice.reached(id, 'sent');
  const [message, ...more] = twilio.messages.filter(({ body }) => body === 'killed');
  expect(more).toEqual([]);
  const parts = await queryDatabase(server, 'SELECT reference FROM message_parts WHERE message_id = $1', [
    id,
  ]);
  expect(parts).toEqual([{ reference: message?.sid }]);
  twilio.callbackCopies = 1;
  if (message) await twilio.status(message, 'delivered');
  await alice.reached(id, 'delivered');
  expect(await wrongBalances(server)).toEqual([]);
});

it('shows the texts of senders without a number, which have a short code or a name', async () => {
  await grant(server, alice, 400);
  const { phoneNumber } = await alice.buy({ country: 'GB', type: 'mobile' });
  const receive = async (from: string, digit: string) => {
    const text = { MessageSid: `SM${digit.repeat(32)}`, From: from, To: phoneNumber, Body: `from ${from}` };
    expect(await twilio.post(`${server.url}/callbacks/twilio/inbound`, text)).toBe(200);
  };
  for (const [index, from] of ['72000', 'Bank 24/7'].entries()) {
    await receive(from, String(index + 2));
    const [listed] = await alice.threads();
    expect(listed).toMatchObject({ counterparty: from, unreadCount: 1 });
    const name = encodeURIComponent(from);
    const read = await alice.get<{ thread: object; data: object[] }>(`/messaging/threads/${name}`);
    expect(read).toMatchObject({ thread: { counterparty: from }, data: [{ from, message: `from ${from}` }] });
    expect((await alice.threads())[0]).toMatchObject({ counterparty: from, unreadCount: 0 });
    expect(await alice.messages(`?with=${name}`)).toMatchObject([{ from }]);
    expect((await alice.get<{ data: object[] }>(`/sms/inbox?from=${name}`)).data).toMatchObject([{ from }]);
  }
  for (const wrong of ['72001', '12', 'Bank', '%2B12'])
    expect(await alice.refusal('GET', `/messaging/threads/${wrong}`)).toEqual([422, 'validation_failed']);
  for (const wrong of ['12', '4474001234567', '07400%20123456', '+447400123456'])
    expect(await alice.refusal('GET', `/sms/inbox?from=${wrong}`)).toEqual([422, 'validation_failed']);
});

it('rejects forged callbacks and logs no secrets', async () => {
  const forged = { MessageSid: `SM${'1'.repeat(32)}`, From: '+12025550177', To: pool, Body: 'forged' };
  expect(await twilio.post(`${server.url}/callbacks/twilio/inbound`, forged, 'wrong token')).toBe(403);
  expect((await fetch(`${server.url}/callbacks/twilio/inbound`)).status).toBe(404);
  expect((await fetch(`${server.url}/callbacks/twilio/other`, { method: 'POST' })).status).toBe(404);
  expect(server.log).not.toContain(twilioAccount.authToken);
  expect(server.log).not.toMatch(/to myself|unwanted|forged/);
});
