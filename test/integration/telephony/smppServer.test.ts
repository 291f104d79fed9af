import { afterAll, beforeAll, expect, it } from 'vitest';
import { receiptOf, Smsc, smscUser } from '../../harness/services/Smsc.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import { queryDatabase, roomySettings, wrongBalances } from '../money/accountSupport.ts';
import { grant, PhoneUser } from './telephonySupport.ts';

/* A complete server with an SMSC: numbers, texts, receipts, and a kill between a submit and its answer. */

const numbers = ['+12025550141', '+12025550142', '+12025550143'];
const [user] = [smscUser(numbers)];
let smsc: Smsc;
let server: ServerProcess;
let alice: PhoneUser;

beforeAll(async () => {
  smsc = await Smsc.start({ users: [user] });
  server = await ServerProcess.start({
    ...roomySettings,
    CARRIER: 'smpp',
    SMPP_URL: smsc.url(),
    SMPP_NUMBERS: numbers.join(','),
    SMS_POOL_NUMBERS: numbers[2] ?? '',
    SMS_SUBMIT_SECONDS: '3',
  });
  alice = await PhoneUser.create(() => server.url);
  await until(() => smsc.binds.length === 1, 'the bind');
});
afterAll(async () => {
  await server?.dispose();
  await smsc?.stop();
});

it('buys two numbers and delivers a text from one to the other', async () => {
  await grant(server, alice, 1_000);
  const [one, two] = [await alice.buy(), await alice.buy()];
  expect([one.phoneNumber, two.phoneNumber].sort()).toEqual(numbers.slice(0, 2));
  const before = await alice.credits();
  const message = 'over the air: €, and quite long. '.repeat(10);
  const sent = await alice.post<{ id: string; credits: number }>('/messaging/send', {
    from: one.phoneNumber,
    to: two.phoneNumber,
    message,
  });
  await alice.reached(sent.id, 'delivered');
  const received = await until(
    async () => (await alice.messages('?direction=inbound')).find(({ to }) => to === two.phoneNumber),
    'the text',
  );
  expect(received).toMatchObject({ message, from: one.phoneNumber, status: 'received' });
  expect(await alice.credits()).toBe(before - sent.credits);
  expect(await alice.refusal('POST', '/numbers/buy', { country: 'US' })).toEqual([409, 'number_unavailable']);
  expect(await alice.refusal('POST', '/numbers/buy', { country: 'FR' })).toEqual([
    422,
    'unsupported_country',
  ]);
});

it('does not repeat a text if the server is killed before the SMSC answers; a late receipt settles the text', async () => {
  const [one, two] = await alice
    .get<{ data: { phoneNumber: string }[] }>('/numbers/mine')
    .then(({ data }) => data);
  smsc.holdsReceipts = true;
  smsc.receiptFields = (submit, id) => ({
    ...receiptOf(submit, id, 'DELIVRD'),
    user_message_reference: submit.user_message_reference,
  });
  smsc.onSubmit = () => 'silence';
  const body = { from: one?.phoneNumber, to: two?.phoneNumber, message: 'killed' };
  const before = smsc.submits.length;
  const { id } = await alice.post<{ id: string }>('/messaging/send', body);
  await until(() => smsc.submits.length === before + 1, 'the text is submitted');
  await server.kill();
  smsc.onSubmit = null;
  await server.start();
  await until(() => smsc.binds.length === 1, 'the bind');
  expect(await alice.reached(id, 'failed')).toMatchObject({ errorCode: 'unknown_outcome' });
  expect(smsc.submits).toHaveLength(before + 1);
  smsc.releaseReceipts();
  expect(await alice.reached(id, 'delivered')).toMatchObject({ errorCode: null });
  expect(await wrongBalances(server)).toEqual([]);
});

it('sends a waiting text once when the SMSC is back', async () => {
  smsc.holdsReceipts = false;
  await smsc.stop();
  const before = smsc.submits.length;
  const { id } = await alice.post<{ id: string }>('/sms/send', { to: numbers[0], message: 'from the pool' });
  await until(async () => {
    const [row] = await queryDatabase(server, 'SELECT attempts, status FROM messages WHERE id = $1', [id]);
    return Number(row?.attempts) > 0 && row?.status === 'queued';
  }, 'the text was tried');
  await smsc.listen();
  await alice.reached(id, 'delivered');
  expect(smsc.submits).toHaveLength(before + 1);
});

it('logs neither the password nor texts', () => {
  expect(server.log).toContain('bound to the SMSC');
  expect(server.log).not.toContain(user?.password);
  expect(server.log).not.toMatch(/over the air|killed"|from the pool/);
});
