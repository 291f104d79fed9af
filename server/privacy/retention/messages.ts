import { sql, type SQL } from 'drizzle-orm';
import type { Executor } from '../../../platform/database/Executor.ts';
import type { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import { batch, discardFiles, valuesOf } from '../registry/rules.ts';
import type { RetentionRule } from '../registry/TableData.ts';
import { isInPartOf } from './partOf.ts';

const ids = (values: string[]) => sql`${sql.param(values)}::text[]`;

/** Removes old messages with their files and search words, and conversations that are empty then. */
export const oldMessages: RetentionRule = {
  setting: 'KEEP_MESSAGES_DAYS',
  // Not locked yet: see lockEnding().
  find: (before) => sql`
    SELECT id, conversation FROM wallet_messages WHERE sent_at < ${before.toISOString()}::timestamptz
    LIMIT ${sql.raw(String(batch))}`,
  async remove(tx, found, jobs) {
    const ending = await lockEnding(tx, found);
    const { rows } = await tx.execute(sql`
      SELECT id, media_id FROM wallet_messages WHERE id = ANY(${ids(valuesOf(found, 'id'))})
      ORDER BY conversation, sent_at FOR UPDATE`);
    await removeFromSearch(tx, rows);
    await discardFiles(tx, jobs, valuesOf(rows, 'media_id'));
    await tx.execute(sql`DELETE FROM wallet_messages WHERE id = ANY(${ids(valuesOf(rows, 'id'))})`);
    await removeEmpty(tx, ending);
  },
};

/** Removes groups that the last member has left after their last message was removed, or before anybody had written. */
export const emptyGroups: RetentionRule = {
  setting: 'KEEP_MESSAGES_DAYS',
  // Not as EXISTS: PostgreSQL could read all messages and members, instead of looking up those of each group.
  find: (before, run = 0) => sql`
    SELECT id FROM groups
    WHERE ${isInPartOf('groups', run)} AND created_at < ${before.toISOString()}::timestamptz
      AND (
        SELECT m.wallet FROM group_members m
        WHERE m.group_id = groups.id AND (m.standing IN ('member', 'invited') OR m.changed_at >= ${before.toISOString()}::timestamptz)
        LIMIT 1) IS NULL
      AND (SELECT w.id FROM wallet_messages w WHERE w.conversation = groups.id LIMIT 1) IS NULL
    LIMIT ${sql.raw(String(batch))}`,
  async remove(tx, found) {
    const empty = valuesOf(found, 'id');
    await lockConversations(tx, empty);
    await removeEmpty(tx, empty);
  },
};

/**
 * Locks those conversations that have no messages but these, and their members. A new message locks its conversation first, and a search the row of
 * its wallet, so this comes before the messages are locked.
 */
async function lockEnding(tx: Executor, messages: Record<string, unknown>[]): Promise<string[]> {
  const { rows } = await tx.execute(sql`
    SELECT c.id FROM unnest(${ids([...new Set(valuesOf(messages, 'conversation'))])}) AS c (id)
    WHERE (
      SELECT m.id FROM wallet_messages m WHERE m.conversation = c.id AND m.id <> ALL(${ids(valuesOf(messages, 'id'))}) LIMIT 1
    ) IS NULL`);
  const ending = valuesOf(rows, 'id');
  if (ending.length > 0) await lockConversations(tx, ending);
  return ending;
}

async function lockConversations(tx: Executor, conversationIds: string[]): Promise<void> {
  const those = ids(conversationIds);
  await tx.execute(sql`SELECT FROM conversations WHERE id = ANY(${those}) ORDER BY id FOR UPDATE`);
  await tx.execute(sql`
    SELECT FROM conversation_members WHERE conversation = ANY(${those}) ORDER BY conversation, wallet FOR UPDATE`);
}

/**
 * Selects messages that were written for a wallet, or by it, and still have words. A message that its recipient sees stays as a deleted one.
 * It waits for messages that are locked, for example while somebody searches: they are not found again once their conversation has another id.
 * Searches lock messages in the same order.
 * @param where which conversations, and when, of the messages `w`
 */
export const messagesOf = (wallet: string | null, where: SQL): SQL => sql`
  SELECT m.id, m.conversation, m.sender, m.recipient, m.sent_at, m.media_id
  FROM (
    SELECT w.id FROM wallet_messages w
    WHERE ${where} AND w.deleted_at IS NULL
      AND (w.sender = ${wallet} OR w.recipient = ${wallet} AND (w.hidden_for_sender OR w.blocked))
    LIMIT ${sql.raw(String(batch))}
  ) found JOIN wallet_messages m ON m.id = found.id
  WHERE m.deleted_at IS NULL ORDER BY m.conversation, m.sent_at FOR UPDATE OF m`;

/**
 * Empties messages of a wallet that were stored since they were all emptied. Call it when their conversations are locked, so that no others
 * follow.
 */
export async function eraseLateWords(
  tx: Executor,
  conversationIds: string[],
  wallet: string | null,
  jobs: ScheduledJobs,
): Promise<void> {
  // A request that was running when the erasure began has ended after minutes.
  const isLate = sql`w.conversation = ANY(${ids(conversationIds)}) AND w.sent_at > now() - interval '1 hour'`;
  for (;;) {
    const { rows } = await tx.execute(messagesOf(wallet, isLate));
    if (rows.length === 0) return;
    await eraseWords(tx, rows, jobs);
  }
}

/** Empties messages, as if their senders had deleted them for everyone. */
export async function eraseWords(
  tx: Executor,
  rows: Record<string, unknown>[],
  jobs: ScheduledJobs,
): Promise<void> {
  await removeFromSearch(tx, rows);
  await discardFiles(tx, jobs, valuesOf(rows, 'media_id'));
  await tx.execute(sql`
    UPDATE wallet_messages SET deleted_at = now(), content = '', media_id = NULL, reactions = '[]', reply_to = NULL,
      edited_at = NULL, unseen_edit = NULL
    WHERE id = ANY(${ids(valuesOf(rows, 'id'))})`);
}

/**
 * Takes a wallet out of groups, and empties its latest messages there. A group that has lost its last admin gets another; one without anybody
 * is deleted.
 */
export async function leaveGroups(
  tx: Executor,
  rows: Record<string, unknown>[],
  wallet: string | null,
  jobs: ScheduledJobs,
): Promise<void> {
  const groupIds = [...new Set(valuesOf(rows, 'group_id'))].sort();
  await tx.execute(sql`SELECT FROM conversations WHERE id = ANY(${ids(groupIds)}) ORDER BY id FOR UPDATE`);
  await eraseLateWords(tx, groupIds, wallet, jobs);
  await tx.execute(
    sql`DELETE FROM group_members WHERE group_id = ANY(${ids(groupIds)}) AND wallet = ${wallet}`,
  );
  await tx.execute(sql`
    UPDATE group_members g SET role = 'admin' FROM unnest(${ids(groupIds)}) AS wanted (id)
    WHERE g.group_id = wanted.id AND g.wallet = (
        SELECT m.wallet FROM group_members m WHERE m.group_id = wanted.id AND m.standing = 'member'
        ORDER BY m.changed_at, m.wallet LIMIT 1)
      AND NOT EXISTS (
        SELECT FROM group_members a WHERE a.group_id = wanted.id AND a.standing = 'member' AND a.role = 'admin')`);
  const { rows: left } = await tx.execute(sql`
    DELETE FROM groups WHERE id = ANY(${ids(groupIds)})
      AND NOT EXISTS (SELECT FROM group_members m WHERE m.group_id = groups.id) RETURNING id`);
  const gone = valuesOf(left, 'id');
  if (gone.length === 0) return;
  const { rows: files } = await tx.execute(
    sql`DELETE FROM wallet_messages WHERE conversation = ANY(${ids(gone)}) RETURNING media_id`,
  );
  await discardFiles(tx, jobs, valuesOf(files, 'media_id'));
  await tx.execute(sql`DELETE FROM conversations WHERE id = ANY(${ids(gone)})`);
}

async function removeFromSearch(tx: Executor, rows: Record<string, unknown>[]): Promise<void> {
  const gone = sql`unnest(${ids(valuesOf(rows, 'id'))}) AS gone (id) JOIN wallet_messages m ON m.id = gone.id`;
  await tx.execute(sql`
    DELETE FROM message_words w USING ${gone}
    WHERE w.wallet IN (m.sender, m.recipient) AND w.sent_at = m.sent_at AND w.message = m.id`);
  await tx.execute(sql`
    DELETE FROM message_words w USING ${gone} JOIN group_members g ON g.group_id = m.recipient
    WHERE w.wallet = g.wallet AND w.sent_at = m.sent_at AND w.message = m.id`);
}

/** Deletes those of these conversations, which are locked, that have no messages: some may have been stored before the locks were granted. */
async function removeEmpty(tx: Executor, conversationIds: string[]): Promise<void> {
  if (conversationIds.length === 0) return;
  const { rows } = await tx.execute(sql`
    SELECT id FROM unnest(${ids(conversationIds)}) AS c (id)
    WHERE NOT EXISTS (SELECT FROM wallet_messages m WHERE m.conversation = c.id)
      AND NOT EXISTS (SELECT FROM group_members g WHERE g.group_id = c.id AND g.standing IN ('member', 'invited'))`);
  const empty = ids(valuesOf(rows, 'id'));
  await tx.execute(sql`DELETE FROM conversation_members WHERE conversation = ANY(${empty})`);
  await tx.execute(sql`DELETE FROM group_members WHERE group_id = ANY(${empty})`);
  await tx.execute(sql`DELETE FROM groups WHERE id = ANY(${empty})`);
  await tx.execute(sql`DELETE FROM conversations WHERE id = ANY(${empty})`);
}
