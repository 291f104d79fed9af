import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpenDatabase } from '../../../platform/database/database.ts';
import { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import { moveConversations } from '../../../server/privacy/erasure/moveConversations.ts';
import { oldMessages } from '../../../server/privacy/retention/messages.ts';
import { conversationId } from '../../../signaling/messages/conversationId.ts';
import { CleanUp, silent } from '../../harness/nodes/embeddedPostgres/support.ts';
import { openTestDatabase } from '../../harness/nodes/openTestDatabase.ts';
import { newWallet } from '../support.ts';

/* What the removal of messages and of persons reads of the conversations of everybody else. */

const cleanUp = new CleanUp();
const [alice, bob] = [newWallet().address, newWallet().address];
const conversation = conversationId(alice, bob);
let database: OpenDatabase;

beforeAll(async () => {
  database = await openTestDatabase(cleanUp);
  const { pool } = database;
  await pool.query(`
    INSERT INTO conversation_members (wallet, conversation, peer)
      SELECT 'wallet' || i, 'conversation' || i / 2, 'peer' || i FROM generate_series(1, 20000) i`);
  await pool.query(`INSERT INTO conversations (id, messages, latest_at) VALUES ($1, 1, now())`, [
    conversation,
  ]);
  await pool.query(
    `INSERT INTO conversation_members (wallet, conversation, peer) VALUES ($1, $3, $2), ($2, $3, $1)`,
    [alice, bob, conversation],
  );
  await pool.query(
    `INSERT INTO wallet_messages (id, conversation, sender, recipient, type, content, sent_at)
      VALUES ('msg_1', $3, $1, $2, 'text', 'Hello', now() - interval '2 days')`,
    [alice, bob, conversation],
  );
  await pool.query('VACUUM ANALYZE');
});
afterAll(() => cleanUp.run());

/** The rows of members that were read one by one, and not found by an index. */
async function scanned(): Promise<number> {
  await database.pool.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await database.pool.query<{ count: string }>(
    `SELECT seq_tup_read AS count FROM pg_stat_user_tables WHERE relname = 'conversation_members'`,
  );
  return Number(rows[0]?.count);
}

it('finds the members of a conversation by an index', async () => {
  const { db } = database;
  const before = await scanned();
  const person = { accountId: 'acc_1', wallet: alice, party: alice, pseudonym: newWallet().address };
  const jobs = new ScheduledJobs(db, silent);
  await db.transaction(async (tx) => {
    const { rows } = await tx.execute(moveConversations.find(person, true));
    await moveConversations.erase?.(tx, rows, { jobs, person });
  });
  const members = () =>
    database.pool.query('SELECT FROM conversation_members WHERE wallet = ANY ($1)', [
      [bob, person.pseudonym],
    ]);
  expect((await members()).rows).toHaveLength(2);
  const afterErasure = await scanned();
  await db.transaction(async (tx) => {
    const { rows } = await tx.execute(oldMessages.find(new Date()));
    await oldMessages.remove?.(tx, rows, jobs);
  });
  const afterRemoval = await scanned();
  expect((await members()).rows).toHaveLength(0);
  expect([afterErasure - before, afterRemoval - afterErasure]).toEqual([0, 0]);
});
