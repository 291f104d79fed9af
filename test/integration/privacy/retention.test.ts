import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getTableName, sql, type SQL } from 'drizzle-orm';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase, type OpenDatabase } from '../../../platform/database/database.ts';
import { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import { newId } from '../../../sdk/protocol/ids.ts';
import { contractWallet, type Address } from '../../../sdk/protocol/address.ts';
import { checksummed } from '../../../sdk/protocol/checksum.ts';
import { deletedWallet } from '../../../sdk/protocol/deleted.ts';
import { accountOf } from '../../../server/money/account/accountOf.ts';
import { checkBalances } from '../../../server/money/account/checkBalances.ts';
import { Ledger } from '../../../server/money/account/Ledger.ts';
import { retentionSettings } from '../../../server/config/settings/retention.ts';
import { Retention } from '../../../server/privacy/retention/Retention.ts';
import { replaceAddress } from '../../../server/privacy/erasure/replaceAddress.ts';
import { registry } from '../../../server/privacy/registry/registry.ts';
import { telephonyTables } from '../../../server/privacy/registry/telephony.ts';
import { oldCodes } from '../../../server/privacy/retention/texts.ts';
import { messages } from '../../../server/telephony/messaging/tables.ts';
import { conversationId } from '../../../signaling/messages/conversationId.ts';
import { MessageStore } from '../../../signaling/messages/MessageStore.ts';
import { SearchIndex } from '../../../signaling/messages/SearchIndex.ts';
import { copyDatabaseTemplate } from '../../harness/nodes/databaseTemplate.ts';
import { until } from '../../harness/until.ts';
import { newWallet } from '../support.ts';
import { testRetention } from './privacySupport.ts';

const log = pino({ level: 'silent' });
let dataDir: string;
let opened: OpenDatabase;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  await copyDatabaseTemplate(dataDir);
  opened = await openDatabase({ dataDir, logger: log });
});
afterAll(async () => {
  await opened?.close();
  await rm(dataDir, { recursive: true, force: true });
});

const rowsOf = async (query: SQL) => (await opened.db.execute(query)).rows;
const ago = (days: number) => sql`now() - make_interval(days => ${days})`;

it('lists every table of the database', async () => {
  const rows = await rowsOf(sql`SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`);
  const listed = registry.map(({ table }) => getTableName(table));
  // A new table is added to a list in server/privacy/registry.
  expect([...listed].sort()).toEqual(rows.map(({ tablename }) => tablename));
});

const rules = registry.flatMap(({ table, kept }) =>
  typeof kept === 'string' ? [] : kept.map((rule) => [getTableName(table), rule] as const),
);
it.each(rules)('finds old rows of %s with an index', async (table, { find }) => {
  const plan = await opened.db.transaction(async (tx) => {
    await tx.execute(sql`SET LOCAL enable_seqscan = off`);
    return (await tx.execute(sql`EXPLAIN ${find(new Date())}`)).rows;
  });
  const text = plan.map((row) => row['QUERY PLAN']).join('\n');
  expect(text).toMatch(new RegExp(`(Index Scan.*|Bitmap Heap Scan|Tid Range Scan) on ${table}`));
  expect(text).not.toContain(`Seq Scan on ${table}`);
});

/** Stores a message that was sent some days ago. */
async function message(from: Address, to: Address, days: number, mediaId: string | null = null) {
  const [id, conversation] = [newId('msg'), conversationId(from, to)];
  await rowsOf(sql`INSERT INTO conversations (id, messages, latest_at) VALUES (${conversation}, 1, now())
    ON CONFLICT (id) DO UPDATE SET messages = conversations.messages + 1`);
  await rowsOf(sql`INSERT INTO conversation_members (wallet, conversation, peer)
    VALUES (${from}, ${conversation}, ${to}), (${to}, ${conversation}, ${from}) ON CONFLICT DO NOTHING`);
  await rowsOf(sql`INSERT INTO wallet_messages (id, conversation, sender, recipient, type, content, media_id, sent_at)
    VALUES (${id}, ${conversation}, ${from}, ${to}, 'text', ${`words ${days}`}, ${mediaId}, ${ago(days)})`);
  return id;
}

