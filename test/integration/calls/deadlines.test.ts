import { drizzle } from 'drizzle-orm/node-postgres';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { OwnNode } from '../../../platform/node/OwnNode.ts';
import { CallStore } from '../../../signaling/calls/CallStore.ts';
import type { TestClient } from '../../harness/clients/TestClient.ts';
import { oneNode, type OneNode } from '../../harness/nodes/Harness.ts';
import { until } from '../../harness/until.ts';
import { connectDatabase, queryDatabase } from '../money/accountSupport.ts';

let harness: OneNode;
let alice: TestClient;
let bob: TestClient;

beforeAll(async () => {
  // The tests decide when a deadline passes.
  harness = await oneNode({ CALL_GRACE_SECONDS: '600', STREAM_RECONNECT_SECONDS: '600' });
  [alice, bob] = [await harness.client(), await harness.client()];
});

afterAll(() => harness?.close());

const passes = (kind: string, subject: string) =>
  queryDatabase(harness.server, 'UPDATE due SET due_at = now() WHERE kind = $1 AND subject = $2', [
    kind,
    subject,
  ]);

const others = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`;
const waits = async () =>
  (await queryDatabase(harness.server, `${others} AND wait_event_type = 'Lock'`)).length > 0;

/**
 * Lets a deadline pass while a transaction of somebody who comes back holds the row, and commits that transaction when the server waits
 * for it.
 */
async function comesBackJustInTime(table: 'calls' | 'streams', id: string, kind: string, subject: string) {
  const db = await connectDatabase(harness.server);
  onTestFinished(() => db.end());
  await db.query('BEGIN');
  await db.query(`SELECT FROM ${table} WHERE id = $1 FOR UPDATE`, [id]);
  await passes(kind, subject);
  await until(waits, 'the server waits');
  await db.query('DELETE FROM due WHERE kind = $1 AND subject = $2', [kind, subject]);
  await db.query('COMMIT');
  const isDone = async () =>
    (await queryDatabase(harness.server, `${others} AND xact_start IS NOT NULL`)).length === 0;
  await until(isDone, 'the server has ended its transaction');
}

async function answeredCall(): Promise<string> {
  const { id } = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
  await bob.event('call:incoming', (call) => call.id === id);
  await bob.parley.calls.answer(id);
  return id;
}

describe('a deadline that passes while somebody comes back', () => {
  it('does not end the call', async () => {
    const tablet = await harness.client();
    const { id } = await alice.parley.calls.start({ to: tablet.address, type: 'audio' });
    await tablet.parley.calls.answer(id);
    const subject = `${id}/callee`;
    tablet.close();
    const expected = () => queryDatabase(harness.server, 'SELECT FROM due WHERE subject = $1', [subject]);
    await until(async () => (await expected()).length > 0, 'the callee is expected back');
    await comesBackJustInTime('calls', id, 'call.gone', subject);
    expect(await alice.parley.calls.getActive()).toMatchObject([{ id, status: 'active' }]);
    await alice.parley.calls.end(id);
  });

  it('does not end the stream', async () => {
    const { id } = await alice.parley.streaming.create({ title: 'Back again' });
    await queryDatabase(
      harness.server,
      `UPDATE streams SET status = 'live', started_at = now() WHERE id = $1`,
      [id],
    );
    await queryDatabase(
      harness.server,
      `INSERT INTO due (kind, subject, due_at, payload) VALUES ('stream.gone', $1, now() + interval '1 hour', '{}')`,
      [id],
    );
    await comesBackJustInTime('streams', id, 'stream.gone', id);
    expect(await alice.parley.streaming.get(id)).toMatchObject({ status: 'live' });
  });
});

it('answers a call while the deadline of its caller locks the call and then its jobs', async () => {
  const { id } = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
  await bob.event('call:incoming', (call) => call.id === id);
  const db = await connectDatabase(harness.server);
  onTestFinished(() => db.end());
  await db.query('BEGIN');
  await db.query('SELECT FROM calls WHERE id = $1 FOR UPDATE', [id]);
  const answering = bob.parley.calls.answer(id);
  answering.catch(() => undefined);
  await until(waits, 'the answer waits');
  await db.query(`DELETE FROM due WHERE kind = 'call.ring' AND subject = $1`, [id]);
  await db.query('ROLLBACK');
  await answering;
  expect(await alice.parley.calls.getActive()).toMatchObject([{ id, status: 'active' }]);
  await alice.parley.calls.end(id);
});

it('leaves the media of a call that becomes a room to its devices, until they have moved', async () => {
  const id = await answeredCall();
  const db = await connectDatabase(harness.server);
  onTestFinished(() => db.end());
  const store = new CallStore(drizzle({ client: db }), {} as OwnNode);
  await db.query(`UPDATE calls SET status = 'ended', moved_to = 'room_1', ended_at = now() WHERE id = $1`, [
    id,
  ]);
  await db.query(
    'INSERT INTO room_owners (room_id, node_id, epoch) SELECT $1, id, 1 FROM nodes LIMIT 1 ON CONFLICT DO NOTHING',
    [id],
  );
  expect(await store.withRoomsLeft()).not.toContain(id);
  await db.query(`UPDATE calls SET ended_at = now() - interval '20 seconds' WHERE id = $1`, [id]);
  expect(await store.withRoomsLeft()).toContain(id);
});
