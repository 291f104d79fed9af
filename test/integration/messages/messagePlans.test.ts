import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address } from '../../../sdk/protocol/common.ts';
import type { GroupId } from '../../../sdk/protocol/group.ts';
import { newId } from '../../../sdk/protocol/ids.ts';
import { openDatabase, type OpenDatabase } from '../../../platform/database/database.ts';
import { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import type { AppendedEvent } from '../../../signaling/events/EventLog.ts';
import { conversationId } from '../../../signaling/messages/conversationId.ts';
import { MessageWriter, type NewMessage } from '../../../signaling/messages/MessageWriter.ts';
import { GroupStore } from '../../../signaling/groups/GroupStore.ts';
import { MessageStore } from '../../../signaling/messages/MessageStore.ts';
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
  receipts = new Receipts({ pool: opened.pool, events: { deliver, doubt: () => undefined } });
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

/** The number of message rows read since the database was created. @param how `seq_tup_read` by sequential scans, `idx_tup_fetch` by indexes */
async function rowsRead(how: 'seq_tup_read' | 'idx_tup_fetch' = 'seq_tup_read'): Promise<number> {
  await opened.pool.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await opened.pool.query<{ count: string }>(
    `SELECT ${how} AS count FROM pg_stat_user_tables WHERE relname = 'wallet_messages'`,
  );
  return Number(rows[0]?.count);
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
      const before = await rowsRead();
      const { id } = await storedMessage(alice, bob);
      if (status === 'delivered') await receipts.delivered(bob, [id]);
      if (status === 'read') await receipts.read(bob, id);
      expect((await rowsRead()) - before).toBeLessThan(many);
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

describe('a group with many messages', () => {
  it('is read and listed without the messages from before a member entered and after it left', async () => {
    const { db, pool } = opened;
    const groups = new GroupStore(db);
    const store = new MessageStore(db);
    const [founder, late, gone] = [newWallet().address, newWallet().address, newWallet().address];
    const id: GroupId = `grp_${'0'.repeat(24)}`;
    const standing = (wallet: Address, now: 'member' | 'left') =>
      groups.change(id, (tx, group) =>
        groups.put(tx, group, { wallet, role: 'member', standing: now, invitedBy: founder }),
      );
    const write = (count: number) =>
      pool.query(
        `WITH stored AS (
          INSERT INTO wallet_messages (id, conversation, sender, recipient, type, content, sent_at)
          SELECT 'msg_' || gen_random_uuid(), $1, $2, $1, 'text', 'Hello', latest_at + i * interval '1 millisecond'
          FROM conversations, generate_series(1, $3) i WHERE conversations.id = $1
        )
        UPDATE conversations SET latest_at = latest_at + $3 * interval '1 millisecond' WHERE id = $1`,
        [id, founder, count],
      );
    await groups.create({ id, name: 'Many', creator: founder }, (tx, group) =>
      groups.put(tx, group, { wallet: founder, role: 'admin', standing: 'member', invitedBy: null }),
    );
    await standing(gone, 'member');
    await write(3);
    await standing(gone, 'left');
    await write(many);
    await standing(late, 'member');
    await pool.query('ANALYZE wallet_messages');
    const before = await rowsRead('idx_tup_fetch');
    const scanned = await rowsRead();
    for (const wallet of [late, gone]) {
      const expected = wallet === late ? 0 : 3;
      const page = { with: id, limit: 50, offset: 0 };
      expect(await store.page(wallet, page)).toHaveLength(expected);
      const [listed] = await store.conversations(wallet, { limit: 100, offset: 0 });
      expect(listed).toMatchObject({ id, unreadCount: expected });
    }
    expect((await rowsRead('idx_tup_fetch')) - before).toBeLessThan(100);
    expect(await rowsRead()).toBe(scanned);
  });
});
