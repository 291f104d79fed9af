import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { twoNodes, type Cluster, type ClusterNode } from '../../harness/nodes/Cluster.ts';
import type { TestClient } from '../../harness/clients/TestClient.ts';
import { until } from '../../harness/until.ts';
import { answered } from '../../scenarios/movedCalls.ts';

/*
 * A node that dies while a call becomes a room. A trigger holds the transaction for a second: the node is killed before the commit, or it is
 * stopped while PostgreSQL commits, and killed when that is done, so that it has announced nothing.
 */

let cluster: Cluster;
let dying: ClusterNode;
let living: ClusterNode;
let database: pg.Client;
let alice: TestClient;
let bob: TestClient;
let carol: TestClient;

beforeAll(async () => {
  cluster = await twoNodes({ CALL_GRACE_SECONDS: '15' });
  [dying, living] = cluster.nodes as [ClusterNode, ClusterNode];
  database = new pg.Client({ connectionString: cluster.postgres.url });
  await database.connect();
  await database.query(`CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN PERFORM pg_sleep(1); RETURN NEW; END'`);
});

afterAll(async () => {
  await database?.end();
  await cluster?.close();
});

beforeEach(async () => {
  alice = await cluster.clientOn(dying);
  bob = await cluster.clientOn(living);
  carol = await cluster.clientOn(living);
});

/** Makes a call a room, and holds the transaction with a trigger. */
async function heldCall(trigger: string): Promise<string> {
  const callId = await answered(alice, bob);
  await database.query(`CREATE CONSTRAINT TRIGGER hold AFTER UPDATE OF moved_to ON calls
    ${trigger} FOR EACH ROW EXECUTE FUNCTION hold()`);
  alice.parley.calls.addPeople(callId, [carol.address]).catch(() => undefined);
  await until(async () => (await holding()) > 0, 'the transaction is held');
  return callId;
}

async function released(): Promise<void> {
  await until(async () => (await holding()) === 0, 'the transaction is over');
  await database.query('DROP TRIGGER hold ON calls');
}

const holding = async () => {
  const { rows } = await database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity WHERE wait_event = 'PgSleep'`,
  );
  return rows[0]?.count ?? 0;
};

describe('kill -9 of the node on which a party adds people', () => {
  it('leaves the call as it was, before the commit', async () => {
    const callId = await heldCall('');
    await dying.server.kill();
    await released();
    try {
      await until(() => alice.parley.state === 'connected', 'Alice is on the other node');
      for (const client of [alice, bob])
        expect(await client.parley.calls.getActive()).toMatchObject([{ id: callId, status: 'active' }]);
      expect((await alice.parley.conference.list()).length).toBe(0);
      // The call goes on, and can still become a room.
      const room = await alice.parley.calls.addPeople(callId, [carol.address]);
      expect((await bob.event('call:moved')).room.id).toBe(room.id);
      await carol.event('conference:invited');
    } finally {
      await dying.server.start();
    }
  });

  it('brings all into the room, after the commit', async () => {
    const callId = await heldCall('DEFERRABLE INITIALLY DEFERRED');
    dying.server.pause();
    await released();
    await dying.server.kill();
    try {
      const rooms = await Promise.all(
        [alice, bob].map(async (client) => (await client.event('call:moved')).room.id),
      );
      const [room = ''] = rooms;
      expect(rooms).toEqual([room, room]);
      for (const client of [alice, bob])
        await until(() => client.parley.conference.participants(room).length === 2, 'both are in the room');
      expect((await carol.event('conference:invited')).room.id).toBe(room);
      for (const client of [alice, bob]) {
        expect(client.seen('call:moved')).toHaveLength(1);
        expect(client.seen('call:ended')).toEqual([]);
        expect(await client.parley.calls.getActive()).toEqual([]);
        expect((await client.parley.calls.getHistory())[0]).toMatchObject({ id: callId, movedTo: room });
      }
    } finally {
      await dying.server.start();
    }
  });
});
