import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openDatabase, type OpenDatabase } from '../../platform/database/database.ts';
import { CleanUp, silent } from '../../test/harness/nodes/embeddedPostgres/support.ts';
import { until } from '../../test/harness/until.ts';
import { RoomOwners, type Owner } from './RoomOwners.ts';

/* These tests use a real PostgreSQL. Each node has its own connections. */

const suite = new CleanUp();
let databases: OpenDatabase[];
let nodes: RoomOwners[];
let one: RoomOwners;
let two: RoomOwners;
let roomId: string;

beforeAll(async () => {
  const dataDir = await suite.temporaryFolder();
  const { url } = await suite.start(dataDir);
  databases = await Promise.all(
    Array.from({ length: 4 }, () => openDatabase({ url, dataDir, poolSize: 5, logger: silent })),
  );
  for (const { close } of databases) suite.add(close);
  nodes = databases.map(({ db }) => new RoomOwners(db));
  [one, two] = nodes as [RoomOwners, RoomOwners];
});
afterAll(() => suite.run());
beforeEach(() => {
  roomId = randomUUID();
});

/** Five concurrent claims from each node. */
const claimConcurrently = (from: Owner | null, suffix = '') =>
  Promise.all(
    nodes.flatMap((owners, node) =>
      Array.from({ length: 5 }, (_, index) => owners.claim(roomId, `node ${node} ${index} ${suffix}`, from)),
    ),
  );

const database = (node: number) => must(databases[node] ?? null);
const must = <T>(value: T | null): T => {
  if (value === null) throw new Error('no value');
  return value;
};

test('gives a room without an owner to the first claim, and returns the same owner to all', async () => {
  expect(await one.find(roomId)).toBeNull();
  for (let round = 0; round < 10; round++) {
    roomId = randomUUID();
    const claims = await claimConcurrently(null);
    const owner = must(await one.find(roomId));
    expect(claims).toEqual(claims.map(() => owner));
  }
});

test('gives a room of a dead owner to the first claim, under a higher epoch', async () => {
  let owner = must(await one.claim(roomId, 'first', null));
  for (let round = 0; round < 10; round++) {
    const claims = await claimConcurrently(owner, `in round ${round}`);
    const next = must(await two.find(roomId));
    expect(claims).toEqual(claims.map(() => next));
    expect(next.nodeId).not.toBe(owner.nodeId);
    expect(next.epoch).toBeGreaterThan(owner.epoch);
    owner = next;
  }
});

test('ignores a claim with an outdated owner and returns the current one', async () => {
  const first = must(await one.claim(roomId, 'first', null));
  const second = must(await two.claim(roomId, 'second', first));
  expect(await one.claim(roomId, 'third', first)).toEqual(second);
  expect(await one.claim(roomId, 'third', null)).toEqual(second);
  // The current owner's node, but with an outdated epoch.
  expect(await one.claim(roomId, 'third', { nodeId: 'second', epoch: first.epoch })).toEqual(second);
  expect(await two.find(roomId)).toEqual(second);
});

test('raises the epoch with each claim, even after a release', async () => {
  const epochs: number[] = [];
  for (let round = 0; round < 5; round++) {
    const first = must(await one.claim(roomId, 'first', null));
    const second = must(await two.claim(roomId, 'second', first));
    expect(await one.release(roomId)).toEqual(second);
    expect(await one.find(roomId)).toBeNull();
    epochs.push(first.epoch, second.epoch);
  }
  expect(epochs).toEqual([...new Set(epochs)].sort((a, b) => a - b));
});

test('returns no owner for a claim that expects the former owner of a released room', async () => {
  const first = must(await one.claim(roomId, 'first', null));
  await two.release(roomId);
  expect(await one.claim(roomId, 'second', first)).toBeNull();
  expect(await one.find(roomId)).toBeNull();
});

test('returns the owner to only one of many concurrent releases', async () => {
  const owner = await one.claim(roomId, 'first', null);
  const released = await Promise.all(nodes.map((owners) => owners.release(roomId)));
  expect(released.filter(Boolean)).toEqual([owner]);
  expect(await one.release(roomId)).toBeNull();
});

test('returns no owner for a claim that waited for a release', async () => {
  const first = must(await one.claim(roomId, 'first', null));
  let claim = Promise.resolve<Owner | null>(first);
  await database(1).db.transaction(async (tx) => {
    await new RoomOwners(tx).release(roomId);
    claim = one.claim(roomId, 'second', first);
    await until(() => isLockAwaited(), 'the claim waits for the row');
  });
  expect(await claim).toBeNull();
  expect(await two.find(roomId)).toBeNull();
});

test('releases the new owner when a release waited for a claim', async () => {
  const first = must(await one.claim(roomId, 'first', null));
  let second: Owner | null = null;
  let release = Promise.resolve<Owner | null>(first);
  await database(1).db.transaction(async (tx) => {
    second = await new RoomOwners(tx).claim(roomId, 'second', first);
    release = one.release(roomId);
    await until(() => isLockAwaited(), 'the release waits for the row');
  });
  // The new owner must close the room, so the release returns it instead of the former one.
  expect(await release).toEqual(second);
  expect(await two.find(roomId)).toBeNull();
});

test('serialises concurrent claims and releases', async () => {
  for (let round = 0; round < 20; round++) {
    roomId = randomUUID();
    const first = must(await one.claim(roomId, 'first', null));
    const [claim, released] = await Promise.all([two.claim(roomId, 'second', first), one.release(roomId)]);
    expect(await one.find(roomId)).toBeNull();
    if (claim?.nodeId === 'second') expect(released).toEqual(claim);
    else expect(released).toEqual(first);
  }
});

test('lists the rooms of a node with their epochs', async () => {
  const nodeId = randomUUID();
  expect(await one.of(nodeId)).toEqual(new Map());
  const [kept, moved, ended] = [randomUUID(), randomUUID(), randomUUID()];
  const owners = await Promise.all([kept, moved, ended].map((room) => one.claim(room, nodeId, null)));
  await two.claim(moved, 'other', owners[1] ?? null);
  await two.release(ended);
  expect(await one.of(nodeId)).toEqual(new Map([[kept, owners[0]?.epoch]]));
});

/** Whether a statement waits for a lock that another one holds. */
async function isLockAwaited(): Promise<boolean> {
  const { rows } = await database(2).db.execute<{ waiting: number }>(
    sql`SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%room_owners%'`,
  );
  return (rows[0]?.waiting ?? 0) > 0;
}
