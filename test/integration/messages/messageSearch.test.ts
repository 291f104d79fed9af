import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pino } from 'pino';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase, type OpenDatabase } from '../../../platform/database/database.ts';
import type { Address } from '../../../sdk/protocol/common.ts';
import { conversationId } from '../../../signaling/messages/conversationId.ts';
import { MessageSearch } from '../../../signaling/messages/MessageSearch.ts';
import { MessageStore } from '../../../signaling/messages/MessageStore.ts';
import { SearchIndex } from '../../../signaling/messages/SearchIndex.ts';
import { monthOf, prefixOf } from '../../../signaling/messages/words.ts';
import { copyDatabaseTemplate } from '../../harness/nodes/databaseTemplate.ts';
import { newWallet } from '../support.ts';

/* What a search reads, in a database with many messages of others and old messages of its own. */

let dataDir: string;
let opened: OpenDatabase;
let search: MessageSearch;
const [alice, bob, eve] = [newWallet().address, newWallet().address, newWallet().address];
const foreign = 150_000;
const own = 3_000;
const now = new Date('2026-06-15T12:00:00Z');

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  await copyDatabaseTemplate(dataDir);
  opened = await openDatabase({ dataDir, poolSize: 2, logger: pino({ level: 'silent' }) });
  const { db, pool } = opened;
  const store = new MessageStore(db);
  const toMessages = (_wallet: Address, rows: { message: object }[]) => rows.map(({ message }) => message);
  search = new MessageSearch({
    ...{ db, store, index: new SearchIndex(db) },
    messages: { toMessages: (...given) => Promise.resolve(toMessages(...given) as never) },
  });
  // The words of other wallets: the same words, with other prefixes.
  const prefix = prefixOf(eve, monthOf(now));
  await pool.query(
    `INSERT INTO message_words (wallet, sent_at, message, words)
      SELECT $1, $2::timestamptz + i * interval '1 millisecond', 'msg_eve' || i, array_to_tsvector(ARRAY[$3 || 'hello', $3 || 'word' || i % 1000])
      FROM generate_series(1, $4::int) i`,
    [eve, now, prefix, foreign],
  );
  // Alice's messages of ten years; "hello" is in each of them.
  const conversation = conversationId(alice, bob);
  await pool.query(
    `INSERT INTO wallet_messages (id, conversation, sender, recipient, type, content, sent_at)
      SELECT 'msg_own' || i, $1, $2, $3, 'text', 'Hello number ' || i, $4::timestamptz - (interval '10 years' / $5::int) * i
      FROM generate_series(0, $5::int - 1) i`,
    [conversation, alice, bob, now, own],
  );
  await pool.query(`INSERT INTO conversations (id, messages, latest_at) VALUES ($1, $2, $3)`, [
    ...[conversation, own, now],
  ]);
  await pool.query(
    `INSERT INTO conversation_members (wallet, conversation, peer) VALUES ($1, $3, $2), ($2, $3, $1)`,
    [...[alice, bob, conversation]],
  );
  await pool.query('ANALYZE');
});
afterAll(async () => {
  await opened?.close();
  await rm(dataDir, { recursive: true, force: true });
});

const find = (query: string, limit = 2) => search.find(alice, { query, limit });

/** Rows that statements have read from the words: by sequential scans, and from the index and table by its indexes. */
async function reads() {
  await opened.pool.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await opened.pool.query<{ scanned: string; fetched: string; used: string }>(
    `SELECT t.seq_tup_read AS scanned, coalesce(t.idx_tup_fetch, 0) AS fetched, i.idx_scan AS used
      FROM pg_stat_user_tables t JOIN pg_stat_user_indexes i ON i.relid = t.relid
      WHERE t.relname = 'message_words' AND i.indexrelname = 'message_words_idx'`,
  );
  const [{ scanned, fetched, used } = { scanned: 0, fetched: 0, used: 0 }] = rows;
  return { scanned: Number(scanned), fetched: Number(fetched), used: Number(used) };
}

async function readBy<T>(run: () => Promise<T>) {
  const before = await reads();
  const result = await run();
  const after = await reads();
  const difference = (name: keyof typeof after) => after[name] - before[name];
  return { result, scanned: difference('scanned'), fetched: difference('fetched'), used: difference('used') };
}

