import { afterEach, expect, it } from 'vitest';
import type { WebhookEventType } from '../../../sdk/protocol/webhookEvents.ts';
import { verifyWebhook } from '../../../sdk/src/index.ts';
import { verify, type WebhookReceiver } from '../../harness/services/WebhookReceiver.ts';
import { until } from '../../harness/until.ts';
import { holdWrites } from '../money/holdWrites.ts';
import { bodiesOf, EventBench, sequences, upTo, type Hooked } from './EventBench.ts';

/* Deliveries to the endpoints of accounts. */

let bench: EventBench;

afterEach(() => bench?.close());

const retries = { WEBHOOK_RETRY_SECONDS: '1,1,1', WEBHOOK_TIMEOUT_SECONDS: '60' };

async function hook(account: Hooked, events?: WebhookEventType[]) {
  const receiver = await bench.receiver();
  return { receiver, ...(await bench.endpoint(account, receiver, events)) };
}

const deliveries = async (account: Hooked, { id }: { id: string }, query = {}) =>
  (await bench.webhooks.endpoints.deliveries(account.id, id, query)).data;

const arrived = (receiver: WebhookReceiver) => sequences(bodiesOf(receiver.received));

it('delivers the events of each subject in order, also to a receiver that fails sometimes', async () => {
  bench = await EventBench.start(retries);
  const account = await bench.account();
  const [flaky, steady] = [await hook(account), await hook(account)];
  const failed = new Set<unknown>();
  flaky.receiver.respond = (response, { headers, body }) => {
    const id = headers['webhook-id'];
    const { sequence } = body as unknown as { sequence: number };
    const isFirst = sequence % 4 === 1 && !failed.has(id);
    failed.add(id);
    response.writeHead(isFirst ? 503 : 204).end();
  };
  const rooms = upTo(6).map((room) => `room_${room}`);
  for (const round of upTo(5))
    await Promise.all(
      rooms.map((room) =>
        bench.emit(account.wallet, room, round === 3 ? ['room.started', 'room.ended'] : undefined),
      ),
    );
  const all = Object.fromEntries(rooms.map((room) => [room, upTo(6)]));
  await until(() => flaky.receiver.received.length >= 6 * 6 + 12, 'all events and their repetitions arrive');
  await steady.receiver.wait(36);
  expect(arrived(steady.receiver)).toEqual(all);
  expect(arrived(flaky.receiver)).toEqual(all);
  await until(
    async () => (await deliveries(account, flaky, { status: 'delivered' })).length === 36,
    'all are settled',
  );
  const [one] = flaky.receiver.received;
  if (!one) throw new Error('no delivery arrived');
  expect(verify(flaky.secret ?? '', one)).toEqual(one.body);
  const event = await verifyWebhook(one.text, one.headers, flaky.secret ?? '');
  expect(event).toMatchObject({ id: one.headers['webhook-id'], subjectId: expect.any(String) as string });
  expect(event.timestamp).toBeInstanceOf(Date);
  // Both endpoints get the same id and body.
  const same = steady.receiver.received.find(({ headers }) => headers['webhook-id'] === event.id);
  expect(same?.text).toBe(one.text);
  expect(() => verify(steady.secret ?? '', one)).toThrow();
});

it('gives an event up after its last attempt, and then delivers the next one of its subject at once', async () => {
  bench = await EventBench.start(retries);
  const account = await bench.account();
  const hooked = await hook(account);
  hooked.receiver.respond = (response, { body }) =>
    void response.writeHead(body.type === 'room.started' ? 500 : 204).end();
  await bench.emit(account.wallet, 'room_1', ['room.started', 'room.ended']);
  await bench.emit(account.wallet, 'room_2', ['room.ended']);
  await hooked.receiver.wait(1, 'room.started');
  await until(
    async () => (await deliveries(account, hooked, { status: 'delivered' })).length === 1,
    'room_2 is not delayed',
  );
  await until(async () => {
    const [waiting] = await deliveries(account, hooked, { status: 'pending' });
    return waiting?.attempts === 0 && waiting.nextAttemptAt === null && waiting.type === 'room.ended';
  }, 'the end of room_1 waits for its start');
  await hooked.receiver.wait(2, 'room.ended');
  const ofRoom = bodiesOf(hooked.receiver.received).filter(({ subjectId }) => subjectId === 'room_1');
  expect(ofRoom.map(({ sequence }) => sequence)).toEqual([1, 1, 1, 1, 2]);
  expect(await deliveries(account, hooked, { status: 'failed' })).toMatchObject([
    { attempts: 4, responseStatus: 500 },
  ]);
});

