import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pino } from 'pino';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase, type OpenDatabase } from '../../../platform/database/database.ts';
import type { Address } from '../../../sdk/protocol/common.ts';
import type { GroupId, Recipient } from '../../../sdk/protocol/group.ts';
import { newId } from '../../../sdk/protocol/ids.ts';
import { GroupStore, type NewMember } from '../../../signaling/groups/GroupStore.ts';
import { conversationId } from '../../../signaling/messages/conversationId.ts';
import { MessageStore } from '../../../signaling/messages/MessageStore.ts';
import { MessageWriter } from '../../../signaling/messages/MessageWriter.ts';
import { copyDatabaseTemplate } from '../../harness/nodes/databaseTemplate.ts';
import { newWallet } from '../support.ts';

/* The list of conversations, which is read hour by hour. */

let dataDir: string;
let opened: OpenDatabase;
let store: MessageStore;
let writer: MessageWriter;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  await copyDatabaseTemplate(dataDir);
  opened = await openDatabase({ dataDir, poolSize: 2, logger: pino({ level: 'silent' }) });
  const { db, pool } = opened;
  store = new MessageStore(db);
  writer = new MessageWriter({ db, pool, jobs: { expect: () => {} } });
});
afterAll(async () => {
  await opened?.close();
  await rm(dataDir, { recursive: true, force: true });
});

const hourMs = 3_600_000;
const latest = Date.parse('2026-06-15T12:34:56.789Z');

const send = (sender: Address, recipient: Recipient) =>
  writer.store({
    ...{ id: newId('msg'), conversation: conversationId(sender, recipient), sender, recipient },
    ...{ type: 'text', content: 'Hello', mediaId: null, replyTo: null },
  });

/** Moves a conversation into the past, as if no message had been sent since. */
async function age(conversation: string, at: number) {
  const to = new Date(at).toISOString();
  const { pool } = opened;
  await pool.query(`UPDATE wallet_messages SET sent_at = $2 WHERE conversation = $1`, [conversation, to]);
  await pool.query(`UPDATE conversations SET latest_at = $2, previous_at = NULL WHERE id = $1`, [
    conversation,
    to,
  ]);
  await pool.query(
    `UPDATE conversation_members SET active_at = date_trunc('hour', $2::timestamptz, 'UTC') WHERE conversation = $1`,
    [conversation, to],
  );
}

/** How many rows of messages were read. */
async function messagesRead(run: () => Promise<unknown>) {
  const read = async () => {
    await opened.pool.query('SELECT pg_stat_force_next_flush()');
    const { rows } = await opened.pool.query<{ read: string }>(
      `SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) AS read FROM pg_stat_user_tables WHERE relname = 'wallet_messages'`,
    );
    return Number(rows[0]?.read);
  };
  const before = await read();
  await run();
  return (await read()) - before;
}

/** Whether each member of the conversation is in the hour of its latest message. */
async function isInHourOfLatest(conversation: string) {
  const { rows } = await opened.pool.query<{ is: boolean }>(
    `SELECT active_at = date_trunc('hour', c.latest_at, 'UTC') AS is
     FROM conversation_members m JOIN conversations c ON c.id = m.conversation WHERE c.id = $1`,
    [conversation],
  );
  return rows.map(({ is }) => is);
}