describe('a search', () => {
  it('indexes the messages of its wallet once, for this wallet only', async () => {
    expect((await find('hello')).data).toMatchObject([{ id: 'msg_own0' }, { id: 'msg_own1' }]);
    const count = async () =>
      (
        await opened.pool.query<{ wallet: string; count: number }>(
          `SELECT wallet, count(*)::int FROM message_words WHERE wallet <> $1 GROUP BY wallet`,
          [eve],
        )
      ).rows;
    expect(await count()).toEqual([{ wallet: alice, count: own }]);
    await Promise.all([find('hello'), find('number')]);
    expect(await count()).toEqual([{ wallet: alice, count: own }]);
  });

  it('reads by the index: not the words of others, and of its own words only the months it needs', async () => {
    await opened.pool.query('ANALYZE message_words');
    const frequent = await readBy(() => find('hello'));
    expect(frequent.result.data).toMatchObject([{ id: 'msg_own0' }, { id: 'msg_own1' }]);
    // The latest 64 are looked at in any case: in the index, to know where they end, and in the table. They fill the page.
    const looked = 2 * 64 + 10;
    expect([frequent.scanned, frequent.used]).toEqual([0, 0]);
    expect(frequent.fetched).toBeLessThan(looked);
    const oldest = await readBy(() => find(`number ${own - 1}`));
    expect(oldest.result.data).toMatchObject([{ id: `msg_own${own - 1}` }]);
    // A month has 25 messages.
    expect([oldest.scanned, oldest.used > 0, oldest.fetched < looked + 100]).toEqual([0, true, true]);
    const none = await readBy(() => find('nowhere'));
    expect([none.result.data, none.scanned, none.used > 0]).toEqual([[], 0, true]);
    expect(none.fetched).toBeLessThan(looked);
  });

  it('finds a word that is in very many messages of a month, page by page, in a conversation too', async () => {
    const [carol, dave] = [newWallet().address, newWallet().address];
    const prefix = prefixOf(carol, monthOf(now));
    const count = 5_000;
    // Every tenth message is one to Dave; the others are to Bob.
    await opened.pool.query(
      `WITH sent AS (
         SELECT i, CASE WHEN i % 10 = 0 THEN $2 ELSE $3 END AS peer, CASE WHEN i % 10 = 0 THEN $4 ELSE $5 END AS conversation,
           $6::timestamptz - i * interval '1 minute' AS at FROM generate_series(0, $7::int - 1) i
       ), stored AS (
         INSERT INTO wallet_messages (id, conversation, sender, recipient, type, content, sent_at)
         SELECT 'msg_carol' || i, conversation, $1, peer, 'text', 'Hello', at FROM sent
       )
       INSERT INTO message_words (wallet, sent_at, message, words)
       SELECT $1, at, 'msg_carol' || i, array_to_tsvector(ARRAY[$8 || 'hello']) FROM sent`,
      [...[carol, dave, bob, conversationId(carol, dave), conversationId(carol, bob), now, count, prefix]],
    );
    await opened.pool.query('ANALYZE');
    const page = (more: { with?: Address; cursor?: string }) =>
      search.find(carol, { query: 'hello', limit: 100, ...more });
    const { result, fetched } = await readBy(() => page({}));
    expect(result.data).toHaveLength(100);
    expect(fetched).toBeLessThan(2_000);
    for (const peer of [undefined, dave]) {
      const ids: string[] = [];
      for (let cursor: string | null | undefined; cursor !== null;) {
        const found = await page({ ...(peer && { with: peer }), ...(cursor && { cursor }) });
        ids.push(...found.data.map(({ id }) => id));
        cursor = found.nextCursor;
      }
      const all = Array.from({ length: count }, (_, index) => index).filter(
        (index) => !peer || index % 10 === 0,
      );
      expect(ids).toEqual(all.map((index) => `msg_carol${index}`));
    }
  });

  it('does not look again at months in which the word is rare', async () => {
    const frank = newWallet().address;
    const before = new Date('2026-05-20T12:00:00Z');
    const insert = (from: Date, count: number, every: number) =>
      opened.pool.query(
        `WITH sent AS (
           SELECT 'msg_' || $4 || i AS id, $3::timestamptz - i * interval '1 minute' AS at,
             CASE WHEN i % $6::int = 0 THEN 'hello' ELSE 'other' END AS word FROM generate_series(0, $5::int - 1) i
         ), stored AS (
           INSERT INTO wallet_messages (id, conversation, sender, recipient, type, content, sent_at)
           SELECT id, $7, $1, $2, 'text', word, at FROM sent
         )
         INSERT INTO message_words (wallet, sent_at, message, words)
         SELECT $1, at, id, array_to_tsvector(ARRAY[$4 || word]) FROM sent`,
        [frank, bob, from, prefixOf(frank, monthOf(from)), count, every, conversationId(frank, bob)],
      );
    await insert(now, 5_000, 500);
    await insert(before, 2_000, 1);
    // As in a database in use: where the pages are not known to be visible, PostgreSQL may sort a small table instead of using its index.
    await opened.pool.query('VACUUM ANALYZE');
    const { result, fetched } = await readBy(() => search.find(frank, { query: 'hello', limit: 100 }));
    const ids = (from: Date, count: number, every: number) =>
      Array.from({ length: count }, (_, index) => `msg_${prefixOf(frank, monthOf(from))}${index * every}`);
    expect(result.data.map(({ id }) => id)).toEqual([...ids(now, 10, 500), ...ids(before, 90, 1)]);
    expect(fetched).toBeLessThan(2_000);
  });
});
