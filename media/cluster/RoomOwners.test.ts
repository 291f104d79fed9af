import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openDatabase, type OpenDatabase } from '../../platform/database/database.ts';
import { CleanUp, silent } from '../../test/harness/embeddedPostgres/support.ts';
import { until } from '../../test/harness/until.ts';
import { RoomOwners, type Owner } from './RoomOwners.ts';

/* Against a real PostgreSQL; each of several nodes has its own connections. */

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

/** The claims of all nodes, five at once from each. */
const claimAtOnce = (from: Owner | null, what = '') =>
  Promise.all(
    nodes.flatMap((owners, node) =>
      Array.from({ length: 5 }, (_, index) => owners.claim(roomId, `node ${node} ${index} ${what}`, from)),
    ),
  );

const database = (node: number) => must(databases[node] ?? null);
const must = <T>(value: T | null): T => {
  if (value === null) throw new Error('nothing');
  return value;
};

test('a room nobody has is whoever’s comes first, and all see the same', async () => {
  expect(await one.find(roomId)).toBeNull();
  for (let round = 0; round < 10; round++) {
    roomId = randomUUID();
    const claims = await claimAtOnce(null);
    const owner = must(await one.find(roomId));
    expect(claims).toEqual(claims.map(() => owner));
  }
});

test('a room whose owner died is whoever’s comes first, once, under a higher epoch', async () => {
  let owner = must(await one.claim(roomId, 'first', null));
  for (let round = 0; round < 10; round++) {
    const claims = await claimAtOnce(owner, `in round ${round}`);
    const next = must(await two.find(roomId));
    expect(claims).toEqual(claims.map(() => next));
    expect(next.nodeId).not.toBe(owner.nodeId);
    expect(next.epoch).toBeGreaterThan(owner.epoch);
    owner = next;
  }
});

test('a claim from an owner that is outdated changes nothing, and is told who has the room', async () => {
  const first = must(await one.claim(roomId, 'first', null));
  const second = must(await two.claim(roomId, 'second', first));
  expect(await one.claim(roomId, 'third', first)).toEqual(second);
  expect(await one.claim(roomId, 'third', null)).toEqual(second);
  // The same node, but in an epoch it does not have any more.
  expect(await one.claim(roomId, 'third', { nodeId: 'second', epoch: first.epoch })).toEqual(second);
  expect(await two.find(roomId)).toEqual(second);
});

test('epochs rise, over a release as well, and none is given twice', async () => {
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

test('a room that was released is nobody’s by a claim that knew its owner: it is over', async () => {
  const first = must(await one.claim(roomId, 'first', null));
  await two.release(roomId);
  expect(await one.claim(roomId, 'second', first)).toBeNull();
  expect(await one.find(roomId)).toBeNull();
});

test('only one of many concurrent releases returns the owner', async () => {
  const owner = await one.claim(roomId, 'first', null);
  const released = await Promise.all(nodes.map((owners) => owners.release(roomId)));
  expect(released.filter(Boolean)).toEqual([owner]);
  expect(await one.release(roomId)).toBeNull();
});

test('a claim that waits for a release finds the room over', async () => {
  const first = must(await one.claim(roomId, 'first', null));
  let claim = Promise.resolve<Owner | null>(first);
  await database(1).db.transaction(async (tx) => {
    await new RoomOwners(tx).release(roomId);
    claim = one.claim(roomId, 'second', first);
    await until(() => isWaitedFor(), 'the claim waits for the row');
  });
  expect(await claim).toBeNull();
  expect(await two.find(roomId)).toBeNull();
});

test('a release that waits for a claim ends what was claimed', async () => {
  const first = must(await one.claim(roomId, 'first', null));
  let second: Owner | null = null;
  let release = Promise.resolve<Owner | null>(first);
  await database(1).db.transaction(async (tx) => {
    second = await new RoomOwners(tx).claim(roomId, 'second', first);
    release = one.release(roomId);
    await until(() => isWaitedFor(), 'the release waits for the row');
  });
  // Whoever claimed must be told, so the release has to name it and not who had the room before.
  expect(await release).toEqual(second);
  expect(await two.find(roomId)).toBeNull();
});

test('claims and releases at once leave what one after the other could have left', async () => {
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
  const [kept, moved, over] = [randomUUID(), randomUUID(), randomUUID()];
  const owners = await Promise.all([kept, moved, over].map((room) => one.claim(room, nodeId, null)));
  await two.claim(moved, 'other', owners[1] ?? null);
  await two.release(over);
  expect(await one.of(nodeId)).toEqual(new Map([[kept, owners[0]?.epoch]]));
});

/** Whether a statement waits for a lock another one holds. */
async function isWaitedFor(): Promise<boolean> {
  const { rows } = await database(2).db.execute<{ waiting: number }>(
    sql`SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%room_owners%'`,
  );
  return (rows[0]?.waiting ?? 0) > 0;
}