it('repeats a delivery while its secret cannot be read, until there is a new one', async () => {
  bench = await EventBench.start({ ...retries, WEBHOOK_RETRY_SECONDS: '2,2,2' });
  const account = await bench.account();
  const hooked = await hook(account);
  // As with another SECRET_KEY.
  await bench.database.pool.query(`UPDATE webhook_endpoints SET secret = secret || '\\x00'`);
  await bench.emit(account.wallet, 'room_1');
  await until(async () => {
    const [delivery] = await deliveries(account, hooked);
    return delivery?.status === 'pending' && delivery.error === 'secret_unreadable';
  }, 'an attempt has failed');
  expect(hooked.receiver.received).toEqual([]);
  const change = { rotateSecret: true };
  const { secret } = await bench.webhooks.endpoints.update(hooked.id, change, bench.changer(account));
  const [received] = await hooked.receiver.wait(1);
  expect(verify(secret ?? '', received as never)).toEqual(received?.body);
});

it('catches up with a receiver that was away for longer than the plan of retries', async () => {
  bench = await EventBench.start({ ...retries, WEBHOOK_RETRY_SECONDS: '1,30,30' });
  const account = await bench.account();
  const hooked = await hook(account);
  hooked.receiver.answer(500);
  await bench.emit(account.wallet, 'room_1', ['room.started', 'participant.updated', 'room.ended']);
  await hooked.receiver.wait(1);
  // As if all this had happened a day ago.
  await bench.database.pool.query(`UPDATE webhook_deliveries SET created_at = created_at - interval '1 day'`);
  await until(
    async () => (await deliveries(account, hooked, { status: 'failed' })).length === 3,
    'all are given up',
  );
  expect(bodiesOf(hooked.receiver.received).map(({ sequence }) => sequence)).toEqual([1, 1, 2, 2, 3, 3]);
});

it('reaches an endpoint although others of the account hang', async () => {
  bench = await EventBench.start(retries);
  const account = await bench.account();
  const hanging = await Promise.all(upTo(6).map(() => hook(account)));
  for (const { receiver } of hanging) receiver.respond = () => {};
  for (const room of upTo(8)) await bench.emit(account.wallet, `room_${room}`);
  // They hold all slots of the account.
  await until(
    () => hanging.reduce((sum, { receiver }) => sum + receiver.received.length, 0) >= 16,
    'the slots are used',
  );
  for (const { receiver } of hanging) await receiver.wait(1);
  const good = await hook(account);
  for (const room of upTo(8)) await bench.emit(account.wallet, `room_${room}`);
  await good.receiver.wait(8, undefined, 20_000);
  for (const { receiver } of hanging) expect(receiver.received.length).toBeLessThanOrEqual(4);
});

