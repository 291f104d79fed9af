import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address } from '../../../sdk/protocol/common.ts';
import { newId } from '../../../sdk/protocol/ids.ts';
import { openDatabase, type OpenDatabase } from '../../../platform/database/database.ts';
import { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import type { AppendedEvent } from '../../../signaling/events/EventLog.ts';
import { conversationId } from '../../../signaling/messages/conversationId.ts';
import { MessageWriter, type NewMessage } from '../../../signaling/messages/MessageWriter.ts';
import { Receipts } from '../../../signaling/messages/Receipts.ts';
import { newWallet } from '../support.ts';
import { layDatabase } from '../../harness/databaseTemplate.ts';

/*
 * A connection keeps the plan of a prepared statement for as long as it lives. One that was made while the tables were small must
 * not read all of them when they are large.
 */

let dataDir: string;
let opened: OpenDatabase;
let writer: MessageWriter;
let receipts: Receipts;
const delivered: AppendedEvent[] = [];
const [alice, bob] = [newWallet().address, newWallet().address];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  // One connection, so that it is the one whose plans are old.
  const log = pino({ level: 'silent' });
  await layDatabase(dataDir);
  opened = await openDatabase({ dataDir, poolSize: 1, logger: log });
  writer = new MessageWriter({ ...opened, jobs: new ScheduledJobs(opened.db, log) });
  const deliver = (events: AppendedEvent[]) => Promise.resolve(void delivered.push(...events));
  receipts = new Receipts({ pool: opened.pool, events: { deliver } });
});
afterAll(async () => {
  await opened?.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function storedMessage(from: Address, to: Address): Promise<NewMessage> {
  const message: NewMessage = {
    id: newId('msg'),
    conversation: conversationId(from, to),
    sender: from,
    recipient: to,
    type: 'text',
    content: 'Hello',
    mediaId: null,
  };
  expect(await writer.store(message)).not.toBeNull();
  return message;
}

/** Rows of messages that were read one after the other, without an index, since the database began. */
async function readInOrder(): Promise<number> {
  await opened.pool.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await opened.pool.query<{ seq_tup_read: string }>(
    `SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'wallet_messages'`,
  );
  return Number(rows[0]?.seq_tup_read);
}

const keptPlans = 10;
const many = 20_000;

describe('with plans of a time when there were no messages', () => {
  beforeAll(async () => {
    for (let index = 0; index < keptPlans; index++) {
      const { id } = await storedMessage(alice, bob);
      await receipts.delivered(bob, [id]);
      await receipts.read(bob, id);
    }
    // Receipts of one or two are planned anew each time; should PostgreSQL come to keep those too, they are looked at here as well.
    const { rows } = await opened.pool.query<{ kept: boolean }>(
      `SELECT generic_plans > 0 AS kept FROM pg_prepared_statements WHERE name = 'store messages'`,
    );
    expect(rows).toEqual([{ kept: true }]);
    await opened.pool.query(
      `INSERT INTO wallet_messages (id, conversation, sender, recipient, type, content, sent_at)
        SELECT 'msg_' || i, 'cnv_' || i % 100, 'a', 'b', 'text', 'Hello', now() + i * interval '1 second' FROM generate_series(1, $1) i`,
      [many],
    );
  });

  it.each(['stored', 'delivered', 'read'] as const)('one is %s without reading all others', async (what) => {
    const before = await readInOrder();
    const { id } = await storedMessage(alice, bob);
    if (what === 'delivered') await receipts.delivered(bob, [id]);
    if (what === 'read') await receipts.read(bob, id);
    expect((await readInOrder()) - before).toBeLessThan(many);
  });
});

describe('a receipt', () => {
  it('moves a mark forward, of all its messages in one statement, and tells each sender of the newest', async () => {
    const carol = newWallet().address;
    const [first, second] = [await storedMessage(alice, bob), await storedMessage(alice, bob)];
    const other = await storedMessage(carol, bob);
    delivered.length = 0;
    await receipts.delivered(bob, [second.id, other.id, first.id]);
    const toAlice = { messageId: second.id, conversationId: second.conversation, by: bob, from: alice };
    const toCarol = { messageId: other.id, conversationId: other.conversation, by: bob, from: carol };
    expect(delivered).toHaveLength(2);
    expect(delivered.find(({ wallet }) => wallet === alice)).toMatchObject({ payload: toAlice });
    // Her own message is the first in her sequence.
    expect(delivered.find(({ wallet }) => wallet === carol)).toMatchObject({
      event: 'message:delivered',
      payload: toCarol,
      sequence: 2,
    });
    delivered.length = 0;
    await receipts.delivered(bob, [first.id, second.id]);
    await receipts.delivered(alice, [second.id]);
    expect(delivered).toEqual([]);
  });

  it('of reading is delivered to the sender and to the reader, with numbers that have no gaps', async () => {
    const { id } = await storedMessage(alice, bob);
    delivered.length = 0;
    await receipts.read(bob, id);
    expect(delivered.map(({ wallet, event }) => [wallet, event]).sort()).toEqual(
      [
        [alice, 'message:read'],
        [bob, 'message:read'],
      ].sort(),
    );
    const { rows } = await opened.pool.query<{ wallet: Address; latest: string; logged: string }>(
      `SELECT s.wallet, s.latest, (SELECT count(DISTINCT e.sequence) FROM wallet_events e WHERE e.wallet = s.wallet) AS logged
        FROM wallet_sequences s`,
    );
    for (const { wallet, latest, logged } of rows) {
      expect(logged, wallet).toBe(latest);
      const own = delivered.find((event) => event.wallet === wallet);
      if (own) expect(String(own.sequence)).toBe(latest);
    }
  });
});
