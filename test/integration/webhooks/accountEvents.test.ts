import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accountEvent, type WireAccountEvent } from '../../../sdk/protocol/accountEvent.ts';
import { webhookEventTypes } from '../../../sdk/protocol/webhookEvents.ts';
import { setWebhookClock } from '../../../server/webhooks/eventOrder.ts';
import { testRetention } from '../privacy/privacySupport.ts';
import { webhookDeliveries, webhookEvents, webhookSequences } from '../../../server/webhooks/tables.ts';
import { until } from '../../harness/until.ts';
import { EventBench, sequences, upTo } from './EventBench.ts';

/* Storing the events of accounts, and reading them from the feed. */

let bench: EventBench;
const closed = { url: 'http://127.0.0.1:9/hook' };

beforeAll(async () => {
  bench = await EventBench.start();
});
afterAll(() => bench?.close());

it('has a schema for each type of event', () => {
  const types = accountEvent.options.flatMap(({ shape }) => shape.type.options);
  expect(types.toSorted()).toEqual([...webhookEventTypes].sort());
});

it('stores events only for accounts with an endpoint, found by wallet or id', async () => {
  const { accountEvents } = bench.webhooks;
  const [with1, without] = [await bench.account(), await bench.account()];
  const endpoint = await bench.endpoint(with1, closed);
  const notCalled = () => expect.unreachable('described the events of an account without endpoints');
  for (const owner of [without.wallet, `account:${without.id}`, 'guest:ann'] as const)
    await accountEvents.emit(bench.database.db, { id: 'room_1', owner }, notCalled);
  await bench.emit(with1.wallet, 'room_1', ['room.started']);
  await bench.emit(`account:${with1.id}`, 'room_1', ['room.ended']);
  expect(await bench.feed(with1)).toEqual([
    {
      id: expect.stringMatching(/^evt_/) as string,
      type: 'room.started',
      timestamp: expect.stringMatching(/Z$/) as string,
      subjectId: 'room_1',
      sequence: 1,
      data: { room: { id: 'room_1' } },
    },
    expect.objectContaining({ type: 'room.ended', sequence: 2 }),
  ]);
  // A disabled endpoint gets no deliveries, but its account can read the events later.
  await bench.webhooks.endpoints.update(endpoint.id, { disabled: true }, bench.changer(with1));
  const queued = () => bench.database.db.$count(webhookDeliveries);
  const before = await queued();
  await bench.emit(with1.wallet, 'room_1');
  expect(await bench.feed(with1)).toHaveLength(3);
  expect(await queued()).toBe(before);
  expect(await bench.feed(without)).toEqual([]);
});

it('queues an event for the endpoints that want its type, in both or neither of two tables', async () => {
  const account = await bench.account();
  const rooms = await bench.endpoint(account, closed, ['room.started', 'room.ended']);
  const all = await bench.endpoint(account, closed);
  const failing = bench.database.db.transaction(async (tx) => {
    await bench.emit(account.wallet, 'room_x', ['room.started'], tx);
    throw new Error('rolled back');
  });
  await expect(failing).rejects.toThrow('rolled back');
  await bench.emit(account.wallet, 'room_x', ['room.started', 'participant.joined']);
  const to = async ({ id }: { id: string }) =>
    (await bench.webhooks.endpoints.deliveries(account.id, id, {})).data.map(({ type }) => type);
  expect(await to(rooms)).toEqual(['room.started']);
  expect(await to(all)).toEqual(['participant.joined', 'room.started']);
  expect(sequences(await bench.feed(account))).toEqual({ room_x: [1, 2] });
});

it('numbers the events of fifty concurrent transactions without gaps, and a reader misses none', async () => {
  const account = await bench.account();
  await bench.endpoint(account, closed);
  const subjects = ['room_a', 'room_b', 'str_c', 'call_d'];
  let isOver = false;
  const read = (async () => {
    const seen = await bench.feedAfter(account, null);
    while (!isOver) seen.push(...(await bench.feedAfter(account, seen.at(-1)?.id ?? null)));
    return seen;
  })();
  const rounds = upTo(5);
  await Promise.all(
    upTo(50).map(async (worker) => {
      for (const round of rounds) {
        const subject = subjects[(worker + round) % subjects.length] ?? '';
        const emitted = bench.database.db.transaction(async (tx) => {
          await bench.emit(account.wallet, subject, ['participant.joined', 'participant.left'], tx);
          if (worker % 10 === 0) throw new Error('rolled back');
          await tx.execute(sql`SELECT pg_sleep(random() / 100)`);
        });
        await emitted.catch(() => undefined);
      }
    }),
  );
  const total = 45 * rounds.length * 2;
  await until(async () => (await bench.feedAfter(account, null)).length === total, 'all events are shown');
  isOver = true;
  const seen = await read;
  seen.push(...(await bench.feedAfter(account, seen.at(-1)?.id ?? null)));
  expect(seen).toHaveLength(total);
  expect(new Set(seen.map(({ id }) => id)).size).toBe(total);
  const counts = Object.entries(sequences(seen));
  expect(counts).toHaveLength(subjects.length);
  for (const [, numbers] of counts) expect(numbers).toEqual(upTo(numbers.length));
});