it('removes old messages with their files and search words, and keeps counts and lists right', async () => {
  const [alice, bob, carol] = [newWallet().address, newWallet().address, newWallet().address];
  const file = newId('med');
  await rowsOf(
    sql`INSERT INTO files (id, wallet, size, attached_at) VALUES (${file}, ${alice}, 1, ${ago(40)})`,
  );
  await message(alice, bob, 40, file);
  const kept = [await message(alice, bob, 20), await message(alice, bob, 10)];
  await message(carol, bob, 50);
  const store = new MessageStore(opened.db);
  await new SearchIndex(opened.db).catchUp(bob);
  const ids = async () =>
    (await rowsOf(sql`SELECT id FROM wallet_messages WHERE recipient = ${bob} ORDER BY sent_at`)).map(
      ({ id }) => id,
    );
  await testRetention(opened.db).sweep();
  expect(await ids()).toHaveLength(4);
  expect(await store.conversations(bob, { limit: 10, offset: 0 })).toHaveLength(2);

  await testRetention(opened.db, { KEEP_MESSAGES_DAYS: 30 }).sweep();
  expect(await ids()).toEqual(kept);
  expect(await store.conversations(bob, { limit: 10, offset: 0 })).toMatchObject([
    { peer: alice, unreadCount: 2, lastId: kept[1] },
  ]);
  const words = await rowsOf(sql`SELECT message FROM message_words WHERE wallet = ${bob} ORDER BY sent_at`);
  expect(words.map(({ message: id }) => id)).toEqual(kept);
  expect(await rowsOf(sql`SELECT id FROM conversations WHERE id = ${conversationId(carol, bob)}`)).toEqual(
    [],
  );
  expect(await rowsOf(sql`SELECT kind FROM due WHERE subject = ${file}`)).toEqual([
    { kind: 'file.discarded' },
  ]);
});

it('waits for a search that is being prepared, before it locks messages', async () => {
  const [alice, bob] = [newWallet().address, newWallet().address];
  const conversation = conversationId(alice, bob);
  await message(alice, bob, 40);
  let sweep: Promise<void> | undefined;
  await opened.db.transaction(async (search) => {
    await search.execute(sql`
      SELECT FROM conversation_members WHERE wallet = ${bob} AND conversation = ${conversation} FOR NO KEY UPDATE`);
    sweep = testRetention(opened.db, { KEEP_MESSAGES_DAYS: 30 }).sweep();
    const waiting = sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await until(async () => (await rowsOf(waiting)).length > 0, 'the retention waits');
    await search.execute(
      sql`SELECT FROM wallet_messages WHERE conversation = ${conversation} ORDER BY sent_at FOR SHARE`,
    );
  });
  await sweep;
  expect(await rowsOf(sql`SELECT FROM conversations WHERE id = ${conversation}`)).toEqual([]);
});

it('waits for a change of a group, which would otherwise stay without messages and members', async () => {
  const [group, { address }] = [newId('grp'), newWallet()];
  await rowsOf(sql`INSERT INTO conversations (id, messages, latest_at) VALUES (${group}, 1, now())`);
  await rowsOf(
    sql`INSERT INTO groups (id, name, creator, created_at) VALUES (${group}, 'Dinner', ${address}, now())`,
  );
  await rowsOf(
    sql`INSERT INTO conversation_members (wallet, conversation, peer) VALUES (${address}, ${group}, ${group})`,
  );
  await rowsOf(sql`INSERT INTO wallet_messages (id, conversation, sender, recipient, type, content, sent_at)
    VALUES (${newId('msg')}, ${group}, ${address}, ${group}, 'text', 'hello', ${ago(40)})`);
  let [sweep, isOver] = [Promise.resolve(), false];
  await opened.db.transaction(async (change) => {
    await change.execute(sql`SELECT FROM conversations WHERE id = ${group} FOR UPDATE`);
    const retention = testRetention(opened.db, { KEEP_MESSAGES_DAYS: 30 });
    sweep = retention.sweep().finally(() => (isOver = true));
    const waiting = sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await until(async () => isOver || (await rowsOf(waiting)).length > 0, 'the retention waits');
  });
  await sweep;
  expect(await rowsOf(sql`SELECT FROM conversations WHERE id = ${group}`)).toEqual([]);
  expect(await rowsOf(sql`SELECT FROM groups WHERE id = ${group}`)).toEqual([]);
});

