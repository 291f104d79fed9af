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
import { copyDatabaseTemplate } from '../../harness/nodes/databaseTemplate.ts';

/*
 * A connection keeps the plan of a prepared statement as long as it is open. A plan made while the tables were small must not
 * read the whole tables when they are large.
 */

let dataDir: string;
let opened: OpenDatabase;
let writer: MessageWriter;
let receipts: Receipts;
const delivered: AppendedEvent[] = [];
const [alice, bob] = [newWallet().address, newWallet().address];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  // A pool of one connection, so that every statement uses the old plans.
  const log = pino({ level: 'silent' });
  await copyDatabaseTemplate(dataDir);
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
    replyTo: null,
  };
  expect(await writer.store(message)).not.toBeNull();
  return message;
}

/** The number of message rows read by sequential scans since the database was created. */
async function sequentialReads(): Promise<number> {
  await opened.pool.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await opened.pool.query<{ seq_tup_read: string }>(
    `SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'wallet_messages'`,
  );
  return Number(rows[0]?.seq_tup_read);
}

const executions = 10;
const many = 20_000;

describe('with plans made when there were no messages', () => {
  beforeAll(async () => {
    for (let index = 0; index < executions; index++) {
      const { id } = await storedMessage(alice, bob);
      await receipts.delivered(bob, [id]);
      await receipts.read(bob, id);
    }
    // PostgreSQL makes a new plan for each update of one or two receipts. Should it ever reuse those plans, this test covers them too.
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

  it.each(['stored', 'delivered', 'read'] as const)(
    'a message is %s without reading all others',
    async (status) => {
      const before = await sequentialReads();
      const { id } = await storedMessage(alice, bob);
      if (status === 'delivered') await receipts.delivered(bob, [id]);
      if (status === 'read') await receipts.read(bob, id);
      expect((await sequentialReads()) - before).toBeLessThan(many);
    },
  );
});

describe('a receipt', () => {
  it('advances the mark for all its messages in one statement, and notifies each sender of the newest one', async () => {
    const carol = newWallet().address;
    const [first, second] = [await storedMessage(alice, bob), await storedMessage(alice, bob)];
    const other = await storedMessage(carol, bob);
    delivered.length = 0;
    await receipts.delivered(bob, [second.id, other.id, first.id]);
    const toAlice = { messageId: second.id, conversationId: second.conversation, by: bob, from: alice };
    const toCarol = { messageId: other.id, conversationId: other.conversation, by: bob, from: carol };
    expect(delivered).toHaveLength(2);
    expect(delivered.find(({ wallet }) => wallet === alice)).toMatchObject({ payload: toAlice });
    // Sequence 1 is Carol's own message.
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

  it('of reading is sent to the sender and the reader, numbered without gaps', async () => {
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
