import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TelephonyEvent, TelephonyEvents } from '../../../server/telephony/sms/TelephonyEvents.ts';
import { until } from '../../harness/until.ts';
import { queryDatabase } from '../money/accountSupport.ts';
import { grant, PhoneUser } from './telephonySupport.ts';
import { startSpendingServer, type SpendingServer } from '../money/spendingServer.ts';

/* Events are emitted within the transaction that changes the data. This listener stores them in a table. */

const toTable: TelephonyEvents = {
  async emit(executor, events) {
    for (const { type, accountId, numberId, data } of events)
      await executor.execute(
        sql`INSERT INTO emitted (type, account_id, number_id, data) VALUES (${type}, ${accountId}, ${numberId}, ${JSON.stringify(data)})`,
      );
  },
  webhooksOf: (_executor, ids) =>
    Promise.resolve(new Map(ids.map((id) => [id, { url: 'https://hooks.example', events: [] }]))),
  forget: () => Promise.resolve(),
};

let dataDir: string;
let server: SpendingServer;
let user: PhoneUser;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  server = await startSpendingServer({ dataDir, events: toTable });
  await queryDatabase(
    { dataDir },
    'CREATE TABLE emitted (id serial, type text, account_id text, number_id text, data jsonb)',
  );
  user = await PhoneUser.create(() => server.url);
  await grant({ dataDir }, user, 5_000);
});
afterAll(async () => {
  await server?.close();
  await rm(dataDir, { recursive: true, force: true });
});

const emitted = async () =>
  (await queryDatabase(
    { dataDir },
    'SELECT type, number_id AS "numberId", data FROM emitted ORDER BY id',
  )) as unknown as (TelephonyEvent & {
    data: Record<string, unknown>;
  })[];
const clear = () => queryDatabase({ dataDir }, 'DELETE FROM emitted');

it('emits each step of numbers and texts once, with the data of the routes', async () => {
  const one = await user.buy();
  const other = await user.buy();
  expect(one.webhook).toEqual({ url: 'https://hooks.example', events: [] });
  expect(await emitted()).toMatchObject([
    { type: 'number.activated', numberId: one.id, data: one },
    { type: 'number.activated', numberId: other.id, data: other },
  ]);
  await clear();
  const text = { from: one.phoneNumber, to: other.phoneNumber, message: 'hi' };
  const { id } = await user.post<{ id: string }>('/messaging/send', text);
  const delivered = await user.reached(id, 'delivered');
  const events = await emitted();
  expect(events.map(({ type }) => type).sort()).toEqual([
    'message.delivered',
    'message.received',
    'message.sent',
  ]);
  const find = (type: string) => events.find((event) => event.type === type);
  expect(find('message.sent')).toMatchObject({ numberId: one.id, data: { id, status: 'sent' } });
  expect(find('message.delivered')).toMatchObject({ numberId: one.id, data: delivered });
  const [received] = await user.messages('?direction=inbound');
  expect(find('message.received')).toMatchObject({ numberId: other.id, data: received });
  await clear();
  const lost = await user.post<{ id: string }>('/sms/send', { to: '+15005550006', message: 'anybody?' });
  await user.reached(lost.id, 'failed');
  expect((await emitted()).map(({ type, numberId }) => [type, numberId])).toEqual([
    ['message.sent', null],
    ['message.failed', null],
  ]);
});

it('emits an event before and after a number expires, unless it renews automatically', async () => {
  const [one, renewing] = [await user.buy(), await user.buy({ country: 'US', autoRenew: true })];
  await clear();
  const set = (interval: string) =>
    queryDatabase(
      { dataDir },
      `WITH moved AS (UPDATE phone_numbers SET expires_at = now() + $2::interval WHERE id = ANY($1) RETURNING id)
       UPDATE due SET due_at = now() WHERE subject = ANY($1)`,
      [[one.id, renewing.id], interval],
    );
  await set('2 days');
  await until(async () => (await emitted()).length > 0, 'an event is emitted');
  expect(await emitted()).toMatchObject([
    { type: 'number.expiring', numberId: one.id, data: { status: 'active' } },
  ]);
  // Both end jobs ran too early and are scheduled again.
  await clear();
  await until(
    async () =>
      (
        await queryDatabase(
          { dataDir },
          `SELECT * FROM due WHERE kind = 'number.end' AND subject = ANY($1) AND due_at > now() + interval '1 day'`,
          [[one.id, renewing.id]],
        )
      ).length === 2,
    'both jobs are scheduled again',
  );
  await set('-1 second');
  await until(async () => (await emitted()).length > 0, 'an event is emitted');
  expect(await emitted()).toMatchObject([
    { type: 'number.expired', numberId: one.id, data: { status: 'expired' } },
  ]);
});

it('emits an event before a number expires that renews automatically, if the account lacks the credits', async () => {
  const poor = await PhoneUser.create(() => server.url);
  const [number] = [await poor.buy({ country: 'US', autoRenew: true }), await poor.buy()];
  expect(await poor.credits()).toBe(100);
  await clear();
  await queryDatabase(
    { dataDir },
    `WITH moved AS (UPDATE phone_numbers SET expires_at = now() + interval '2 days' WHERE id = $1)
     UPDATE due SET due_at = now() WHERE subject = $1`,
    [number.id],
  );
  await until(async () => (await emitted()).length > 0, 'an event is emitted');
  expect(await emitted()).toMatchObject([{ type: 'number.expiring', numberId: number.id }]);
});