it('removes groups that all have left, although their messages were removed before or there were none', async () => {
  const { address } = newWallet();
  const group = async (standing: string, days: number) => {
    const id = newId('grp');
    await rowsOf(sql`INSERT INTO conversations (id, messages, latest_at) VALUES (${id}, 0, ${ago(50)})`);
    await rowsOf(
      sql`INSERT INTO groups (id, name, creator, created_at) VALUES (${id}, 'Dinner', ${address}, ${ago(50)})`,
    );
    await rowsOf(
      sql`INSERT INTO conversation_members (wallet, conversation, peer) VALUES (${address}, ${id}, ${id})`,
    );
    await rowsOf(sql`INSERT INTO group_members (wallet, group_id, role, standing, changed_at)
      VALUES (${address}, ${id}, 'member', ${standing}, ${ago(days)})`);
    return id;
  };
  const kept = [await group('member', 40), await group('invited', 40), await group('left', 20)];
  await group('left', 40);
  const written = await group('left', 40);
  await rowsOf(sql`INSERT INTO wallet_messages (id, conversation, sender, recipient, type, content, sent_at)
    VALUES (${newId('msg')}, ${written}, ${address}, ${written}, 'text', 'hello', ${ago(20)})`);
  await testRetention(opened.db, { KEEP_MESSAGES_DAYS: 30 }).sweep();
  const left = await Promise.all(
    [
      sql`SELECT id FROM groups WHERE creator = ${address}`,
      sql`SELECT group_id AS id FROM group_members WHERE wallet = ${address}`,
      sql`SELECT conversation AS id FROM conversation_members WHERE wallet = ${address}`,
    ].map(rowsOf),
  );
  for (const rows of left) expect(rows.map(({ id }) => id).sort()).toEqual([...kept, written].sort());
});

it('removes old texts, and counts what is left of their threads', async () => {
  const { id: account } = await accountOf(opened.db, newWallet().address);
  const thread = async (...days: number[]) => {
    const id = newId('thr');
    await rowsOf(sql`INSERT INTO threads (id, account_id, number, counterparty, message_count, unread_count)
      VALUES (${id}, ${account}, '+1', ${id}, ${days.length}, ${days.length})`);
    for (const day of days)
      await rowsOf(sql`INSERT INTO messages (id, account_id, thread_id, direction, number, counterparty, text, media, status,
        segments, encoding, credits, carrier, created_at) VALUES (${newId('msg')}, ${account}, ${id}, 'inbound', '+1', ${id},
        'hi', '[]', 'received', 1, 'GSM-7', 0, 'test', ${ago(day)})`);
    return id;
  };
  const [partly] = [await thread(50, 40, 1), await thread(60)];
  await testRetention(opened.db, { KEEP_TEXTS_DAYS: 30 }).sweep();
  expect(
    await rowsOf(
      sql`SELECT id, message_count AS count, unread_count AS unread FROM threads WHERE account_id = ${account}`,
    ),
  ).toEqual([{ id: partly, count: 1, unread: 1 }]);
});

it('finds old codes, and the texts of a person, without reading all other texts', async () => {
  const { address: payer } = newWallet();
  const text = sql`'outbound', '+1', '+2', 'hi', '[]', 'sent', 1, 'GSM-7', 0, 'test', ${ago(100)}`;
  const columns = sql`direction, number, counterparty, text, media, status, segments, encoding, credits, carrier, created_at`;
  await rowsOf(
    sql`INSERT INTO messages (id, ${columns}) SELECT 'msg_kept' || i, ${text} FROM generate_series(1, 5000) i`,
  );
  await rowsOf(sql`INSERT INTO messages (id, payment_id, payer, is_secret, ${columns})
    VALUES (${newId('msg')}, ${newId('vrf')}, NULL, true, ${text}), (${newId('msg')}, ${newId('pay')}, ${payer}, false, ${text})`);
  await rowsOf(sql`ANALYZE messages`);
  const person = { accountId: 'acc_1', wallet: payer, party: payer, pseudonym: newWallet().address };
  const ofPerson = telephonyTables.flatMap(({ table, personal }) =>
    table === messages && typeof personal !== 'string' ? personal.erases : [],
  );
  for (const find of [oldCodes.find(new Date()), ...ofPerson.map((rule) => rule.find(person, false))]) {
    expect(await rowsOf(find)).toHaveLength(1);
    const plan = await rowsOf(sql`EXPLAIN (ANALYZE, COSTS off) ${find}`);
    const lines = plan.map((row) => row['QUERY PLAN']).join('\n');
    expect(lines).not.toMatch(/Rows Removed by Filter: \d{4}/);
  }
  await rowsOf(sql`DELETE FROM messages WHERE number = '+1' AND counterparty = '+2'`);
});