it('repeats a delivery with the same event id, also while its subject is held up', async () => {
  bench = await EventBench.start({ ...retries, WEBHOOK_RETRY_SECONDS: '600' });
  const account = await bench.account();
  const hooked = await hook(account);
  await bench.emit(account.wallet, 'room_1', ['room.started']);
  const [first] = await hooked.receiver.wait(1);
  hooked.receiver.answer(500);
  await bench.emit(account.wallet, 'room_1', ['room.ended']);
  await hooked.receiver.wait(2);
  hooked.receiver.answer(204);
  const [delivered] = await until(async () => {
    const found = await deliveries(account, hooked, { status: 'delivered' });
    return found.length > 0 ? found : null;
  }, 'one is delivered');
  const { db } = bench.database;
  const replay = (id: string) => db.transaction((tx) => bench.webhooks.endpoints.replay(tx, account.id, id));
  const again = await replay(delivered?.id ?? '');
  expect(again).toMatchObject({ eventId: delivered?.eventId, status: 'pending', endpointId: hooked.id });
  expect(again.id).not.toBe(delivered?.id);
  const [, , third] = await hooked.receiver.wait(3);
  expect([third?.headers['webhook-id'], third?.text]).toEqual([first?.headers['webhook-id'], first?.text]);
  expect(await bench.feed(account)).toHaveLength(2);
  const other = await bench.account();
  await expect(
    db.transaction((tx) => bench.webhooks.endpoints.replay(tx, other.id, again.id)),
  ).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await bench.webhooks.endpoints.update(hooked.id, { disabled: true }, bench.changer(account));
  await expect(replay(again.id)).rejects.toMatchObject({ code: 'CONFLICT' });
});

it('disables an endpoint that answers 410, until it is enabled', async () => {
  bench = await EventBench.start(retries);
  const account = await bench.account();
  const hooked = await hook(account);
  hooked.receiver.answer(410);
  await bench.emit(account.wallet, 'room_1', ['room.started', 'participant.updated']);
  await until(
    async () => (await deliveries(account, hooked, { status: 'failed' })).length === 2,
    'both are given up',
  );
  expect(hooked.receiver.received).toHaveLength(1);
  const endpoint = await bench.webhooks.endpoints.get(account.id, hooked.id);
  expect(endpoint.disabledAt).toMatch(/Z$/);
  await bench.emit(account.wallet, 'room_1', ['room.ended']);
  hooked.receiver.answer(204);
  const enabled = await bench.webhooks.endpoints.update(
    hooked.id,
    { disabled: false },
    bench.changer(account),
  );
  expect(enabled.disabledAt).toBeNull();
  await bench.emit(account.wallet, 'room_2');
  const [, next] = await hooked.receiver.wait(2);
  expect(next?.body).toMatchObject({ subjectId: 'room_2' });
  // What happened in between is in the feed.
  expect(sequences(await bench.feed(account))).toEqual({ room_1: [1, 2, 3], room_2: [1] });
});

it('is disabled by its owner while it is being disabled because it answered 410', async () => {
  bench = await EventBench.start(retries);
  const { pool } = bench.database;
  const account = await bench.account();
  const hooked = await hook(account);
  let answer = () => {};
  hooked.receiver.respond = (response) => (answer = () => void response.writeHead(410).end());
  await bench.emit(account.wallet, 'room_1', ['room.started', 'participant.updated']);
  await hooked.receiver.wait(1);
  const parked = `SELECT FROM webhook_deliveries WHERE status = 'pending' AND next_attempt_at IS NULL`;
  await until(async () => (await pool.query(parked)).rowCount === 1, 'the second event waits for the first');
  const client = await pool.connect();
  // The event after the one that was answered becomes due in the same transaction.
  const held = await holdWrites(client, {
    write: 'UPDATE ON webhook_deliveries',
    when: `NEW.status = 'pending'`,
  });
  answer();
  await until(async () => (await held()) === 1, 'the answer is being stored');
  const disabling = bench.webhooks.endpoints.update(hooked.id, { disabled: true }, bench.changer(account));
  const waiting = `SELECT FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted`;
  await until(async () => (await pool.query(waiting)).rowCount === 1, 'the owner’s request waits');
  await client.query('SELECT pg_advisory_unlock(7)');
  client.release();
  expect((await disabling).disabledAt).toMatch(/Z$/);
  expect(await deliveries(account, hooked, { status: 'failed' })).toHaveLength(2);
});