it('shows an event only when no earlier one can be committed any more', async () => {
  const account = await bench.account();
  await bench.endpoint(account, closed);
  const { db } = bench.database;
  const shown = async (events: Promise<WireAccountEvent[]>) =>
    (await events).map(({ subjectId, sequence }) => [subjectId, sequence]);
  await db.transaction(async (early) => {
    await bench.emit(account.wallet, 'room_early', ['room.started'], early);
    await bench.emit(account.wallet, 'room_late', ['room.started']);
    // The event of the later transaction is committed. A reader that saw it now would never get the earlier one.
    expect(await shown(bench.shown(account))).toEqual([]);
    await bench.emit(account.wallet, 'room_late', ['room.ended'], early);
  });
  expect(await shown(bench.feed(account))).toEqual([
    ['room_early', 1],
    ['room_late', 1],
    ['room_late', 2],
  ]);
});

it('goes on after the database was restored from a dump', async () => {
  const account = await bench.account();
  await bench.endpoint(account, closed);
  const { db } = bench.database;
  await bench.emit(account.wallet, 'room_old');
  await bench.emit(account.wallet, 'room_other');
  const [old] = await bench.feed(account);
  // As if these events came from a database with far more transactions.
  await db.update(webhookEvents).set({ position: sql`position + 5000000` });
  await db.update(webhookSequences).set({ position: sql`position + 5000000` });
  await setWebhookClock(db);
  await setWebhookClock(db);
  await bench.emit(account.wallet, 'room_old');
  await bench.emit(account.wallet, 'room_new');
  const after = await bench.feed(account, { after: old?.id });
  expect(after.map(({ subjectId, sequence }) => [subjectId, sequence])).toEqual([
    ['room_other', 1],
    ['room_old', 2],
    ['room_new', 1],
  ]);
});

it('filters the feed, and refuses an event that is not kept', async () => {
  const [account, other] = [await bench.account(), await bench.account()];
  await bench.endpoint(account, closed);
  await bench.endpoint(other, closed);
  await bench.emit(account.wallet, 'room_1', ['room.started', 'participant.joined', 'room.ended']);
  await bench.emit(account.wallet, 'room_2', ['room.started']);
  await bench.emit(other.wallet, 'room_3', ['room.started']);
  const types = async (query: object) => (await bench.feed(account, query)).map(({ type }) => type);
  expect(await types({ type: 'room.started' })).toEqual(['room.started', 'room.started']);
  expect(await types({ subjectId: 'room_1' })).toEqual(['room.started', 'participant.joined', 'room.ended']);
  const first = await bench.webhooks.endpoints.events(account.id, { limit: 1 });
  expect(first).toMatchObject({ hasMore: true, nextAfter: first.data[0]?.id });
  const rest = await bench.webhooks.endpoints.events(account.id, { after: first.nextAfter ?? '' });
  expect(rest).toMatchObject({ hasMore: false, nextAfter: rest.data[2]?.id });
  const none = await bench.webhooks.endpoints.events(account.id, { after: rest.nextAfter ?? '' });
  expect(none).toEqual({ data: [], hasMore: false, nextAfter: rest.nextAfter });
  const backwards = [];
  for (let after: string | undefined, hasMore = true; hasMore;) {
    const query = { order: 'latest' as const, limit: 1, ...(after === undefined ? {} : { after }) };
    const page = await bench.webhooks.endpoints.events(account.id, query);
    backwards.push(...page.data);
    ({ hasMore } = page);
    after = page.nextAfter ?? undefined;
  }
  expect(backwards).toEqual([...first.data, ...rest.data].reverse());
  const [foreign] = await bench.feed(other);
  await expect(bench.feed(account, { after: foreign?.id })).rejects.toMatchObject({
    reason: 'event_not_kept',
  });
  const in31Days = new Date(Date.now() + 31 * 24 * 60 * 60_000);
  await testRetention(bench.database.db).sweep(in31Days);
  expect(await bench.feed(account)).toEqual([]);
  await expect(bench.feed(account, { after: first.nextAfter })).rejects.toMatchObject({
    reason: 'event_not_kept',
  });
  // The room goes on with its next number.
  await bench.emit(account.wallet, 'room_1');
  expect(sequences(await bench.feed(account))).toEqual({ room_1: [4] });
});