it('keeps a released number until it is returned to its carrier, and removes it with its webhook', async () => {
  const { id: account } = await accountOf(opened.db, newWallet().address);
  const [waiting, returned] = [newId('num'), newId('num')];
  for (const id of [waiting, returned])
    await rowsOf(sql`INSERT INTO phone_numbers (id, account_id, phone_number, country, type, capabilities, status,
      monthly_credits, auto_renew, carrier, expires_at, released_at)
      VALUES (${id}, ${account}, ${id}, 'US', 'local', '{}', 'released', 200, false, 'twilio', ${ago(50)}, ${ago(40)})`);
  await rowsOf(
    sql`INSERT INTO due (kind, subject, due_at, payload) VALUES ('number.release', ${waiting}, now(), '{}')`,
  );
  await rowsOf(sql`INSERT INTO webhooks (number_id, account_id, url, events, secret)
    VALUES (${returned}, ${account}, 'https://hooks.example', '[]', '')`);
  const left = () => rowsOf(sql`SELECT id FROM phone_numbers WHERE account_id = ${account}`);
  const retention = testRetention(opened.db, { KEEP_ORDERS_DAYS: 30 });
  await retention.sweep();
  expect(await left()).toEqual([{ id: waiting }]);
  await rowsOf(sql`DELETE FROM due WHERE subject = ${waiting}`);
  await retention.sweep();
  expect(await left()).toEqual([]);
});

it('sums up old movements of credits, and never changes a balance', async () => {
  const ledger = new Ledger({ db: opened.db, jobs: new ScheduledJobs(opened.db, log), leaseMs: 60_000 });
  const { id: accountId } = await accountOf(opened.db, newWallet().address);
  const [service, description] = ['test', 'Text to +4930'];
  const reference = { type: 'test', id: '1' };
  await ledger.grant(opened.db, { accountId, amount: 100, service, description, reference });
  for (const amount of [10, 20, 5, 1])
    await ledger.debit(opened.db, { accountId, amount, service, description, apiKeyPrefix: null });
  const spend = ledger.debit(opened.db, { accountId, amount: 7, service, description, apiKeyPrefix: null });
  await ledger.refund(opened.db, (await spend).id, 'Refunded');
  await rowsOf(
    sql`UPDATE ledger SET created_at = ${ago(200)} WHERE account_id = ${accountId} AND balance_after <> 64`,
  );
  const entries = () =>
    rowsOf(
      sql`SELECT type, amount::int, balance_after::int AS after FROM ledger WHERE account_id = ${accountId} ORDER BY seq`,
    );
  await testRetention(opened.db, { KEEP_LEDGER_DAYS: 90 }).sweep();
  // 64 was the balance after the fourth debit and after the refund: these two are new.
  expect(await entries()).toEqual([
    { type: 'credit', amount: 100, after: 100 },
    { type: 'debit', amount: 1, after: 64 },
    { type: 'debit', amount: 42, after: 57 },
    { type: 'refund', amount: 7, after: 64 },
  ]);
  expect(await checkBalances(opened.db, log)).toBe(0);
  expect(
    await ledger.grant(opened.db, { accountId, amount: 100, service, description, reference }),
  ).toBeNull();
  await rowsOf(sql`UPDATE ledger SET created_at = ${ago(200)} WHERE account_id = ${accountId}`);
  await testRetention(opened.db, { KEEP_LEDGER_DAYS: 90 }).sweep();
  expect(await entries()).toEqual([
    { type: 'credit', amount: 100, after: 100 },
    { type: 'debit', amount: 36, after: 64 },
  ]);
  expect(await checkBalances(opened.db, log)).toBe(0);
});