describe('the list of conversations', () => {
  it('is in the order of the last visible messages on every page', async () => {
    const me = newWallet().address;
    const peers = Array.from({ length: 40 }, () => newWallet().address);
    const expected: { peer: Address; at: number }[] = [];
    for (const [index, peer] of peers.entries()) {
      await send(peer, me);
      const conversation = conversationId(me, peer);
      // Four conversations per hour. In every third one, the wallet has deleted all that is not days older.
      const at = latest - Math.floor(index / 4) * hourMs + (index % 4) * 60_000;
      const isHidden = index % 3 === 0;
      await age(conversation, at - (isHidden ? 48 * hourMs : 0));
      expected.push({ peer, at: at - (isHidden ? 48 * hourMs : 0) });
      if (!isHidden) continue;
      await opened.pool.query(
        `INSERT INTO wallet_messages (id, conversation, sender, recipient, type, content, sent_at, hidden_for_recipient)
         VALUES ($1, $2, $3, $4, 'text', 'Hidden', $5, true)`,
        [newId('msg'), conversation, peer, me, new Date(at).toISOString()],
      );
      await opened.pool.query(
        `UPDATE conversation_members SET active_at = date_trunc('hour', $2::timestamptz, 'UTC') WHERE conversation = $1`,
        [conversation, new Date(at).toISOString()],
      );
    }
    const inOrder = expected.sort((one, other) => other.at - one.at).map(({ peer }) => peer);
    for (const limit of [1, 3, 10, 39, 40, 100])
      for (let offset = 0; offset < 45; offset += Math.min(limit, 7)) {
        const page = await store.conversations(me, { limit, offset });
        expect(page.map(({ peer }) => peer)).toEqual(inOrder.slice(offset, offset + limit));
      }
  });

  it('reads only the latest hours', async () => {
    const me = newWallet().address;
    await opened.pool.query(
      `WITH peers AS (
         SELECT i, 'peer' || i AS peer, 'cnv_' || i AS id, $2::timestamptz - i * interval '30 minutes' AS at FROM generate_series(1, 1000) i
       ), conversations AS (
         INSERT INTO conversations (id, messages, latest_at) SELECT id, 1, at FROM peers
       ), members AS (
         INSERT INTO conversation_members (wallet, conversation, peer, active_at) SELECT $1, id, peer, date_trunc('hour', at, 'UTC') FROM peers
       )
       INSERT INTO wallet_messages (id, conversation, sender, recipient, type, content, sent_at)
       SELECT 'msg_' || i, id, $1, peer, 'text', 'Hello', at FROM peers`,
      [me, new Date(latest).toISOString()],
    );
    await opened.pool.query('ANALYZE');
    const read = await messagesRead(async () => {
      const page = await store.conversations(me, { limit: 10, offset: 0 });
      expect(page.map(({ id }) => id)).toEqual(Array.from({ length: 10 }, (_, index) => `cnv_${index + 1}`));
    });
    // Two conversations per hour: those of the page, and those of its last hour.
    expect(read).toBeLessThan(40);
  });

  it('moves a conversation to the hour of a new message, for both wallets', async () => {
    const [me, other] = [newWallet().address, newWallet().address];
    await send(me, other);
    const conversation = conversationId(me, other);
    expect(await isInHourOfLatest(conversation)).toEqual([true, true]);
    await age(conversation, latest);
    await Promise.all([send(other, me), send(me, other)]);
    expect(await isInHourOfLatest(conversation)).toEqual([true, true]);
    const [first] = await store.conversations(me, { limit: 1, offset: 0 });
    expect(first).toMatchObject({ id: conversation, unreadCount: 1 });
  });

  it('moves a group to the hour of a new message or of a change of the member', async () => {
    const { db } = opened;
    const groups = new GroupStore(db);
    const [me, other] = [newWallet().address, newWallet().address];
    const id = newId('grp') as GroupId;
    const member = (wallet: Address) => ({
      ...{ wallet, role: 'member', standing: 'member', invitedBy: null },
    });
    await groups.create({ id, name: 'Friends', creator: me }, async (tx, group) => {
      for (const wallet of [me, other]) await groups.put(tx, group, member(wallet) as NewMember);
    });
    await age(id, latest);
    await send(me, id);
    expect(await isInHourOfLatest(id)).toEqual([true, true]);
    await age(id, latest);
    await groups.change(id, (tx, group) => groups.put(tx, group, member(me) as NewMember));
    const { rows } = await opened.pool.query(
      `SELECT wallet FROM conversation_members WHERE conversation = $1 AND active_at > now() - interval '2 hours'`,
      [id],
    );
    expect(rows).toEqual([{ wallet: me }]);
  });
});
