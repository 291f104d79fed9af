import { afterAll, beforeAll, expect, it } from 'vitest';
import { loopbackPool } from '../../../server/telephony/sms/loopback/fiction.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { queryDatabase, roomySettings, wrongBalances } from '../money/accountSupport.ts';
import type { Reply } from '../support.ts';
import { grant, PhoneUser } from './telephonySupport.ts';

/* Paid texts that arrive at the same time share a transaction. Each must be charged, refused and answered as if it were alone. */

const price = 2;
let server: ServerProcess;

beforeAll(async () => {
  server = await ServerProcess.start({ ...roomySettings, SIGNUP_CREDITS: '0' });
});
afterAll(() => server?.dispose());

const newUser = async (credits: number) => {
  const user = await PhoneUser.create(() => server.url);
  if (credits > 0) await grant(server, user, credits);
  return user;
};

const send = (user: PhoneUser, to: string, key?: string) =>
  user.ask('POST', '/sms/send', { to, message: 'hello' }, key ? { 'Idempotency-Key': key } : {});

const recipient = (index: number) => `+1415555${String(index).padStart(4, '0')}`;
const statuses = (replies: Reply[]) => replies.map(({ status }) => status).sort();

it('charges each of them, as long as the credits of its account last', async () => {
  const [rich, poor, broke] = await Promise.all([newUser(1_000), newUser(3 * price), newUser(0)]);
  const sent = (user: PhoneUser, from: number) =>
    Promise.all(Array.from({ length: 20 }, (_, index) => send(user, recipient(from + index))));
  const [ofRich, ofPoor, ofBroke] = await Promise.all([sent(rich, 100), sent(poor, 200), sent(broke, 300)]);
  expect(statuses(ofRich)).toEqual(Array<number>(20).fill(202));
  expect(statuses(ofPoor)).toEqual([...Array<number>(3).fill(202), ...Array<number>(17).fill(402)]);
  expect(statuses(ofBroke)).toEqual(Array<number>(20).fill(402));
  expect(await Promise.all([rich, poor, broke].map((user) => user.credits()))).toEqual([
    1_000 - 20 * price,
    0,
    0,
  ]);
  // The balance in each answer is the one after this text.
  const balances = ofRich.map(({ body }) => Number(body.balance)).sort((a, b) => b - a);
  expect(balances).toEqual(Array.from({ length: 20 }, (_, index) => 1_000 - (index + 1) * price));
  expect(await wrongBalances(server)).toEqual([]);
  expect(await queryDatabase(server, `SELECT 1 FROM messages WHERE account_id IS NULL`)).toEqual([]);
});

it('sends a text once if the same request arrives several times at once', async () => {
  const user = await newUser(1_000);
  const replies = await Promise.all([
    ...Array.from({ length: 10 }, () => send(user, recipient(400), 'one key')),
    ...Array.from({ length: 10 }, (_, index) => send(user, recipient(401 + index), `key ${index}`)),
  ]);
  const [same, others] = [replies.slice(0, 10), replies.slice(10)];
  expect(statuses(others)).toEqual(Array<number>(10).fill(202));
  const answered = same.filter(({ status }) => status === 202);
  expect(new Set(answered.map(({ text }) => text)).size).toBe(1);
  const refused = same.filter(({ status }) => status !== 202);
  expect(refused.map(({ body }) => body.error)).toEqual(refused.map(() => 'idempotency_in_progress'));
  expect(await user.credits()).toBe(1_000 - 11 * price);
  const again = await send(user, recipient(400), 'one key');
  expect(again.text).toBe(answered[0]?.text);
  expect(again.headers['idempotent-replayed']).toBe('true');
});

it('gives each account its own number for the same recipient', async () => {
  const users = await Promise.all(loopbackPool.map(() => newUser(1_000)));
  const one = await newUser(1_000);
  const replies = await Promise.all([...users, one].map((user) => send(user, recipient(500))));
  // There are as many numbers as users, so one of them gets none.
  expect(statuses(replies)).toEqual([...loopbackPool.map(() => 202), 503]);
  const numbers = replies.filter(({ status }) => status === 202).map(({ body }) => String(body.from));
  expect(numbers.sort()).toEqual([...loopbackPool].sort());
  expect(await wrongBalances(server)).toEqual([]);
});

it('numbers the texts of one thread in their order', async () => {
  const user = await newUser(1_000);
  const replies = await Promise.all(Array.from({ length: 12 }, () => send(user, recipient(600))));
  expect(statuses(replies)).toEqual(Array<number>(12).fill(202));
  const [thread, ...more] = await user.threads();
  expect(more).toEqual([]);
  expect(thread).toMatchObject({ counterparty: recipient(600), messageCount: 12 });
  const [last] = await queryDatabase(
    server,
    `SELECT t.last_message_id = m.id AS "isLast" FROM threads t JOIN messages m ON m.thread_id = t.id
     WHERE t.id = $1 ORDER BY m.seq DESC LIMIT 1`,
    [thread?.id],
  );
  expect(last).toEqual({ isLast: true });
});