it('removes what belongs to no user by default, and ended calls, rooms and streams only with a setting', async () => {
  const [alice, bob] = [newWallet().address, newWallet().address];
  const { id: account } = await accountOf(opened.db, alice);
  for (const [id, days] of [
    ['call_old', 100],
    ['call_new', 1],
  ] as const)
    await rowsOf(sql`INSERT INTO calls (id, caller, callee, type, status, started_at, ended_at)
      VALUES (${id}, ${alice}, ${bob}, 'audio', 'ended', ${ago(days)}, ${ago(days)})`);
  await rowsOf(sql`INSERT INTO reservations (id, account_id, service, amount, status, inquiry, settled_at)
    VALUES ('rsv_old', ${account}, 'test', 1, 'captured', '{}', ${ago(91)}), ('rsv_new', ${account}, 'test', 1, 'captured', '{}', now())`);
  const file = newId('med');
  await rowsOf(
    sql`INSERT INTO files (id, wallet, size, attached_at) VALUES (${file}, ${alice}, 1, ${ago(8)})`,
  );
  await rowsOf(
    sql`INSERT INTO used_nonces (nonce, expires_at) SELECT 'n' || n, ${ago(1)} FROM generate_series(1, 50) n`,
  );
  await testRetention(opened.db).sweep();
  const calls = async () => (await rowsOf(sql`SELECT id FROM calls ORDER BY id`)).map(({ id }) => id);
  expect(await calls()).toEqual(['call_new', 'call_old']);
  expect(await rowsOf(sql`SELECT id FROM reservations WHERE id LIKE 'rsv\\____'`)).toEqual([
    { id: 'rsv_new' },
  ]);
  expect(await rowsOf(sql`SELECT discarded_at IS NULL AS is_kept FROM files WHERE id = ${file}`)).toEqual([
    { is_kept: false },
  ]);
  expect(await rowsOf(sql`SELECT nonce FROM used_nonces`)).toEqual([]);
  await testRetention(opened.db, { KEEP_CALLS_DAYS: 30 }).sweep();
  expect(await calls()).toEqual(['call_new']);
});

it('keeps the count of breach searches until the longest month is over', async () => {
  const { id: account } = await accountOf(opened.db, newWallet().address);
  for (const days of [31, 33, 91])
    await rowsOf(
      sql`INSERT INTO leak_quotas (account_id, period_start, used) VALUES (${account}, ${ago(days)}, 5)`,
    );
  const kept = async () =>
    (
      await rowsOf(sql`SELECT round(extract(epoch FROM now() - period_start) / 86400)::int AS days FROM leak_quotas
        WHERE account_id = ${account} ORDER BY 1`)
    ).map(({ days }) => days);
  await testRetention(opened.db).sweep();
  expect(await kept()).toEqual([31, 33]);
  await testRetention(opened.db, { KEEP_SETTLED_DAYS: 30 }).sweep();
  expect(await kept()).toEqual([31]);
});

it('removes identities that were unlinked when their last tokens have expired', async () => {
  const { id: account } = await accountOf(opened.db, newWallet().address);
  await rowsOf(sql`INSERT INTO identities (id, account_id, issuer, subject, unlinked_at) VALUES
    ('idn_linked', ${account}, 'https://id.example', '1', NULL),
    ('idn_linked_again', ${account}, 'https://other.example', '1', ${ago(3)}),
    ('idn_unlinked', NULL, 'https://id.example', '2', ${ago(1)}),
    ('idn_old', NULL, 'https://id.example', '3', ${ago(3)})`);
  await testRetention(opened.db).sweep();
  expect(await rowsOf(sql`SELECT id FROM identities ORDER BY id`)).toEqual([
    { id: 'idn_linked' },
    { id: 'idn_linked_again' },
    { id: 'idn_unlinked' },
  ]);
});

it('finds unused files among many others, in several runs on any node', async () => {
  const wallet = newWallet().address;
  const [used, unused] = ['med_000000000000000000000000', 'med_zzzzzzzzzzzzzzzzzzzzzzzz'];
  await rowsOf(sql`
    INSERT INTO files (id, wallet, size, attached_at)
    SELECT ${used}, ${wallet}, 1, ${ago(8)}
    UNION ALL SELECT 'med_' || lpad(n::text, 24, '0'), ${wallet}, 1, now() FROM generate_series(1, 21000) n
    UNION ALL SELECT ${unused}, ${wallet}, 1, ${ago(8)}`);
  await rowsOf(sql`INSERT INTO profiles (wallet, avatar_file) VALUES (${wallet}, ${used})`);
  const discarded = async () =>
    (
      await rowsOf(
        sql`SELECT id FROM files WHERE wallet = ${wallet} AND discarded_at IS NOT NULL ORDER BY id`,
      )
    ).map(({ id }) => id);
  const [{ pages }] = (await rowsOf(sql`SELECT (pg_relation_size('files') / 8192)::int AS pages`)) as [
    { pages: number },
  ];
  const runs = Math.ceil(pages / 64);
  expect(runs).toBeGreaterThan(3);
  // The unused file is on the last page.
  for (let run = 0; run < runs - 1; run++) await testRetention(opened.db).sweep(new Date(), run);
  expect(await discarded()).toEqual([]);
  await testRetention(opened.db).sweep(new Date(), runs - 1);
  expect(await discarded()).toEqual([unused]);
  // The next run begins again.
  await rowsOf(sql`DELETE FROM profiles WHERE wallet = ${wallet}`);
  await testRetention(opened.db).sweep(new Date(), runs);
  expect(await discarded()).toEqual([used, unused]);
});

it('goes on with the next run after a restart', async () => {
  const runOf = async () =>
    (await rowsOf(sql`SELECT payload FROM due WHERE kind = 'retention'`))[0]?.['payload'];
  for (const run of [1, 2]) {
    await rowsOf(sql`UPDATE due SET due_at = now() WHERE kind = 'retention'`);
    const jobs = new ScheduledJobs(opened.db, log);
    const days = Object.fromEntries(Object.keys(retentionSettings).map((name) => [name, 0]));
    await new Retention({ db: opened.db, jobs, days: days as never, log }).start();
    jobs.start();
    await until(async () => JSON.stringify(await runOf()) === JSON.stringify({ run }), `run ${run} is next`);
    await jobs.close();
  }
});

it.each([
  ['a wallet', false],
  ['a contract wallet', true],
])('replaces the address of %s in every column and spelling, and no other', async (_what, isContract) => {
  const { address } = newWallet();
  const [person, other] = isContract
    ? [contractWallet(1, address), contractWallet(137, address)]
    : [address, contractWallet(1, address)];
  await accountOf(opened.db, person);
  await accountOf(opened.db, other);
  const pseudonym = checksummed(deletedWallet(newWallet().address.slice(-24)));
  const bob = newWallet().address;
  const texts = { lower: person.toLowerCase(), whole: `${person}, hello`, longer: `${person}ff`, other };
  await rowsOf(
    sql`INSERT INTO wallet_events (wallet, sequence, event, payload) VALUES (${bob}, 1, 'x', ${JSON.stringify(texts)})`,
  );
  await rowsOf(sql`INSERT INTO blocks (wallet, blocked) VALUES (${bob}, ${person}), (${bob}, ${other})`);
  await message(bob, bob, 1);
  await rowsOf(sql`UPDATE wallet_messages SET hidden_for = ARRAY[${person}, ${other}] WHERE sender = ${bob}`);
  await replaceAddress(opened.db, person, pseudonym);
  const [event] = await rowsOf(sql`SELECT payload FROM wallet_events WHERE wallet = ${bob}`);
  expect(event?.['payload']).toEqual({
    lower: pseudonym,
    whole: `${pseudonym}, hello`,
    longer: `${person}ff`,
    other,
  });
  const blocked = await rowsOf(sql`SELECT blocked FROM blocks WHERE wallet = ${bob}`);
  expect(blocked.map((row) => row['blocked']).sort()).toEqual([pseudonym, other].sort());
  expect(await rowsOf(sql`SELECT hidden_for FROM wallet_messages WHERE sender = ${bob}`)).toEqual([
    { hidden_for: [pseudonym, other] },
  ]);
  await rowsOf(sql`DELETE FROM blocks WHERE wallet = ${bob}`);
});
